"""Alleles that nobody behind a release has: counted, ranked among references, paid for as a second look."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from dalenius.errors import InputError
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.attack.choose import choose
from dalenius.tracing.attack.genomes.absent import COUNTED, SHARE, expected_absent, pool_counts, tells_absent
from dalenius.tracing.attack.genomes.adjusted import _read_off
from dalenius.tracing.attack.groups import trace_groups
from dalenius.tracing.attack.score_test import ScoreTest

N, M, OUT, D = 50, 120, 300, 5000
NAMES = np.array([f"rs{j}" for j in range(D)])
ABSENT = ScoreTest("absent", "conformal")


def people(copies: np.ndarray, prefix: str) -> CodedTraits:
    ids = np.array([f"{prefix}{i}" for i in range(len(copies))])
    names = np.array([f"rs{j}" for j in range(copies.shape[1])])
    return coded_from_values("id", ids, names, copies - 1.0, "genotype")


@pytest.fixture(scope="module")
def drawn() -> dict[str, np.ndarray]:
    """Mostly rare variants, as in a dense file, and some for which the other allele is the rare one."""
    rng = np.random.default_rng(7)
    share = np.where(rng.random(D) < 0.9, rng.uniform(0.001, 0.006, D), rng.uniform(0.05, 0.95, D))
    share = np.where(rng.random(D) < 0.2, 1 - share, share)
    return {name: rng.binomial(2, share, (n, D)) for name, n in (("m", N), ("r", M), ("o", OUT))}


def view(drawn: dict[str, np.ndarray], targets: np.ndarray | None = None, n: int | None = N) -> TracingView:
    copies = np.concatenate([drawn["m"], drawn["o"]]) if targets is None else targets
    release = MeansRelease("r", NAMES, drawn["m"].mean(axis=0) - 1.0, "genotype", n, "exact", 0.0)
    return TracingView(release, people(copies, "t"), people(drawn["r"], "r"))


def p_values(asked: TracingView, test: ScoreTest) -> np.ndarray:
    return trace(asked, test, rng=np.random.default_rng(1)).p_value


def test_every_record_of_four_variants_by_brute_force() -> None:
    """Nobody has the first and last counted allele, nor the second's other one; the third says nothing."""
    means = np.array([-1.0, 1.0, 0.25, -1.0])
    copies = np.array(list(itertools.product(range(3), repeat=4)))
    carried = copies[:, 0] + (2 - copies[:, 1]) + copies[:, 3]
    reference = copies[:20]
    release = MeansRelease("r", NAMES[:4], means, "genotype", 8, "exact", 0.0)
    asked = TracingView(release, people(copies, "t"), people(reference, "r"))
    wanted = [(1 + (carried[:20] <= own).sum()) / 21 for own in carried]
    assert p_values(asked, ABSENT) == pytest.approx(wanted, abs=1e-12)


def test_members_carry_none_and_others_do(drawn: dict[str, np.ndarray]) -> None:
    p = p_values(view(drawn), ABSENT)
    assert p[:N] == pytest.approx(1 / (M + 1))
    for level in (0.05, 0.2):
        assert (p[N:] <= level).sum() <= binom.ppf(0.999, OUT, level)


def test_auto_looks_twice_where_values_are_missing_and_pays_for_it(drawn: dict[str, np.ndarray]) -> None:
    lacking = np.concatenate([drawn["m"], drawn["o"]]).astype(float)
    lacking[:, 0] = np.nan
    asked = view(drawn, lacking)
    said = trace(asked, rng=np.random.default_rng(1))
    once = p_values(asked, ScoreTest("opt", "adjusted")), p_values(asked, ABSENT)
    paid = np.minimum(once[0] / (1 - SHARE), once[1] / SHARE)
    assert said.p_value == pytest.approx(np.minimum(1, paid), abs=1e-12)
    assert said.smallest == pytest.approx(1 / (M + 1) / SHARE)


def test_a_tail_reaches_below_the_ranks_of_the_second_look(drawn: dict[str, np.ndarray]) -> None:
    """The smaller of two p-values counts: the look which reaches lower says what is possible."""
    said = trace(
        view(drawn), ScoreTest("opt", "adjusted:tail=student,absent=yes"), rng=np.random.default_rng(1)
    )
    assert said.p_value.min() < 1 / (M + 1) / SHARE
    assert said.smallest <= said.p_value.min()


def test_of_two_groups_the_one_that_reaches_lower_says_what_is_possible(drawn: dict[str, np.ndarray]) -> None:
    """Alleles that nobody has are looked for in one group alone, as the other's frequencies are noisy."""
    lacking = np.concatenate([drawn["m"], drawn["o"]]).astype(float)
    lacking[:, 0] = np.nan
    exact = view(drawn, lacking)
    means = drawn["o"][:N].mean(axis=0) - 1.0
    noisy = MeansRelease("s", NAMES, means, "genotype", N, "gaussian:sigma=0.001", 0.002)
    views = {"cases": exact, "controls": TracingView(noisy, exact.targets, exact.reference)}
    said = trace_groups(views, rng=np.random.default_rng(1))
    assert said.p_value.min() == pytest.approx(2 / (M + 1))
    assert said.smallest == pytest.approx(2 / (M + 1))


