"""How likely amounts are: stated probabilities hold, and nothing is gained by a better way of guessing."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.amounts.attack.claims import AmountClaims, claim_amounts
from dalenius.amounts.attack.law import AmountLaw, guess_alone
from dalenius.amounts.attack.order.places import PlacedMixture, Segments
from dalenius.amounts.attack.order.ranks import read_ranks
from dalenius.amounts.referee.judge import near
from dalenius.amounts.referee.usual import Usual
from dalenius.knowledge.amounts import AmountPrior, AmountView
from dalenius.release.amounts import AmountGroup, AmountRelease, PrintedAmount
from dalenius.release.amounts_publish import AmountSettings, publish_amounts

PEOPLE = 300


def redrawn(
    size: int, statistics: tuple[str, ...], mechanism: str
) -> tuple[np.ndarray, AmountPrior, AmountClaims]:
    """People whose amounts are drawn from what is usual for them, in groups of one size."""
    rng = np.random.default_rng([size, len(statistics)])
    usual = Usual(10 + 0.2 * rng.standard_normal(PEOPLE), 0.5, 0.0, 200.0)
    amounts = usual.draw(np.inf, rng)
    groups = [AmountGroup(f"g{at}", np.arange(at, at + size)) for at in range(0, PEOPLE, size)]
    release = publish_amounts(amounts, "x", groups, AmountSettings(statistics, mechanism), rng=rng)
    prior = usual.prior(np.inf)
    return amounts, prior, claim_amounts(AmountView(release, prior), tuple(map(str, range(PEOPLE))))


@pytest.mark.parametrize("mechanism", ["exact", "gaussian:sigma=3000"])
@pytest.mark.parametrize(
    ("size", "statistics"),
    [
        (5, ("sum",)),
        (5, ("median",)),
        (20, ("q25", "median", "q75")),
        (100, ("sum", "sd")),
        (3, ("sum", "sd")),
    ],
)
def test_likely_ends_hold_as_often_as_they_say(
    size: int, statistics: tuple[str, ...], mechanism: str
) -> None:
    amounts, prior, claims = redrawn(size, statistics, mechanism)
    said = claims.guessed
    held = np.mean((said.low <= amounts * (1 + 1e-6)) & (amounts <= said.high * (1 + 1e-6)))
    assert held >= 0.9 - 0.05, "three standard deviations of so many people"
    few = size <= 5 and "sd" in statistics  # then everything that is possible is likely
    assert few or held <= 0.98
    hits = near(said.value, amounts, 0.1).mean()
    assert hits == pytest.approx(said.near.mean(), abs=0.08)
    assert hits >= near(guess_alone(prior, 0.1), amounts, 0.1).mean() - 0.03, "never worse than without it"


def test_a_release_that_says_nothing_changes_no_number() -> None:
    """The rule by which a number is chosen is the same with and without the release."""
    usual = Usual(np.linspace(9, 11, 30), 0.5, 0.0, 200.0)
    prior = usual.prior(np.inf)
    groups = (AmountGroup("all", np.arange(30)),)
    said = (PrintedAmount(0, "count", 30, 30),)
    claims = claim_amounts(AmountView(AmountRelease("r", "x", 30, groups, said), prior), tuple("x" * 30))
    np.testing.assert_allclose(claims.guessed.value, guess_alone(prior, 0.1))
    draws = np.random.default_rng(1).standard_normal(4000)
    amounts = usual.least - usual.added + np.exp(usual.centre[0] + 0.5 * draws)
    best = guess_alone(prior, 0.1)[0]
    rates = [near(np.full(4000, factor * best), amounts, 0.1).mean() for factor in (0.8, 1.0, 1.25)]
    assert rates[1] > max(rates[0], rates[2])


def test_somebody_has_the_median_and_nobody_knows_who() -> None:
    law = AmountLaw(np.full(5, np.log(100.0)), np.full(5, 1.0), 0.0)
    ranks = read_ranks(5, [PrintedAmount(0, "median", 120, 120)], 0.0, np.inf)
    segments = Segments.of(ranks)
    assert segments.count.tolist() == [2, 1, 2]
    whole = np.zeros(5), np.full(5, np.inf)
    mixture = PlacedMixture(segments, (law, law), whole, np.ones(5))
    np.testing.assert_allclose(mixture.weight, np.tile([0.4, 0.2, 0.4], (5, 1)), atol=1e-6)
    assert mixture.near(np.full((5, 1), 120.0), 1e-4)[:, 0] == pytest.approx(np.full(5, 0.2), abs=0.01)
    richer = AmountLaw(np.log([20.0, 20.0, 120.0, 500.0, 500.0]), np.full(5, 0.3), 0.0)
    fitted = PlacedMixture(segments, (richer, richer), whole, np.ones(5)).weight
    np.testing.assert_allclose(fitted.sum(axis=0), [2, 1, 2], atol=0.05)
    assert fitted[2, 1] > 0.9, "who usually has about so much has it"


def test_a_posterior_that_forgets_who_is_above_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A planted fault: everybody is taken to have the median."""
    monkeypatch.setattr(PlacedMixture, "_fitted", lambda self, mass, count, people: np.tile(
        np.where(count == 1, 1.0, 0.0) / (count == 1).sum(), (len(mass), 1)))  # fmt: skip
    amounts, _, claims = redrawn(5, ("median",), "exact")
    said = claims.guessed
    assert np.mean((said.low <= amounts * (1 + 1e-6)) & (amounts <= said.high * (1 + 1e-6))) < 0.5
    assert near(said.value, amounts, 0.1).mean() < said.near.mean() - 0.3
