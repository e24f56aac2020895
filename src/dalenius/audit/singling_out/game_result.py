"""What a game showed: success beside luck on a grid of weights, in counts, intervals and a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from dalenius import __version__
from dalenius.audit.singling_out.game_source import Source
from dalenius.findings.document import dump
from dalenius.findings.finding import Plain, Rate, Verdict
from dalenius.findings.interval import share_confidence
from dalenius.findings.singling_out_build import one_in
from dalenius.referee.score import Tally
from dalenius.theory.singling_out import implied_epsilon

if TYPE_CHECKING:
    from dalenius.audit.singling_out.game import Trial

GameVerdict = Literal["singling out demonstrated", "not demonstrated"]

SURE = 0.9999
"""Of the interval by which the control is called broken."""


class AtWeight(Plain):
    """Success with conditions of at most one weight.

    ``baseline`` is the most that luck reaches at that weight. ``advantage_low`` is the lower end of the
    interval less the baseline and less the chance that a weight is larger than said. ``epsilon`` is the
    least with which differential privacy would allow this success (Theorem 5.4); ``limit`` what a theorem
    about the mechanism allows, if one does.
    """

    weight: float
    success: Rate
    baseline: float
    advantage: float
    advantage_low: float
    p_value: float
    epsilon: float
    limit: float | None


class Control(Plain):
    """The attack that ignores the release, with conditions of weight 1/n on average."""

    success: Rate
    baseline: float
    kept: bool


class GameResult(Plain):
    """What a game showed.

    ``weight`` is the limit the verdict is about, chosen before; without one the verdict is about any of
    ``rows``, whose intervals then hold together. ``isolated`` counts the rounds in which the condition
    matched exactly one row, whatever its weight; ``abstained`` those without a condition, which are
    failures. ``singled_out`` is how many different rows were matched alone in a round on average.
    ``decision`` and ``reasons`` are there once a limit was held against it, see `decide_games`.
    """

    dalenius_version: str = __version__
    mechanism: str
    attack: str
    source: str
    n: int
    trials: int
    seed: int
    weight: float | None
    weight_error: float
    rows: tuple[AtWeight, ...]
    isolated: int
    abstained: int
    singled_out: float
    median_weight: float | None
    control: Control
    verdict: GameVerdict
    warnings: tuple[str, ...]
    sentence: str
    decision: Verdict | None = None
    reasons: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Write it, see `dump`."""
        return dump(self)

    def at(self, weight: float) -> AtWeight:
        """Return the row of a weight limit.

        Examples
        --------
        ``result.at(1e-5).success.rate``
        """
        return next(row for row in self.rows if math.isclose(row.weight, weight, rel_tol=1e-9))

    def lines(self) -> Iterator[str]:
        """Say it on a screen, for somebody who decides about a release."""
        yield from self.table_lines()
        yield from self.reading_lines()
        yield ""
        yield self.sentence

    def table_lines(self) -> Iterator[str]:
        """What was played, and what came of it at every weight."""
        yield f"{self.mechanism}, attacked by {self.attack}."
        yield f"{self.trials:,} rounds; in each, {self.n:,} people of {self.source}."
        yield ""
        yield "  a condition met by      singled out                  by luck  advantage (at least)  epsilon"
        for row in self.rows:
            met = one_in(row.weight) + (" *" if row.weight == self.weight else "")
            rate = f"{row.success.rate:.1%} ({row.success.low:.1%} to {row.success.high:.1%})"
            luck = f"{100 * row.baseline:.2g}%"
            gain = f"{100 * row.advantage:+.1f} ({100 * row.advantage_low:.1f})"
            yield f"  {met:<22}  {rate:<26}  {luck:>8}  {gain:<20}  {row.epsilon:.2f}"
        limit = self.at(self.weight).limit if self.weight is not None else None
        if limit is not None:
            yield f"  A theorem: no attack on this mechanism does so in more than {limit:.1%} of the rounds."

    def reading_lines(self) -> Iterator[str]:
        """How to read the table, the control, and what may be wrong."""
        yield "  Advantage: percentage points over luck. Epsilon: the least with which differential privacy"
        yield "  would allow this. *: the weight that the attack aimed at."
        alone, luck = self.control.success, self.control.baseline
        yield (
            f"  Control, a condition that ignores the release and that 1 in {self.n:,} people meets: "
            f"isolates somebody in {alone.rate:.1%} of {alone.trials:,} rounds ({alone.low:.1%} to "
            f"{alone.high:.1%}); luck allows at most {luck:.1%}."
        )
        for warning in self.warnings:
            yield f"  Warning: {warning}"


