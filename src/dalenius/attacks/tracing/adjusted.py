"""Tracing on real genomes: a rank among references that holds under linkage and population structure.

The papers take attributes for independent and people for one population. Real people share ancestors: whoever
comes from where many of the published group come from scores high, in it or not. Three steps, every one a
function of the *pool* (references and target) that does not know who of it is the target:

1. **Partial correlation.** What of a person's record the rest of the pool does not predict, against what of
   the release it does not predict. With K the similarities of the pool centred at the release and
   ``A = (K + ridge)^-1`` it is ``(A 1)_i / sqrt(A_ii)``: the leave-one-out residual of a linear mixed model
   whose covariance is the genetic relationship matrix, so everybody is judged by all others.
2. **Ancestry.** The references are finitely many of each ancestry, which leaves everyone of one ancestry the
   same offset. The scores are regressed on the leading principal components of the pool; how many is chosen
   by the error of predicting each person from the others. What remains is studentised.
3. **Rank** of the target in the pool. If target and references are exchangeable given the release, every rank
   is equally likely, whatever the dependence between columns and people: P[p <= level] <= level, exactly
   (full conformal prediction: Vovk, Gammerman, Shafer, *Algorithmic Learning in a Random World*, section
   2.2). No reference is spent on fitting alone. The smallest p-value is ``1/(m+1)``; below that only a tail
   of Student's t, which is exact for normal remainders and otherwise an approximation.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.tracing.ancestry import (
    Axes,
    Similarities,
    atypical,
    axes,
    pool_components,
    similarities,
    spread,
)
from dalenius.attacks.tracing.many import rejected
from dalenius.attacks.tracing.masked import components_of, masked_pools, pool_scores, thinned
from dalenius.attacks.tracing.setting import Outcome, Setting
from dalenius.errors import InputError, UnsupportedError
from dalenius.knowledge.tracing import TracingView
from dalenius.progress import Progress, silent
from dalenius.records.traits import CodedTraits
from dalenius.release.means import MeansRelease

Values = NDArray[np.float64]
Tail = Literal["rank", "student"]

ADJUSTED_TAILS = ("rank", "student")
"""How a p-value is read off the remainder."""

FEWEST = 20
"""References below which a rank says little and components cannot be fitted."""

MOST_COMPONENTS = 10
"""Principal components tried."""

UNLIKE = 0.2
"""False share tolerated among targets called unlike: a false alarm costs a word, a missed one an innocent."""

STRANGE = 1.15
"""A release this many times farther from the references than sampling explains holds another ancestry."""

MANY_UNLIKE = 3
"""Targets called unlike from which the whole run is doubted: one or two may be false alarms."""

OUTLYING, FEWEST_INSIDE = 3.5, 4
"""Standard deviations, and references beyond them, from which some of these seem to be members."""

ROUNDING = 1e-5
"""Scores this close, relative to the largest, are ties: records are multiplied in single precision."""

CHUNK = 8_000_000
"""Numbers held at once for the pools of some targets."""


@dataclass(frozen=True)
class Adjusted:
    """What the adjustment says of every target.

    Parameters
    ----------
    score
        The studentised remainder: an outsider's is near 0 with standard deviation 1.
    p_value, log_p
        By the tail asked for.
    expected
        Where a member's score is expected, if the release says of how many people it is; else not a number.
        A parent or child of a member has half of it, a grandchild a quarter.
    components
        How many principal components each target's pool was adjusted for.
    unlike
        Whether the target's record is so much farther from the references than these are from each other
        that target and references do not look like draws from one population.
    strange
        How many times farther the release is from what the references span than sampling explains; above
        1.15 its people have ancestry that the references lack. Where nothing is said about noise, only the
        digits printed count as such. Not a number if n is not said.
    rigorous
        Whether the p-values are proved: by rank, and neither targets nor release look unlike the references.
    notes
        What a reader should know.
    """

    score: Values
    p_value: Values
    log_p: Values
    expected: Values
    components: NDArray[np.intp]
    unlike: NDArray[np.bool_]
    strange: float
    rigorous: bool
    notes: tuple[str, ...]

    @property
    def member_odds(self) -> Values:
        """Log-likelihood ratio of "a member" against "a parent, child or sibling of one", from the score."""
        return np.asarray(((self.score - self.expected / 2) ** 2 - (self.score - self.expected) ** 2) / 2)


def adjusted(
    view: TracingView,
    *,
    components: int | Literal["auto"] = "auto",
    tail: Tail = "rank",
    rng: np.random.Generator | None = None,
    progress: Progress = silent,
) -> Adjusted:
    """Rank every target in the pool of references and itself, adjusted for relatedness and ancestry.

    Parameters
    ----------
    view
        The release, the targets, and reference people (not only their means).
    components
        How many principal components to adjust for; ``auto`` chooses, without knowing who is the target.
    tail
        ``rank`` is proved; ``student`` goes below ``1/(m+1)`` and is approximate.
    rng
        Draws, where references lack values, what targets are to lack as well.
    progress
        Told how far the pass over the records is.

    Raises
    ------
    UnsupportedError
        If there are no reference people, fewer than 20, or values are real.
    InputError
        If an option is out of range.
    """
    reference = view.reference
    if not isinstance(reference, CodedTraits) or reference.n < FEWEST:
        raise UnsupportedError(
            f"adjusting for ancestry needs the records of at least {FEWEST} reference people, yes/no or "
            "genotypes; with means alone use the calibration pooled"
        )
    most = _most_components(components, reference.n)
    if tail not in ADJUSTED_TAILS:
        raise InputError("tail", "must be rank or student", str(tail))
    similar = similarities(view.release, reference, view.targets, progress=progress)
    at, count = axes(similar), view.targets.n
    most = min(most, at.eigenvalues.size)
    size = max(1, CHUNK // ((reference.n + 1) * (most + 2)))
    auto = components == "auto"
    parts: list[Sequence[Values]] = []
    drawn = rng or np.random.default_rng(0)
    asked, gaps = (view, ()) if similar.shares is None else thinned(view)
    for start in range(0, count, size):
        who = slice(start, min(start + size, count))
        features = pool_components(at, who, most)
        if similar.shares is None:
            scores, effect = partial_correlations(similar, who)
            parts.append(_read_off(scores, effect, features, choose=auto, tail=tail))
        else:
            some = replace(asked, targets=asked.targets.take(np.arange(who.start, who.stop)))
            parts.append(_masked(some, features, choose=auto, tail=tail, rng=drawn, progress=progress))
    score, p, log_p, effect, chosen = (np.concatenate(column) for column in zip(*parts, strict=True))
    expected = np.full(count, np.nan) if view.release.n is None else effect / view.release.n
    unlike = rejected(atypical(similar), UNLIKE, "bh")
    strange = strangeness(similar, view.release)
    rigorous = tail == "rank" and not unlike.any() and not strange > STRANGE and similar.shares is None
    notes = (*_notes(reference.n, chosen, tail, auto), *gaps, *_members_inside(at, most))
    return Adjusted(score, p, log_p, expected, chosen.astype(np.intp), unlike, strange, rigorous, notes)


def run_adjusted(setting: Setting) -> Outcome:
    """Run it as one of the calibrations; the weights are those that the mixed model implies."""
    options = setting.options
    asked = options.text("components", "auto")
    components: int | Literal["auto"] = "auto" if asked == "auto" else options.whole("components", least=0)
    tail: Tail = "student" if options.choice("tail", ADJUSTED_TAILS, "rank") == "student" else "rank"
    found = adjusted(
        setting.view, components=components, tail=tail, rng=setting.rng, progress=setting.progress
    )
    m = setting.view.people
    return Outcome(
        found.score,
        found.log_p,
        m,
        found.notes,
        rigorous=found.rigorous,
        doubts=_doubts(found),
        unlike=found.unlike,
        member_odds=None if setting.view.release.n is None else found.member_odds,
        smallest=1 / (m + 1) if tail == "rank" else 0.0,
    )


def _most_components(components: int | str, m: int) -> int:
    if components == "auto":
        return min(MOST_COMPONENTS, m // 10)
    if not isinstance(components, int) or not 0 <= components <= m // 2:
        raise InputError("components", f"must be auto or a number from 0 to {m // 2}", str(components))
    return components


def _masked(
    view: TracingView,
    start: Values,
    *,
    choose: bool,
    tail: Tail,
    rng: np.random.Generator,
    progress: Progress,
) -> list[Values]:
    """Read off each target in a pool on its own columns, where values are missing."""
    reference, targets = view.reference, view.targets
    assert isinstance(reference, CodedTraits)  # noqa: S101  (similarities refuses others)
    assert isinstance(targets, CodedTraits)  # noqa: S101
    read = np.empty((5, targets.n))
    for pool in masked_pools(view.release, reference, targets, rng=rng, progress=progress):
        scores, effect = pool_scores(pool)
        features = components_of(pool, start[pool.target])[None]
        found = _read_off(scores[None], np.array([effect]), features, choose=choose, tail=tail)
        read[:, pool.target] = np.concatenate(found)
    return list(read)


def _read_off(
    scores: Values, effect: Values, features: Values, *, choose: bool, tail: Tail
) -> tuple[Values, ...]:
    """Score, p-value, log p, member's effect and components of the targets of some pools."""
    from scipy.special import stdtr
    from scipy.stats import t as student

    remainder, deviation, used = studentised(scores, features, choose=choose)
    target = remainder[:, -1]
    if tail == "rank":
        slack = ROUNDING * np.abs(remainder).max(axis=1)
        p = (remainder >= (target - slack)[:, None]).mean(axis=1)
        log_p = np.log(p)
    else:
        freedom = remainder.shape[1] - used - 2
        log_p = student.logsf(target, freedom)
        p = np.maximum(stdtr(freedom, -target), np.finfo(np.float64).tiny)
    return target, p, log_p, effect / deviation, used.astype(np.float64)


