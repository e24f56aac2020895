"""The three questions of the Article 29 Working Party about released rows, by one triple of files.

Singling out: `dalenius.singling_out.released.triple`. Linkability: an attacker has two files with different
columns of the same people, and takes two rows of them for one person if the released rows nearest to either
are the same. Inference: an attacker knows all columns but one of somebody, and takes that one from the
nearest released rows. Both are done to originals and to others whom no released row can know; inference is
also held against the best predictor that has learnt from other people alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalenius.errors import InputError, nearest_column
from dalenius.findings.tally import Comparison, Tally, count, share_confidence
from dalenius.people.rows.columns import NumberColumn
from dalenius.people.rows.rows import Rows
from dalenius.progress import Progress, silent, within
from dalenius.random import stream
from dalenius.singling_out.attack.nearest import Ints, nearest
from dalenius.singling_out.attack.secret_guess import Predictor, agreed, learn
from dalenius.singling_out.referee.asked_people import AskedPeople, Success, success_of
from dalenius.singling_out.referee.closest import ClosestRecords, closest_records
from dalenius.singling_out.referee.columns.alike import FewColumns, SecretAsked
from dalenius.singling_out.released.files import TripleRows
from dalenius.singling_out.released.result import Triple
from dalenius.singling_out.released.triple import TripleSettings, run_triple

NEIGHBOURS = (1, 5)
"""How many of the nearest released rows an attack takes: the nearest alone, and some that it lets vote."""

USUALLY_WITHIN = 0.05
"""How near a guess of a number is right if nothing is said, in standard deviations of the released column."""

QUESTIONS = 3


@dataclass(frozen=True)
class Halves:
    """Which columns two files of the same people have."""

    first: tuple[str, ...]
    second: tuple[str, ...]

    @staticmethod
    def parse(text: str) -> Halves:
        """Read ``a,b/c,d``.

        Examples
        --------
        >>> Halves.parse("age, sex/income")
        Halves(first=('age', 'sex'), second=('income',))
        """
        parts = [tuple(word.strip() for word in part.split(",") if word.strip()) for part in text.split("/")]
        if len(parts) != 2 or not all(parts):
            got = f"{len(parts)} part{'s' * (len(parts) != 1)}" if len(parts) != 2 else "an empty part"
            raise InputError("--link", "must be two lists of columns with / between", got, "As in a,b,c/d,e.")
        return Halves.of(*parts)

    @staticmethod
    def of(first: Sequence[str], second: Sequence[str]) -> Halves:
        """Take two lists of columns, none of them twice."""
        named = [*first, *second]
        twice = next((name for name in named if named.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"link: column {twice!r}", "must be named once", "twice")
        return Halves(tuple(first), tuple(second))

    def __str__(self) -> str:
        return f"{', '.join(self.first)} / {', '.join(self.second)}"


@dataclass(frozen=True)
class QuestionsAsked:
    """What is asked about released rows.

    Parameters
    ----------
    secret
        The column that is to be inferred from all others.
    link
        The columns of the two files that are to be linked.
    within
        How near a guess counts as right if the secret is a number; by default a twentieth of the standard
        deviation of the released column.
    conditions
        Which conditions are tried for singling out, the confidence and the seed.
    """

    secret: str
    link: Halves
    within: float | None = None
    conditions: TripleSettings = TripleSettings()

    def check(self, released: Rows) -> None:
        """Refuse columns that are not there."""
        for what, names in (("secret", [self.secret]), ("link", [*self.link.first, *self.link.second])):
            for name in names:
                if name not in released.names:
                    fix = nearest_column(name, released.names)
                    raise InputError(f"{what}: column {name!r}", "must be released", "no such column", fix)
        if len(released.names) < 2:
            raise InputError("released rows", "must have a column beside the secret", "none")
        if self.within is not None and not self.within >= 0:
            raise InputError("--within", "must be 0 or more", f"{self.within:g}")


@dataclass(frozen=True)
class LinkedHalves:
    """How often the k released rows nearest by either half have one in common."""

    k: int
    success: Success
    wrong_pairs: Tally


@dataclass(frozen=True)
class InferredSecret:
    """How often the k nearest released rows tell the secret."""

    k: int
    success: Success


@dataclass(frozen=True)
class Predicted:
    """The better of the guesses by released rows beside a predictor that knows other people alone."""

    k: int
    beside: Comparison
    about_others: Tally
    name: str
    learnt_from: int
    confidence: float


@dataclass(frozen=True)
class Questions:
    """All that was found out about released rows."""

    asked: QuestionsAsked
    triple: Triple
    links: tuple[LinkedHalves, ...]
    inferred: tuple[InferredSecret, ...]
    predicted: Predicted
    within: float | None
    closest: ClosestRecords
    few: FewColumns | None


def run_questions(rows: TripleRows, asked: QuestionsAsked, progress: Progress = silent) -> Questions:
    """Ask all three questions; every interval holds together with all others.

    Parameters
    ----------
    rows
        The three files, see `dalenius.singling_out.released.files.read_triple`.
    asked
        What is asked.
    progress
        Told how far it is.

    Raises
    ------
    InputError
        If a column is not released, or the control holds people of the original.
    """
    asked.check(rows.synthetic)
    how = asked.conditions
    each = share_confidence(how.confidence, QUESTIONS)
    column = rows.synthetic.column(asked.secret)
    near = _within(column, asked.within) if isinstance(column, NumberColumn) else None
    triple = run_triple(
        rows,
        replace(how, confidence=each),
        within(progress, 0.0, 0.5),
        secret=SecretAsked(asked.secret, near or 0.0, each),
    )
    triple = replace(triple, confidence=how.confidence)
    people = AskedPeople(rows.original, rows.control, stream(how.seed, "control", "questions"))
    progress(0.5, "linking")
    links = _link(rows.synthetic, people, asked, each)
    progress(0.7, "inferring")
    inferred, predicted = _infer(rows, people, asked, near or 0.0, each)
    progress(0.9, "distances")
    closest = closest_records(people, rows.synthetic, stream(how.seed, "control", "closest"), each)
    progress(1.0, "done")
    return Questions(asked, triple, links, inferred, predicted, near, closest, triple.few)


def _link(
    released: Rows, people: AskedPeople, asked: QuestionsAsked, confidence: float
) -> tuple[LinkedHalves, ...]:
    rng, most = stream(asked.conditions.seed, "attack", "questions", "link"), NEIGHBOURS[-1]
    first, second = people.known(asked.link.first), people.other_half(asked.link.second)
    pairs: list[tuple[Ints, Ints]] = [
        (nearest(one, released, most, rng).rows, nearest(other, released, most, rng).rows)
        for one, other in zip(first, second, strict=True)
    ]
    each = share_confidence(confidence, len(NEIGHBOURS))
    found = []
    for k in NEIGHBOURS:
        own, control = ((one[:, :k], other[:, :k]) for one, other in pairs)
        linked = people.linked(own, control)
        found.append(LinkedHalves(k, success_of(linked[0], linked[1], each), count(linked[2])))
    return tuple(found)


def _infer(
    rows: TripleRows, people: AskedPeople, asked: QuestionsAsked, near: float, confidence: float
) -> tuple[tuple[InferredSecret, ...], Predicted]:
    rng = stream(asked.conditions.seed, "attack", "questions", "infer")
    secret = rows.synthetic.column(asked.secret)
    names = tuple(name for name in rows.synthetic.names if name != asked.secret)
    known = people.known(names)
    found = [nearest(one, rows.synthetic, NEIGHBOURS[-1], rng).rows for one in known]
    each = share_confidence(confidence, 2 * len(NEIGHBOURS))  # either may be held against the predictor
    inferred, guesses = [], {}
    for k in NEIGHBOURS:
        own, control = (agreed(one[:, :k], secret) for one in found)
        guesses[k] = own
        told = people.guessed(asked.secret, (own, control), near)
        inferred.append(InferredSecret(k, success_of(*told, each)))
    others: Predictor = learn(rows.control, asked.secret, near, rng)
    best = max(inferred, key=lambda one: one.success.original.hits).k
    beside = people.beside(asked.secret, guesses[best], others.guess(known[0]), near)
    learnt = others.about_others
    predicted = Predicted(best, beside, count(learnt), others.name, learnt.size, each)
    return tuple(inferred), predicted


def _within(secret: NumberColumn, said: float | None) -> float:
    """How near counts as right: as said, or a part of how released values are spread, at two digits."""
    if said is not None:
        return said
    known = secret.values[np.isfinite(secret.values)]
    usual = USUALLY_WITHIN * float(known.std()) if known.size else 0.0
    return float(f"{usual:.2g}")
