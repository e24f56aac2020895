"""The attack on a desk: choose the questions, ask them, and reconstruct from the transcript.

A desk answers only questions about public columns, so people cannot be named. A bit of a hash of the public
record picks half of all records at random: with many salts these are the random subset queries of Dwork,
Smith, Steinke and Ullman (2017), Theorem 8. Where lists of records may be asked about, an index of the
different records gives the rows of a Hadamard matrix (Theorem 7) instead.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalenius.conditions.predicate import Predicate
from dalenius.knowledge.view import Knowledge, View
from dalenius.plural import several
from dalenius.progress import Progress, silent
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.attack.questions import choose_questions, records_of
from dalenius.release.desk.desk import Desk
from dalenius.release.desk.terms import Answers, Terms

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
    >>> from dalenius.people.roster import CodedColumns
    >>> from dalenius.people.roster import Roster
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