def conclude_game(
    played: Sequence[Trial],
    luck: Sequence[Trial],
    source: Source,
    *,
    n: int,
    grid: Sequence[float],
    weight: float | None,
    seed: int,
    confidence: float,
    limit: Callable[[float], float] | None,
    names: tuple[str, str],
) -> GameResult:
    """Turn rounds into a result (specification of the statistics: Clopper-Pearson, exact binomial test)."""
    each = confidence if weight is not None else share_confidence(confidence, len(grid))
    rows = tuple(_at_weight(played, source, n, w, each, limit) for w in grid)
    judged = rows if weight is None else tuple(row for row in rows if row.weight == weight)
    best = max(judged, key=lambda row: row.advantage_low)
    shown = best.advantage_low > 0
    weights = sorted(trial.weight for trial in played if trial.matches == 1)
    return GameResult(
        mechanism=names[0],
        attack=names[1],
        source=source.text,
        n=n,
        trials=len(played),
        seed=seed,
        weight=weight,
        weight_error=source.error,
        rows=rows,
        isolated=len(weights),
        abstained=sum(trial.matches < 0 for trial in played),
        singled_out=sum(trial.singled_out for trial in played) / len(played),
        median_weight=weights[len(weights) // 2] if weights else None,
        control=_control(luck, source, n),
        verdict="singling out demonstrated" if shown else "not demonstrated",
        warnings=source.warnings(n),
        sentence=_sentence(best, n, shown=shown),
    )


def _at_weight(
    played: Sequence[Trial],
    source: Source,
    n: int,
    weight: float,
    confidence: float,
    limit: Callable[[float], float] | None,
) -> AtWeight:
    from scipy.special import bdtrc

    allowed = weight * (1 + 1e-12)  # a weight that is the limit up to rounding
    hits = sum(trial.matches == 1 and trial.weight <= allowed for trial in played)
    success = Rate.of(Tally(hits, len(played)), confidence)
    luck = source.baseline(n, weight)
    sure = max(0.0, success.low - source.error)
    return AtWeight(
        weight=weight,
        success=success,
        baseline=luck,
        advantage=success.rate - luck,
        advantage_low=success.low - luck - source.error,
        p_value=float(bdtrc(hits - 1, len(played), luck)) if hits else 1.0,
        epsilon=implied_epsilon(sure, n, source.swapped(n, weight)),
        limit=None if limit is None else limit(weight),
    )


def _control(luck: Sequence[Trial], source: Source, n: int) -> Control:
    """The rate may be below luck's best where rows are the same; above it, something sees the data."""
    tally = Tally(sum(trial.matches == 1 for trial in luck), len(luck))
    best = source.baseline(n, 1 / n)
    return Control(success=Rate.of(tally, 0.95), baseline=best, kept=Rate.of(tally, SURE).low <= best)


def _sentence(row: AtWeight, n: int, *, shown: bool) -> str:
    rate = row.success
    said = (
        f"In {rate.hits:,} of {rate.trials:,} rounds ({rate.rate:.1%}) the attack named a condition that "
        f"exactly one of {n:,} people met, and that {one_in(row.weight)} of all people meets; without the "
        f"release luck reaches {row.baseline:.1%}."
    )
    if shown:
        return f"{said} Singling out is demonstrated: this release does not prevent it."
    return f"{said} Singling out is not demonstrated by this attack; another one may still do it."
