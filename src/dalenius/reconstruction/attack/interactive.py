"""A desk that answers counts: which questions to ask, and the attack on its answers.

What to ask a desk: chosen from what is public, all of it before the first answer.

A bit of a hash of the public record picks half of all records at random, without naming anybody. Asked about
everybody, such questions tell little once there are many more people than questions. Asked about a group,
which is again picked by a hash, they tell as much of everybody in it as if the others did not exist.

The attack on a desk: choose the questions, ask them, and reconstruct from the transcript.

A desk answers only questions about public columns, so people cannot be named. A bit of a hash of the public
record picks half of all records at random: with many salts these are the random subset queries of Dwork,
Smith, Steinke and Ullman (2017), Theorem 8. Where lists of records may be asked about, an index of the
different records gives the rows of a Hadamard matrix (Theorem 7) instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.hashes import BITS
from dalenius.conditions.predicate import And, Equals, HashBit, In, Not, Or, Predicate, evaluate_all
from dalenius.errors import InputError, SolveError, TooLargeError, nearest
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.operators import HadamardRows
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import CodedColumns
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.release.desk.desk import Desk
from dalenius.release.desk.terms import Answers, Terms, most_queries
from dalenius.shown import several

KINDS = ("hash", "group", "hadamard")

SPARE_SALTS = 8
"""Salts drawn beyond those needed, when hashes split the people too unevenly: there are few records then."""

STEP = 4
"""Bits between the places of a hash where the search for a group starts."""

LISTED = 4_000_000
"""Records that all lists together may name: each becomes part of a condition."""

GROUP_NOISE = 50.0
"""Questions beyond the size of a group, for each unit of the noise's variance.

