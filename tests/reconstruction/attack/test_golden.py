"""Golden values of the specification: small systems whose solutions are known as fractions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logit

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.operators import HadamardRows
from dalenius.people.schema import Column, Kind, Role
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.decoders import box, exhaustive, hadamard, least_squares, lp
from dalenius.reconstruction.attack.system.build import build
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.subsets import HadamardQueries
from dalenius.statistics.tables import Tables, tables_of
from dalenius.theory.reconstruction.lp import tau1

RNG = np.random.default_rng(0)
ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))


def hadamard_solution(n: int, plus: np.ndarray, minus: np.ndarray) -> np.ndarray:
    """The real numbers behind the decoder's probabilities: r = 1/2 + variance * logit(share)."""
    sd = 1.0
    answers = np.concatenate([plus, minus[1:]])
    ones = np.ones(n, np.int64)
    far = np.full(answers.size, np.inf)
    system = LinearSystem(
        HadamardRows(n), answers, -far, far, np.full(answers.size, sd), "gaussian", ones, 0 * ones, ones,
        np.full(n, 0.5), np.ones(answers.size, np.bool_),
    )  # fmt: skip
    share = hadamard.decode(system, rng=RNG).share
    variance = answers.size * sd**2 / HadamardRows(n).size ** 2
    return 0.5 + variance * logit(share)


def g1_solution() -> np.ndarray:
    error = 4 * np.array([0.1, -0.05, 0.08, -0.1])  # on the answers with signs, in counts
    plus, minus = np.array([3.0, 2, 1, 2]), np.array([0.0, 1, 2, 1])
    return hadamard_solution(4, plus + error, minus)


def test_g1_hadamard_of_four_people():
    H = HadamardRows(4)
    answers = H.apply(np.array([1.0, 0, 1, 1]))
    signed = answers[:4] - np.concatenate([[0.0], answers[4:]])
    assert np.array_equal(signed, [3, 1, -1, 1])
    solution = g1_solution()
    assert np.allclose(solution, [1.03, 0.33, 1.07, 0.97], atol=1e-8)
    assert np.array_equal(solution >= 0.5, [1, 0, 1, 1])


def test_a_transform_that_is_not_scaled_is_noticed(monkeypatch):
    right = hadamard.transform
    monkeypatch.setattr(hadamard, "transform", lambda x: right(x) * x.size)
    assert not np.allclose(g1_solution(), [1.03, 0.33, 1.07, 0.97], atol=0.5)


def test_g2_hadamard_of_five_padded_to_eight():
    s = np.array([1.0, 1, 0, 0, 1])
    plus, minus = np.array([3.0, 2, 3, 2, 2, 1, 2, 1]), np.array([0.0, 1, 0, 1, 1, 2, 1, 2])
    assert np.array_equal(HadamardRows(5).apply(s), np.concatenate([plus, minus[1:]]))
    assert np.allclose(hadamard_solution(5, plus, minus), s, atol=1e-8)
    error = 5 * np.array([0.06, -0.06, 0.06, 0.06, -0.06, 0.06, -0.06, -0.06])
    # the first minus query counts nobody and is not asked: its error goes to the first plus answer
    plus_wrong = plus + error + np.where(np.arange(8) == 0, error, 0.0)
    got = hadamard_solution(5, plus_wrong, minus - error)
    assert np.allclose(got, [1, 1, 0, 0, 1.3], atol=1e-8)


@pytest.mark.parametrize(
    "n",
    [
        4,
        5,
        *(
            pytest.param(n, marks=pytest.mark.slow(beside="test_hadamard_queries_through_the_public_path"))
            for n in (7, 8)
        ),
    ],
)
def test_hadamard_queries_through_the_public_path(n, people, attack):
    roster = people(np.zeros((n, 0)))
    for code in range(2**n):
        secrets = (code >> np.arange(n)) & 1
        got = attack([HadamardQueries(roster.ids)], roster, secrets, "bounded:error=0.3", decoder="hadamard")
        assert np.array_equal(got.guess, secrets)