def partial_correlations(similar: Similarities, who: slice) -> tuple[Values, Values]:
    """Score everybody in the pools of some targets by what all others leave unexplained.

    Returns
    -------
    tuple
        ``(targets, m + 1)`` scores, target last; and n times what membership adds to the target's score: the
        release then holds 1/n of the unexplained record, in units of its own distance from the references.
    """
    inverse, across = similar.inverse, similar.across[:, who]
    ones = inverse.sum(axis=1)
    seen = inverse @ across
    unexplained = similar.own[who] + similar.ridge - (across * seen).sum(axis=0)
    own = (1 - across.T @ ones) / unexplained
    # The inverse with one row and column more, by blocks: A + s s'/c beside -s/c and 1/c.
    sums = ones - own[:, None] * seen.T
    diagonal = np.diag(inverse) + (seen**2 / unexplained).T
    scores = np.column_stack([sums / np.sqrt(diagonal), own * np.sqrt(unexplained)])
    return scores, np.sqrt(unexplained) * ones.sum()


def studentised(scores: Values, features: Values, *, choose: bool) -> tuple[Values, Values, NDArray[np.intp]]:
    """Regress each pool's scores on a constant and orthonormal features; studentise what remains.

    Parameters
    ----------
    scores
        ``(pools, people)``.
    features
        ``(pools, people, count)``, orthonormal and summing to zero.
    choose
        Keep the number of leading features with the least squared error of predicting each person from the
        others; otherwise keep all.

    Returns
    -------
    tuple
        Externally studentised remainders, the last person's standard deviation, and how many features.
    """
    people, count = features.shape[1:]
    rest = scores - scores.mean(axis=1)[:, None]
    lever = np.full(scores.shape, 1 / people)
    best = np.full(scores.shape[0], np.inf)
    kept, used = (np.empty_like(scores), np.empty_like(scores)), np.zeros(scores.shape[0], np.intp)
    for k in range(count + 1):
        if k:
            column = features[:, :, k - 1]
            rest = rest - column * (column * rest).sum(axis=1)[:, None]
            lever = np.minimum(lever + column**2, 1 - 1e-9)
        error = ((rest / (1 - lever)) ** 2).sum(axis=1) if choose else np.full(best.shape, -float(k))
        better = error < best
        best[better], used[better] = error[better], k
        kept[0][better], kept[1][better] = rest[better], lever[better]
    inside = kept[0] / np.sqrt(1 - kept[1])
    freedom = people - used - 2
    variance = ((kept[0] ** 2).sum(axis=1)[:, None] - inside**2) / freedom[:, None]
    deviation = np.sqrt(np.maximum(variance, np.finfo(np.float64).tiny))
    return inside / deviation, deviation[:, -1] / np.sqrt(1 - kept[1][:, -1]), used


