"""What conditions from synthetic rows achieved against the original: a verdict, words, plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.attacks.predicates import Isolating, WeightBound
from dalenius.attacks.singling_out.triple import Guesses, Mode
from dalenius.findings.interval import Interval
from dalenius.records.english import english
from dalenius.records.predicate import to_json
from dalenius.records.row_columns import NumberColumn
from dalenius.records.rows import Rows
from dalenius.theory.isolation import weight_upper_limit


@dataclass(frozen=True, eq=False)
class Triple:
    """What the attack achieved.

    Parameters
    ----------
    mode
        ``univariate`` or ``multivariate``.
    guesses
        The conditions.
    requested
        How many conditions were asked for.
    matches
        For each condition, how many original rows it matches: 0, 1, or 2 for more.
    control_matches
        The same in the control, up to a limit beyond which a condition is surely not rare.
    original, synthetic, control
        Rows of each.
    luck
        The share of the conditions that would isolate one of as many rows by luck.
    advantage
        The share that did, less luck.
    limit
        The largest advantage that would be accepted.
    """

    mode: Mode
    guesses: Guesses
    requested: int
    matches: NDArray[np.int64]
    control_matches: NDArray[np.int64]
    original: int
    synthetic: int
    control: int
    luck: Interval
    advantage: Interval
    limit: float

    @property
    def attacks(self) -> int:
        """How many conditions were tried."""
        return self.matches.size

    @property
    def successes(self) -> int:
        """How many of them match exactly one original row."""
        return int((self.matches == 1).sum())

    @property
    def verdict(self) -> str:
        """``stop`` if people are singled out beyond luck, ``pass`` within the limit, else ``undecided``."""
        if self.attacks and self.advantage.low > 0:
            return "stop"
        return "pass" if self.attacks and self.advantage.high <= self.limit else "undecided"

    @property
    def sentence(self) -> str:
        """The result in words."""
        if not self.attacks:
            return (
                f"No condition singles out a synthetic row ({self.guesses.attempts:,} were drawn): nothing "
                "was tried against the original, so nothing is shown."
            )
        rate = self.successes / self.attacks
        done = (
            f"Of {self.attacks:,} conditions that each match one synthetic row, {self.successes:,} "
            f"({rate:.1%}) match exactly one of the {self.original:,} original rows; luck would give "
            f"{self.luck.low:.1%} to {self.luck.high:.1%}, as {self.control:,} people outside the data tell. "
        )
        own = self.advantage
        ends = f"{own.low:+.1%} to {own.high:+.1%} at {own.confidence:.0%} confidence"
        if self.verdict == "stop":
            return done + f"The synthetic rows single out real people beyond luck: {ends}."
        if self.verdict == "pass":
            return done + f"That is luck, within the limit of {self.limit:.0%}: {ends}."
        return (
            done + f"Undecided: the difference is {ends}. More control rows or more attacks would narrow it."
        )

    def claims(self, kinds: Rows, only_isolating: bool = True) -> tuple[Isolating, ...]:
        """Return the conditions in words, rarest first. They speak of real people: not for every eye.

        Parameters
        ----------
        kinds
            Rows with the same columns, for how numbers and dates are written.
        only_isolating
            Leave out those that do not match exactly one original row.
        """
        error = (1 - self.advantage.confidence) / max(self.attacks, 1)
        written = {c.name: c.kind for c in kinds.columns if isinstance(c, NumberColumn)}
        chosen = np.flatnonzero(self.matches == 1) if only_isolating else np.arange(self.attacks)
        order = chosen[np.argsort(self.control_matches[chosen], kind="stable")]
        found = []
        for p in order.tolist():
            predicate = self.guesses.boxes.predicate(p)
            rare = weight_upper_limit(int(self.control_matches[p]), self.control, error)
            bound = WeightBound(rare, "cp", "control rows are drawn like the original's", error)
            rate = self.successes / self.attacks
            found.append(
                Isolating(predicate, bound, self.mode, rate, None, english(predicate, kinds=written))
            )
        return tuple(found)

    def to_json(self, show_people: bool = False) -> dict[str, Any]:
        """Return plain values; conditions that name people only when asked."""
        boxes = self.guesses.boxes
        named = [to_json(boxes.predicate(p)) for p in np.flatnonzero(self.matches == 1).tolist()]
        return {
            "goal": "singling-out",
            "attack": f"{self.mode} conditions from synthetic rows",
            "verdict": self.verdict,
            "sentence": self.sentence,
            "requested": self.requested,
            "attacks": self.attacks,
            "attempts": self.guesses.attempts,
            "successes": self.successes,
            "rows": {"original": self.original, "synthetic": self.synthetic, "control": self.control},
            "luck": _interval(self.luck),
            "advantage": _interval(self.advantage),
            "limit": self.limit,
        } | ({"isolating": named} if show_people else {})


def _interval(interval: Interval) -> dict[str, Any]:
    return {
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "confidence": interval.confidence,
        "method": interval.method,
    }