@pytest.mark.parametrize(("alpha", "feasible"), [(0.12, ["1010"]), (0.25, ["0011", "1001", "1010", "1011"])])
def test_g3_exhaustive_search_of_all_subsets(alpha, feasible, linear, subsets, people):
    B = np.array([[int(bit) for bit in f"{j:04b}"] for j in range(16)])
    s = np.array([1, 0, 1, 0])
    answers = B @ s + 4 * alpha * np.array([-1, 1] * 8)
    system = linear(B, answers, low=answers - 4 * alpha, high=answers + 4 * alpha)
    mean, fits, found = exhaustive.search(system, keep=20)
    assert ["".join(map(str, row)) for row in found] == feasible
    assert fits == len(feasible)
    assert np.allclose(mean, found.mean(axis=0))
    assert max(int(np.abs(row - s).sum()) for row in found) <= 4 * alpha * 4
    # the same through a release that says how wrong its answers are; whole numbers in each interval
    asked = subsets(B[1:])
    release = Release("g3", ILL, (Block(asked, ("yes",), answers[1:, None]),), f"bounded:error={4 * alpha}")
    got = reconstruct(View(release, Knowledge(people(np.zeros((4, 0))))), decoder="exhaustive", rng=RNG)
    all_agree = (found == found[0]).all(axis=0)
    assert np.array_equal(got.certain, all_agree)
    assert np.array_equal(got.guess[all_agree], s[all_agree])
    if not all_agree.all():
        assert f"{fits:,} secret vectors fit" in got.notes[-1]


G4 = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]])


def test_g4_least_squares(linear):
    answers = [1.2, 0.9, 2.1, 1.7]
    solution = least_squares.solve(linear(G4, answers, sd=1.0, shape="gaussian"), np.ones(4))
    assert np.allclose(solution, [8 / 7, -2 / 35, 59 / 70], atol=1e-8)


def test_g4_probabilities_come_from_the_variance_of_each_solution(linear):
    system = linear(G4, [1.2, 0.9, 2.1, 1.7], sd=1.0, shape="gaussian")
    got = logit(least_squares.decode(system, rng=RNG).share)
    assert np.allclose(got, (np.array([8 / 7, -2 / 35, 59 / 70]) - 0.5) / (5 / 7), atol=1e-8)


def test_g4_rows_are_divided_by_their_noise(linear):
    """An answer with a tiny error is met almost exactly; unscaled, it would give way like the others."""
    system = linear(G4, [1.2, 0.9, 2.1, 1.7], sd=1.0, shape="gaussian")
    system.sd[0] = 1e-3  # below the least a row is ever given
    scaled = least_squares.solve(system, np.array([1e-3, 1, 1, 1]))
    assert abs(scaled[0] + scaled[1] - 1.2) < 1e-5
    plain = least_squares.solve(system, np.ones(4))
    assert abs(plain[0] + plain[1] - 1.2) > 0.1


G5 = np.array([[int(bit) for bit in row] for row in
               ["1100", "0110", "0011", "1001", "1010", "0101", "1111", "1110", "0111", "1011"]])  # fmt: skip


def g5(linear):
    answers = G5 @ np.array([1, 0, 0, 1])
    assert answers[2] == 1
    answers[2] = 9
    return linear(G5, answers, sd=1.0, shape="gaussian")


def test_g5_a_gross_error_moves_least_squares_but_not_the_linear_program(linear):
    system = g5(linear)
    plain = least_squares.solve(system, np.ones(10))
    assert np.allclose(plain, [-7 / 27, -34 / 27, 16 / 9, 65 / 27], atol=1e-8)
    assert np.array_equal(plain >= 0.5, [0, 0, 1, 1])
    boxed = box.solve(system, np.ones(10), rng=np.random.default_rng(1))
    assert np.allclose(boxed, [1 / 3, 0, 1, 1], atol=1e-4)
    for limited in (False, True):
        solution, objective = lp.solve(system, box=limited)
        assert np.allclose(solution, [1, 0, 0, 1], atol=1e-6)
        assert objective == pytest.approx(8, abs=1e-6)


def test_g5_certificate():
    assert tau1(G5.astype(float)) == pytest.approx(2 / 7)


def test_g6_intervals(linear, searched, program_ends):
    A = [[1, 1, 0, 0], [0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 1, 1]]
    system = linear(A, [1, 1, 1.5, 2.5], low=[1, 1, 1, 2], high=[1, 1, 2, 3])
    smallest, largest = program_ends(system)
    assert np.allclose(smallest, [0.5, 0, 0.5, 0], atol=1e-8)
    assert np.allclose(largest, [1, 0.5, 1, 1], atol=1e-8)
    whole = searched(system)
    assert np.array_equal(whole.least, [1, 0, 1, 0])
    assert np.array_equal(whole.most, [1, 0, 1, 1])
    _, fits, found = exhaustive.search(system, keep=9)
    assert found.tolist() == [[1, 0, 1, 0], [1, 0, 1, 1]]
    assert fits == 2


