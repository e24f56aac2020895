"""One attack on one published release, and the referee's tally where the truth is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius import __version__
from dalenius.attacks.claims import Guesses
from dalenius.attacks.reconstruction.attack import reconstruct
from dalenius.attacks.reconstruction.budget import Budget
from dalenius.attacks.reconstruction.forecast import Forecast
from dalenius.errors import SolveError
from dalenius.findings.build import make_finding
from dalenius.findings.document import dump
from dalenius.findings.finding import SCHEMA_VERSION, Finding, Plain
from dalenius.findings.words import refuted
from dalenius.knowledge.view import View
from dalenius.people.coded_columns import CodedColumns
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.random import stream
from dalenius.referee.baseline import fold_population
from dalenius.referee.judge import judge
from dalenius.referee.score import Tally

INSTEAD = "least-squares"
"""The decoder that takes the place of one whose solver gave up."""

MOST_LEVELS = 64
"""A public column with more levels teaches a baseline nothing: it nearly names people."""


class Single(Plain):
    """What one attack on one release says, without anybody in it: its ``findings.json``.

    ``expected_right`` is how many guesses the attack itself expects to be right. ``finding`` is there only
    with the truth.
    """

    schema_version: Literal[1] = SCHEMA_VERSION
    dalenius_version: str = __version__
    seed: int
    release: str
    people: int
    numbers: int
    mechanism: str
    attack_method: str
    notes: tuple[str, ...]
    confident: float
    exposed: int
    certain: int
    expected_right: float
    finding: Finding | None

    @property
    def refuted(self) -> str | None:
        """What must be said first, where the truth contradicts a claim that followed by arithmetic."""
        if self.finding is None:
            return None
        return refuted(Tally(self.finding.certain_right, self.finding.certain.hits))

    def to_json(self) -> str:
        """Write it, see `dump`."""
        return dump(self)


def attack_one(
    view: View,
    truth: NDArray[np.int32] | None = None,
    *,
    decoder: str = "auto",
    confident: float = 0.95,
    seed: int = 1,
    progress: Progress = silent,
    announce: Announce = unsaid,
    expected: Forecast | None = None,
) -> tuple[Single, Guesses]:
    """Reconstruct the secrets behind one release; with the truth, have the referee count.

    Parameters
    ----------
    view
        The release and the people.
    truth
        The codes of the secrets, in the order of the roster; the attack does not see them.
    decoder
        Which decoder, or ``auto``.
    confident
        From which probability on a person counts as exposed.
    seed
        The same seed gives the same claims.
    announce
        Told before a long attack which decoder was taken, and what it is predicted to need.
    expected
        What `forecast` said before; it stands first among the notes.
    """
    rng = stream(seed, "attack")
    claims = guess(view, decoder=decoder, rng=rng, progress=progress, announce=announce)
    result = Single(
        seed=seed,
        release=view.release.name,
        people=len(view.knowledge.roster),
        numbers=view.release.size,
        mechanism=view.release.mechanism,
        attack_method=claims.method,
        notes=claims.notes if expected is None else (expected.sentence, *claims.notes),
        confident=confident,
        exposed=int((claims.confidence >= confident).sum()),
        certain=int(claims.certain.sum()),
        expected_right=float(claims.confidence.sum()),
        finding=None if truth is None else _judge(view, claims, truth, confident, seed),
    )
    return result, claims


def guess(
    view: View,
    *,
    decoder: str = "auto",
    budget: Budget | None = None,
    rng: np.random.Generator,
    progress: Progress = silent,
    announce: Announce = unsaid,
) -> Guesses:
    """Reconstruct; where a solver gives up that nobody asked for, least squares guess instead.

    For an attack by itself. An audit does not settle for a weaker attack: its verdict is undecided then.
    """
    try:
        return reconstruct(
            view, decoder=decoder, budget=budget, rng=rng, progress=progress, announce=announce
        )
    except SolveError as error:
        if decoder != "auto":
            raise
        note = f"the decoder ended without an answer ({error}), and {INSTEAD} was taken instead"
        found = reconstruct(view, decoder=INSTEAD, budget=budget, rng=rng, progress=progress)
        return replace(found, notes=(note, *found.notes))


def _judge(view: View, claims: Guesses, truth: NDArray[np.int32], confident: float, seed: int) -> Finding:
    roster = view.knowledge.roster
    coarse = tuple(c.name for c in roster.attributes.columns if len(c.levels) <= MOST_LEVELS)
    population = None
    if coarse:
        known: CodedColumns = roster.attributes.select(coarse)
        population = fold_population(known, truth, claims.levels, rng=stream(seed, "population"))
    judgement = judge(claims, roster.ids, truth, population=population, confident=confident)
    return make_finding(
        judgement,
        view.release,
        looks=1,
        population_source=None if population is None else "k-fold",
        assumptions=("There is no control: the answers came from somebody else and cannot be made again.",),
    )
