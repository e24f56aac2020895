"""Columns, schema, lists of people, sensitivities, answers with their errors: the plain shapes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.matrices.answers import Sensitivity
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster, Schema

SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
AGE = Column("age", Role.PUBLIC, Kind.NUMERIC, ("young", "old"), (40.0,))
ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
NAME = Column("name", Role.ID, Kind.CATEGORICAL)


@pytest.mark.parametrize("column", [SEX, AGE, ILL, NAME])
def test_a_column_is_read_back(column):
    assert Column.from_json(json.loads(json.dumps(column.to_json()))) == column


def test_a_schema_knows_its_roles():
    schema = Schema((NAME, SEX, AGE, ILL))
    assert schema.secret is ILL
    assert schema.id is NAME
    assert schema.public == (SEX, AGE)
    assert schema.column("age") is AGE
    assert Schema((SEX, ILL)).id is None
    with pytest.raises(InputError, match=r"column 'agee' must be in the data.*Did you mean 'age'"):
        schema.column("agee")


def test_columns_are_chosen_in_the_order_asked_for():
    both = CodedColumns((SEX, AGE), np.array([[0, 1], [1, 0]], np.int32))
    turned = both.select(("age", "sex"))
    assert turned.columns == (AGE, SEX)
    assert turned.codes.tolist() == [[1, 0], [0, 1]]
    assert len(both) == 2
    with pytest.raises(InputError, match="codes must have 2 columns; got shape"):
        CodedColumns((SEX, AGE), np.zeros((3, 1), np.int32))


def test_a_list_of_people_names_everybody_once_and_has_their_columns():
    columns = CodedColumns((SEX,), np.array([[0], [1]], np.int32))
    roster = Roster("name", np.array(["ann", "bob"]), columns)
    turned = roster.take(np.array([1, 0]))
    assert turned.ids.tolist() == ["bob", "ann"]
    assert turned.attributes.codes.tolist() == [[1], [0]]
    with pytest.raises(InputError, match="column 'name' must name every person once; got 1 repeated names"):
        Roster("name", np.array(["ann", "ann"]), columns)
    with pytest.raises(InputError, match="public columns must have one row per person; got 2 rows"):
        Roster("name", np.array(["ann"]), columns)


def test_sensitivities_of_two_statistics_add_up():
    assert Sensitivity(2, 3) + Sensitivity(4, 5) == Sensitivity(6, 8)
