"""``dalenius infer series``: what passes, what must not, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from dalenius.inference.finding import Series
from dalenius.inference.rules import _series

from .conftest import Run, squeeze

SERIES = ("infer", "series", "--out", "o")
ILL = "from,well,ill\nwell,0.9,0.1\nill,0.3,0.7\n"


@pytest.fixture(autouse=True)
def chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("chain.csv").write_text(ILL)
    rng = np.random.default_rng(2)
    lines = ["id,time,state"]
    for person in range(40):
        ill = rng.random() < 0.25
        for time in range(12):
            lines.append(f"secretive{person},{time},{'plague' if ill else 'well'}")
            ill = rng.random() < (0.7 if ill else 0.1)
    Path("weeks.csv").write_text("\n".join(lines) + "\n")


def details() -> dict[str, object]:
    found = json.loads(Path("o/findings.json").read_text())["findings"][0]
    return dict(found["details"])


def test_a_target_is_kept_exactly_and_a_hair_more_is_not(run: Run) -> None:
    kept = run(*SERIES, "--transitions", "chain.csv", "--length", "50", "--target-nu", "1")
    assert kept.exit_code == 0, kept.output
    made = details()
    epsilon = float(str(made["epsilon"]))
    assert (made["known"], made["exact"]) == ("given", True)
    assert "Markov quilt mechanism adds noise of scale" in squeeze(kept.output)
    words = (*SERIES, "--transitions", "chain.csv", "--length", "50", "--max-nu", "1", "--epsilon")
    above = run(*words, f"{epsilon * 1.001:.9g}")
    assert above.exit_code == 1
    assert "above the limit" in squeeze(above.output)
    assert Path("o/nu.csv").read_text().splitlines()[0] == "moment,epsilon,nu,bound"


def test_quiet_prints_the_verdict_alone(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalenius.console.progress.PATIENCE", -1.0)  # else nothing is slow enough to be told
    words = (*SERIES, "--transitions", "chain.csv", "--length", "50", "--target-nu", "1")
    assert (run(*words).exit_code, run(*words).output != "pass\n") == (0, True)
    told = run(*words, "--quiet")
    assert (told.exit_code, told.output) == (0, "pass\n")


def test_no_limit_no_pass(run: Run) -> None:
    assert run(*SERIES, "--agreement", "0.5", "--length", "5", "--epsilon", "0.1").exit_code == 1


def test_an_estimate_passes_by_its_upper_end_only(run: Run) -> None:
    shown = run(*SERIES, "--states", "weeks.csv", "--epsilon", "0.3", "--target-nu", "50")
    assert shown.exit_code == 0, shown.output
    estimate = details()["estimate"]
    assert isinstance(estimate, dict)
    nu = details()["nu"]
    assert isinstance(nu, dict)
    assert estimate["low"] < nu["worst"] < estimate["high"]
    assert details()["moments"] == 12
    for told in ("secretive", "plague"):
        assert told not in shown.output
        assert told not in Path("o/findings.json").read_text()
    made = Series.model_validate(details())
    between, below = (nu["worst"] + estimate["high"]) / 2, estimate["low"] * 0.9
    assert [_series(made, limit)[0] for limit in (estimate["high"], between, below)] == [
        "pass",
        "undecided",
        "stop",
    ]


BAD = {
    "nothing": ((), "must be exactly one"),
    "two": (("--agreement", "0.8", "--states", "weeks.csv"), "must be exactly one"),
    "no length": (("--agreement", "0.8", "--epsilon", "1"), "--length must say"),
    "length 0": (("--agreement", "0.8", "--epsilon", "1", "--length", "0"), "--length must be from 1"),
    "agreement 2": (("--agreement", "2", "--length", "3", "--epsilon", "1"), "must lie between 0 and 1"),
    "no epsilon": (("--agreement", "0.8", "--length", "3"), "--epsilon or --target-nu must be given"),
    "start": (
        ("--agreement", "0.8", "--length", "3", "--epsilon", "1", "--start", "2=1"),
        "--start must give shares of values",
    ),
    "half a start": (
        ("--agreement", "0.8", "--length", "3", "--epsilon", "1", "--start", "0=0.5"),
        "add up to 1",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(run: Run, name: str) -> None:
    words, message = BAD[name]
    done = run("infer", "series", "--out", "none", *words)
    assert done.exit_code == 2
    assert message in squeeze(done.output)
    assert not Path("none").exists()


TABLES = {
    "a line short of 1": ("from,a,b\na,0.5,0.4\nb,0,1\n", "line 2 must add up to 1; got a sum of 0.9"),
    "a probability above 1": ("from,a,b\na,1.5,-0.5\nb,0,1\n", "line 2 must hold probabilities"),
    "another value": ("from,a,b\na,0.5,0.5\nplague,0,1\n", "the same values as lines and columns"),
    "no from": ("a,b\n1,0\n", "must have 'from' as its first column"),
    "two ends": ("from,a,b\na,1,0\nb,0,1\n", "Say where it begins"),
    "one end": ("from,a,b\na,0.5,0.5\nb,0,1\n", "must have a moment with two possible values"),
}
STATES = {
    "no time": ("id,state\na,1\n", "must have a column 'time'"),
    "half a time": ("id,time,state\na,1.5,x\na,2,y\n", "must hold whole numbers"),
    "a time twice": ("id,time,state\na,1,x\na,1,y\n", "the same one again in line 3"),
    "one value": ("id,time,state\na,1,x\na,2,x\n", "must have two to 40 values"),
    "only gaps": ("id,time,state\na,1,x\na,3,y\n", "must hold moments that follow each other"),
    "an end": ("id,time,state\na,1,x\na,2,plague\n", "must show what follows every value"),
}
FILES = {
    **{name: ("--transitions", *case) for name, case in TABLES.items()},
    **{name: ("--states", *case) for name, case in STATES.items()},
}


@pytest.mark.parametrize("name", FILES)
def test_files_refused(run: Run, name: str) -> None:
    option, text, message = FILES[name]
    Path("bad.csv").write_text(text)
    done = run("infer", "series", "--out", "none", option, "bad.csv", "--length", "5", "--epsilon", "0.5")
    assert done.exit_code == 2
    assert message in squeeze(done.output)
    assert "plague" not in done.output
    assert not Path("none").exists()


def test_where_a_chain_begins_is_said_where_it_never_leaves_two_values(run: Run) -> None:
    """It was refused with the advice that had been followed: --start."""
    Path("two.csv").write_text("from,a,b\na,1,0\nb,0,1\n")
    words = (*SERIES, "--length", "6", "--epsilon", "0.2", "--max-nu", "1.19")
    refused = run(*words, "--transitions", "two.csv")
    assert refused.exit_code == 2
    assert "--start" in refused.output
    told = run(*words, "--transitions", "two.csv", "--start", "a=0.5,b=0.5", "--quiet")
    assert (told.exit_code, told.output) == (1, "stop\n")  # a value that never changes: six times 0.2
    kept = run(*words[:-1], "1.21", "--transitions", "two.csv", "--start", "a=0.5,b=0.5", "--quiet")
    assert (kept.exit_code, kept.output) == (0, "pass\n")