def strangeness(similar: Similarities, release: MeansRelease) -> float:
    """Compare the squared distance of the release from the references' span with what sampling gives.

    The nearest point has weights ``a = A 1`` over their sum, and lies at ``1 / 1'A1``. A release of n people
    of the same ancestries has the variance of one person, unexplained, over n, plus its noise; the point adds
    the same variance times the squared weights.
    """
    if release.n is None:
        return float("nan")
    inverse = similar.inverse
    ones = inverse.sum(axis=1)
    one = float(np.median(1 / np.diag(inverse)))
    # references that lack values are drawn in by as much; the people of the release are not
    whole = one if similar.shares is None else one / float(np.diag(similar.shares[0]).mean())
    variance = rounding_variance(release) if release.sigma is None else release.sigma**2
    noise = variance * float((1 / spread(release)).mean())
    sampling = whole / release.n + one * float((ones**2).sum()) / float(ones.sum()) ** 2 + noise
    return 1 / float(ones.sum()) / sampling


def rounding_variance(release: MeansRelease) -> float:
    """Return the variance that printing so few digits has, where nothing is said about the mechanism.

    Examples
    --------
    >>> names = np.array(["rs1", "rs2"])
    >>> printed = MeansRelease("r", names, 2 * np.array([0.1, 0.4]) - 1, "genotype", 9)
    >>> round(12 * rounding_variance(printed), 6)
    0.04
    """
    for digits in range(1, 6):
        scaled = release.fractions * 10**digits
        if np.abs(scaled - np.round(scaled)).max() < 1e-6:
            return float((2 * 10.0**-digits) ** 2 / 12)
    return 0.0


