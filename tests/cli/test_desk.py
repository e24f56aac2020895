"""``dalenius reconstruct desk``: what counting questions learn, and desks that must never pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.findings.policy import Policy
from dalenius.mechanisms.base import Promise
from dalenius.people.dataset import Dataset, read
from dalenius.reconstruction import Budget, Knowledge, PlannedDesk, audit_desk, roster_of
from dalenius.reconstruction.attack import attack
from dalenius.reconstruction.attack.interactive import choose_questions, group_size
from dalenius.reconstruction.desk.audit import too_weak
from dalenius.reconstruction.opened import Scenario

Run = Callable[..., Any]
NOT_RESAMPLED = Scenario(resamples=0)


@pytest.fixture(autouse=True)
def short_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """What these desks give away follows long before the search for certain people ends."""
    monkeypatch.setattr(attack, "SEARCH", 0.003)


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """150 people, nearly all with a record of their own."""
    rng = np.random.default_rng(3)
    rows = [f"{a},{b},{c}" for a, b, c in rng.integers(0, 12, (150, 3))]
    ill = rng.choice(["no", "yes"], 150)
    (tmp_path / "people.csv").write_text(
        "client,a,b,c,ill\n" + "".join(f"p{i},{row},{ill[i]}\n" for i, row in enumerate(rows))
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ask(run: Run, town: Path) -> Run:
    """Run the command on the town."""
    listed = ("reconstruct", "desk", "--people", "people.csv", "--id", "client", "--secret", "ill")
    return lambda *words: run(*listed, *words, "--out", "o")


def people(town: Path) -> Dataset:
    return read(town / "people.csv", secret="ill", id="client")


def test_a_desk_that_gives_people_away_is_stopped(ask: Run, town: Path) -> None:
    """Few questions beside many people, none about fewer than ten of them: a group is given away."""
    result = ask("--questions", "12", "--smallest", "10", "--show-people")
    assert result.exit_code == 1, result.output
    found = json.loads((town / "o/findings.json").read_text())
    assert (found["verdict"], found["schema_version"]) == ("stop", 2)
    by_name = {each["release"]: each for each in found["findings"]}
    assert set(by_name) == {"asking-everybody", "asking-a-group"}
    assert by_name["asking-a-group"]["certain"] >= 4
    for each in by_name.values():
        measure = each["measures"][0]
        assert measure["baseline"]["trials"] == 150
        assert measure["advantage"]["low"] <= measure["advantage"]["value"] <= measure["advantage"]["high"]
        assert any("Whoever chooses others may learn more" in said for said in each["assumptions"])
    claims = (town / "o/claims-asking-a-group.csv").read_text().splitlines()
    assert claims[0] == "client,probability,guess,certain"
    assert len(claims) == 151


def test_noise_for_the_whole_budget_passes(ask: Run, town: Path) -> None:
    result = ask("--mechanism", "gaussian:rho=0.005", "--questions", "40")
    assert result.exit_code == 0, result.output
    written = {path.name for path in (town / "o").glob("[!.]*")}
    assert written == {"findings.json", "report.html", "report.md"}
    assert "no attack beats guessing about one" in result.output


def test_a_budget_in_rho_is_a_number_of_questions(ask: Run) -> None:
    result = ask("--mechanism", "gaussian:sigma=40", "--rho", "0.01")
    assert result.exit_code == 0, result.output
    assert "32 numbers published; mechanism gaussian:sigma=40" in result.output


@pytest.mark.parametrize(
    ("desk", "verdict"),
    [
        (PlannedDesk("exact", Budget(queries=1)), "stop"),
        (PlannedDesk("exact", Budget(queries=2), smallest=20), "stop"),
        (PlannedDesk("exact", Budget(queries=30), smallest=143), "stop"),
        (PlannedDesk("suppression:below=10", Budget(queries=20)), "stop"),
        (PlannedDesk("gaussian:sigma=1", Budget(queries=200)), "stop"),
        (PlannedDesk("gaussian:sigma=1", Budget(queries=200), sticky=True), "stop"),
        (PlannedDesk("rounding:base=30", Budget(queries=2)), "undecided"),
    ],
)
def test_a_desk_that_leaks_never_passes(desk: PlannedDesk, verdict: str, town: Path) -> None:
    """One question about one person; two that differ by one; nearly all must be counted; small counts hidden.

    Rounding so coarse gives nothing away in two questions, and still is not shown to be safe.
    """
    with people(town) as held:
        assert audit_desk(held, desk, NOT_RESAMPLED).verdict == verdict


@pytest.mark.parametrize(
    "desk",
    [
        PlannedDesk("gaussian:sigma=4", Budget(queries=30)),
        PlannedDesk("laplace:scale=10", Budget(queries=30)),
    ],
)
def test_a_desk_whose_promise_is_too_weak_for_one_person_never_passes(desk: PlannedDesk, town: Path) -> None:
    """All thirty questions about one person say more than ten to one, with luck."""
    with people(town) as held:
        done = audit_desk(held, desk, NOT_RESAMPLED)
    assert done.verdict != "pass"
    assert "does not keep one person from being known" in done.report.not_run[0].reason


def test_what_one_person_is_promised() -> None:
    """As often as thirty noisy answers about one person, who has the secret, say so ten to one."""
    rng, sigma, asked = np.random.default_rng(1), 4.0, 30
    mean = 1 + rng.normal(0, sigma / asked**0.5, 200_000)
    evidence = (mean - 0.5) * asked / sigma**2
    said = too_weak(Promise(None, asked / (2 * sigma**2), "rho"), Policy())
    assert said is not None
    told = float(said.split("up to ")[1].split(",")[0])
    assert told == pytest.approx((evidence >= np.log(10)).mean(), abs=0.006)
    assert too_weak(Promise(2.3, None, "epsilon"), Policy()) is None
    assert too_weak(Promise(2.31, None, "epsilon"), Policy()) is not None
    assert too_weak(Promise(None, 0.5, "rho"), Policy()) is None
    assert too_weak(Promise(None, 0.5, "rho"), Policy(confidence=0.99)) is not None


def test_a_group_is_as_large_as_the_noise_allows(town: Path) -> None:
    with people(town) as held:
        known = Knowledge(roster_of(held))
        terms = [
            PlannedDesk(how, Budget(queries=60)).open(held, rng=np.random.default_rng(1)).terms
            for how in ("exact", "gaussian:sigma=1", "gaussian:sigma=9")
        ]
        assert [group_size(each, 60) for each in terms] == [30, 10, 1]
        for each, size in zip(terms, (30, 10, 1), strict=True):
            asked = choose_questions(each, known, 60, "group", rng=np.random.default_rng(2))
            assert len(asked) == len(set(asked)) == 60
            counted = each.transcript(asked, np.zeros((60, 1))).blocks[0].statistic.operator(known.roster)
            reached = np.asarray(counted.explicit().sum(axis=0)).ravel() > 0
            assert abs(int(reached.sum()) - size) <= 2


def test_the_same_seed_gives_the_same_findings(town: Path) -> None:
    desk = PlannedDesk("gaussian:sigma=2", Budget(queries=30))
    with people(town) as held:
        one, two, other = (
            audit_desk(held, desk, Scenario(seed=seed, resamples=0)).to_json() for seed in (4, 4, 5)
        )
    assert one == two
    assert one != other


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "budget must limit how much may be asked"),
        (("--questions", "0"), "--questions"),
        (("--questions", "5", "--rho", "-1"), "budget rho must be above 0"),
        (("--rho", "1"), "needs a mechanism whose noise is paid for in it"),
        (("--mechanism", "gaussian:sigma=1", "--rho", "0.1"), "must pay for a question"),
        (("--mechanism", "gaussian:rho=0.1"), "needs to know how many queries its promise is for"),
        (("--mechanism", "gauss:sigma=1", "--questions", "5"), "mechanism 'gauss"),
        (("--mechanism", "unknown", "--questions", "5"), "can be attacked but not applied"),
        (("--mechanism", "subsample:rate=0.5", "--questions", "5"), "subsample is not supported"),
        (("--questions", "5", "--smallest", "-1"), "--smallest"),
        (
            ("--questions", "5", "--ignore", "a", "--ignore", "b", "--ignore", "c"),
            "must have a public column",
        ),
        (("--questions", "5", "--ignore", "nothing"), "nothing"),
    ],
)
def test_bad_input_is_refused_and_nothing_written(
    words: tuple[str, ...], message: str, ask: Run, town: Path
) -> None:
    result = ask(*words)
    assert result.exit_code == 2, result.output
    assert message in result.output
    assert not (town / "o").exists()


def test_a_desk_that_answers_nothing_teaches_nothing(ask: Run, town: Path) -> None:
    result = ask("--questions", "5", "--smallest", "200")
    assert result.exit_code == 1
    assert "nothing learnt: the desk answers no question about fewer than 200 people" in result.output
    assert not (town / "o").exists()
