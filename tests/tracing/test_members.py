"""A tracing audit counts members, outsiders and control apart, whatever the attack; here a plain one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import log_ndtr

from dalenius.errors import InputError
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import CodedTraits, RealTraits, coded_from_values
from dalenius.release.means_publish import publish_means
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.case import MembersSettings, columns_of
from dalenius.tracing.questions.members import Traced, trace_members

D = 400


def plain_attack(view: TracingView, rng: np.random.Generator) -> Accusations:
    """Score by what the release has beyond half of the reference; the other half says what is usual."""
    assert isinstance(view.reference, CodedTraits)
    half = rng.permutation(view.reference.n)
    centre = view.reference.take(half[::2]).values(slice(None)).mean(axis=0)
    weights = view.release.means - centre
    null = view.reference.take(half[1::2]).dot(weights)
    score = (view.targets.dot(weights) - null.mean()) / null.std(ddof=1)
    log_p = np.maximum(log_ndtr(-score), -700)
    return Accusations(
        view.targets.id_name,
        view.targets.ids,
        score,
        np.exp(log_p),
        log_p,
        "corr",
        "plain",
        False,
        view.reference.n,
        half[1::2].size,
    )


def drawn(n: int, f: NDArray[np.float64], seed: int, prefix: str) -> CodedTraits:
    values = np.where(np.random.default_rng(seed).random((n, f.size)) < f, 1, -1)
    names = np.array([f"a{j}" for j in range(f.size)])
    return coded_from_values("id", np.array([f"{prefix}{i}" for i in range(n)]), names, values, "binary")


FREQUENCIES = np.random.default_rng(7).uniform(0.1, 0.9, D)


@pytest.fixture(scope="module")
def members() -> CodedTraits:
    return drawn(80, FREQUENCIES, 1, "m")


@pytest.fixture(scope="module")
def reference() -> CodedTraits:
    return drawn(300, FREQUENCIES, 2, "r")


@pytest.fixture(scope="module")
def traced(members: CodedTraits, reference: CodedTraits) -> Traced:
    return trace_members(members, reference, "exact", how=MembersSettings(attack=plain_attack, prior=0.01))


def test_members_are_recognised_and_nobody_else_is(traced: Traced) -> None:
    finding = traced.finding
    rate = next(rate for rate in finding.measures if rate.at == 0.1)
    assert (rate.attack.trials, rate.outsiders.trials) == (80, 300)
    assert rate.left_out is not None
    assert rate.left_out.trials == 80
    # sqrt(d/n) = 2.2 standard deviations, less what the finite reference costs
    assert 0.5 < rate.attack.rate < 0.98
    assert max(rate.outsiders.low, rate.left_out.low) <= 0.1
    assert rate.advantage.low > 0.2
    assert finding.severity in ("high", "critical")
    assert finding.details.area > 0.8
    assert rate.ppv is not None
    assert rate.ppv == pytest.approx(
        0.01 * rate.attack.rate / (0.01 * rate.attack.rate + 0.99 * max(rate.outsiders.rate, 0.1))
    )
    assert "of the participants can be recognised" in finding.sentence


def test_the_accusations_stand_in_the_order_of_the_members(members: CodedTraits, traced: Traced) -> None:
    assert np.array_equal(traced.accusations.ids, members.ids)
    rate = next(rate for rate in traced.finding.measures if rate.at == 0.1)
    assert int(traced.accusations.verdict(0.1).sum()) == rate.attack.hits


def test_a_release_with_nothing_of_the_members_recognises_nobody(
    members: CodedTraits, reference: CodedTraits
) -> None:
    elsewhere = publish_means(drawn(80, FREQUENCIES, 5, "x"), "exact", rng=np.random.default_rng(1))
    finding = trace_members(members, reference, elsewhere, how=MembersSettings(attack=plain_attack)).finding
    assert finding.severity == "none"
    assert all(rate.advantage.low <= 0 for rate in finding.measures)
    assert all(rate.left_out is None for rate in finding.measures)
    assert "within chance" in finding.sentence


def test_a_population_of_its_own_is_not_taken_for_membership(reference: CodedTraits) -> None:
    """Members from another population are accused whether or not they are in: the control shows it."""
    shifted = np.clip(FREQUENCIES + np.random.default_rng(3).choice([-0.1, 0.1], D), 0.02, 0.98)
    other = drawn(80, shifted, 4, "m")
    finding = trace_members(other, reference, "exact", how=MembersSettings(attack=plain_attack)).finding
    rate = next(rate for rate in finding.measures if rate.at == 0.1)
    assert rate.against == "left out"
    assert rate.left_out is not None
    assert rate.left_out.low > 0.5
    assert rate.advantage.value == pytest.approx(rate.attack.rate - rate.left_out.rate)
    assert any("population the members come from" in note for note in finding.notes)


def test_relatives_and_duplicates_are_groups_of_their_own(
    members: CodedTraits, reference: CodedTraits
) -> None:
    dense = members.values(slice(None))
    other = drawn(80, FREQUENCIES, 9, "k").values(slice(None))
    child = np.where(np.random.default_rng(1).random(dense.shape) < 0.5, dense, other)
    ids = np.array([f"c{i}" for i in range(80)])
    children = coded_from_values("id", ids, members.names, child, "binary")
    both = np.concatenate([reference.values(slice(None)), dense[:6]])
    names = np.concatenate([reference.ids, np.array([f"copy{i}" for i in range(6)])])
    padded = coded_from_values("id", names, members.names, both, "binary")
    found = trace_members(
        members, padded, "exact", others={"children": children}, how=MembersSettings(attack=plain_attack)
    )
    groups = {group.name: group.rates[0] for group in found.finding.details.groups}
    rate = found.finding.measures[0]
    assert rate.outsiders.trials == 300
    assert groups["duplicates in the reference"].trials == 6
    assert groups["duplicates in the reference"].hits >= 3
    assert rate.outsiders.rate < groups["children"].rate < rate.attack.rate


def test_repeats_give_an_interval_over_releases(members: CodedTraits, reference: CodedTraits) -> None:
    finding = trace_members(
        members,
        reference,
        "gaussian:sigma=0.02",
        how=MembersSettings(attack=plain_attack, repeats=4, levels=(0.1,)),
    ).finding
    over = finding.measures[0].over_releases
    assert over is not None
    assert (over.releases, finding.details.releases, finding.people) == (4, 4, 80)
    assert finding.measures[0].attack.trials == 80  # the same people four times are not 320 people
    assert over.low < over.mean < over.high
    assert over.mean == pytest.approx(finding.measures[0].attack.rate, abs=0.15)


def test_noise_that_promises_enough_is_bounded_and_hides_people(
    members: CodedTraits, reference: CodedTraits
) -> None:
    finding = trace_members(
        members, reference, "gaussian:rho=0.001", how=MembersSettings(attack=plain_attack)
    ).finding
    assert finding.bound is not None
    assert finding.bound.value == pytest.approx(0.01784, abs=1e-4)  # 2 Phi(sqrt(2 rho)/2) - 1
    assert all(rate.at_most is not None and rate.attack.low <= rate.at_most for rate in finding.measures)
    assert finding.severity == "none"


def test_of_a_shared_sample_only_its_people_are_recognised(
    members: CodedTraits, reference: CodedTraits
) -> None:
    """A quarter of the members is published: recognising more than that quarter would be false alarms."""
    shared = trace_members(
        members, reference, "subsample:size=20", how=MembersSettings(attack=plain_attack)
    ).finding
    everybody = trace_members(
        members, reference, "subsample:size=20,per=column", how=MembersSettings(attack=plain_attack)
    ).finding
    at = {rate.at: rate for rate in shared.measures}
    assert 0.2 <= at[0.01].attack.rate <= 0.25 + 0.05
    assert everybody.measures[0].attack.rate > 0.2 > everybody.measures[0].outsiders.rate
    assert everybody.details.area > 0.6


def test_the_mean_of_the_population_gives_nobody_away(members: CodedTraits, reference: CodedTraits) -> None:
    rng = np.random.default_rng(1)
    made = publish_means(members, "population", rng=rng, population=2 * FREQUENCIES - 1)
    finding = trace_members(members, reference, made, how=MembersSettings(attack=plain_attack)).finding
    assert finding.severity == "none"
    assert 0.4 < finding.details.area < 0.6


def test_the_attack_itself_recognises_members_and_keeps_to_the_bound(
    members: CodedTraits, reference: CodedTraits
) -> None:
    exact = trace_members(members, reference, "exact").finding
    assert exact.details.rigorous
    assert exact.details.level_kept
    assert exact.measures[0].advantage.low > 0.3
    noisy = trace_members(members, reference, "gaussian:rho=0.05").finding
    assert all(rate.at_most is not None and rate.attack.low <= rate.at_most for rate in noisy.measures)
    assert noisy.details.area < exact.details.area


def test_the_same_seed_gives_the_same_finding(members: CodedTraits, reference: CodedTraits) -> None:
    first, again, other = (
        trace_members(
            members, reference, "gaussian:sigma=0.1", how=MembersSettings(attack=plain_attack, seed=s)
        ).finding
        for s in (3, 3, 4)
    )
    assert first == again
    assert first != other


def test_the_order_of_rows_changes_nothing(members: CodedTraits, reference: CodedTraits) -> None:
    rng = np.random.default_rng(8)
    order = rng.permutation(members.n)
    turned = members.take(order), reference.take(rng.permutation(reference.n))
    for mechanism in ("exact", "gaussian:sigma=0.05", "subsample:size=40"):
        first = trace_members(members, reference, mechanism)
        again = trace_members(*turned, mechanism)
        assert first.finding == again.finding
        np.testing.assert_array_equal(first.accusations.ids[order], again.accusations.ids)
        np.testing.assert_array_equal(first.accusations.p_value[order], again.accusations.p_value)


def test_members_typed_twice_are_no_outsiders() -> None:
    """References that are members with some errors would be recognised too, and the release would pass."""
    rng = np.random.default_rng(2)
    frequency = rng.uniform(0.2, 0.8, D)
    names = np.array([f"rs{j}" for j in range(D)])

    def made(values: NDArray[np.float64], prefix: str) -> CodedTraits:
        ids = np.array([f"{prefix}{i}" for i in range(len(values))])
        return coded_from_values("id", ids, names, values, "genotype")

    inside, others = (rng.binomial(2, frequency, (n, D)) - 1.0 for n in (60, 60))
    again = np.where(rng.random(inside.shape) < 0.002, rng.integers(-1, 2, inside.shape), inside)
    found = trace_members(
        made(inside, "m"),
        made(np.concatenate([others, again]), "r"),
        how=MembersSettings(attack=plain_attack),
    )
    groups = {group.name: group.rates[0].trials for group in found.finding.details.groups}
    assert groups == {"duplicates in the reference": 60}
    assert found.finding.measures[0].outsiders.trials == 60


def test_suppressed_attributes_are_not_used(members: CodedTraits, reference: CodedTraits) -> None:
    found = trace_members(
        members, reference, "suppression:rare=0.2", how=MembersSettings(attack=plain_attack)
    )
    assert found.finding.numbers < D
    assert np.array_equal(members.names[columns_of(members, found.release)], found.release.names)


def test_bad_input(members: CodedTraits, reference: CodedTraits) -> None:
    with pytest.raises(InputError, match="nobody who is a member"):
        trace_members(members, members, how=MembersSettings(attack=plain_attack))
    with pytest.raises(InputError, match="attributes of the members"):
        trace_members(members, reference.select(np.arange(5)), how=MembersSettings(attack=plain_attack))
    real = RealTraits("id", reference.ids, reference.names, np.zeros((reference.n, D)))
    with pytest.raises(InputError, match="attributes of the members"):
        trace_members(members, real, how=MembersSettings(attack=plain_attack))
    with pytest.raises(InputError, match="at least 5 people"):
        trace_members(members, reference.take(np.arange(3)), how=MembersSettings(attack=plain_attack))
    with pytest.raises(InputError, match="repeats must be at least 1"):
        trace_members(members, reference, how=MembersSettings(attack=plain_attack, repeats=0))
    made = publish_means(members, "exact", rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="already published"):
        trace_members(members, reference, made, how=MembersSettings(attack=plain_attack, repeats=2))
    with pytest.raises(InputError, match="prior"):
        trace_members(members, reference, how=MembersSettings(attack=plain_attack, prior=1.0))
    with pytest.raises(InputError, match="levels"):
        trace_members(members, reference, how=MembersSettings(attack=plain_attack, levels=(0.0,)))
    with pytest.raises(InputError, match="rounds"):
        trace_members(members, reference, how=MembersSettings(attack=plain_attack, rounds=1))
