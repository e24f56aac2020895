"""The attack on a desk: what it recovers, when it must fail, and what it is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import norm

from dalenius.conditions.predicate import And, HashBit, In, Or, Predicate, evaluate_all
from dalenius.errors import InputError, TooLargeError
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.dataset import read
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.interactive import attack_desk, choose_questions
from dalenius.reconstruction.desk.fewest import fewest_queries
from dalenius.release.desk.desk import OpenDesk
from dalenius.release.desk.terms import Budget, Terms
from dalenius.theory.privacy import guess_from_rho

YES_NO = ("no", "yes")


class Case:
    """People, their secrets, and a desk that protects its answers as it says or otherwise."""

    def __init__(
        self, roster: Roster, secrets: Any, *, says: str, does: str | None = None, levels=YES_NO, **terms: Any
    ) -> None:
        self.roster, self.secrets = roster, np.asarray(secrets)
        secret = Column("ill", Role.SECRET, Kind.CATEGORICAL, levels)
        self.terms = Terms(secret, roster.attributes.columns, says, **terms)
        self.chain = parse_mechanism(does or says)
        self.noise = np.random.default_rng(77)
        self.desk = OpenDesk(self.answer, self.terms)

    def answer(self, predicates: tuple[Predicate, ...]) -> list[list[float | None]]:
        codes = [self.terms.secret.levels.index(value) for value in self.terms.values]
        masks = list(evaluate_all(predicates, self.roster.attributes))
        counts = np.array([[(self.secrets[m] == c).sum() for c in codes] for m in masks], np.int64)
        held = Counts(counts, np.arange(len(counts)), Sensitivity(1, 1))
        told = self.chain.protect(held, rng=self.noise)
        told[[m.sum() < self.terms.smallest for m in masks]] = np.nan
        return [[None if np.isnan(x) else x for x in row] for row in told]

    def attack(self, queries: int, seed: int = 5, decoder: str = "", **options: Any) -> Guesses:
        rng, known = np.random.default_rng(seed), Knowledge(self.roster)
        if not decoder:
            return attack_desk(self.desk, self.terms, known, queries=queries, rng=rng, **options)
        self.desk.ask(choose_questions(self.terms, known, queries, rng=rng))
        return reconstruct(View(self.desk.transcript, known), decoder=decoder, rng=rng)

    def right(self, *args: Any, **options: Any) -> float:
        return float((self.attack(*args, **options).guess == self.secrets).mean())


@pytest.fixture(scope="session")
def make(people):
    """People with ``d`` random columns of ``most`` levels, and random secrets."""

    def case(seed: int, n: int, d: int, most: int, says: str, **options: Any) -> Case:
        rng = np.random.default_rng(seed)
        roster = people(rng.integers(0, most, (n, d)))
        return Case(roster, rng.integers(0, len(options.get("levels", YES_NO)), n), says=says, **options)

    return case


def uniqueness(roster: Roster) -> float:
    sizes = np.unique(roster.attributes.codes, axis=0, return_counts=True)[1]
    return float((sizes == 1).sum() / len(roster))


GOLDEN = [((3, 20), 0.99, 0.939, 0.026), ((2, 7), 0.13, 0.75, 0.045)]
"""Columns and levels; the share of unique records; recovered of 100 people by 400 questions with noise 3, and
the standard deviation of that between runs."""


def golden_runs(make, shape: tuple[int, int], **options: Any) -> list[Case]:
    return [make(seed, 100, *shape, "gaussian:sigma=3", **options) for seed in range(10)]


@pytest.mark.parametrize(("shape", "unique", "recovered", "sd"), GOLDEN)
def test_golden_values(shape, unique, recovered, sd, make, accept):
    cases = golden_runs(make, shape)
    assert abs(np.mean([uniqueness(case.roster) for case in cases]) - unique) < 0.02
    own = [case.right(400, seed, decoder="box") for seed, case in enumerate(cases)]
    assert accept(own, recovered, sd, 20)


@pytest.mark.parametrize(("shape", "unique", "recovered", "sd"), GOLDEN)
def test_a_desk_with_more_noise_misses_the_golden_values(shape, unique, recovered, sd, make, accept):
    cases = golden_runs(make, shape, does="gaussian:sigma=9")
    own = [case.right(400, seed, decoder="box") for seed, case in enumerate(cases)]
    assert not accept(own, recovered, sd, 20)


def test_a_desk_that_hashes_otherwise_gives_nothing_away(make, accept):
    """Planted fault: it takes the bit before the one asked for."""
    own = []
    for seed, case in enumerate(golden_runs(make, (3, 20))):
        honest = case.answer

        def shifted(predicates, honest=honest):
            return honest(tuple(HashBit(p.columns, p.salt, (p.bit - 1) % 128) for p in predicates))

        case.desk = OpenDesk(shifted, case.terms)
        own.append(case.right(400, seed, decoder="box"))
    assert not accept(own, 0.939, 0.026, 20)
    assert accept(own, 0.5, 0.05, 20)


def test_least_squares_recovers_what_the_formula_for_random_subsets_says(make):
    """Phi(sqrt(m - n) / (4 tau)), for people who are all different."""
    cases = [make(seed, 100, 4, 30, "gaussian:sigma=3") for seed in range(20)]
    assert np.mean([uniqueness(case.roster) for case in cases]) > 0.99
    own = [case.right(400, decoder="least-squares") for case in cases]
    assert abs(np.mean(own) - norm.cdf(math.sqrt(300) / 12)) < 0.02


def test_a_small_promise_stops_it_and_the_bound_is_kept(make):
    """400 questions with rho = 0.1 in all, about half of which count a person: at most Phi(sqrt(rho / 2))."""
    sigma = math.sqrt(400 / (2 * 0.1))
    protected = [make(seed, 100, 3, 20, f"gaussian:sigma={sigma:.6f}") for seed in range(15)]
    assert protected[0].terms.promise(400).rho == pytest.approx(0.1, rel=1e-5)
    own = np.mean([case.right(400) for case in protected])
    slack = 3 * math.sqrt(0.25 / 1500)
    assert own <= guess_from_rho(0.1) + slack
    unprotected = np.mean([make(seed, 100, 3, 20, "gaussian:sigma=3").right(400) for seed in range(5)])
    assert unprotected > guess_from_rho(0.1) + slack


@pytest.mark.parametrize(
    ("says", "queries"),
    [
        ("exact", 120),
        ("rounding:base=5", 250),
        ("rounding:base=3,how=random", 250),
        ("suppression:below=16", 200),
        ("bounded:error=1.5", 250),
        # half are hidden and say nothing: as good as some 300 visible ones, Phi(sqrt(300 - 60) / 8) = .97
        ("gaussian:sigma=2 | suppression:below=14", 600),
        ("unknown", 250),
    ],
)
def test_every_protection_is_read_as_what_it_is(says, queries, make):
    does = "gaussian:sigma=1" if says == "unknown" else says
    cases = [make(seed, 60, 3, 12, says, does=does) for seed in range(2)]
    answers = cases[0].desk.ask([HashBit(("a0", "a1", "a2"), "s", bit) for bit in range(100)])
    if "suppression" in says:
        assert 10 < np.isnan(answers).sum() < 90
    assert np.mean([case.right(queries) for case in cases]) >= 0.9


def test_exact_answers_make_everybody_certain(make):
    case = make(1, 60, 3, 12, "exact")
    claims = case.attack(120)
    assert claims.certain.all()
    assert (claims.guess == case.secrets).all()
    assert claims.notes[0].startswith("asked 120 questions; the people have ")


def test_a_rule_about_small_groups_never_bites(make):
    case = make(1, 60, 3, 12, "exact", smallest=15)
    case.attack(200)
    assert not np.isnan(case.desk.transcript.blocks[0].answers).any()


def test_people_with_one_record_get_one_guess(people):
    codes = np.repeat(np.arange(20), 3)[:, None]
    secrets = np.random.default_rng(1).integers(0, 2, 60)
    claims = Case(people(codes), secrets, says="exact").attack(100)
    share = claims.probability[:, 1].reshape(20, 3)
    assert (share == share[:, :1]).all()
    assert np.allclose(share[:, 0], secrets.reshape(20, 3).mean(axis=1), atol=1e-6)


def test_people_who_are_all_alike_give_away_their_number_only(people):
    secrets = np.array([1, 0, 1, 0, 0])
    claims = Case(people(np.zeros((5, 2))), secrets, says="exact").attack(10)
    assert np.allclose(claims.probability[:, 1], 0.4)
    assert "1 different record" in claims.notes[0]


def test_a_secret_of_three_values(make):
    case = make(1, 60, 3, 12, "gaussian:sigma=1", levels=("a", "b", "c"))
    assert case.right(300) >= 0.95


@pytest.mark.parametrize(("d", "kind"), [(1, In), (3, Or)])
def test_hadamard_rows_as_lists_of_records(d, kind, people):
    """One near-unique column is listed by its levels; otherwise whole records are."""
    rng = np.random.default_rng(2)
    codes = np.arange(50)[:, None] if d == 1 else rng.integers(0, 12, (25, 3))
    case = Case(people(codes), rng.integers(0, 2, len(codes)), says=f"gaussian:sigma={len(codes) ** 0.5 / 5}")
    assert case.right(127 if d == 1 else 63, questions="hadamard") >= 0.95
    asked = case.desk.transcript.blocks[0].statistic
    assert all(isinstance(p, kind) for p in asked.predicates)
    if d == 1:
        A = asked.operator(case.roster).explicit().toarray()
        signs = 2 * A[:64] - 1
        assert np.allclose(signs.T @ signs, 64 * np.eye(50))  # the columns of all 64 rows are orthogonal
        assert {tuple(1 - row) for row in A[1:64]} == {tuple(row) for row in A[64:]}


def test_hadamard_with_fewer_questions_takes_some_rows(make):
    case = make(1, 60, 3, 20, "exact")
    assert case.right(50, questions="hadamard") >= 0.9


def test_nothing_but_ask_is_used(make):
    case = make(1, 40, 3, 12, "exact")

    class Window:
        __slots__ = ()

        def ask(self, predicates):
            return case.desk.ask(predicates)

    rng = np.random.default_rng(1)
    claims = attack_desk(Window(), case.terms, Knowledge(case.roster), queries=80, rng=rng)
    assert (claims.guess == case.secrets).all()


def test_it_says_how_far_it_is(make):
    seen: list[tuple[float, str]] = []
    make(1, 40, 3, 12, "gaussian:sigma=1").attack(
        300, progress=lambda share, doing: seen.append((share, doing))
    )
    assert [share for share, doing in seen if doing == "asking"] == [0, 128 / 300, 256 / 300]


def test_people_without_public_columns_cannot_be_attacked(people):
    case = Case(people(np.zeros((5, 0))), np.zeros(5), says="exact")
    with pytest.raises(InputError, match="no question tells two people apart, and no hash does"):
        case.attack(10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"queries": 0}, "queries must be at least 1"),
        ({"queries": 31}, "at most the 30 that the desk answers"),
        ({"queries": 9, "questions": "hsah"}, "Did you mean 'hash'"),
    ],
)
def test_bad_options_are_refused_before_anything_is_asked(options, message, make):
    case = make(1, 20, 2, 9, "exact", budget=Budget(queries=30))
    with pytest.raises(InputError, match=message):
        case.attack(**options)
    assert case.desk.spent == 0


def test_too_many_lists_are_refused(make):
    with pytest.raises(TooLargeError, match="Ask fewer questions, or hashes"):
        make(1, 2000, 3, 20, "exact").attack(8000, questions="hadamard")


def dataset_of(n: int):
    rng = np.random.default_rng(6)
    columns = {f"a{j}": rng.integers(0, 12, n) for j in range(3)}
    return read(pa.table({**columns, "ill": rng.choice(["no", "yes"], n)}), secret="ill")


def test_the_fewest_questions_that_succeed():
    with dataset_of(24) as people:
        exact = fewest_queries(people, "exact", accuracy=0.95, runs=2)
        noisy = fewest_queries(people, "gaussian:sigma=2", accuracy=0.95, runs=2)
        stopped = fewest_queries(people, "gaussian:rho=0.05", accuracy=0.9, most=128, runs=1)
        again = fewest_queries(people, "exact", accuracy=0.95, runs=2)
    assert exact == again
    assert 8 < exact.queries <= 24 < noisy.queries  # exact answers tell before there are as many as people
    for found in (exact, noisy):
        tried = {trial.queries: trial.accuracy for trial in found.trials}
        assert tried[found.queries] >= 0.95
        failed = max(q for q, share in tried.items() if q < found.queries)
        assert tried[failed] < 0.95
        assert found.queries <= max(1.05 * failed, failed + 1)
    assert stopped.queries is None
    assert [trial.queries for trial in stopped.trials] == [8, 16, 32, 64, 128]


def test_what_a_blind_guess_reaches_needs_no_questions():
    with dataset_of(30) as people:
        for accuracy in (0.3, 1.2):
            with pytest.raises(InputError, match="must be above what guessing the commonest secret reaches"):
                fewest_queries(people, "exact", accuracy=accuracy, runs=1)
        with pytest.raises(InputError, match="at least 1"):
            fewest_queries(people, "exact", runs=0)


def test_everybody_may_be_asked_about(make):
    case = make(1, 20, 2, 9, "exact")
    assert case.desk.ask([And(())])[0, 0] == case.secrets.sum()
