"""One attack on one published release, and the referee's tally where the truth is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.decide import conclude
from dalenius.errors import SolveError
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data, NotRun, Report
from dalenius.knowledge.view import View
from dalenius.people.schema import CodedColumns
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.build import Guessed, make_finding, make_untested_finding
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.published.options import AttackOptions
from dalenius.reconstruction.referee.baseline import fold_population
from dalenius.reconstruction.referee.judge import Thresholds, judge
from dalenius.reconstruction.referee.made_as_stated import look_at_noise
from dalenius.reconstruction.rules import check_sensitive

INSTEAD = "least-squares"
"""The decoder that takes the place of one whose solver gave up."""

MOST_LEVELS = 64
"""A public column with more levels teaches a baseline nothing: it nearly names people."""

NO_CONTROL = "There is no control: the answers came from somebody else and cannot be made again."


def attack_one(
    view: View,
    truth: NDArray[np.int32] | None,
    options: AttackOptions,
    *,
    notes: tuple[str, ...] = (),
    not_run: Sequence[NotRun] = (),
    progress: Progress = silent,
    announce: Announce = unsaid,
) -> tuple[Report, Guesses]:
    """Reconstruct the secrets behind one release; with the truth, have the referee count.

    Parameters
    ----------
    view
        The release and the people.
    truth
        The codes of the secrets, in the order of the roster; the attack does not see them.
    options
        The decoder, from which probability on a person counts as exposed, what is tolerated, and the seed.
    notes
        What was assumed to read the numbers, and what was expected of the attack: the first notes.
    not_run
        What is not attacked of these numbers: then nothing passes.
    announce
        Told before a long attack which decoder was taken, and what it is predicted to need.
    """
    seed, confident, policy = options.seed, options.confidence, options.tolerated.made()
    check_sensitive(policy, view.release.secret)
    rng = stream(seed, "attack")
    claims = guess(view, decoder=options.decoder, rng=rng, progress=progress, announce=announce)
    finding = (
        _untested(view, claims, confident) if truth is None else _judge(view, claims, truth, policy, options)
    )
    finding = finding.model_copy(update={"notes": (*notes, *finding.notes)})
    roster = view.knowledge.roster
    data = Data(
        source=view.release.name,
        people=len(roster),
        public=tuple(column.name for column in roster.attributes.columns),
        secret=view.release.secret.name,
    )
    unshown = [*not_run, *([] if truth is None else _not_as_stated(view, truth, seed))]
    return conclude([finding], policy, data=data, seed=seed, not_run=unshown), claims


def _not_as_stated(view: View, truth: NDArray[np.int32], seed: int) -> list[NotRun]:
    """Say whether noise was not drawn as stated: the attack was told something else then."""
    rng, release = stream(seed, "noise"), view.release
    secrets = np.array(release.secret.levels)[truth]
    looked = look_at_noise([release], view.knowledge.roster, secrets, rng=rng)
    reason = looked.reason(release, "the truth gives")
    return [NotRun(release=release.name, attack_method="as stated", reason=reason)] if reason else []


def _untested(view: View, claims: Guesses, confident: float) -> SecretsFinding:
    guessed = Guessed(
        method=claims.method,
        notes=claims.notes,
        people=claims.ids.size,
        values=len(claims.levels),
        certain=int(claims.certain.sum()),
        confident=confident,
        exposed=int((claims.confidence >= confident).sum()),
        expected_right=float(claims.confidence.sum()),
    )
    return make_untested_finding(guessed, view.release, assumptions=(NO_CONTROL,))


def guess(
    view: View,
    *,
    decoder: str = "auto",
    budget: ComputeBudget | None = None,
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


def _judge(
    view: View, claims: Guesses, truth: NDArray[np.int32], policy: Policy, options: AttackOptions
) -> SecretsFinding:
    roster = view.knowledge.roster
    coarse = tuple(c.name for c in roster.attributes.columns if len(c.levels) <= MOST_LEVELS)
    population = None
    if coarse:
        known: CodedColumns = roster.attributes.select(coarse)
        population = fold_population(known, truth, claims.levels, rng=stream(options.seed, "population"))
    limits = Thresholds(exposed=options.confidence, known=policy.known_at, named=policy.sensitive or ())
    judgement = judge(claims, roster.ids, truth, population=population, thresholds=limits)
    return make_finding(
        judgement,
        view.release,
        looks=1,
        confidence=policy.confidence,
        population_source=None if population is None else "k-fold",
        assumptions=(NO_CONTROL,),
    )
