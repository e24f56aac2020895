"""What is learnt adds up, no group is small, and every claim that is not certain is in a bin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.findings.explanation import ALL_OF, MOST_GROUPS, SMALL, groups_of
from dalenius.people.dataset import Dataset
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.reconstruction.referee.court import AtRisk
from dalenius.reconstruction.referee.judge import Judgement, judge


def judged(seed: int, n: int = 60, values: int = 3) -> tuple[Judgement, Guesses]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, values, n).astype(np.int32)
    weight = rng.gamma(0.2, size=(n, values)) + 1e-6
    weight[np.arange(n), truth] += rng.random(n) * 5
    probability = weight / weight.sum(axis=1, keepdims=True)
    ids = np.array([f"p{i}" for i in range(n)])
    levels = tuple(f"v{v}" for v in range(values))
    claims = Guesses("id", ids, levels, probability, rng.random(n) < 0.2, "drawn")
    population = rng.dirichlet(np.ones(values), n)
    return judge(claims, ids, truth, population=population), claims


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(2, 4))
def test_what_is_learnt_adds_up(seed: int, values: int) -> None:
    judgement, claims = judged(seed, values=values)
    rows = judgement.learned
    for row in rows:
        assert row.anyway + row.only_by_release + row.hidden == row.people
        assert (row.sure or 0) + (row.nearly or 0) <= row.people
    everybody, parts = rows[0], rows[1:]
    assert everybody.value is None
    for key in ("people", "anyway", "only_by_release", "hidden", "sure", "nearly"):
        assert getattr(everybody, key) == sum(getattr(part, key) for part in parts)
    assert everybody.anyway == judgement.advantage.baseline.hits
    assert everybody.only_by_release == judgement.advantage.only_attack
    assert everybody.sure == judgement.certain.hits
    assert everybody.nearly == sum(row.right for row in judgement.known)
    assert sum(bin.claims for bin in judgement.stated) == int((~claims.certain).sum())
    for bin in judgement.stated:
        assert bin.right <= bin.claims


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 130), min_size=1, max_size=30), st.integers(0, 10_000), st.floats(0, 1))
def test_no_group_is_small_and_none_follows_from_the_others(
    sizes: list[int], seed: int, share: float
) -> None:
    codes = np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)
    whom = np.random.default_rng(seed).random(codes.size) < share
    levels = tuple(f"level {j}" for j in range(len(sizes)))
    groups = groups_of("c", levels, codes, whom)
    assert len(groups) != 1
    assert len(groups) <= MOST_GROUPS
    if groups:
        assert sum(group.people for group in groups) == codes.size
        assert sum(group.at_risk for group in groups) == whom.sum()
    for group in groups:
        assert group.people >= SMALL
        assert group.at_risk < group.people or group.people >= ALL_OF
        if group.value is not None:
            assert group.people == sizes[levels.index(group.value)]


def test_a_small_group_is_noticed_by_what_holds_it() -> None:
    """The rule above can fail: a count by level that merges nothing breaks it."""
    codes = np.repeat([0, 1], [50, 3]).astype(np.int32)
    naive = [int((codes == v).sum()) for v in (0, 1)]
    assert min(naive) < SMALL
    assert groups_of("c", ("a", "b"), codes, codes == 1) == ()


def test_nobody_at_risk_gives_no_groups(people: Dataset) -> None:
    assert AtRisk(np.zeros(people.n, np.bool_)).groups(people.attributes()) == ()


def test_an_audit_says_whom_it_hits(people: Dataset) -> None:
    finding = audit(people, Planned("tables:k=3", "exact"), Scenario(why=False)).report.findings[0]
    groups = finding.explanation.groups
    at_risk = sum(group.at_risk for group in groups if group.column == "town")
    assert at_risk == (finding.certain or 0) + (finding.known or 0) > 0
    assert {group.column for group in groups} <= {"age", "sex", "town"}
    assert all(group.people >= SMALL for group in groups)
    assert finding.explanation.learned[0].people == finding.people
    assert sum(row.claims for row in finding.explanation.calibration) == finding.people - finding.certain
