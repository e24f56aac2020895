"""What counting questions at a planned desk give away: it is opened, asked in several ways, and judged."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt

from scipy.stats import norm

from dalenius.auditing.run import Audit, run
from dalenius.errors import InputError, SaysNothingError
from dalenius.findings.policy import Policy
from dalenius.findings.report import NotRun
from dalenius.knowledge.view import Knowledge
from dalenius.mechanisms.base import Promise
from dalenius.people.dataset import Dataset
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.random import attack_stream, stream
from dalenius.reconstruction.attack.interactive import choose_questions, group_size, records_of
from dalenius.reconstruction.opened import Scenario, SecretsOpened, known_roster
from dalenius.reconstruction.referee.known import EVIDENCE
from dalenius.release.desk.desk import OpenDesk
from dalenius.release.desk.open_desk import PlannedDesk
from dalenius.release.desk.terms import most_queries
from dalenius.release.release import Release

WAYS = {"hash": "asking-everybody", "group": "asking-a-group"}
"""How the questions of a desk may be spent, by the kind of question."""

DESK = "desk"
"""What the desk is called where something is said of it rather than of one way to ask it."""

NO_PROMISE = (
    "the answers carry no promise of differential privacy: two sets that differ by one person may be told "
    "apart, and not all of them can be tried"
)
"""Why such a desk never passes: rounding and rules about small counts do not hide a person in every set."""


def audit_desk(
    people: Dataset,
    desk: PlannedDesk,
    scenario: Scenario | None = None,
    *,
    progress: Progress = silent,
    announce: Announce = unsaid,
) -> Audit:
    """Ask a planned desk all that its budget pays for, and say what its answers give away.

    The budget is spent in two ways, each at a desk of its own: on random halves of everybody, and on random
    halves of a group that is small enough for so many answers. A desk whose answers promise nothing, or too
    little about one person, never passes.

    Parameters
    ----------
    people
        The people the desk answers about; they stay open.
    desk
        The desk. Its budget must set a limit.
    scenario
        What the attacker knows, what is tolerated, and the seed.
    progress, announce
        As in an audit.

    Raises
    ------
    InputError
        If the number of questions is not limited, or the attacker knows no column to ask about.
    SaysNothingError
        If the desk answers no question about so few people.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> from dalenius.release.desk.terms import Budget
    >>> rows = pa.table({"age": range(20, 60), "ill": ["no", "yes", "yes", "no"] * 10})
    >>> with read(rows, secret="ill") as people:
    ...     result = audit_desk(people, PlannedDesk("exact", Budget(queries=12)))
    >>> result.verdict
    'stop'
    """
    held = scenario or Scenario()
    known = Knowledge(known_roster(people, held.known))
    asked = {name: _ask(people, desk, known, held, kind) for kind, name in WAYS.items()}
    published = {name: release for name, release in asked.items() if release is not None}
    if not published:
        raise SaysNothingError(
            f"the desk answers no question about fewer than {desk.smallest:,} people, and these are "
            f"{people.n:,}"
        )
    said = (
        "The questions are chosen before the first answer: random halves of everybody, or of a group, by "
        "bits of a hash of the public columns. Whoever chooses others may learn more.",
        *(["The desk answers a question that was asked before as before."] if desk.sticky else []),
    )
    with SecretsOpened(people, published, held, progress, together=False, assumed=said) as opened:
        promises = [release.promise for release in published.values()]
        reason = next(filter(None, (too_weak(each, held.policy) for each in promises)), None)
        if reason is not None:
            opened.not_run = (NotRun(release=DESK, attack_method="other questions", reason=reason),)
        return run([opened], held.policy, seed=held.seed, progress=progress, announce=announce)


def too_weak(promise: Promise | None, policy: Policy) -> str | None:
    """Say why a desk with such a promise cannot pass, whatever the questions tried find; ``None`` if it can.

    Whoever asks chooses the questions, and may spend all of them on one person. What they then say of two
    values has a log likelihood ratio that is at most epsilon, or normal around rho with variance 2 rho under
    Gaussian noise; nobody is known without evidence of ten to one (`EVIDENCE`).

    Examples
    --------
    >>> [too_weak(Promise(None, rho, ""), Policy()) is None for rho in (0.1, 4.5)]
    [True, False]
    """
    if promise is None:
        return NO_PROMISE
    chance = 1.0
    if promise.epsilon is not None and promise.epsilon < log(EVIDENCE):
        chance = 0.0
    elif promise.rho is not None:
        chance = float(norm.sf((log(EVIDENCE) - promise.rho) / sqrt(2 * promise.rho)))
    if chance <= 1 - policy.confidence:
        return None
    return (
        f"{promise.text} does not keep one person from being known to whoever asks about nobody else: "
        f"evidence of {EVIDENCE:g} to one comes out with a probability of up to {chance:.2g}, and not all "
        "such questions can be tried. Give fewer questions or more noise."
    )


def _ask(
    people: Dataset, desk: PlannedDesk, known: Knowledge, scenario: Scenario, kind: str
) -> Release | None:
    """Spend the budget of a fresh desk in one way; not on a group that is everybody or gets no answer."""
    name = WAYS[kind]
    opened = desk.open(people, rng=stream(scenario.seed, "noise", name))
    queries = _queries(opened)
    if kind == "group" and group_size(opened.terms, queries) >= records_of(opened.terms, known).sizes.size:
        return None
    asked = choose_questions(opened.terms, known, queries, kind, rng=attack_stream("questions", kind))
    if not asked:
        return None
    opened.ask(asked)
    return replace(opened.transcript, name=name)


def _queries(desk: OpenDesk) -> int:
    most = most_queries(desk.terms)
    if most is None:
        raise InputError(
            "budget",
            "must limit how much may be asked",
            "no limit",
            "Give a number of questions, or rho or epsilon that the mechanism pays in.",
        )
    if most < 1:
        raise InputError("budget", "must pay for a question", "less than one", "Give more, or less noise.")
    return most
