import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.reconstruction.referee.baseline import deal_redraw


@settings(deadline=None, derandomize=True)
@given(st.integers(1, 200), st.floats(0.01, 0.99), st.integers(0, 2**32))
def test_only_the_chosen_change_and_their_number_is_fixed(n, share, seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n).astype(np.int32)
    redraw = deal_redraw(truth, np.full((n, 3), 1 / 3), share, rng=rng)
    assert redraw.chosen.sum() == max(1, round(share * n))
    np.testing.assert_array_equal(redraw.codes[~redraw.chosen], truth[~redraw.chosen])
    assert redraw.codes.dtype == np.int32
    assert 0 <= redraw.codes.min() <= redraw.codes.max() <= 2


def test_draws_follow_each_persons_own_probabilities():
    rng = np.random.default_rng(1)
    n = 60_000
    population = np.tile([[0.7, 0.2, 0.1], [0.1, 0.0, 0.9]], (n // 2, 1))
    redraw = deal_redraw(np.zeros(n, np.int32), population, 0.9, rng=rng)
    for kind in (0, 1):
        drawn = redraw.codes[kind::2][redraw.chosen[kind::2]]
        shares = np.bincount(drawn, minlength=3) / drawn.size
        # Six standard errors of a share among 27,000 draws.
        np.testing.assert_allclose(shares, population[kind], atol=6 * 0.5 / np.sqrt(27_000))
        assert (shares[population[kind] == 0] == 0).all()


def test_the_redrawn_secrets_do_not_depend_on_the_chosen_peoples_real_ones():
    population = np.full((50, 2), 0.5)
    truths = [np.zeros(50, np.int32), np.ones(50, np.int32)]
    one, two = (deal_redraw(truth, population, rng=np.random.default_rng(2)) for truth in truths)
    np.testing.assert_array_equal(one.chosen, two.chosen)
    np.testing.assert_array_equal(one.codes[one.chosen], two.codes[two.chosen])


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1])
def test_a_share_of_nobody_or_everybody_is_refused(share):
    with pytest.raises(InputError, match="share"):
        deal_redraw(np.zeros(3, np.int32), np.full((3, 2), 0.5), share, rng=np.random.default_rng(1))


def test_probabilities_of_other_people_are_refused():
    with pytest.raises(InputError, match="one row for each of the 3"):
        deal_redraw(np.zeros(3, np.int32), np.full((4, 2), 0.5), rng=np.random.default_rng(1))


def test_nobody_is_refused():
    with pytest.raises(InputError, match="at least one person"):
        deal_redraw(np.zeros(0, np.int32), np.zeros((0, 2)), rng=np.random.default_rng(1))
