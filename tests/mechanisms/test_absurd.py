"""Numbers that no count can be: read without a warning, so that whoever checks them can say so."""

import warnings

import numpy as np

from dalenius.mechanisms.parse import parse_mechanism


def test_the_middle_of_absurd_numbers_stays_finite() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        error = parse_mechanism("exact").error(np.array([[1e308, 7.0]]), labels=lambda: ["cell"])
    assert np.isfinite(error.centre).all()
    assert error.centre[0, 1] == 7
