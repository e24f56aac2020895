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

Where a release says of many alleles that nobody has them, how many of those each person of the pool carries
is added to what is ranked: it too is a function of release and record alone, so the rank stays exact and no
second look is to be paid for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, UnsupportedError
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.traits import CodedTraits
from dalenius.progress import Progress, silent
from dalenius.tracing.attack.calibrations.masked import components_of, masked_pools, pool_scores, thinned
from dalenius.tracing.attack.genomes.absent import (
    counted_with,
    counts_fit,
    not_carried,
    pool_counts,
    with_absent,
)
from dalenius.tracing.attack.genomes.adjusted_doubts import (
    STRANGE,
    describe_adjustment,
    describe_doubts,
    find_members_inside,
    strangeness,
)
from dalenius.tracing.attack.genomes.ancestry import (
    atypical,
    axes,
    pairs_compared,
    pool_components,
    similarities,
)
from dalenius.tracing.attack.genomes.pruning import pruned
from dalenius.tracing.attack.genomes.whitening import halved, whitened
from dalenius.tracing.attack.multiple_testing import rejected
from dalenius.tracing.attack.tails.remainders import partial_correlations, studentised
from dalenius.tracing.attack.test_case import Outcome, Setting

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
    whiten: int | None = None,
    carried: tuple[Values, Values] | None = None,
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
    whiten
        Decorrelate neighbours in blocks of so many variants, learnt from half of the references.
    carried
        How many alleles that nobody behind the release has each reference, and each target, does not carry:
        ranked besides, where nobody lacks values and references are not divided.
    rng
        Draws, where references lack values, what targets are to lack as well; divides references.
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
    view, few = pruned(view, pairs_compared(reference, view.targets))
    reference = cast(CodedTraits, view.reference)
    most = _most_components(components, reference.n)
    if tail not in ADJUSTED_TAILS:
        raise InputError("tail", "must be rank or student", str(tail))
    drawn = rng or np.random.default_rng(0)
    learn = None
    if whiten is not None:
        view, learn = halved(view, drawn)
        reference = cast(CodedTraits, view.reference)
        most = _most_components(components, reference.n)
    plain = similarities(view.release, reference, view.targets, progress=progress)
    similar = plain if learn is None or whiten is None else whitened(view, learn, whiten)
    at, count = axes(similar), view.targets.n
    most = min(most, at.eigenvalues.size)
    size = max(1, CHUNK // ((reference.n + 1) * (most + 2)))
    auto = components == "auto"
    parts: list[Sequence[Values]] = []
    asked, gaps = (view, ()) if similar.shares is None else thinned(view)
    for start in range(0, count, size):
        who = slice(start, min(start + size, count))
        features = pool_components(at, who, most)
        if similar.shares is None:
            scores, effect = partial_correlations(similar, who)
            also = None if carried is None else pool_counts(carried[0], carried[1][who])
            parts.append(_read_off(scores, effect, features, choose=auto, tail=tail, also=also))
        else:
            some = replace(asked, targets=asked.targets.take(np.arange(who.start, who.stop)))
            parts.append(_masked(some, features, choose=auto, tail=tail, rng=drawn, progress=progress))
    score, p, log_p, effect, chosen = (np.concatenate(column) for column in zip(*parts, strict=True))
    expected = np.full(count, np.nan) if view.release.n is None else effect / view.release.n
    unlike = rejected(atypical(plain), UNLIKE, "bh")
    strange = strangeness(plain, view.release)
    rigorous = tail == "rank" and not unlike.any() and not strange > STRANGE and similar.shares is None
    notes = (
        *few,
        *describe_adjustment(reference, chosen, tail == "rank", auto),
        *gaps,
        *find_members_inside(at, most),
    )
    return Adjusted(score, p, log_p, expected, chosen.astype(np.intp), unlike, strange, rigorous, notes)


def run_adjusted(setting: Setting) -> Outcome:
    """Run it as one of the calibrations; the weights are those that the mixed model implies."""
    options = setting.options
    asked = options.text("components", "auto")
    components: int | Literal["auto"] = "auto" if asked == "auto" else options.whole("components", least=0)
    tail: Tail = "student" if options.choice("tail", ADJUSTED_TAILS, "rank") == "student" else "rank"
    whiten = options.whole("whiten", least=2) if "whiten" in options.values else None
    absent = options.text("absent", "no") != "no"
    at_once = absent and tail == "rank" and whiten is None and counts_fit(setting.view)
    found = adjusted(
        setting.view,
        components=components,
        tail=tail,
        whiten=whiten,
        carried=not_carried(setting) if at_once else None,
        rng=setting.rng,
        progress=setting.progress,
    )
    genotypes = setting.view.release.kind == "genotype"
    m = setting.view.people - (0 if whiten is None else setting.view.people // 2)
    outcome = Outcome(
        found.score,
        found.log_p,
        m,
        found.notes,
        rigorous=found.rigorous,
        doubts=describe_doubts(found.unlike, found.strange, genotypes),
        unlike=found.unlike,
        member_odds=None if setting.view.release.n is None or not genotypes else found.member_odds,
        smallest=1 / (m + 1) if tail == "rank" else 0.0,
    )
    if at_once:
        return counted_with(setting, outcome)
    return with_absent(setting, outcome) if absent else outcome


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
    scores: Values,
    effect: Values,
    features: Values,
    *,
    choose: bool,
    tail: Tail,
    also: Values | None = None,
) -> tuple[Values, ...]:
    """Score, p-value, log p, member's effect and components of the targets of some pools.

    ``also`` is added to what is ranked, for everybody of each pool.
    """
    from scipy.special import stdtr
    from scipy.stats import t as student

    remainder, deviation, used = studentised(scores, features, choose=choose)
    target = remainder[:, -1]
    if tail == "rank":
        ranked = remainder if also is None else remainder + also
        slack = ROUNDING * np.abs(remainder).max(axis=1)
        p = (ranked >= (ranked[:, -1] - slack)[:, None]).mean(axis=1)
        log_p = np.log(p)
    else:
        freedom = remainder.shape[1] - used - 2
        log_p = student.logsf(target, freedom)
        p = np.maximum(stdtr(freedom, -target), np.finfo(np.float64).tiny)
    return target, p, log_p, effect / deviation, used.astype(np.float64)
