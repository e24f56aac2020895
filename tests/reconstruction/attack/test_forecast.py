"""What is said before an attack on far fewer counts than people, and what the attack then finds."""

import numpy as np
import pyarrow as pa
import pytest

from dalenius.knowledge.view import Knowledge, View
from dalenius.people.dataset import read
from dalenius.people.schema import Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.choose import forecast
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.release.publish import publish, roster_of
from dalenius.release.release import Release
from dalenius.statistics.tables import tables_of

PEOPLE, COLUMNS, LEVELS = 2_000, 8, 4

NO_SEARCH = ComputeBudget(seconds=1e-6)
"""Averages are forecast; who is certain is searched for elsewhere."""


@pytest.fixture(scope="module")
def made(people, release) -> tuple[Roster, Release, np.ndarray]:
    rng = np.random.default_rng(8)
    roster = people(rng.integers(0, LEVELS, (PEOPLE, COLUMNS)))
    secrets = (rng.random(PEOPLE) < 0.3).astype(np.int32)
    return roster, release([tables_of(roster.attributes.columns, 2)], roster, secrets), secrets


def test_the_forecast_holds_when_the_release_is_attacked(made) -> None:
    roster, release, secrets = made
    view = View(release, Knowledge(roster))
    said = forecast(view)
    assert said is not None
    assert said.independent == 1 + COLUMNS * 3 + 28 * 9
    assert said.guessing == pytest.approx(1 - secrets.mean(), abs=1e-6)
    claims = reconstruct(view, decoder="least-squares", rng=np.random.default_rng(1))
    right = float((claims.guess == secrets).mean())
    assert right == pytest.approx(said.expected, abs=0.02)
    assert said.guessing < right < said.at_most < 1
    assert abs(float(claims.confidence.mean()) - right) < 0.02
    assert f"{said.independent:,} independent" in said.sentence
    assert "GB" in said.sentence


def test_of_several_values_no_share_is_promised_that_the_attack_misses() -> None:
    """A rule for yes and no said 79.5% of a secret of five values, of which 30.6% came out."""
    rng = np.random.default_rng(9)
    drawn = {name: rng.integers(0, 5, 2_000) for name in ("region", "age", "sex", "stage")}
    with read(pa.table(drawn), secret="stage") as dataset:
        release = publish(dataset, "tables:k=1", "exact", rng=rng)
        roster = roster_of(dataset)
    view = View(release, Knowledge(roster))
    said = forecast(view)
    assert said is not None
    assert said.expected is None
    assert "Expect" not in said.sentence
    claims = reconstruct(view, decoder="least-squares", budget=NO_SEARCH, rng=rng)
    right = float((claims.guess == drawn["stage"]).mean())
    assert said.guessing - 0.03 < right < said.at_most


def test_a_prior_is_what_guessing_gets_and_nothing_is_said_below_it(made) -> None:
    roster, release, secrets = made
    prior = np.where((np.arange(PEOPLE) % 4 > 0) == secrets, 0.8, 0.2)
    said = forecast(View(release, Knowledge(roster, np.stack([1 - prior, prior], axis=1))))
    assert said is not None
    assert said.guessing == pytest.approx(0.8)
    assert said.guessing <= said.expected <= said.at_most


def test_nothing_is_said_where_the_numbers_may_suffice_or_people_are_few(made) -> None:
    roster, release, _ = made
    few = roster.take(np.arange(900))
    assert forecast(View(release, Knowledge(few))) is None
    more = Release("r", release.secret, release.blocks * 3, "exact")
    assert forecast(View(more, Knowledge(roster))) is None