def test_g7_one_column_of_answers_for_each_value(linear, subsets, people):
    B = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1]])
    Z = np.array([[1.2, 0.1, 0.8], [0.1, 1.1, 0.9], [0.9, 1.0, 0.2]])
    R = np.array([[1, 0, 0.05], [0.2, 0.1, 0.75], [-0.1, 1, 0.15]])
    for value in range(3):
        system = linear(B, Z[:, value], sd=1.0, shape="gaussian", prior=1 / 3)
        assert np.allclose(least_squares.solve(system, np.ones(3)), R[:, value], atol=1e-8)
    secret = Column("ill", Role.SECRET, Kind.CATEGORICAL, ("none", "mild", "grave"))
    release = Release("g7", secret, (Block(subsets(B), secret.levels, Z),), "gaussian:sigma=1")
    prior = np.full((3, 3), 1 / 3)
    seen = View(release, Knowledge(people(np.zeros((3, 0))), prior))
    got = reconstruct(seen, decoder="least-squares", rng=RNG)
    assert got.guess.tolist() == [0, 2, 1]
    assert np.allclose(got.probability.sum(axis=1), 1)


G10_PEOPLE = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]])
G10_SECRETS = np.array([1, 0, 0, 1, 0])


def test_g10_cells_of_two_way_tables(people, release):
    roster = people(G10_PEOPLE)
    tables = tables_of(roster.attributes.columns, 1)
    block = release([tables], roster, G10_SECRETS).blocks[0]
    assert block.values == ("no", "yes")
    cells = dict(zip(tables.labels(), block.answers.tolist(), strict=True))
    assert cells == {"a0=0": [1, 1], "a0=1": [2, 1], "a1=0": [1, 1], "a1=1": [2, 1]}


@pytest.mark.parametrize(
    ("k", "gram"),
    [
        (1, [[4, 2, 2, 0, 0], [2, 4, 0, 2, 2], [2, 0, 4, 2, 2], [0, 2, 2, 4, 4], [0, 2, 2, 4, 4]]),
        (2, [[2, 0, 0, 0, 0], [0, 2, 0, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0, 2, 2], [0, 0, 0, 2, 2]]),
    ],
)
def test_g10_gram_matrix(k, gram, people):
    roster = people(G10_PEOPLE)
    A = tables_of(roster.attributes.columns, k).operator(roster).explicit().toarray()
    both = np.concatenate([A, -A])  # cells of s=1 and of s=0: the same rows with the other sign
    assert np.array_equal(both.T @ both, gram)


def test_g10_people_with_the_same_record_become_one_unknown(people, view, attack):
    roster = people(G10_PEOPLE)
    tables = tables_of(roster.attributes.columns, 2)
    problem = build(view([tables], roster, G10_SECRETS))
    assert problem.group.tolist() == [0, 1, 2, 3, 3]
    assert problem.systems[0].sizes.tolist() == [1, 1, 1, 2]
    got = attack([tables], roster, G10_SECRETS)
    assert got.certain.tolist() == [True, True, True, False, False]
    assert np.allclose(got.probability[:, 1], [1, 0, 0, 0.5, 0.5])


def test_g10_counts_of_the_other_value_are_turned_around(people):
    """Suppress the counts of s=1: those of s=0 and the public totals give them back."""
    roster = people(G10_PEOPLE)
    tables = Tables(roster.attributes.columns, (("a0", "a1"),))
    answers = np.array([[0, 1], [1, 0], [1, 0], [1, 1]], float)
    answers[:, 1] = np.nan
    release = Release(
        "g10", ILL, (Block(tables, ("no", "yes"), answers),), "suppression:below=100,zeros=hide"
    )
    with pytest.raises(InputError, match="must be one that"):
        reconstruct(View(release, Knowledge(roster)), rng=RNG)  # counts below 100 cannot be visible
    release = Release("g10", ILL, (Block(tables, ("no", "yes"), answers),), "exact")
    system = build(View(release, Knowledge(roster))).systems[0]
    assert system.low.tolist() == system.high.tolist() == system.centre.tolist() == [1, 0, 0, 1]
