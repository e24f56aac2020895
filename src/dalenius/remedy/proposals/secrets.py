"""What is proposed for planned statistics about a secret."""

from __future__ import annotations

import math
from collections.abc import Iterable

from dalenius.errors import InputError
from dalenius.findings.ladder import ChangeKind
from dalenius.findings.policy import Policy
from dalenius.reconstruction.case import SecretsOpened
from dalenius.release.publish import sensitivity_of
from dalenius.remedy.candidate import Candidate
from dalenius.remedy.proposals.proposals import Proposals
from dalenius.remedy.proposals.tables import (
    Ground,
    coarser,
    fewer,
    hidden,
    noisy,
    promised,
    related,
    rounded,
    size_for,
)

EPSILONS = (4.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)

NO_LIMIT = "noise: one person moves these numbers without limit, so no noise promises anything."
FIXED = "A promise: what is out already promises nothing, and noise on the rest does not change that."
TWO_VALUES = "A bound by a theorem: those known here are about secrets of two values."
GIVEN = "coarser: people who were read already keep their classes; a plan can change them."
NO_BINS = "coarser: no public column of these tables is cut into classes that could be merged."


def propose(ground: Ground, opened: SecretsOpened, baseline: float, *, given: bool, out: bool) -> Proposals:
    """Propose every kind of change.

    Parameters
    ----------
    ground
        What may be changed.
    opened
        The releases as they are planned.
    baseline
        How often the better guess without the release is right.
    given
        Whether the people were read by somebody else.
    out
        Whether something is out already.
    """
    policy = ground.plan.policy
    not_tried: list[str] = []
    edges = {column.name: column.edges for column in opened.people.schema.public if column.edges}
    by_kind: dict[ChangeKind, list[Candidate]] = {
        "round": _once(rounded(ground)),
        "hide": _once(hidden(ground)),
        "fewer": _once(fewer(ground)),
        "coarser": [] if given else _once(coarser(ground, edges)),
    }
    if not by_kind["coarser"]:
        not_tried.append(GIVEN if given else NO_BINS)
    square = _square(ground, opened)
    if math.isinf(square):
        return Proposals(by_kind, not_tried=(*not_tried, NO_LIMIT))
    if policy.max_nu is not None and ground.plan.knowledge.prior is not None:
        noise = related(ground, [each for each in EPSILONS if each <= max(policy.max_nu, EPSILONS[-1])])
        return Proposals(by_kind, noise, None if out else noise[-1], tuple(not_tried))
    size = size_for(square, rho_for(policy, baseline))
    if out:
        not_tried.append(FIXED)
    elif len(opened.people.schema.secret.levels) != 2:
        not_tried.append(TWO_VALUES)
    promise = None if out else promised(ground, size, square)
    return Proposals(by_kind, noisy(ground, square), promise, tuple(not_tried))


def rho_for(policy: Policy, baseline: float) -> float:
    """Return the largest rho with which no attack gains more than a policy tolerates.

    Raises
    ------
    InputError
        If the policy tolerates no gain at all.

    Examples
    --------
    >>> from dalenius.theory.privacy import advantage_from_rho
    >>> rho = rho_for(Policy(), 0.5)
    >>> 0.0499 < advantage_from_rho(rho) <= 0.05
    True
    """
    from dalenius.theory.privacy import advantage_from_rho

    limit = policy.limit(baseline)
    low, high = 1e-12, 1e3
    if advantage_from_rho(low) > limit:
        fix = "No noise keeps to it: publish nothing."
        raise InputError("policy", "must tolerate some gain", "none", fix)
    for _ in range(200):
        middle = math.sqrt(low * high)
        if advantage_from_rho(middle) <= limit:
            low = middle
        else:
            high = middle
    return low


def _square(ground: Ground, opened: SecretsOpened) -> float:
    """How far one person moves all numbers that may be changed, squared and added up."""
    levels = opened.people.schema.secret.levels
    names = {release.name for release in ground.releases}
    return sum(
        sensitivity_of([block.statistic for block in release.blocks], levels).l2_squared
        for name, release in opened.published.items()
        if name in names
    )


def _once(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Leave out what is the same plan as another, or the plan as it is."""
    found: dict[str, Candidate] = {}
    for each in candidates:
        found.setdefault(each.plan.model_dump_json(), each)
    return list(found.values())
