"""Relations as people have them: columns of any name, lists without names, agreements known roughly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dalenius.findings.policy import Policy
from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.answers.scan import parse_rough, scan
from dalenius.inference.finding import RelatedFinding
from dalenius.inference.priors.prior import PriorFiles, open_prior
from dalenius.inference.rules import rulings
from dalenius.theory.inference import nu_of_pair

from .conftest import Run, squeeze

LINKS = "1 2\n2 3\n3\t4\n"


def details(folder: str = "o") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(folder, "findings.json").read_text())["findings"][0]["details"]
    return found


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("named.csv").write_text("source,target,a\n1,2,x\n2,3,x\n3,4,x\n")
    Path("list.txt").write_text(f"# from to\n{LINKS}")
    Path("third.txt").write_text("1 2 0.8\n2 3 0.8\n3 4 0.8\n")
    Path("plain.csv").write_text("a,b\n1,2\n2,3\n3,4\n")
    Path("loop.csv").write_text("a,b\n1,2\n2,3\n3,1\n")
    return lambda *words: run("infer", "network", *words, "--out", "o")


def test_columns_of_other_names_and_lists_without_names_say_the_same(ask: Run) -> None:
    files = (
        PriorFiles(edges="plain.csv", agreement=0.8),
        PriorFiles(edges="named.csv", agreement=0.8, columns={"a": "source", "b": "target"}),
        PriorFiles(edges="list.txt", agreement=0.8),
        PriorFiles(edges="third.txt", columns={"agreement": "3"}),
    )
    first, *others = [open_prior(each).model for each in files]
    for other in others:
        assert other.ids.tolist() == first.ids.tolist()
        assert other.edges.tolist() == first.edges.tolist()
        assert other.coupling == pytest.approx(first.coupling)


def test_names_of_columns_on_the_command_line(ask: Run) -> None:
    done = ask(
        "--edges", "named.csv", "--columns", "a=source,b=target", "--agreement", "0.8", "--epsilon", "0.5"
    )
    assert done.exit_code == 1, done.output
    assert details()["prior"]["links"] == 3


BAD = [
    (("--edges", "named.csv", "--columns", "a=source"), "must have a column 'b'"),
    (
        ("--edges", "named.csv", "--columns", "a=source,b=tarket"),
        "1 name that no file has, first that of 'b'",
    ),
    (("--edges", "named.csv", "--columns", "from=source"), "must name columns that are read"),
    (("--edges", "named.csv", "--columns", "a=source,a=target"), "must name every column once"),
    (("--edges", "named.csv", "--columns", "source"), "must be such as a=source,b=target"),
    (("--edges", "words.txt"), "must have a column 'a'"),
    (("--edges", "torn.txt"), "line 3, must have 2 fields like the first; got 3"),
    (("--edges", "plain.csv", "--agreement", "0.8..0.6"), "must go from a lower end to a higher"),
    (("--edges", "plain.csv", "--agreement", "0.6..0.7..0.8"), "must go from a lower end to a higher"),
    (("--edges", "plain.csv", "--agreement", "0.6..x"), "must be a number"),
]


@pytest.mark.parametrize(("words", "message"), BAD)
def test_files_and_ranges_that_are_none_are_refused(words: tuple[str, ...], message: str, ask: Run) -> None:
    Path("words.txt").write_text("source target\nann bob\n")  # a line of names must not become a link
    Path("torn.txt").write_text("1 2\n2 3\n3 4 5\n")
    given = words if "--agreement" in words else (*words, "--agreement", "0.8")
    done = ask(*given, "--epsilon", "0.5")
    assert done.exit_code == 2, done.output
    assert message in squeeze(done.output)
    assert not Path("o").exists()


def scanned(edges: str, agreement: str, epsilon: float | None, target: float | None) -> RelatedFinding:
    rough = parse_rough(agreement)
    assert rough is not None
    spent = spend([] if epsilon is None else [epsilon])
    return scan(PriorFiles(edges=edges), rough, spent, target).finding


def verdict(finding: RelatedFinding, limit: float) -> str:
    return rulings(finding, Policy(max_nu=limit))[0].verdict


def test_the_upper_end_of_a_rough_agreement_decides_without_loops(ask: Run) -> None:
    Path("pair.csv").write_text("a,b\n1,2\n")
    found = scanned("pair.csv", "0.6..0.8", 0.5, None)
    assert found.details.scan is not None
    assert found.details.scan.rises
    assert [one.nu for one in found.details.scan.tried] == pytest.approx(
        [nu_of_pair(p, 0.5, 0.5) for p in (0.6, 0.65, 0.7, 0.75, 0.8)]
    )
    assert verdict(found, nu_of_pair(0.8, 0.5, 0.5) + 0.01) == "pass"
    assert verdict(found, nu_of_pair(0.7, 0.5, 0.5) + 0.01) == "stop"  # one in the middle would pass


def test_on_loops_a_pass_leaves_room_between_the_agreements_tried(ask: Run) -> None:
    found = scanned("loop.csv", "0.6..0.8", 0.4, None)
    scan, nu = found.details.scan, found.details.nu
    assert scan is not None
    assert nu is not None
    assert not scan.rises
    assert nu.worst < scan.most
    limits = (scan.most * 1.001, (nu.worst + scan.most) / 2, nu.worst * 0.99)
    assert [verdict(found, limit) for limit in limits] == ["pass", "undecided", "stop"]
    chosen = scanned("loop.csv", "0.6..0.8", None, 1.0)
    assert verdict(chosen, 1.0) == "pass"
    assert chosen.details.chosen is not None
    assert chosen.details.scan is not None
    assert all(chosen.details.chosen.epsilon < (one.epsilon or 0) for one in chosen.details.scan.tried)


def test_types_have_ranges_of_their_own_and_noise_without_nu_has_none(ask: Run) -> None:
    Path("typed.csv").write_text("a,b,type\n1,2,parent\n2,3,contact\n")
    words = ("--edges", "typed.csv", "--agreement", "parent=0.7..0.8,contact=0.6")
    assert ask(*words, "--epsilon", "0.5", "--target-nu", "3").exit_code == 0
    assert details()["scan"]["tried"][0]["agreement"] == "parent 0.7, contact 0.6"
    refused = ask(*words, "--rho", "0.1")
    assert refused.exit_code == 2
    assert "must be one number with --delta or --rho" in squeeze(refused.output)


@pytest.mark.parametrize("agreement", ["0.8", "0.7..0.8"])
def test_epsilons_of_a_file_are_what_is_released(ask: Run, agreement: str) -> None:
    """A limit without --epsilon replaced them by the largest epsilon that keeps it, and passed."""
    words = ("--edges", "plain.csv", "--agreement", agreement, "--people", "own.csv", "--quiet")
    Path("own.csv").write_text("id,epsilon\n1,0\n2,0.5\n3,0.5\n4,0.5\n")
    told = ask(*words, "--max-nu", "0.4")
    assert (told.exit_code, told.output) == (1, "stop\n")
    assert ask(*words, "--max-nu", "2").exit_code == 0
    Path("own.csv").write_text("id,epsilon\n1,0\n2,0.5\n3,\n4,\n")
    refused = ask(*words, "--max-nu", "2")
    assert (refused.exit_code, "epsilon" in refused.output) == (2, True)
    Path("own.csv").write_text(
        "id,epsilon\n1,0\n2,\n3,\n4,\n"
    )  # who is not used, and a target for the others
    assert ask(*words, "--max-nu", "0.4").exit_code == 0
