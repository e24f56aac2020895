"""What is called certain is true, and is what every secret vector with the same release agrees on."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError, SaysNothingError
from dalenius.reconstruction.attack.attack import reconstruct, uninformed
from dalenius.reconstruction.attack.search import parts as bounds
from dalenius.reconstruction.attack.system.build import build
from dalenius.statistics.tables import tables_of

MECHANISMS = [
    "exact",
    "rounding:base=3",
    "rounding:base=4",
    "rounding:base=5,how=random",
    "rounding:base=3,how=controlled",
    "suppression:below=3",
    "suppression:below=4,zeros=hide",
    "bounded:error=1",
    "suppression:below=3 | rounding:base=3",
]

YES_NO, THREE = ("no", "yes"), ("no", "mild", "grave")


@st.composite
def cases(draw, most=7):
    """Few people, a statistic, a mechanism, secrets."""
    n, d = draw(st.integers(1, most)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    levels = draw(st.sampled_from([YES_NO, YES_NO, THREE]))
    kind = draw(st.sampled_from(["tables", "subsets", "both"]))
    return {
        "codes": rng.integers(0, draw(st.integers(2, 3)), (n, d)),
        "k": draw(st.integers(0, d)),
        "members": rng.integers(0, 2, (draw(st.integers(1, 6)), n)),
        "kind": kind,
        "secrets": rng.integers(0, len(levels), n),
        "levels": levels,
        "mechanism": draw(st.sampled_from(MECHANISMS)),
        "seed": seed,
    }


def seen_by_the_attacker(case, people, subsets, view, secrets=None):
    roster = people(case["codes"])
    tables = tables_of(roster.attributes.columns, case["k"])
    asked = {"tables": [tables], "subsets": [subsets(case["members"])]}
    asked["both"] = asked["tables"] + asked["subsets"]
    secrets = case["secrets"] if secrets is None else np.array(secrets)
    options = {"levels": case["levels"], "seed": case["seed"]}
    return view(asked[case["kind"]], roster, secrets, case["mechanism"], **options)


def attacked(seen, decoder="auto"):
    """The claims; of numbers that are refused since they say nothing, those that the prior makes."""
    try:
        return reconstruct(seen, decoder=decoder, rng=np.random.default_rng(1))
    except SaysNothingError as error:
        return uninformed(seen, str(error))


@settings(max_examples=80, deadline=None)
@given(case=cases())
def test_certain_guesses_are_always_right(case, people, subsets, view):
    seen = seen_by_the_attacker(case, people, subsets, view)
    got = attacked(seen)
    assert np.array_equal(got.guess[got.certain], case["secrets"][got.certain])
    assert np.allclose(got.confidence[got.certain], 1)
    truth = got.probability[np.arange(len(got.guess)), case["secrets"]]
    assert (truth > 0).all()  # nothing that is true is ruled out


def consistent_secrets(case, seen) -> list[tuple[int, ...]]:
    """Every secret vector whose counts lie in the intervals that the published answers leave."""
    from dalenius.mechanisms.parse import parse_mechanism

    mechanism = parse_mechanism(seen.release.mechanism)
    levels, roster = case["levels"], seen.knowledge.roster
    parts = []
    for block in seen.release.blocks:
        matrix = block.statistic.operator(roster).explicit().toarray()
        error = mechanism.error(block.answers, matrix.sum(axis=1))
        parts.append((matrix, [levels.index(v) for v in block.values], error.low, error.high))
    kept = []
    for vector in itertools.product(range(len(levels)), repeat=len(roster)):
        one_hot = np.eye(len(levels))[list(vector)]
        counts = [matrix @ one_hot[:, values] for matrix, values, _, _ in parts]
        if all(
            ((low <= count) & (count <= high)).all()
            for count, (_, _, low, high) in zip(counts, parts, strict=True)
        ):
            kept.append(vector)
    return kept


@settings(max_examples=60, deadline=None)
@given(case=cases(most=6))
def test_certain_means_that_all_secrets_with_this_release_agree(case, people, subsets, view):
    seen = seen_by_the_attacker(case, people, subsets, view)
    kept = np.array(consistent_secrets(case, seen))
    assert case["secrets"].tolist() in kept.tolist()
    agree = (kept == kept[0]).all(axis=0)
    got = attacked(seen)
    assert not (got.certain & ~agree).any()


@settings(max_examples=50, deadline=None)
@given(case=cases(most=6))
def test_every_person_on_whom_all_agree_is_found_when_the_search_is_complete(case, people, subsets, view):
    """Exhaustive search gives such a person probability 0 or 1, whether or not it was called certain."""
    if case["levels"] != YES_NO:
        return
    seen = seen_by_the_attacker(case, people, subsets, view)
    kept = np.array(consistent_secrets(case, seen))
    got = attacked(seen, decoder="exhaustive")
    expected = kept.mean(axis=0)
    agree = np.isin(expected, (0, 1))
    assert np.allclose(got.probability[agree, 1], expected[agree], atol=1e-9)
    assert ((got.probability[~agree, 1] > 0) & (got.probability[~agree, 1] < 1)).all()


def test_all_rows_together_find_what_single_rows_do_not(linear, searched):
    """x + y = 1, y + z = 1, x + z = 2: no row alone settles anybody, all three settle everybody."""
    system = linear([[1, 1, 0], [0, 1, 1], [1, 0, 1]], [1, 1, 2])
    odd = linear([[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]], [1, 1, 2, 2])
    assert bounds.propagate(system).least.tolist() == [1, 0, 1]
    triangle = linear([[1, 1, 0, 1], [0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 0]], [1, 1, 1, 1])
    alone = bounds.propagate(triangle)
    assert (alone.least < alone.most).any()
    with pytest.raises(InputError, match="contradict"):  # all four: 2 (x + y + z) + 3 u = 3 and x + y + z = 1
        searched(alone)
    assert searched(odd).least.tolist() == [1, 0, 1, 0]


def test_all_rows_settle_a_cycle_that_propagation_leaves_open(linear, searched):
    """Pairs of three people, each pair and the three together: sums of rows decide, single rows do not."""
    A = [[1, 1, 1, 0], [1, 1, 0, 1], [1, 0, 1, 1], [0, 1, 1, 1]]
    secrets = np.array([1, 1, 0, 0])
    system = linear(A, np.array(A) @ secrets)
    alone = bounds.propagate(system)
    assert (alone.least < alone.most).all()
    together = searched(alone)
    assert together.least.tolist() == together.most.tolist() == secrets.tolist()


def test_a_group_is_certain_only_if_all_or_none_have_the_secret(people, attack):
    roster = people([[0], [0], [1], [1], [2], [2]])
    secrets = np.array([1, 1, 0, 0, 0, 1])
    got = attack([tables_of(roster.attributes.columns, 1)], roster, secrets)
    assert got.certain.tolist() == [True] * 4 + [False] * 2
    assert got.guess[:4].tolist() == [1, 1, 0, 0]
    assert np.allclose(got.probability[4:, 1], 0.5)


def test_a_reading_one_count_too_narrow_would_be_noticed(monkeypatch, people, subsets, view):
    """Planted fault: rounding read as if it moved counts by one less than it does."""
    from dalenius.mechanisms.stages.rounding import Rounding

    right = Rounding.read

    def narrow(self, reading, *, counts):
        read = right(self, reading, counts=counts)
        return read.within(read.low + 1, np.maximum(read.high - 1, read.low + 1))

    def wrong_certain() -> int:
        wrong = 0
        for seed in range(15):
            rng = np.random.default_rng(seed)
            case = {
                "codes": rng.integers(0, 2, (6, 2)), "k": 1, "members": rng.integers(0, 2, (4, 6)),
                "kind": "subsets", "secrets": rng.integers(0, 2, 6), "levels": YES_NO,
                "mechanism": "rounding:base=3", "seed": seed,
            }  # fmt: skip
            seen = seen_by_the_attacker(case, people, subsets, view)
            try:
                got = attacked(seen)
            except InputError:  # read too narrowly, the answers contradict each other
                wrong += 1
                continue
            wrong += int((got.guess[got.certain] != case["secrets"][got.certain]).any())
        return wrong

    assert wrong_certain() == 0
    monkeypatch.setattr(Rounding, "read", narrow)
    assert wrong_certain() > 0


@pytest.mark.parametrize("mechanism", ["gaussian:sigma=0.1", "laplace:scale=0.1", "unknown"])
def test_nothing_is_certain_under_random_noise(mechanism, people, subsets, release):
    from dalenius.knowledge.view import Knowledge, View
    from dalenius.release.release import Release

    roster = people(np.zeros((5, 0)))
    exact = release([subsets(np.eye(5))], roster, np.array([1, 0, 1, 0, 1]))
    said = Release("x", exact.secret, exact.blocks, mechanism)
    got = reconstruct(View(said, Knowledge(roster)), rng=np.random.default_rng(1))
    assert not got.certain.any()
    assert got.guess.tolist() == [1, 0, 1, 0, 1]


def test_certain_needs_everybody_to_have_exactly_one_value(people, subsets):
    """Three values: two are ruled out by their counts, so the third is certain though its count is hidden."""
    from dalenius.knowledge.view import Knowledge, View
    from dalenius.people.schema import Column, Kind, Role
    from dalenius.release.release import Block, Release

    secret = Column("ill", Role.SECRET, Kind.CATEGORICAL, THREE)
    answers = np.array([[0.0, 0.0, np.nan]])
    release = Release("x", secret, (Block(subsets([[1, 0]]), THREE, answers),), "suppression:below=5")
    got = reconstruct(View(release, Knowledge(people(np.zeros((2, 0))))), rng=np.random.default_rng(1))
    assert got.certain.tolist() == [True, False]
    assert got.guess[0] == 2
    assert build(View(release, Knowledge(people(np.zeros((2, 0)))))).levels == THREE
