from __future__ import annotations

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.records.columns import CodedColumns
from dalenius.records.schema import MISSING, Column, Kind, Role
from dalenius.records.trait_columns import traits_of_columns
from dalenius.records.traits import RealTraits

IDS = np.array(["a", "b", "c"])


def column(name: str, *levels: str) -> Column:
    return Column(name, Role.PUBLIC, Kind.CATEGORICAL, levels)


def test_missing_is_missing_in_every_attribute_of_a_column() -> None:
    coded = CodedColumns(
        (
            column("sex", "f", "m"),
            column("seat", "left", "right"),
            column("eyes", "blue", "brown", MISSING, "green"),
        ),
        np.array([[0, 1, 2], [1, 0, 3], [1, 0, 0]], np.int32),
    )
    traits = traits_of_columns("id", IDS, coded)
    assert traits.names.tolist() == ["sex", "seat=right", "eyes=blue", "eyes=brown", "eyes=green"]
    nan = np.nan
    expected = [[-1, 1, nan, nan, nan], [1, -1, -1, -1, 1], [1, -1, 1, -1, -1]]
    assert np.array_equal(traits.values(slice(None)), np.float32(expected), equal_nan=True)
    assert traits.kind == "binary"


def test_numbers_make_all_of_it_real() -> None:
    coded = CodedColumns(
        (column("age", "young", "old"), column("ill", "no", "yes")), np.array([[0, 1]] * 3, np.int32)
    )
    traits = traits_of_columns("id", IDS, coded, {"age": np.array([0.1, np.nan, 0.5])})
    assert isinstance(traits, RealTraits)
    assert traits.names.tolist() == ["ill", "age"]
    assert np.array_equal(traits.table, [[1, 0.1], [1, np.nan], [1, 0.5]], equal_nan=True)


def test_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="at least one attribute"):
        traits_of_columns("id", IDS, CodedColumns((), np.zeros((3, 0), np.int32)))
