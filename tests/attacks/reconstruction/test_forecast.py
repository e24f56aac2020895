"""What is said before an attack on far fewer counts than people, and what the attack then finds."""

import numpy as np
import pytest

from dalenius.attacks.reconstruction.attack import reconstruct
from dalenius.attacks.reconstruction.forecast import forecast
from dalenius.knowledge.view import Knowledge, View
from dalenius.records.roster import Roster
from dalenius.release.release import Release
from dalenius.statistics.tables import tables_of

PEOPLE, COLUMNS, LEVELS = 3_000, 10, 4


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
    assert said.independent == 1 + COLUMNS * 3 + 45 * 9
    assert said.commonest == pytest.approx(1 - secrets.mean(), abs=1e-6)
    claims = reconstruct(view, decoder="least-squares", rng=np.random.default_rng(1))
    right = float((claims.guess == secrets).mean())
    assert right == pytest.approx(said.expected, abs=0.02)
    assert said.commonest < right < said.at_most < 1
    assert abs(float(claims.confidence.mean()) - right) < 0.02
    assert f"{said.independent:,} independent" in said.sentence
    assert "GB" in said.sentence


def test_nothing_is_said_where_the_numbers_may_suffice_or_people_are_few(made) -> None:
    roster, release, _ = made
    few = roster.take(np.arange(900))
    assert forecast(View(release, Knowledge(few))) is None
    more = Release("r", release.secret, release.blocks * 3, "exact")
    assert forecast(View(more, Knowledge(roster))) is None
