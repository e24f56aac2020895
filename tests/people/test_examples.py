"""The demo survey."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from dalenius.errors import InputError, MissingExtraError
from dalenius.people.examples.examples import example_frame, fair
from dalenius.people.truth import secret_codes


def test_the_survey_is_whole_and_its_order_says_nothing() -> None:
    with fair() as people:
        secrets = secret_codes(people)
    assert secrets.sum() == 2053
    halves = secrets[: len(secrets) // 2].mean(), secrets[len(secrets) // 2 :].mean()
    assert abs(np.subtract(*halves)) < 0.05


def test_an_unknown_example_names_those_we_have() -> None:
    with pytest.raises(InputError, match=r"example 'fiar' must be one we have; .* Did you mean 'fair'"):
        example_frame("fiar")


def test_without_statsmodels_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels.datasets", None)
    with pytest.raises(MissingExtraError, match=r"the demo survey needs the package statsmodels; .*\[demo\]"):
        fair()
