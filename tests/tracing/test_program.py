"""A program's promise: faults of structure are refuted, a right program is not, bad ones are told."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dalenius.auditing.decide import decide
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.theory.tracing.empirical import privacy_lower_bound
from dalenius.tracing.attack.stumps import WorldRule, learn_rule, numbers_of
from dalenius.tracing.finding import PromiseTested
from dalenius.tracing.questions.program import Program, PromiseSettings, refute_program, refute_promise

PEOPLE, COLUMNS, RHO = 20, 6, 0.1
SCALE = float(np.sqrt(COLUMNS / (2 * RHO)) / PEOPLE)
HOW = PromiseSettings(PEOPLE, COLUMNS, 900)


def noisy(fault: str, seed: int = 1, scale: float = SCALE) -> Callable[[np.ndarray], np.ndarray]:
    rng = np.random.default_rng(seed)
    kept = rng.normal(0, scale, COLUMNS)

    def release(people: np.ndarray) -> np.ndarray:
        noise = rng.normal(0, scale, COLUMNS)
        if fault == "fixed seed":
            noise = kept
        elif fault == "one exact column":
            noise[2] = 0
        elif fault == "noise forgotten":
            noise *= rng.random() > 0.1
        elif fault == "shared noise":
            noise[:] = noise[0]
        return np.asarray(people.mean(axis=0) + noise)

    return release


def judged(release: Callable[[np.ndarray], np.ndarray], mechanism: str = f"gaussian:rho={RHO}") -> tuple:
    finding = refute_promise(release, mechanism, HOW)
    assert isinstance(finding.details, PromiseTested)
    return finding.details, decide([finding], Policy())[0]


@pytest.mark.parametrize("fault", ["fixed seed", "one exact column", "noise forgotten", "shared noise"])
def test_faults_of_structure_are_refuted(fault: str) -> None:
    found, verdict = judged(noisy(fault))
    assert found.low > found.claimed == RHO
    assert verdict == "stop"


def test_too_little_noise_is_refuted_and_enough_is_not() -> None:
    finding = refute_promise(noisy("", scale=SCALE / 3), f"gaussian:rho={RHO}", HOW)
    why = finding.explanation.why
    assert why is not None
    assert (why.whole, why.causes[0].alone) == (finding.details.low, finding.details.low) > (RHO, RHO)
    assert len(why.causes) == 3
    assert decide([finding], Policy())[0] == "stop"
    for seed in range(3):
        found, verdict = judged(noisy("", seed))
        assert found.low <= RHO < found.ceiling
        assert verdict == "undecided"  # not refuted, and not proven


def test_noise_a_little_too_small_is_not_seen_and_does_not_pass() -> None:
    found, verdict = judged(noisy("", scale=SCALE * 0.9))
    assert found.low <= RHO
    assert verdict == "undecided"


def test_laplace_noise_is_held_against_epsilon() -> None:
    rng = np.random.default_rng(1)
    scale = COLUMNS / PEOPLE  # of epsilon 1: a record moves all shares by 1/n each
    found, verdict = judged(lambda x: x.mean(axis=0) + rng.laplace(0, scale, COLUMNS), "laplace:epsilon=1")
    assert (found.measured, found.claimed, verdict) == ("epsilon", 1.0, "undecided")
    found, verdict = judged(
        lambda x: x.mean(axis=0) + rng.laplace(0, scale / 4, COLUMNS), "laplace:epsilon=1"
    )
    assert verdict == "stop"


def test_few_releases_decide_nothing() -> None:
    finding = refute_promise(noisy(""), "gaussian:rho=5", PromiseSettings(PEOPLE, COLUMNS, 12))
    assert decide([finding], Policy())[0] == "undecided"


def test_the_best_rule_by_brute_force() -> None:
    """On a few releases: no rule of one number refutes more than the one that is found."""
    rng = np.random.default_rng(2)
    first, second = np.round(rng.normal(0.4, 1, (12, 2)), 1), np.round(rng.normal(0, 1, (12, 2)), 1)
    rule = learn_rule(first, second, 0.9)

    def mu(each: WorldRule) -> float:
        hits, alarms = int(each.says(first).sum()), int(each.says(second).sum())
        return privacy_lower_bound(hits, 12, alarms, 12, confidence=0.9).mu

    cuts = np.unique(np.concatenate([first, second]))
    sided = [WorldRule(j, *limits) for j in (0, 1) for x in cuts for limits in ((x, np.inf), (-np.inf, x))]
    assert mu(rule) >= max(map(mu, sided)) - 1e-12


def test_golden_numbers_that_rules_look_at() -> None:
    exact = np.array([0.5, 0.25]), np.array([0.25, 0.5])
    found = numbers_of(np.array([[0.5, 0.5]]), *exact)
    assert found[0].tolist() == [0.0, 0.0, 0.25, 0.25, 0.5, 0.5]


SCRIPT = """import csv, random, sys
rows = [list(map(int, row)) for row in list(csv.reader(open(sys.argv[-1])))[1:]]
for j in range(len(rows[0])):
    print(f"c{j + 1},{sum(row[j] for row in rows) / len(rows) + random.gauss(0, 5)}")
"""


def test_a_program_is_run_without_a_shell(tmp_path: Path) -> None:
    path = tmp_path / "release $(touch oops); x.py"
    path.write_text(SCRIPT)
    how = PromiseSettings(4, 3, 6)
    finding = refute_program([sys.executable, "-S", str(path)], "gaussian:rho=0.001", how)
    assert finding.numbers == 3
    assert not (tmp_path / "oops").exists()


BAD = {
    "import sys; sys.exit(3)": "exit code 0; got 3",
    "print('much')": "a number in every line",
    "print(0.5)": "must write 3 finite numbers",
    "print('nan'); print(1); print(2)": "finite",
    "print('9' * 20_000_000)": "at most 10,000,000 bytes",
    "import time; time.sleep(60)": "must end within 0.5 seconds",
}


@pytest.mark.parametrize("code", BAD)
def test_programs_that_do_not_release_are_refused(tmp_path: Path, code: str) -> None:
    limit = 0.5 if "sleep" in code else 30.0
    program = Program((sys.executable, "-S", "-c", code), tmp_path, limit)
    with pytest.raises(InputError, match=BAD[code]):
        program(np.zeros((4, 3), np.int8))


def test_what_is_no_program_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a program")
    for command in ((str(tmp_path / "nothing"),), (str(tmp_path / "text"),)):
        with pytest.raises(InputError, match="must be one that can be run"):
            Program(command, tmp_path)(np.zeros((4, 3), np.int8))
    with pytest.raises(InputError, match="must promise something"):
        refute_promise(noisy(""), "rounding:digits=2", HOW)