Least squares on ``q`` random halves of ``k`` people know each secret with a variance of about
``4 sd^2 / (q - k)``: this leaves 0.08, at which a secret of even odds is usually held at 0.99.
"""


def choose_questions(
    terms: Terms, knowledge: Knowledge, queries: int, kind: str = "hash", *, rng: np.random.Generator
) -> list[Predicate]:
    """Choose what to ask a desk.

    Parameters
    ----------
    terms, knowledge
        What is public about the desk, and who is in the data.
    queries
        How many questions there may be; fewer are chosen where so many do not differ.
    kind
        ``hash`` for bits of hashes of everybody's record; ``group`` for the same about a group so small that
        so many answers tell its secrets; ``hadamard`` for lists of records, where a desk takes those.
    rng
        Draws the salts.

    Raises
    ------
    InputError
        If no public column is known, or the desk's budget does not pay for so many questions.
    """
    records = records_of(terms, knowledge)
    _check_queries(queries, terms)
    return _choose(records, kind, queries, terms, rng)


@dataclass(frozen=True)
class PublicRecords:
    """The different public records, and how many people have each."""

    columns: CodedColumns
    sizes: NDArray[np.intp]


def records_of(terms: Terms, knowledge: Knowledge) -> PublicRecords:
    """Tell people apart by the public columns that the desk can be asked about."""
    known = knowledge.roster.attributes
    asked = {column.name for column in terms.columns}
    names = tuple(column.name for column in known.columns if column.name in asked)
    if not names:
        raise InputError(
            "list of people",
            "must have a public column that the desk can be asked about",
            "none",
            "Without one no question tells two people apart, and no hash does.",
        )
    shared = known.select(names)
    codes, sizes = np.unique(shared.codes, axis=0, return_counts=True)
    return PublicRecords(CodedColumns(shared.columns, codes), sizes)


def _check_queries(queries: int, terms: Terms) -> None:
    if queries < 1:
        raise InputError("queries", "must be at least 1", str(queries))
    most = most_queries(terms)
    if most is not None and queries > most:
        raise InputError("queries", f"must be at most the {most} that the desk answers", str(queries))


def _choose(
    records: PublicRecords, questions: str, queries: int, terms: Terms, rng: np.random.Generator
) -> list[Predicate]:
    if questions == "hash":
        return _hash_bits(records, queries, terms.smallest, rng)
    if questions == "group":
        return _about_a_group(records, queries, terms, rng)
    if questions == "hadamard":
        return _hadamard_lists(records, queries, rng)
    raise InputError(f"questions {questions!r}", "must be a known kind", questions, nearest(questions, KINDS))


def _hash_bits(
    records: PublicRecords, queries: int, smallest: int, rng: np.random.Generator
) -> list[Predicate]:
    """Hashes that match between a quarter and three quarters of the people, or as near as there are."""
    names = tuple(column.name for column in records.columns.columns)
    people = records.sizes.sum()
    good: list[Predicate] = []
    others: list[tuple[float, Predicate]] = []
    for _ in range(-(-queries // BITS) + SPARE_SALTS):
        salt = rng.bytes(8).hex()
        bits = [HashBit(names, salt, bit) for bit in range(BITS)]
        for predicate, matched in zip(bits, evaluate_all(bits, records.columns), strict=True):
            size = records.sizes[matched].sum()
            if max(people / 4, smallest) <= size <= 3 * people / 4:
                good.append(predicate)
            elif size >= max(smallest, 1):
                others.append((abs(size / people - 0.5), predicate))
        if len(good) >= queries:
            return good[:queries]
    others.sort(key=lambda pair: pair[0])
    return [*good, *(predicate for _, predicate in others)][:queries]


def group_size(terms: Terms, queries: int) -> int:
    """How many records a group may have for so many answers to tell its secrets."""
    sd = parse_mechanism(terms.mechanism).noise[1]
    needed = GROUP_NOISE * sd**2 if np.isfinite(sd) else 0.0
    return int(np.clip(queries - needed, 1, max(queries // 2, 1)))


def _about_a_group(
    records: PublicRecords, queries: int, terms: Terms, rng: np.random.Generator
) -> list[Predicate]:
    """Hashes within a group; everybody else is counted in where a rule about small counts forbids less."""
    group, inside = _group(records, group_size(terms, queries), rng)
    mechanism = parse_mechanism(terms.mechanism)
    members = PublicRecords(
        CodedColumns(records.columns.columns, records.columns.codes[inside]), records.sizes[inside]
    )
    people, others = int(members.sizes.sum()), int(records.sizes[~inside].sum())
    if mechanism.hides or terms.smallest > people / 4:
        alone = [Not(group)] if others >= terms.smallest else []
        asked = _hash_bits(members, queries - len(alone), terms.smallest - others, rng)
        return [*alone, *(Or((Not(group), bit)) for bit in asked)]
    return [And((group, bit)) for bit in _hash_bits(members, queries, terms.smallest, rng)]


def _group(
    records: PublicRecords, size: int, rng: np.random.Generator
) -> tuple[Predicate, NDArray[np.bool_]]:
    """Several bits of one hash that all are one for about so many records, and for which."""
    if size >= records.sizes.size:
        return And(()), np.ones(records.sizes.size, np.bool_)
    names = tuple(column.name for column in records.columns.columns)
    best: tuple[int, Predicate, NDArray[np.bool_]] | None = None
    for _ in range(SPARE_SALTS):
        salt = rng.bytes(8).hex()
        bits = [HashBit(names, salt, bit) for bit in range(BITS)]
        ones = list(evaluate_all(bits, records.columns))
        for first in range(0, BITS, STEP):
            inside = np.ones(records.sizes.size, np.bool_)
            for last in range(first, BITS):
                inside = inside & ones[last]
                found = int(inside.sum())
                if found and (best is None or abs(found - size) < best[0]):
                    best = abs(found - size), And(tuple(bits[first : last + 1])), inside
                if found < size:
                    break
    if best is None:
        raise SolveError("no hash picked a group among the public records")
    return best[1:]


def _hadamard_lists(records: PublicRecords, queries: int, rng: np.random.Generator) -> list[Predicate]:
    """Rows of the Sylvester matrix over the different records, in random order, the +1 parts first."""
    count = records.sizes.size
    if count * queries / 2 > LISTED:
        raise TooLargeError(
            "lists of records",
            f"must name at most {LISTED:,} records in all",
            f"{queries:,} lists of about {count // 2:,}",
            "Ask fewer questions, or hashes.",
        )
    size = HadamardRows(count).size
    order = [0, *(1 + rng.permutation(size - 1)).tolist()]
    sides = [(row, 0) for row in order] + [(row, 1) for row in order if row > 0]
    index = np.arange(count)
    parities = ((np.bitwise_count(index & row) % 2 == side) for row, side in sides[:queries])
    return [_listed(records.columns, members) for members in parities]


def _listed(records: CodedColumns, members: NDArray[np.bool_]) -> Predicate:
    """Name records: by one column where that tells all of them apart, otherwise by all columns."""
    for j, column in enumerate(records.columns):
        if np.unique(records.codes[:, j]).size == len(records):
            return In(column.name, tuple(column.levels[code] for code in records.codes[members, j]))
    named = [
        And(tuple(Equals(c.name, c.levels[code]) for c, code in zip(records.columns, row, strict=True)))
        for row in records.codes[members]
    ]
    return Or(tuple(named))


BATCH = 128
"""Questions asked at a time: often enough to say how far it is."""


def attack_desk(
    desk: Desk,
    terms: Terms,
    knowledge: Knowledge,
    *,
    queries: int,
    questions: str = "hash",
    rng: np.random.Generator,
    progress: Progress = silent,
) -> Guesses:
    """Ask a desk and guess every person's secret from its answers.

    People with the same public record cannot be told apart by any question; they get one guess. For another
    decoder than the one that fits, attack the desk's transcript by `reconstruct`.

    Parameters
    ----------
    desk
        Answers questions; nothing but ``ask`` is used.
    terms
        What is public about the desk.
    knowledge
        Who is in the data, and their public columns.
    queries
        How many questions to ask.
    questions
        ``hash``, ``group`` or ``hadamard``, see `choose_questions`.
    rng
        Draws the salts; from a root of its own, never that of the desk's noise.
    progress
        Told how far the asking is, then how far the decoding.

    Raises
    ------
    InputError
        If no public column is known, or the desk's budget does not pay for so many questions.

    Examples
    --------
    >>> from dalenius.conditions.predicate import evaluate_all
    >>> from dalenius.people.schema import CodedColumns
    >>> from dalenius.people.schema import Roster
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> from dalenius.release.desk.desk import OpenDesk
    >>> age = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("32", "47", "51", "60"))
    >>> people = CodedColumns((age,), np.arange(4, dtype=np.int32)[:, None])
    >>> secret = np.array([1, 0, 0, 1])
    >>> def count(predicates):
    ...     return [int(secret[matched].sum()) for matched in evaluate_all(predicates, people)]
    >>> terms = Terms(Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes")), (age,), "exact")
    >>> known = Knowledge(Roster("id", np.array(["a", "b", "c", "d"]), people))
    >>> attack_desk(OpenDesk(count, terms), terms, known, queries=12, rng=np.random.default_rng(1)).guess
    array([1, 0, 0, 1], dtype=int32)
    """
    predicates = choose_questions(terms, knowledge, queries, questions, rng=rng)
    view = View(terms.transcript(predicates, _ask(desk, predicates, progress)), knowledge)
    claims = reconstruct(view, rng=rng, progress=progress)
    records = records_of(terms, knowledge).sizes.size
    asked, different = several(len(predicates), "question"), several(records, "different record")
    note = f"asked {asked}; the people have {different}"
    return replace(claims, notes=(note, *claims.notes))


def _ask(desk: Desk, predicates: list[Predicate], progress: Progress) -> Answers:
    parts = []
    for first in range(0, len(predicates), BATCH):
        progress(first / len(predicates), "asking")
        parts.append(desk.ask(predicates[first : first + BATCH]))
    return np.concatenate(parts)
