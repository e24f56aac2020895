"""The census of nobody: always the same, with the shapes that it promises."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.people.examples.census import MARITAL, ORIGIN, PEOPLE, SCHOOLING, WORK, census
from dalenius.people.examples.examples import example
from dalenius.people.rows.rows import Rows, distinct


def test_it_is_the_same_every_time_and_another_seed_is_other_people() -> None:
    assert census().equals(census())
    assert not census(100).equals(census(100, seed=2))
    assert census().num_rows == PEOPLE >= 30_000


def test_its_columns_depend_on_each_other_as_in_life() -> None:
    frame = census().to_pandas()
    assert set(frame["work"]) == set(WORK)
    assert set(frame["schooling"]) == set(SCHOOLING)
    assert set(frame["marital"]) == set(MARITAL)
    assert set(frame["origin"]) == set(ORIGIN)
    assert (frame["age"].min(), frame["hours"].max()) >= (17, 60)
    assert 0.2 < (frame["well_paid"] == "yes").mean() < 0.3
    level = frame["schooling"].map({name: i for i, name in enumerate(SCHOOLING)})
    paid = (frame["well_paid"] == "yes").astype(float)
    assert np.corrcoef(level, paid)[0, 1] > 0.25
    assert (frame["hours"] == 40).mean() > 0.4
    by_town = frame["zip"].value_counts()
    assert by_town.size == 120
    assert by_town.iloc[:40].sum() > 0.66 * PEOPLE
    assert frame.loc[frame["age"] < 20, "marital"].eq("single").mean() > 0.8


def test_most_people_are_alone_with_all_that_is_known_of_them() -> None:
    rows = Rows.of_table(census())
    everything, quasi = distinct(rows).counts, distinct(rows.select(["age", "sex", "zip"])).counts
    assert (everything == 1).sum() > 0.9 * PEOPLE
    assert 0.02 * PEOPLE < (quasi == 1).sum() < 0.4 * PEOPLE


def test_it_is_an_example_for_plans() -> None:
    with example("census") as people:
        assert (people.n, people.schema.secret.name) == (PEOPLE, "well_paid")


def test_nobody_is_refused() -> None:
    with pytest.raises(InputError, match="people must be 1 or more; got 0"):
        census(0)
