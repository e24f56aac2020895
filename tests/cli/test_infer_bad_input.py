"""What the commands about related people refuse: said in a line, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import FAMILY, JOINT, NETWORK, PAIR, Run, squeeze

BAD: dict[str, tuple[tuple[str, ...], str]] = {
    "no epsilon": (NETWORK, "--epsilon or --target-nu must be given"),
    "epsilon 0": ((*NETWORK, "--epsilon", "0"), "--epsilon must be above 0"),
    "epsilon negative": ((*NETWORK, "--epsilon", "-1"), "--epsilon must be above 0"),
    "epsilon infinite": ((*NETWORK, "--epsilon", "inf"), "--epsilon must be above 0 and finite"),
    "epsilon absurd": (
        (*NETWORK, "--epsilon", "1e308"),
        "--epsilon must be from 1e-09 to 10,000; got 1e+308",
    ),
    "epsilon next to 0": ((*NETWORK, "--epsilon", "5e-324"), "--epsilon must be from 1e-09"),
    "a sum that is absurd": (
        (*NETWORK, "--epsilon", "9000", "--epsilon", "9000"),
        "the sum of --epsilon must be from 1e-09 to 10,000",
    ),
    "rho absurd": ((*NETWORK, "--rho", "1e308"), "--rho must be from 1e-09 to 10,000"),
    "target absurd": ((*NETWORK, "--target-nu", "1e308"), "--target-nu must be from 1e-09 to 10,000"),
    "degree with absurd epsilon": (
        ("infer", "degree", "--degree", "3", "--agreement", "0.8", "--epsilon", "1e308"),
        "--epsilon must be from",
    ),
    "joint with absurd epsilon": (
        (*JOINT, "prior.csv", "--epsilon", "1e308"),
        "--epsilon must be at most 100",
    ),
    "noise that is none": (
        (*PAIR, "--noisy-sum", "1", "--noise", "gaussian:sigma=1e-10"),
        "--noise must be noise",
    ),
    "delta alone": ((*NETWORK, "--delta", "1e-6"), "--delta must come with --epsilon"),
    "delta 1": ((*NETWORK, "--epsilon", "1", "--delta", "1"), "--delta must lie strictly between 0 and 1"),
    "rho 0": ((*NETWORK, "--rho", "0"), "--rho must be above 0"),
    "rho beside epsilon": ((*NETWORK, "--rho", "1", "--epsilon", "1"), "--rho must stand alone"),
    "target 0": ((*NETWORK, "--target-nu", "0"), "--target-nu must be above 0"),
    "agreement 1": (
        (*NETWORK[:4], "--agreement", "1", "--epsilon", "1"),
        "must lie strictly between 0 and 1; got 1. If two people always agree, say --identical",
    ),
    "agreement 0": ((*NETWORK[:4], "--agreement", "0", "--epsilon", "1"), "strictly between 0 and 1"),
    "agreement a word": ((*NETWORK[:4], "--agreement", "often", "--epsilon", "1"), "must be a number"),
    "no agreement": ((*NETWORK[:4], "--epsilon", "1"), "agreement must be given"),
    "agreement of no type": (
        (*NETWORK[:4], "--agreement", "contact=0.8", "--epsilon", "1"),
        "must be given where agreement is given by type",
    ),
    "no file": (
        ("infer", "network", "--agreement", "0.8", "--epsilon", "1"),
        "must have edges or households",
    ),
    "missing file": (
        ("infer", "network", "--edges", "edge.csv", "--epsilon", "1"),
        "edge.csv must be a file; got no such file. Did you mean 'edges.csv'?",
    ),
    "missing people": ((*NETWORK, "--people", "al.csv", "--epsilon", "1"), "Did you mean 'all.csv'?"),
    "missing homes": (
        ("infer", "network", "--households", "pairs.csv", "--epsilon", "1"),
        "Did you mean 'pair.csv'?",
    ),
    "missing family": (
        ("infer", "pedigree", "--people", "famly.csv", "--agreement", "0.75", "--epsilon", "1"),
        "Did you mean 'family.csv'?",
    ),
    "missing prior": ((*JOINT, "priors.csv", "--epsilon", "1"), "Did you mean 'prior.csv'?"),
    "missing answers": (
        (*PAIR, "--answers", "sayd.csv", "--epsilon", "1"),
        "Did you mean 'said.csv'?",
    ),
    "dangling id": (
        (*NETWORK[:6], "--people", "two.csv", "--epsilon", "1"),
        "two.csv",
    ),
    "epsilon missing for somebody": (
        ("infer", "network", "--edges", "pair.csv", "--people", "half.csv"),
        "must be given for everybody",
    ),
    "nobody's data": (
        ("infer", "network", "--edges", "pair.csv", "--people", "nobody.csv", "--epsilon", "1"),
        "must be above 0 for somebody",
    ),
    "a person with themselves": (
        ("infer", "network", "--edges", "loop.csv", "--agreement", "0.8", "--epsilon", "1"),
        "must name two different people",
    ),
    "two agreements": (
        ("infer", "network", "--edges", "twice.csv", "--epsilon", "1"),
        "agreement",
    ),
    "cycle of descent": (
        ("infer", "pedigree", "--people", "round.csv", "--agreement", "0.75", "--epsilon", "1"),
        "round.csv",
    ),
    "unknown relation": ((*FAMILY, "--agreement", "cousin=0.6", "--epsilon", "1"), "must be a relation"),
    "no agreement of parents": ((*FAMILY, "--epsilon", "1"), "agreement must be given for a pedigree"),
    "a joint that does not sum to 1": (
        (*JOINT, "less.csv", "--epsilon", "1"),
        "must add up to 1",
    ),
    "negative mass": (
        (*JOINT, "negative.csv", "--epsilon", "1"),
        "must not be negative",
    ),
    "epsilon of nobody": (
        (*JOINT, "prior.csv", "--epsilon", "1", "--epsilon", "anne=2"),
        "--epsilon must name a column of the prior; got 'anne=2'. Write it as",
    ),
    "epsilon of some": ((*JOINT, "prior.csv", "--epsilon", "ann=2"), "got none for 2 people"),
    "epsilon no number": ((*JOINT, "prior.csv", "--epsilon", "x"), "must be a number"),
    "degree 1": (
        ("infer", "degree", "--degree", "1", "--agreement", "0.8", "--epsilon", "1"),
        "--degree must be 2 or more",
    ),
    "agreement of a tree": (
        ("infer", "degree", "--degree", "3", "--agreement", "1", "--epsilon", "1"),
        "--agreement must lie strictly between 0 and 1",
    ),
    "degree of nothing": (("infer", "degree", "--degree", "3", "--agreement", "0.8"), "must be given"),
    "no release": (PAIR, "must be given, one of them; got neither"),
    "two releases": (
        (*PAIR, "--answers", "said.csv", "--noisy-sum", "1"),
        "one of them; got both",
    ),
    "answers without epsilon": (
        (*PAIR, "--answers", "said.csv"),
        "must be given for everybody",
    ),
    "noise of answers": (
        (*PAIR, "--answers", "said.csv", "--noise", "laplace:epsilon=1"),
        "--noise must come with --noisy-sum",
    ),
    "a sum without noise": (
        (*PAIR, "--noisy-sum", "1"),
        "--noise must come with --noisy-sum",
    ),
    "a sum with rounding": (
        (*PAIR, "--noisy-sum", "1", "--noise", "rounding:base=5"),
        "must be laplace, geometric or gaussian noise",
    ),
    "epsilon beside a sum": (
        (*PAIR, "--noisy-sum", "1", "--epsilon", "1", "--noise", "exact"),
        "--epsilon must come with --answers",
    ),
    "answers of strangers": (
        (*PAIR, "--answers", "truth3.csv", "--epsilon", "1"),
        "1 who are not in it",
    ),
    "an answer of 2": (
        (*PAIR, "--answers", "said2.csv", "--epsilon", "1"),
        "must hold 0 or 1",
    ),
    "truth of some": (
        (*PAIR, "--answers", "said.csv", "--epsilon", "1", "--truth", "one.csv"),
        "1 missing",
    ),
    "a tree beside a network": (
        (*PAIR, "--pedigree", "family.csv", "--noisy-sum", "1"),
        "must be the only file of relations",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input(related: Path, run: Run, name: str) -> None:
    (related / "half.csv").write_text("id,epsilon\nann,\nbob,0.5\n")
    (related / "nobody.csv").write_text("id,epsilon\nann,0\nbob,0\n")
    (related / "loop.csv").write_text("a,b\nann,ann\n")
    (related / "twice.csv").write_text("a,b,agreement\nann,bob,0.8\nbob,ann,0.7\n")
    (related / "round.csv").write_text("id,father,mother\na,b,\nb,a,\n")
    (related / "less.csv").write_text("a,b,probability\n0,0,0.5\n1,1,0.4\n")
    (related / "negative.csv").write_text("a,b,probability\n0,0,1.5\n1,1,-0.5\n")
    (related / "truth3.csv").write_text("id,answer\nann,1\ncid,0\n")
    (related / "said2.csv").write_text("id,answer\nann,2\n")
    (related / "one.csv").write_text("id,ill\nann,1\n")
    words, message = BAD[name]
    done = run(*words, *(() if "--out" in words else ("--out", "o")))
    assert done.exit_code == 2, done.output
    assert message in squeeze(done.output)
    assert "Traceback" not in done.output
    assert not (related / "o").exists(), "nothing is written"
