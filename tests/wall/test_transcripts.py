"""Two truths, equal transcripts, equal claims: what the wall says of an attack that asks."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from dalenius.conditions.predicate import Predicate, evaluate_all
from dalenius.knowledge.view import Knowledge
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.interactive import attack_desk
from dalenius.release.desk.desk import Desk, OpenDesk
from dalenius.release.desk.terms import Terms
from dalenius.testing import as_bytes

ILL = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
CODES = np.array([[0, 1], [0, 1], [1, 0], [1, 1], [2, 1], [2, 1], [2, 0], [0, 0], [1, 2], [1, 2]])
ONE = np.array([1, 0, 1, 0, 0, 1, 1, 0, 1, 0])
OTHER = ONE[[1, 0, 2, 3, 5, 4, 6, 7, 9, 8]]  # people with the same records have changed places

Attack = Callable[[Desk, Terms, Roster], Guesses]


class Window:
    """What an attack gets: one method, and no way to what stands behind it that has a name."""

    __slots__ = ("ask",)

    def __init__(self, desk: OpenDesk) -> None:
        self.ask = desk.ask


def honest(desk: Desk, terms: Terms, roster: Roster, **options: str) -> Guesses:
    rng = np.random.default_rng(17)
    return attack_desk(desk, terms, Knowledge(roster), queries=40, rng=rng, **options)


def count(roster: Roster, truth: np.ndarray, predicates: Sequence[Predicate]) -> np.ndarray:
    return np.array([[truth[m].sum()] for m in evaluate_all(predicates, roster.attributes)], np.int64)


def desk_of(roster: Roster, truth: np.ndarray, mechanism: str) -> OpenDesk:
    chain, noise = parse_mechanism(mechanism), np.random.default_rng(4)

    def answer(predicates: tuple[Predicate, ...]) -> list[float | None]:
        counts = count(roster, truth, predicates)
        held = Counts(counts, np.arange(len(counts)), Sensitivity(1, 1))
        return [None if np.isnan(x) else float(x) for x in chain.protect(held, rng=noise)[:, 0]]

    return OpenDesk(answer, Terms(ILL, roster.attributes.columns, mechanism))


def transcript(desk: OpenDesk) -> tuple[tuple[Predicate, ...], bytes]:
    (block,) = desk.transcript.blocks
    return block.statistic.predicates, block.answers.tobytes()


def tells_apart(attack: Attack, desks: list[OpenDesk], roster: Roster) -> bool:
    """Whether claims differ between desks, asked in this order; their transcripts must not."""
    claims = {as_bytes(attack(Window(desk), desk.terms, roster)) for desk in desks}
    assert len({transcript(desk) for desk in desks}) == 1
    return len(claims) > 1


MECHANISMS = [
    "exact", "rounding:base=3", "rounding:base=3,how=random", "suppression:below=3", "gaussian:sigma=1.5",
    "laplace:scale=1", "gaussian:sigma=1 | rounding:base=2",
]  # fmt: skip


@pytest.mark.parametrize("questions", ["hash", "hadamard"])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_people_with_one_record_who_exchange_their_secrets(questions, mechanism, people):
    roster = people(CODES)
    truths = [ONE, OTHER, OTHER, ONE]
    assert (ONE != OTHER).any()
    desks = [desk_of(roster, truth, mechanism) for truth in truths]

    def attack(desk: Desk, terms: Terms, roster: Roster) -> Guesses:
        return honest(desk, terms, roster, questions=questions)

    assert not tells_apart(attack, desks, roster)


def noise_that_makes_up(roster: Roster, seen: OpenDesk, truth: np.ndarray) -> OpenDesk:
    """A desk over another truth, whose whole-number noise happens to give the answers that were seen."""
    predicates, _ = transcript(seen)
    told = dict(zip(predicates, seen.transcript.blocks[0].answers[:, 0], strict=True))

    def answer(asked: tuple[Predicate, ...]) -> list[float]:
        counts = count(roster, truth, asked)[:, 0]
        noise = np.array([told[p] for p in asked]) - counts
        return (counts + noise).tolist()

    return OpenDesk(answer, seen.terms)


def test_two_truths_whose_noise_makes_up_for_the_difference(people):
    roster = people(CODES)
    first = desk_of(roster, ONE, "geometric:scale=2")
    claims = honest(Window(first), first.terms, roster)
    second = noise_that_makes_up(roster, first, 1 - ONE)
    assert as_bytes(honest(Window(second), second.terms, roster)) == as_bytes(claims)
    assert transcript(first) == transcript(second)


def test_the_questions_do_not_depend_on_the_truth(people):
    roster = people(CODES)
    asked = []
    for truth in (ONE, 1 - ONE, np.zeros(10, int)):
        desk = desk_of(roster, truth, "exact")
        honest(Window(desk), desk.terms, roster)
        asked.append(transcript(desk)[0])
    assert asked[0] == asked[1] == asked[2]


def test_an_attack_that_knows_more_is_noticed(people):
    """Planted faults: one that remembers, one that recognises a desk behind its window."""
    roster = people(CODES)
    calls: list[int] = []

    def altered(claims: Guesses, share: float) -> Guesses:
        both = np.tile([1 - share, share], (10, 1))
        return Guesses(claims.id_name, claims.ids, claims.levels, both, claims.certain, claims.method)

    def remembers(desk: Desk, terms: Terms, roster: Roster) -> Guesses:
        calls.append(1)
        return altered(honest(desk, terms, roster), 1 / len(calls))

    def recognises(desk: Desk, terms: Terms, roster: Roster) -> Guesses:
        source = typing.cast(typing.Any, desk.ask).__self__._source
        truth = inspect.getclosurevars(source).nonlocals["truth"]
        return altered(honest(desk, terms, roster), float(truth[0]))

    for attack, noticed in ((honest, False), (remembers, True), (recognises, True)):
        desks = [desk_of(roster, truth, "exact") for truth in (ONE, OTHER)]
        assert tells_apart(attack, desks, roster) is noticed


def test_the_attack_takes_a_desk_with_one_method_and_plain_values():
    parameters = list(inspect.signature(attack_desk).parameters)
    assert parameters[:3] == ["desk", "terms", "knowledge"]
    assert typing.get_type_hints(attack_desk)["desk"] is Desk
    assert [name for name in vars(Desk) if not name.startswith("_")] == ["ask"]


LOADING = """
import sys
import numpy as np
from dalenius.reconstruction.attack.interactive import attack_desk
from dalenius.knowledge.view import Knowledge
from dalenius.people.schema import CodedColumns
from dalenius.people.schema import Roster
from dalenius.people.schema import Column, Kind, Role
from dalenius.release.desk.desk import OpenDesk
from dalenius.release.desk.sql import sql_source
from dalenius.release.desk.terms import Terms
age = Column("age", Role.PUBLIC, Kind.CATEGORICAL, tuple("abcdef"))
people = CodedColumns((age,), np.arange(6, dtype=np.int32)[:, None])
terms = Terms(Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes")), (age,), "gaussian:sigma=1")
desk = OpenDesk(sql_source(lambda text: [[len(text) % 4]], "people", terms), terms)
known = Knowledge(Roster("id", np.array(list("123456")), people))
for questions in ("hash", "hadamard"):
    attack_desk(desk, terms, known, queries=8, questions=questions, rng=np.random.default_rng(1)).to_csv()
doors = ("dalenius.people.dataset", "dalenius.people.truth", "dalenius.people.engine",
         "dalenius.people.opening", "dalenius.reconstruction.referee", "dalenius.release.publish",
         "dalenius.release.desk.open_desk", "duckdb", "ibis")
print([name for name in sys.modules if name.startswith(doors)])
"""


def test_asking_loads_no_truth():
    run = [sys.executable, "-W", "ignore", "-c", LOADING]
    done = subprocess.run(run, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