def _notes(m: int, chosen: Values, tail: Tail, auto: bool) -> tuple[str, ...]:
    low, high = int(chosen.min()), int(chosen.max())
    many = f"{low}" if low == high else f"{low} to {high}"
    why = ", chosen by how well each person of a pool is predicted from the others" if auto else ""
    s = "" if high == 1 else "s"
    notes = [f"Adjusted for relatedness and for {many} principal component{s} of ancestry{why}."]
    if tail == "rank":
        notes.append(
            f"Ranked among {m:,} references: the level holds if target and references are exchangeable, "
            f"whatever the linkage and structure. No p-value can be below 1/{m + 1:,}; tail=student goes "
            "below, as an approximation."
        )
    else:
        notes.append("The tail is Student's t of the remainder: an approximation.")
    notes.append(
        "A small p-value says that the record is not independent of the release: a parent, child or sibling "
        "of a member scores half of what a member does."
    )
    return tuple(notes)


def _members_inside(at: Axes, most: int) -> tuple[str, ...]:
    """Say how many references score like members: they make every target look less like one."""
    inverse = at.similar.inverse
    scores = inverse.sum(axis=1) / np.sqrt(np.diag(inverse))
    rest, _, _ = studentised(scores[None], at.vectors[None, :, :most], choose=True)
    centred = rest[0] - np.median(rest[0])
    spread = 1.4826 * float(np.median(np.abs(centred)))
    high, low = (int((side * centred > OUTLYING * spread).sum()) for side in (1, -1))
    if high < FEWEST_INSIDE or high <= 3 * low:
        return ()
    return (
        f"{high:,} of {centred.size:,} references score as members of the release or their relatives would: "
        "if they are, the test is too cautious, and misses members. Leave members out of the reference.",
    )


def _doubts(found: Adjusted) -> tuple[str, ...]:
    """Say what in the records speaks against the calibration."""
    doubts = []
    if int(found.unlike.sum()) >= min(MANY_UNLIKE, (found.unlike.size + 1) // 2):
        doubts.append(
            f"{int(found.unlike.sum()):,} of {found.unlike.size:,} targets look unlike the references: a "
            "small p-value may only say that they share ancestry with people of the release; use references "
            "of their ancestry"
        )
    if found.strange > STRANGE:
        doubts.append(
            f"the release is {found.strange:.2f} times farther from the references than sampling explains: "
            "its people have ancestry that the references lack, and whoever shares it is accused, or "
            "something was done to the means that --mechanism does not say"
        )
    return tuple(doubts)
