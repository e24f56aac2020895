"""A beacon asked about one person's alleles: evidence, budget, noise, and people who are not in it."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.errors import InputError
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.genomes.beacon import BeaconAttack
from dalenius.tracing.case import MembersSettings
from dalenius.tracing.files.groups import TraitGroups, set_apart
from dalenius.tracing.questions.beacon import run_beacon

N, M, D = 50, 120, 3000


def people(copies: np.ndarray, prefix: str) -> CodedTraits:
    ids = np.array([f"{prefix}{i}" for i in range(len(copies))])
    names = np.array([f"rs{j}" for j in range(copies.shape[1])])
    return coded_from_values("id", ids, names, copies - 1.0, "genotype")


def drawn(sizes: dict[str, int], seed: int = 3) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    share = np.minimum(rng.beta(0.3, 10, D) + 0.001, 0.9)
    return {name: rng.binomial(2, share, (n, D)) for name, n in sizes.items()}


def groups(copies: dict[str, np.ndarray]) -> TraitGroups:
    return TraitGroups(people(copies["m"], "m"), people(copies["r"], "r"))


def at(finding, level: float):
    return next(row for row in finding.measures if row.at == level)


def test_golden_evidence_of_one_answer() -> None:
    """Frequency 0.01 in a beacon of 50 people, errors of 0.001: computed by hand."""
    release = MeansRelease("b", np.array(["yes", "no"]), np.array([1.0, -1.0]), "genotype", 50)
    found = BeaconAttack(error=0.001).evidence(release, np.array([0.01, 0.01]))
    nobody, others = 0.99**100, 0.99**98
    assert found[0] == pytest.approx(np.log((1 - 0.001 * others) / (1 - nobody)))
    assert found[1] == pytest.approx(np.log(0.001 * others / nobody)) == pytest.approx(np.log(0.001 / 0.9801))
    turned = BeaconAttack(error=0.001, flip=0.1).evidence(release, np.array([0.01, 0.01]))
    assert turned[1] == pytest.approx(np.log((0.1 + 0.8 * 0.001 * others) / (0.1 + 0.8 * nobody)))
    assert (BeaconAttack(flip=0.5).evidence(release, np.array([0.01, 0.01])) == 0).all()


def test_the_rarest_alleles_are_asked_about_by_brute_force() -> None:
    """All records of four variants: the first two alleles that each carries, in the order given."""
    copies = np.array(list(itertools.product(range(3), repeat=4)))
    weight = np.array([1.0, 10.0, 100.0, 1000.0])
    rarest = np.array([2, 0, 3, 1])
    found = BeaconAttack(queries=2)._asked(people(copies, "t"), rarest, weight)
    wanted = [sum(weight[[j for j in rarest if row[j] > 0][:2]]) for row in copies]
    assert found == pytest.approx(wanted)


@pytest.mark.causes
def test_members_are_recognised_and_the_level_is_kept() -> None:
    copies = drawn({"m": N, "r": M})
    found = run_beacon(groups(copies), BeaconAttack(20), MembersSettings(why=True)).finding
    row = at(found, 0.1)
    assert row.attack.rate > 0.9
    assert found.explanation.why is not None
    assert {cause.kind for cause in found.explanation.why.causes} == {"variants"}
    assert row.outsiders.hits <= binom.ppf(0.999, M, 0.1)
    assert row.left_out is not None
    assert row.left_out.hits <= binom.ppf(0.999, N, 0.1)
    assert found.details.level_kept
    assert found.mechanism == "presence"
    assert any("Recognised with fewer questions" in fact and "1: " in fact for fact in found.facts)


def test_noise_and_a_small_budget_end_it() -> None:
    copies = drawn({"m": N, "r": M})
    gains = [
        at(run_beacon(groups(copies), attack, MembersSettings()).finding, 0.1).attack.rate
        for attack in (BeaconAttack(1), BeaconAttack(20, flip=0.4), BeaconAttack(20, flip=0.5))
    ]
    assert all(gain < 0.6 for gain in gains)
    assert gains[2] <= binom.ppf(0.999, N, 0.1) / N, "answers that say nothing recognise nobody"


def test_frequencies_of_the_people_who_are_ranked_would_break_the_level() -> None:
    """A planted fault: who says which alleles are rare must not be ranked by them."""
    copies = drawn({"m": N, "r": 80, "o": 400})
    release = MeansRelease("b", people(copies["m"], "m").names, _presence(copies["m"]), "genotype", N)
    held, asked = people(copies["r"], "r"), people(copies["o"], "o")
    attack = BeaconAttack(20)
    p = attack(TracingView(release, asked, held), np.random.default_rng(1)).p_value
    limit = binom.ppf(0.9999, 400, 0.1)
    assert (p <= 0.1).sum() <= limit
    share = (copies["r"].sum(axis=0) + 0.5) / (2 * 80 + 1)
    order, weight = np.argsort(share, kind="stable"), attack.evidence(release, share)
    mine, theirs = attack._asked(asked, order, weight), attack._asked(held, order, weight)
    careless = (1 + (theirs[None] >= mine[:, None]).sum(axis=1)) / 81
    assert (careless <= 0.1).sum() > limit


def _presence(copies: np.ndarray) -> np.ndarray:
    return np.where(copies.sum(axis=0) > 0, 1.0, -1.0)


def test_people_are_kept_out_where_no_others_are_given() -> None:
    found = set_apart(people(drawn({"m": 100})["m"], "m"), seed=1)
    assert (found.members.n, found.reference.n) == (75, 25)
    assert not set(found.members.ids) & set(found.reference.ids)
    with pytest.raises(InputError, match="at least 40"):
        set_apart(people(drawn({"m": 39})["m"], "m"), seed=1)


@pytest.mark.parametrize("bad", [{"queries": 0}, {"error": 1.0}, {"flip": 0.6}, {"flip": float("nan")}])
def test_what_cannot_be_asked_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(InputError):
        BeaconAttack(**bad)
