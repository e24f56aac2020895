import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.findings.policy import WORDS, grade

SHARES = st.floats(0, 1)


@pytest.mark.parametrize(
    ("low", "baseline", "wrong", "certain", "word"),
    [
        (-0.02, 0.7, 0.30, 0.0, "none"),
        (0.0, 0.7, 0.30, 0.0, "none"),
        (0.01, 0.7, 0.28, 0.0, "low"),
        (0.05, 0.5, 0.40, 0.0, "moderate"),
        (0.20, 0.5, 0.25, 0.0, "high"),
        (0.20, 0.7, 0.10, 0.0, "critical"),  # blatantly non-private
        (0.01, 0.95, 0.02, 0.0, "low"),  # nearly always right, as is guessing: not blatant
        (0.02, 0.95, 0.02, 0.0, "moderate"),  # four in ten of the rare secrets
        (0.03, 0.95, 0.01, 0.0, "high"),
        (0.047, 0.95, 0.0, 0.0, "critical"),  # everybody with the rare value
        (-0.02, 0.7, 0.30, 0.0001, "moderate"),
        (-0.02, 0.7, 0.30, 0.01, "high"),
        (-0.02, 0.7, 0.30, 0.5, "critical"),
        (0.25, 0.5, 0.20, 0.0001, "high"),  # the worse of the two reasons
    ],
)
def test_by_hand(low, baseline, wrong, certain, word):
    assert grade(low=low, baseline=baseline, wrong=wrong, certain=certain).severity == word


def test_a_control_that_gains_leaves_only_certain_people():
    gained = grade(low=0.3, baseline=0.5, wrong=0.05, certain=0.0, control_gains=True)
    assert gained.severity == "none"
    assert gained.reason.startswith("correlation, not leak")
    assert grade(low=0.3, baseline=0.5, wrong=0.05, certain=0.02, control_gains=True).severity == "high"


@settings(deadline=None, derandomize=True)
@given(st.floats(-0.5, 0.5), st.floats(0, 0.1), SHARES, SHARES, st.floats(0.5, 0.99), st.booleans())
def test_more_leak_is_never_less_severe(low, more, certain, wrong, baseline, gains):
    def rank(low: float, certain: float) -> int:
        graded = grade(low=low, baseline=baseline, wrong=wrong, certain=certain, control_gains=gains)
        return WORDS.index(graded.severity)

    assert rank(low + more, certain) >= rank(low, certain)
    assert rank(low, min(1.0, certain + more)) >= rank(low, certain)
