"""What an attack gets: plain values, checked when they are put together."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, Reference, View
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import Tables

ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
NOBODY = Roster.of_names("id", np.array(["a", "b"]))


def test_a_view_is_a_release_and_knowledge_and_cannot_be_changed():
    release = Release("r", ILL, (Block(Tables((), ((),)), ("no", "yes"), np.array([[1.0, 1.0]])),), "exact")
    view = View(release, Knowledge(NOBODY))
    assert [field.name for field in dataclasses.fields(view)] == ["release", "knowledge"]
    for frozen in (view, release, release.blocks[0], view.knowledge):
        name = dataclasses.fields(frozen)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(frozen, name, None)


def test_a_release_says_how_many_numbers_it_publishes():
    histogram = Block(Tables((), ((),)), ("no", "yes"), np.array([[1.0, 1.0]]))
    assert Release("r", ILL, (histogram, histogram), "exact").size == 4
    assert Release("r", ILL, (histogram,)).mechanism == "unknown"


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (2,)])
def test_answers_must_be_one_for_each_question_and_value(shape):
    with pytest.raises(InputError, match="answers must be one for each question"):
        Block(Tables((), ((),)), ("no", "yes"), np.ones(shape))


def test_answers_must_be_finite_or_hidden():
    with pytest.raises(InputError, match="answers must be finite; got an infinite answer"):
        Block(Tables((), ((),)), ("no", "yes"), np.array([[np.inf, 1.0]]))
    assert np.isnan(Block(Tables((), ((),)), ("no", "yes"), np.array([[np.nan, 1.0]])).answers).any()


def test_other_people_have_one_secret_each():
    columns = CodedColumns((), np.zeros((3, 0), np.int32))
    assert Reference(columns, np.zeros(3, np.int32)).secrets.size == 3
    with pytest.raises(
        InputError, match="reference must have one secret per person; got 2 secrets for 3 people"
    ):
        Reference(columns, np.zeros(2, np.int32))
