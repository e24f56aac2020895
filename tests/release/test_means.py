"""A release of means refuses what cannot be one, and its units are signed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.release.means import MeansRelease, from_fractions, to_fractions


def made(**changes: Any) -> MeansRelease:
    parts: dict[str, Any] = {
        "name": "study",
        "names": np.array(["a", "b", "c"]),
        "means": np.array([-0.5, 0.0, 1.2]),
        "kind": "binary",
        "n": 10,
    }
    return MeansRelease(**{**parts, **changes})


def test_means_outside_the_unit_interval_are_allowed_and_fractions_are_their_affine_image() -> None:
    assert made().fractions.tolist() == [0.25, 0.5, 1.1]
    assert made(kind="real").fractions.tolist() == [-0.5, 0.0, 1.2]
    values = np.linspace(-1, 1, 9)
    assert np.array_equal(from_fractions(to_fractions(values)), values)


def test_selection_reorders_and_flips() -> None:
    part = made().select(np.array([2, 0]), np.array([True, False]))
    assert part.names.tolist() == ["c", "a"]
    assert part.means.tolist() == [-1.2, -0.5]
    assert (part.n, part.kind, part.name) == (10, "binary", "study")


def test_real_values_have_no_other_allele() -> None:
    with pytest.raises(InputError, match="two values"):
        made(kind="real").select(np.array([0]), np.array([True]))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"names": np.array(["a", "b"])}, "one per attribute"),
        ({"names": np.array([], np.str_), "means": np.array([])}, "at least one"),
        ({"means": np.array([0.0, np.nan, 1.0])}, "1 that are not"),
        ({"names": np.array(["a", "b", "a"])}, "'a' twice"),
        ({"n": 0}, "at least 1"),
        ({"sigma": -0.1}, "0 or more"),
        ({"sigma": float("nan")}, "0 or more"),
    ],
)
def test_what_cannot_be_a_release_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        made(**changes)
