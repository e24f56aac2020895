"""What a game showed: success beside luck on a grid of weights, in counts, intervals and a sentence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from dalenius.auditing.decide import Reported, report_of
from dalenius.findings.default_policy import CONFIDENCE, SURE
from dalenius.findings.measure import Counted, Plain, Rate
from dalenius.findings.report import Report
from dalenius.findings.tally import Tally, share_confidence
from dalenius.singling_out.build import SharedError
from dalenius.singling_out.game.rounds import LOST_MATCHES, Beside, DataSource, GameRound, GameSettings
from dalenius.singling_out.words import one_in
from dalenius.theory.singling_out import implied_epsilon


class GameRow(Plain):
    """Success with conditions of at most one weight.

    ``baseline`` is the most that luck reaches at that weight. ``advantage_low`` is the lower end of the
    interval less the baseline and less the chance that a weight is larger than said. ``epsilon`` is the
    least with which differential privacy would allow this success (Theorem 5.4); ``limit`` what a theorem
    about the mechanism allows, if one does.
    """

    weight: float
    success: Counted
    baseline: float
    advantage: float
    advantage_low: float
    p_value: float
    epsilon: float
    limit: float | None


class GameControl(Plain):
    """The attack that ignores the release, with conditions of weight 1/n on average."""

    success: Counted
    baseline: float
    kept: bool


class GameResult(Reported, Plain):
    """What a game showed.

    ``weight`` is the limit the verdict is about, chosen before; without one the verdict is about any of
    ``rows``, whose intervals then hold together. ``lost`` rounds were not played, as whoever did was lost:
    they count as failures, and no release passes by them. ``isolated`` counts the rounds in which the
    condition matched exactly one row, whatever its weight; ``abstained`` those without a condition, which are
    failures. ``singled_out`` is how many different rows were matched alone in a round on average.
    ``demonstrated`` says whether the advantage at a weight that was judged is established above 0.
    """

    mechanism: str
    attack: str
    source: str
    n: int
    trials: int
    seed: int
    confidence: float
    weight: float | None
    weight_error: float
    rows: tuple[GameRow, ...]
    lost: int
    isolated: int
    abstained: int
    singled_out: float
    median_weight: float | None
    control: GameControl
    demonstrated: bool
    warnings: tuple[str, ...]
    sentence: str

    @property
    def report(self) -> Report:
        """What was found as a report; nobody is in it."""
        from dalenius.singling_out.game.to_finding import finding_of_game

        finding = finding_of_game(self, self.mechanism, shared=SharedError(confidence=self.confidence))
        return report_of([finding], people=self.n, seed=self.seed, confidence=self.confidence)

    def at(self, weight: float) -> GameRow:
        """Return the row of a weight limit.

        Examples
        --------
        ``result.at(1e-5).success.rate``
        """
        return next(row for row in self.rows if math.isclose(row.weight, weight, rel_tol=1e-9))


def conclude_game(
    played: Sequence[GameRound],
    source: DataSource,
    *,
    n: int,
    grid: Sequence[float],
    how: GameSettings,
    beside: Beside,
) -> GameResult:
    """Turn rounds into a result (specification of the statistics: Clopper-Pearson, exact binomial test)."""
    each = how.confidence if how.weight is not None else share_confidence(how.confidence, len(grid))
    rows = tuple(_at_weight(played, source, n, w, each, beside.limit) for w in grid)
    judged = rows if how.weight is None else tuple(row for row in rows if row.weight == how.weight)
    best = max(judged, key=lambda row: row.advantage_low)
    shown = best.advantage_low > 0
    weights = sorted(trial.weight for trial in played if trial.matches == 1)
    return GameResult(
        mechanism=beside.names[0],
        attack=beside.names[1],
        source=source.text,
        n=n,
        trials=len(played),
        seed=how.seed,
        confidence=how.confidence,
        weight=how.weight,
        weight_error=source.error,
        rows=rows,
        lost=sum(trial.matches == LOST_MATCHES for trial in played),
        isolated=len(weights),
        abstained=sum(trial.matches == -1 for trial in played),
        singled_out=sum(trial.singled_out for trial in played) / len(played),
        median_weight=weights[len(weights) // 2] if weights else None,
        control=_control(beside.control or (), source, n),
        demonstrated=shown,
        warnings=source.warnings(n),
        sentence=_sentence(best, n, shown=shown),
    )


def _at_weight(
    played: Sequence[GameRound],
    source: DataSource,
    n: int,
    weight: float,
    confidence: float,
    limit: Callable[[float], float] | None,
) -> GameRow:
    from scipy.special import bdtrc

    allowed = weight * (1 + 1e-12)  # a weight that is the limit up to rounding
    hits = sum(trial.matches == 1 and trial.weight <= allowed for trial in played)
    success = Rate.of(Tally(hits, len(played)), confidence)
    luck = source.baseline(n, weight)
    sure = max(0.0, success.low - source.error)
    return GameRow(
        weight=weight,
        success=success,
        baseline=luck,
        advantage=success.rate - luck,
        advantage_low=success.low - luck - source.error,
        p_value=float(bdtrc(hits - 1, len(played), luck)) if hits else 1.0,
        epsilon=implied_epsilon(sure, n, source.swapped(n, weight)),
        limit=None if limit is None else limit(weight),
    )


def _control(luck: Sequence[GameRound], source: DataSource, n: int) -> GameControl:
    """The rate may be below luck's best where rows are the same; above it, something sees the data."""
    tally = Tally(sum(trial.matches == 1 for trial in luck), len(luck))
    best = source.baseline(n, 1 / n)
    return GameControl(
        success=Rate.of(tally, CONFIDENCE), baseline=best, kept=Rate.of(tally, SURE).low <= best
    )


def _sentence(row: GameRow, n: int, *, shown: bool) -> str:
    rate = row.success
    said = (
        f"In {rate.hits:,} of {rate.trials:,} rounds ({rate.rate:.1%}) the attack named a condition that "
        f"exactly one of {n:,} people met, and that {one_in(row.weight)} of all people meets; without the "
        f"release luck reaches {row.baseline:.1%}."
    )
    if shown:
        return f"{said} Singling out is demonstrated: this release does not prevent it."
    return f"{said} Singling out is not demonstrated by this attack; another one may still do it."
