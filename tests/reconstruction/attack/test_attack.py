"""The attack as a whole: who is told apart, which decoder and why, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from dalenius.conditions.predicate import Equals, In, Not
from dalenius.errors import InputError, SolveError, UnsupportedError
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.operators import HadamardRows
from dalenius.people.schema import Column, Kind, Role
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.choose import DECODERS
from dalenius.reconstruction.attack.decoders import box, lp
from dalenius.reconstruction.attack.program import minimise
from dalenius.reconstruction.attack.system.build import build
from dalenius.reconstruction.attack.system.system import log2_vectors
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.queries import ConditionCounts
from dalenius.statistics.counts.subsets import HadamardQueries, random_subsets
from dalenius.statistics.tables import Tables, tables_of

ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
THREE = ("none", "mild", "grave")


def by_hand(statistic, answers, mechanism, roster, secret=ILL, prior=None) -> View:
    values = secret.levels if statistic.counts_all_values or len(secret.levels) > 2 else secret.levels[1:]
    block = Block(statistic, values, np.asarray(answers, np.float64))
    return View(Release("by hand", secret, (block,), mechanism), Knowledge(roster, prior))


def attacked(view: View, decoder: str = "auto"):
    return reconstruct(view, decoder=decoder, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def crowd(people):
    rng = np.random.default_rng(12)
    return people(rng.integers(0, 3, (40, 6))), rng.integers(0, 2, 40)


# --- who is told apart ------------------------------------------------------------------------------------


def test_only_the_columns_that_are_published_tell_people_apart(people, view):
    roster = people([[0, 0, 5], [0, 0, 6], [0, 1, 7], [1, 1, 8]])
    pairs = Tables(roster.attributes.columns[:2], (("a0", "a1"),))
    problem = build(view([pairs], roster, [1, 0, 1, 1]))
    assert problem.group.tolist() == [0, 0, 1, 2]
    assert problem.systems[0].sizes.tolist() == [2, 1, 1]


def test_people_in_the_same_sets_are_one_unknown(people, subsets, attack):
    asked = subsets([[1, 1, 0, 0], [0, 0, 1, 0]])
    got = attack([asked], people(np.zeros((4, 0))), np.array([1, 0, 1, 1]))
    assert got.certain.tolist() == [False, False, True, False]
    assert np.allclose(got.probability[:3, 1], [0.5, 0.5, 1])


def test_two_statistics_tell_more_people_apart_than_one(people, subsets, attack):
    roster = people([[0], [0], [1], [1]])
    secrets = np.array([1, 0, 0, 1])
    tables = tables_of(roster.attributes.columns, 1)
    assert not attack([tables], roster, secrets).certain.any()
    both = attack([tables, subsets([[1, 0, 1, 0]]), subsets([[1, 0, 0, 0]])], roster, secrets)
    assert both.certain.all()
    assert np.array_equal(both.guess, secrets)


def test_people_keep_their_places_whatever_their_records_are(people, attack):
    codes = np.array([[5], [3], [4], [0], [2], [1]])
    secrets = np.array([1, 0, 0, 1, 1, 0])
    got = attack([tables_of(people(codes).attributes.columns, 1)], people(codes), secrets)
    assert got.ids.tolist() == [f"p000{i}" for i in range(6)]
    assert np.array_equal(got.guess, secrets)


@pytest.mark.parametrize("decoder", ["posterior", "least-squares", "box", "lp"])
def test_kinds_of_statistics_mixed_in_one_release(decoder, crowd, attack):
    """Tables first, so that people would change places if groups were ordered by their records."""
    roster, secrets = crowd
    conditions = ConditionCounts(
        roster.attributes.columns,
        (Equals("a0", "1"), Not(In("a1", ("0", "2")))),
        ("one", "two"),
    )
    asked = [
        tables_of(roster.attributes.columns, 1),
        HadamardQueries(roster.ids),
        conditions,
        random_subsets(roster.ids, 30, rng=np.random.default_rng(5)),
    ]
    got = attack(asked, roster, secrets, "gaussian:sigma=0.8", decoder=decoder)
    assert np.mean(got.guess == secrets) >= 0.95


def test_a_histogram_of_everybody_gives_everybody_the_same_probability(people, attack):
    got = attack([Tables((), ((),))], people(np.zeros((10, 0))), np.array([1] * 3 + [0] * 7))
    assert np.allclose(got.probability[:, 1], 0.3)
    assert not got.certain.any()


@pytest.mark.parametrize("decoder", sorted(set(DECODERS) - {"hadamard", "exhaustive"}))
@pytest.mark.parametrize("mechanism", ["exact", "rounding:base=3", "gaussian:sigma=0.5"])
def test_a_secret_with_three_values(decoder, mechanism, people, attack):
    rng = np.random.default_rng(2)
    roster = people(rng.integers(0, 3, (40, 6)))
    secrets = rng.integers(0, 3, 40)
    asked = [tables_of(roster.attributes.columns, 3)]
    got = attack(asked, roster, secrets, mechanism, levels=THREE, decoder=decoder)
    assert got.levels == THREE
    assert np.allclose(got.probability.sum(axis=1), 1)
    assert np.mean(got.guess == secrets) >= 0.9
    assert np.array_equal(got.guess[got.certain], secrets[got.certain])


# --- what the attacker knows before -----------------------------------------------------------------------


@pytest.mark.parametrize("decoder", ["exhaustive", "posterior", "least-squares"])
def test_the_prior_decides_what_the_release_leaves_open(decoder, people, subsets):
    """One exact count of two people: 1. Who it is, only the prior says."""
    roster = people(np.zeros((3, 0)))
    prior = np.array([[0.1, 0.9], [0.9, 0.1], [0.5, 0.5]])
    view = by_hand(
        subsets([[1, 1, 0], [1, 0, 1], [0, 1, 1]]), [[1.0], [1.2], [0.8]], "gaussian:sigma=2", roster
    )
    informed = attacked(View(view.release, Knowledge(roster, prior)), decoder)
    turned = attacked(View(view.release, Knowledge(roster, prior[[1, 0, 2]])), decoder)
    assert informed.guess[:2].tolist() == [1, 0]
    assert turned.guess[:2].tolist() == [0, 1]


def test_without_a_prior_the_rate_comes_from_the_release(people, subsets):
    roster = people(np.zeros((40, 0)))
    rows = np.zeros((2, 40))
    rows[0, :20] = rows[1, 20:] = 1
    system = build(by_hand(subsets(rows), [[4.0], [6.0]], "exact", roster)).systems[0]
    assert np.allclose(system.prior, 0.25)


def test_a_few_wild_answers_do_not_make_the_rate(people, subsets):
    """When nothing is said about the errors; and counts of single people are added up, not voted on."""
    roster = people(np.zeros((60, 0)))
    rows = np.random.default_rng(1).integers(0, 2, (50, 60))
    answers = rows.sum(axis=1) * 0.3
    answers[:5] = 1e6
    system = build(by_hand(subsets(rows), answers[:, None], "unknown", roster)).systems[0]
    assert system.prior[0] == pytest.approx(0.3, abs=0.05)
    small = people(np.zeros((10, 0)))
    singles = build(by_hand(subsets(np.eye(10)), [[1.0]] * 6 + [[0.0]] * 4, "unknown", small)).systems[0]
    assert singles.prior[0] == pytest.approx(0.6)


def test_priors_of_people_in_one_group_are_averaged(people, subsets):
    roster = people(np.zeros((3, 0)))
    prior = np.array([[0.8, 0.2], [0.4, 0.6], [0.1, 0.9]])
    system = build(by_hand(subsets([[1, 1, 0]]), [[1.0]], "exact", roster, prior=prior)).systems[0]
    assert np.allclose(system.prior, [0.4, 0.9])


# --- which decoder, and why -------------------------------------------------------------------------------


def test_the_reason_is_in_the_notes(people, subsets, attack):
    roster = people(np.zeros((6, 0)))
    asked = [subsets(np.random.default_rng(1).integers(0, 2, (9, 6)))]
    got = attack(asked, roster, np.ones(6, int), "gaussian:sigma=1")
    assert got.method == "exhaustive"
    assert got.notes[0].startswith("exhaustive: 6 open unknowns: every secret vector can be tried; predicted")
    by_name = attack(asked, roster, np.ones(6, int), "gaussian:sigma=1", decoder="box")
    assert by_name.notes[0].startswith("box: asked for; predicted")


def test_what_follows_by_arithmetic_needs_no_decoder(people, subsets, attack):
    got = attack([subsets(np.eye(3))], people(np.zeros((3, 0))), np.array([1, 0, 1]), decoder="lp")
    assert got.method == "arithmetic"
    assert got.certain.all()


def test_an_unknown_decoder_is_refused(crowd, view):
    roster, secrets = crowd
    seen = view([tables_of(roster.attributes.columns, 1)], roster, secrets)
    with pytest.raises(
        InputError, match=r"decoder 'posterier' must be a known one.*Did you mean 'posterior'"
    ):
        attacked(seen, "posterier")


def test_hadamard_decoding_of_tables_is_unsupported(crowd, view):
    roster, secrets = crowd
    seen = view([tables_of(roster.attributes.columns, 1)], roster, secrets, "gaussian:sigma=1")
    with pytest.raises(UnsupportedError, match="needs the answers to the Hadamard queries"):
        attacked(seen, "hadamard")


def test_exhaustive_search_of_too_many_is_unsupported(crowd, view):
    roster, secrets = crowd
    seen = view(
        [random_subsets(roster.ids, 50, rng=np.random.default_rng(1))], roster, secrets, "gaussian:sigma=1"
    )
    with pytest.raises(UnsupportedError, match=r"at most 2\^24 secret vectors, and here are 2\^40"):
        attacked(seen, "exhaustive")
    assert log2_vectors(build(seen).systems[0]) == 40


def test_a_failed_program_is_an_error_never_a_guess():
    with pytest.raises(SolveError, match="was not solved"):
        minimise([-1.0], method="highs-ds", bounds=[(0, None)])


# --- what cannot be ---------------------------------------------------------------------------------------


def test_a_count_above_the_number_of_people_names_its_query(people, subsets):
    roster = people(np.zeros((3, 0)))
    with pytest.raises(InputError, match=r"'q1', column 0 must be one that exact can publish.*got 3"):
        attacked(by_hand(subsets([[1, 1, 1], [0, 1, 1]]), [[2.0], [3.0]], "exact", roster))


def test_a_number_that_the_mechanism_cannot_publish_names_its_query(people):
    roster = people([[0], [0], [1]])
    tables = tables_of(roster.attributes.columns, 1)
    with pytest.raises(InputError, match=r"'a0=1', column 1 must be one that rounding:base=5 can publish"):
        attacked(by_hand(tables, [[0, 0], [0, 7]], "rounding:base=5", roster))


def test_cells_that_do_not_add_up_to_the_people_name_their_row(people):
    roster = people([[0], [0], [1]])
    tables = tables_of(roster.attributes.columns, 1)
    with pytest.raises(InputError, match=r"answer to 'a0=0' must fit the public number of people"):
        attacked(by_hand(tables, [[0, 1], [1, 0]], "exact", roster))


def test_answers_that_contradict_each_other_name_the_query(people, subsets):
    roster = people(np.zeros((2, 0)))
    with pytest.raises(InputError, match=r"must be possible together.*found at the answer to 'q2'"):
        attacked(by_hand(subsets([[1, 0], [0, 1], [1, 1]]), [[1], [1], [1]], "exact", roster))


@pytest.mark.parametrize("decoder", ["auto", "posterior", "least-squares", "box", "lp"])
def test_answers_that_contradict_each_other_only_together(decoder, people, subsets):
    """Pairs of three people with one each: no row alone is impossible, and half a person is not a person."""
    roster = people(np.zeros((3, 0)))
    pairs = [[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    with pytest.raises(InputError, match="answers that contradict each other"):
        attacked(by_hand(subsets(pairs), [[1], [1], [1], [2]], "exact", roster), decoder)


def test_somebody_with_two_values_or_none_is_a_contradiction(people, subsets):
    roster = people(np.zeros((2, 0)))
    secret = Column("ill", Role.SECRET, Kind.CATEGORICAL, THREE)
    for answers in ([[1, 1, 0]], [[0, 0, 0]]):
        with pytest.raises(InputError, match="several values, or none"):
            attacked(by_hand(subsets([[1, 0]]), answers, "exact", roster, secret))


def test_a_release_of_nothing_is_refused(people):
    empty = View(Release("empty", ILL, (), "exact"), Knowledge(people(np.zeros((2, 0)))))
    with pytest.raises(InputError, match="release must have at least one statistic"):
        attacked(empty)


def test_a_value_that_was_not_counted_is_refused(people, subsets):
    roster = people(np.zeros((2, 0)))
    release = Release("x", ILL, (Block(subsets([[1, 1]]), ("no",), np.array([[1.0]])),), "exact")
    with pytest.raises(InputError, match="every value of the secret but one must be counted in the release"):
        attacked(View(release, Knowledge(roster)))


def test_somebody_who_is_counted_but_not_on_the_list_is_refused(people, subsets):
    with pytest.raises(InputError, match="must count only people on the list; got 1 person not on it"):
        attacked(by_hand(subsets(np.ones((1, 4))), [[2.0]], "exact", people(np.zeros((3, 0)))))


# --- each decoder's own promises --------------------------------------------------------------------------


def test_box_solution_is_within_its_limits_and_no_worse_than_the_truth(linear):
    rng = np.random.default_rng(4)
    A = rng.integers(0, 2, (30, 50))
    secrets = rng.integers(0, 2, 50)
    answers = A @ secrets + rng.normal(0, 1, 30)
    system = linear(A, answers, sd=1.0, shape="gaussian")
    solution = box.solve(system, np.ones(30), rng=rng)
    assert solution.min() >= 0
    assert solution.max() <= 1
    assert np.linalg.norm(A @ solution - answers) <= np.linalg.norm(A @ secrets - answers)


def test_lp_misses_intervals_by_no_more_than_the_truth(linear):
    rng = np.random.default_rng(4)
    A = rng.integers(0, 2, (40, 20))
    secrets = rng.integers(0, 2, 20)
    counts = A @ secrets
    system = linear(A, counts, low=counts - 1, high=counts + 1)
    solution, objective = lp.solve(system)
    assert objective == pytest.approx(0, abs=1e-6)
    assert (np.abs(A @ solution - counts) <= 1 + 1e-6).all()


def test_known_sums_move_to_the_other_side(linear):
    A = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 0]])
    system = linear(A, [2, 1, 1]).tightened(np.array([1, 0, 0]), np.array([1, 1, 1]))
    reduced, open_ = system.free()
    assert open_.tolist() == [1, 2]
    assert reduced.A.explicit().toarray().tolist() == [[1, 0], [1, 1]]
    assert reduced.centre.tolist() == [1, 1]


def test_large_systems_are_solved_without_writing_the_matrix_out(monkeypatch, linear):
    from dalenius.reconstruction.attack.decoders import least_squares

    rng = np.random.default_rng(6)
    A = rng.integers(0, 2, (60, 20))
    system = linear(A, A @ rng.integers(0, 2, 20) + rng.normal(0, 0.5, 60), sd=0.5, shape="gaussian")
    dense = least_squares.solve(system, np.full(60, 0.5))
    monkeypatch.setattr(least_squares, "DENSE_LIMIT", 0)
    assert np.allclose(least_squares.solve(system, np.full(60, 0.5)), dense, atol=1e-5)
    share = least_squares.decode(system, rng=rng).share
    assert np.array_equal(share >= 0.5, dense >= 0.5)


# --- Hadamard answers ------------------------------------------------------------------------------------


def test_exact_hadamard_answers_give_everybody_away(people, attack):
    secrets = np.random.default_rng(5).integers(0, 2, 21)
    roster = people(np.zeros((21, 0)))
    got = attack([HadamardQueries(roster.ids)], roster, secrets, "exact")
    assert got.certain.all()
    assert (got.guess == secrets).all()


def test_exact_hadamard_answers_of_nobody_are_refused(people):
    roster = people(np.zeros((4, 0)))
    answers = HadamardRows(4).apply(np.array([1.0, 0, 1, 1]))
    answers[2] += 1
    with pytest.raises(InputError, match="must be possible together"):
        attacked(by_hand(HadamardQueries(roster.ids), answers[:, None], "exact", roster))


def test_unknown_noise_is_never_searched_through(people, subsets, attack):
    roster = people(np.zeros((6, 0)))
    asked = [subsets(np.random.default_rng(1).integers(0, 2, (9, 6)))]
    assert attack(asked, roster, np.ones(6, int), "laplace:scale=1").method == "posterior"
    with pytest.raises(UnsupportedError, match="needs to know the noise"):
        attacked(by_hand(asked[0], np.ones((9, 1)), "unknown", roster), "exhaustive")