def test_a_pool_is_ranked_by_count_and_score_at_once() -> None:
    """The target is last; it carries fewest, and one reference as few: the score decides between them."""
    also = pool_counts(np.array([-4.0, -2.0, -1.0]), np.array([-1.0]))
    assert also[0, -1] == also[0, 2] > also[0, 1] > also[0, 0]
    whole = np.array([-4.0, -2.0, -1.0, -1.0])
    assert also[0] == pytest.approx(COUNTED * (whole + 2) / whole.std())
    none = np.zeros((1, 4, 0))
    for own, wanted in ((0.9, 0.25), (0.1, 0.5)):
        scores = np.array([[-0.5, 0.2, 0.5, own]])
        p = _read_off(scores, np.ones(1), none, choose=False, tail="rank", also=also)[1]
        assert p == pytest.approx(wanted)


def test_auto_ranks_once_and_keeps_the_level(drawn: dict[str, np.ndarray]) -> None:
    asked = view(drawn)
    assert choose(asked, independent=False)[:2] == ("opt", "adjusted:absent=yes")
    said = trace(asked, rng=np.random.default_rng(1))
    assert said.smallest == pytest.approx(1 / (M + 1))
    assert said.p_value * (M + 1) == pytest.approx(np.round(said.p_value * (M + 1)))
    assert (said.p_value[:N] <= 0.01).all()
    assert (said.p_value[N:] <= 0.05).sum() <= binom.ppf(0.999, OUT, 0.05)
    assert any("nobody has them" in note for note in said.notes)


def test_values_that_are_missing_do_not_make_a_member(drawn: dict[str, np.ndarray]) -> None:
    """Who lacks half of the record carries half as many: counted carelessly, the level is gone."""
    rng = np.random.default_rng(3)
    holes = np.where(rng.random((OUT, D)) < 0.5, np.nan, drawn["o"])
    asked = view(drawn, holes)
    p = p_values(asked, ABSENT)
    limit = binom.ppf(0.999, OUT, 0.05)
    assert (p <= 0.05).sum() <= limit
    sign = np.where(np.abs(asked.release.means) >= 1, asked.release.means, 0.0)

    def counts(copies: np.ndarray) -> np.ndarray:
        return np.nansum(np.abs(sign) - sign * (copies - 1), axis=1)

    careless = (1 + (counts(drawn["r"])[None] <= counts(holes)[:, None]).sum(axis=1)) / (M + 1)
    assert (careless <= 0.05).sum() > limit


def test_an_error_rate_excludes_who_carries_too_many(drawn: dict[str, np.ndarray]) -> None:
    rng = np.random.default_rng(5)
    wrong = rng.random((N, D)) < 0.0001
    read = np.where(wrong, np.where(drawn["m"] == 1, 0, 1), drawn["m"])
    half = np.where(rng.random((N, D)) < 0.5, drawn["m"], drawn["o"][:N])  # as close as relatives
    asked = view(drawn, np.concatenate([read, half]))
    careful = p_values(asked, ScoreTest("opt", "adjusted:absent=0.0001"))
    alone = p_values(asked, ScoreTest("opt", "adjusted"))
    assert (careful[:N] <= 0.05).mean() > 0.9, "errors at the stated rate exclude nobody"
    assert (careful[N:] == 1).mean() > 0.7
    assert (alone[N:] <= 0.05).mean() > 0.3, "relatives are accused without it"


def test_auto_looks_once_where_a_frequency_of_zero_says_little(drawn: dict[str, np.ndarray]) -> None:
    release = view(drawn).release
    assert tells_absent(release)
    rounded = MeansRelease("r", NAMES, np.round(release.means, 1), "genotype", N)
    assert not tells_absent(rounded), "digits make zeros"
    noisy = MeansRelease("r", NAMES, release.means, "genotype", N, "gaussian:sigma=0.1", 0.2)
    assert not tells_absent(noisy)
    assert not tells_absent(release.select(np.arange(D // 2)))
    assert not tells_absent(view(drawn, n=None).release)


def test_what_outsiders_carry_is_foretold_by_alleles_that_stand_once(drawn: dict[str, np.ndarray]) -> None:
    release = view(drawn).release
    sign = np.where(np.abs(release.means) >= 1, release.means, 0.0)
    carried = (np.abs(sign) - sign * (drawn["o"] - 1)).sum(axis=1)
    assert expected_absent(release) == pytest.approx(carried.mean(), rel=0.1)


@pytest.mark.parametrize("said", ["maybe", "0.7", "-1"])
def test_other_error_rates_are_refused(drawn: dict[str, np.ndarray], said: str) -> None:
    with pytest.raises(InputError, match="absent must be yes, no, or an error rate"):
        trace(view(drawn), ScoreTest("opt", f"adjusted:absent={said}"), rng=np.random.default_rng(1))
