"""What can be published of one's own people: searched, confirmed on fresh draws, never safe by luck."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.auditing.decide import decide
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.tracing.files.groups import TraitGroups
from dalenius.tracing.finding import SafeReleases, TriedRelease
from dalenius.tracing.questions import own_data
from dalenius.tracing.questions.own_data import ProtectionTried, plan_own

POLICY = Policy(max_advantage=0.25)


def people(n: int, d: int, seed: int, prefix: str) -> CodedTraits:
    share = np.random.default_rng(1).uniform(0.1, 0.9, d)
    values = np.random.default_rng(seed).binomial(2, share, (n, d)) - 1.0
    ids, names = np.array([f"{prefix}{i}" for i in range(n)]), np.array([f"rs{j}" for j in range(d)])
    return coded_from_values("id", ids, names, values, "genotype")


def groups(d: int) -> TraitGroups:
    return TraitGroups(people(60, d, 2, "m"), people(70, d, 3, "r"))


def test_a_few_variants_are_safe_as_they_are() -> None:
    finding = plan_own(groups(4), 0.1, Policy(max_advantage=0.5))
    found = finding.details
    assert isinstance(found, SafeReleases)
    assert [way.way for way in found.ways] == ["all"]
    assert [each.draw for each in found.ways[0].tried] == [0, 1, 2]
    assert decide([finding], Policy(max_advantage=0.5))[0] == "pass"
    assert "Safe as they are" in finding.sentence


def test_many_are_not_and_the_most_that_is_safe_is_found() -> None:
    finding = plan_own(groups(700), 0.1, POLICY)
    found = finding.details
    assert isinstance(found, SafeReleases)
    assert decide([finding], POLICY)[0] == "stop"
    ways = {way.way: way for way in found.ways}
    assert ways["all"].tried[0].recognised > 0.5 > 0.2 > ways["all"].tried[0].others
    fewer = ways["fewer"]
    assert fewer.variants is not None
    assert 2 <= fewer.variants < 350
    confirmed = [each for each in fewer.tried if each.draw > 0]
    assert [each.verdict for each in confirmed[-2:]] == ["pass", "pass"]
    assert confirmed[-1].gain_high <= 0.25
    noise = ways["noise"]
    assert noise.mechanism is not None
    assert noise.mechanism.startswith("gaussian:rho=")
    assert "rho" in finding.sentence
    assert any("members (others)" in fact for fact in finding.facts)


def fake(passes) -> object:
    """Judge candidates by a rule instead of by an attack."""

    def trial(candidate: ProtectionTried, draw: int) -> TriedRelease:
        verdict = "pass" if passes(int(candidate.setting), draw) else "stop"
        return TriedRelease(
            setting=candidate.setting, variants=1, mechanism="exact", draw=draw, level=0.1, recognised=0.5,
            others=0.1, gain_high=0.4, verdict=verdict,
        )  # fmt: skip

    return trial


CANDIDATES = [ProtectionTried("fewer", str(j), np.arange(1)) for j in range(10)]


@pytest.mark.parametrize("first", range(11))
def test_halving_finds_the_first_that_is_safe(first: int) -> None:
    """Against every threshold, by brute force."""
    found = own_data._search(fake(lambda at, draw: at >= first), CANDIDATES)
    assert found.setting == (str(first) if first < 10 else None)
    assert len([each for each in found.tried if each.draw == 0]) <= 4


def test_what_was_safe_by_luck_gives_way() -> None:
    """A planted fault: the search's own draw calls everything safe; fresh draws know better."""
    found = own_data._search(fake(lambda at, draw: draw == 0 or at >= 3), CANDIDATES)
    assert found.setting == "3"
    assert sum(each.draw > 0 and each.verdict != "pass" for each in found.tried) == 3


@pytest.mark.parametrize("fpr", [0.0, 1.0, float("nan")])
def test_other_rates_are_refused(fpr: float) -> None:
    with pytest.raises(InputError, match="--fpr"):
        plan_own(groups(4), fpr, POLICY)


def test_somebody_who_stands_out_is_not_safe_however_few_are_recognised() -> None:
    rare = np.full((60, 80), -1.0)
    rare[0, :60] = 0.0  # copies that nobody else has
    plain = groups(20)
    assert isinstance(plain.members, CodedTraits)
    values = np.concatenate([plain.members.values(slice(None)), rare], axis=1)
    others = np.concatenate([plain.reference.values(slice(None)), np.full((70, 80), -1.0)], axis=1)
    names = np.array([f"rs{j}" for j in range(100)])
    made = [
        coded_from_values("id", each.ids, names, table, "genotype")
        for each, table in ((plain.members, values), (plain.reference, others))
    ]
    loose = Policy(max_advantage=0.9)
    finding = plan_own(TraitGroups(made[0], made[1]), 0.1, loose)
    assert decide([finding], loose)[0] == "stop"
