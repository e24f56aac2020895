"""What is as good as known decides, as what is certain does; and guessing never beats the attack."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.auditing.redecide import redecide
from dalenius.auditing.run import Audit
from dalenius.findings.policy import Policy
from dalenius.findings.report import Finding
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario

TABLES = "tables:k=3,attributes=age+yrs_married+children"
MECHANISMS = {
    "exact": "exact",
    "tiny": "gaussian:sigma=0.01",
    "tiny laplace": "laplace:scale=0.01",
    "tiny and rounded": "gaussian:sigma=0.01 | rounding:base=5",
    "private": "gaussian:rho=0.02",
}


@pytest.fixture(scope="module")
def fair() -> Audit:
    with dalenius.example("fair") as people:
        ways = {name: Planned(TABLES, how, alternative_to="exact") for name, how in MECHANISMS.items()}
        return audit(people, ways | {"exact": Planned(TABLES, "exact")})


def found(audited: Audit, name: str) -> Finding:
    return next(finding for finding in audited.report.findings if finding.release == name)


def test_noise_of_a_hundredth_of_a_person_does_not_pass(fair: Audit) -> None:
    """As many are known behind it as are certain without it."""
    verdicts = {each.release: each.verdict for each in fair.report.verdicts}
    assert [verdicts[name] for name in ("exact", "tiny", "tiny laplace")] == ["stop"] * 3
    assert verdicts["tiny and rounded"] != "pass"
    assert verdicts["private"] == "pass"
    known = {row.value: row.right for row in found(fair, "tiny").details.judged.known}
    certain = {row.value: row.certain for row in found(fair, "exact").details.judged.known}
    assert known["yes"] == certain["yes"] >= 10
    assert known["no"] >= certain["no"] > 50
    assert found(fair, "tiny").severity == found(fair, "exact").severity == "high"


def test_the_attacker_is_not_weaker_than_guessing(fair: Audit) -> None:
    """Without other people the attack starts from what the baseline knows."""
    for finding in fair.report.findings:
        assert finding.advantage.value > -0.005
        assert any("the attacker starts from it" in said for said in finding.assumptions)


def test_every_broken_rule_is_told(fair: Audit) -> None:
    exact = next(each for each in fair.report.verdicts if each.release == "exact")
    assert any("follow by arithmetic alone" in reason for reason in exact.reasons)
    with dalenius.example("fair") as people:
        whole = audit(people, Planned("tables:k=3"), Scenario(policy=Policy(max_recovered=0.1), resamples=0))
    reasons = " ".join(whole.report.reasons)
    for rule in ("follow by arithmetic alone", "as good as known", "above the limit"):
        assert rule in reasons
    assert "of the 27.6% that guessing gets wrong" in reasons


def test_values_that_are_not_sensitive_are_reported_and_decide_nothing() -> None:
    planned = {"tiny": Planned(TABLES, "gaussian:sigma=0.01")}
    with dalenius.example("fair") as people:
        some = audit(people, planned, Scenario(policy=Policy(sensitive=("yes",), max_known=10), resamples=0))
        none = redecide(some.report, Policy(sensitive=("yes",), max_known=9))
        with pytest.raises(dalenius.InputError, match="must be values of the secret 'affair'"):
            audit(people, planned, Scenario(policy=Policy(sensitive=("often",))))
    assert (some.verdict, none.verdict) == ("pass", "stop")
    assert "affair = no because of the release" in some.summary()
    assert "not among the sensitive ones" in some.summary().replace("\n  ", " ")


def test_a_cell_in_which_everybody_has_one_of_two_sensitive_values_does_not_pass() -> None:
    """Nobody's value was known, and it passed: that they all are gravely ill is what hurts."""
    rng = np.random.default_rng(3)
    place, ill = rng.integers(0, 5, 300).astype(str), rng.choice(["flu", "none"], 300)
    place[:12], ill = "camp", ill.astype(object)
    ill[:12] = ["hepatitis", "hiv"] * 6
    held = Scenario(policy=Policy(sensitive=("hiv", "hepatitis")), resamples=0, why=False)
    with dalenius.read(pa.table({"place": place, "ill": list(ill)}), secret="ill") as people:
        done = audit(people, Planned("tables:k=1"), held)
        told = redecide(done.report, Policy(sensitive=("hiv", "flu")))
    assert done.verdict == "stop"
    assert "12 people (hiv or hepatitis: 12) are as good as known" in " ".join(done.report.reasons)
    assert told.verdict != "pass"  # who has one of these two was not counted


@pytest.mark.parametrize("how", ["exact", "gaussian:sigma=0.1", "laplace:scale=0.05", "rounding:base=2"])
def test_a_sample_gives_those_away_who_are_alone_in_it(how: str) -> None:
    """Counts of a sample were read as noise alone: whoever stands in it by themselves passed."""
    rng = np.random.default_rng(5)
    town = np.array([f"t{i}" for i in rng.integers(0, 8, 300)], object)
    town[:8] = [f"alone{i}" for i in range(8)]
    ill = np.where(rng.random(300) < 0.3, "yes", "no")
    ill[:8] = "yes"
    chain = "subsample:rate=0.5" if how == "exact" else f"subsample:rate=0.5 | {how}"
    rows = pa.table({"town": list(town), "age": rng.integers(0, 4, 300), "ill": ill})
    held = Scenario(policy=Policy(sensitive=("yes",)), resamples=0, why=False)
    with dalenius.read(rows, secret="ill") as people:
        done = audit(people, Planned("tables:k=1,attributes=town", chain), held)
    finding = done.report.findings[0]
    told = sum(row.right + row.certain_right for row in finding.details.judged.known if row.value == "yes")
    assert told >= 2
    assert finding.details.judged.certain_right == finding.certain
    assert done.verdict != "pass"


def test_a_small_cell_of_people_who_all_are_ill_is_read_whole() -> None:
    """They differ in other columns, so that nobody was read by themselves; under Laplace noise it passed."""
    rng = np.random.default_rng(23)
    town = np.array([f"t{i}" for i in rng.integers(0, 8, 300)], object)
    town[:12] = np.repeat(list("uvwxyz"), 2)
    ill = np.where(rng.random(300) < 0.3, "yes", "no")
    ill[:12] = "yes"
    rows = pa.table({"town": list(town), "age": rng.integers(0, 5, 300), "ill": ill})
    held = Scenario(policy=Policy(sensitive=("yes",)), resamples=0, why=False)
    with dalenius.read(rows, secret="ill") as people:
        done = audit(people, Planned("tables:k=1", "laplace:scale=0.2"), held)
    known = {row.value: row.right for row in done.report.findings[0].details.judged.known}
    assert known["yes"] >= 4
    assert done.verdict == "stop"
