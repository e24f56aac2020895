"""From the answers of one block to equations: the reading of counts, and the reading of everything else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.errors import InputError, UnsupportedError
from dalenius.matrices.answers import AnswerError, LinearForm, Vector
from dalenius.matrices.operators import Operator, SparseRows
from dalenius.mechanisms.chain import Mechanism
from dalenius.people.schema import Roster
from dalenius.reconstruction.attack.system.system import RowReading
from dalenius.release.release import Block
from dalenius.statistics.statistic import Counting, Curved, Estimate

WHOLE_SLACK = 1e-6
"""By how much an interval may give way to hold a whole number."""

FLOAT_SLACK = 1e-7
"""By how much an equation may miss through floating point, in units of its largest coefficient.

A linear program with sixty exact equations was called impossible with a tenth of it."""


@dataclass(frozen=True)
class Groups:
    """People whom no question tells apart, as one unknown each.

    Parameters
    ----------
    roster
        Everybody.
    first
        The first person of each group.
    sizes
        How many people each group has.
    """

    roster: Roster
    first: NDArray[np.intp]
    sizes: NDArray[np.intp]


@dataclass(frozen=True)
class Equations:
    """Rows of a linear system: what one block says about one value of the secret.

    ``totals`` is how many people each row counts over, and ``None`` where the rows are not counts. The other
    fields are those of `LinearSystem`.
    """

    A: Operator
    centre: Vector
    low: Vector
    high: Vector
    sd: Vector
    shape: str
    totals: Vector | None
    usual: Vector | None = None
    own: RowReading | None = None


def read_block(
    block: Block, groups: Groups, mechanism: Mechanism, levels: tuple[str, ...]
) -> Callable[[str], Equations]:
    """Read the answers of a block once; the result gives the equations of any value of the secret."""
    if isinstance(block.statistic, Counting):
        return _read_counts(block, block.statistic, groups, mechanism, levels)
    if isinstance(block.statistic, Estimate):
        return _read_estimates(block, block.statistic, groups, mechanism)
    raise UnsupportedError(f"answers of the kind {block.statistic.kind} are not linear in the secret")


def _read_estimates(
    block: Block, statistic: Estimate, groups: Groups, mechanism: Mechanism
) -> Callable[[str], Equations]:
    error = _within_printed(
        block, mechanism.error(block.answers, None, labels=statistic.labels, counts=False)
    )
    form = _form(statistic, groups.roster, error)
    if not (np.isfinite(form.rows).all() and np.isfinite(form.target).all()):
        raise UnsupportedError(f"{statistic.kind}: its numbers are too large to compute with")
    A = SparseRows(sparse.csr_array(form.rows[:, groups.first].astype(np.float64)))
    low, high = _moved(form, error)
    centre = form.target
    if form.whole is not None:
        low, high, centre = _whole(form, form.whole, low, high, statistic)
    with np.errstate(invalid="ignore"):
        sd = np.sqrt(form.gain**2 @ error.sd[:, 0] ** 2)
    if form.slack is not None and error.shape != "none":
        sd = np.sqrt(sd**2 + form.slack**2 / 3)
    usual = _usual(form, error) if isinstance(statistic, Curved) or form.reach is None else None
    equations = Equations(A, centre, low, high, sd, error.shape, totals=None, usual=usual)
    return lambda value: equations


def _usual(form: LinearForm, error: AnswerError) -> Vector:
    """How wrong each row usually is when every published number is anywhere in its interval."""
    width = (error.high - error.low)[:, 0]
    slack = 0.0 if form.slack is None else form.slack**2 / 3
    with np.errstate(invalid="ignore"):
        usual = np.sqrt(np.asarray(form.gain) ** 2 @ (width**2 / 12) + slack)
    least: Vector = FLOAT_SLACK * np.abs(form.rows).max(axis=1)
    found: Vector = np.maximum(np.nan_to_num(usual, nan=np.inf), least)
    return found


def _form(statistic: Estimate, roster: Roster, error: AnswerError) -> LinearForm:
    answers = error.centre[:, 0]
    if not isinstance(statistic, Curved):
        return statistic.linear(roster, answers)
    width = np.maximum(error.centre - error.low, error.high - error.centre)[:, 0]
    noise = np.nan_to_num(error.sd[:, 0], nan=np.inf)
    return _unit(statistic.linear_within(roster, answers, width if error.shape == "none" else noise))


def _unit(form: LinearForm) -> LinearForm:
    """Divide each equation by its largest coefficient: solvers have absolute tolerances."""
    largest = np.abs(form.rows).max(axis=1)
    scale = 1 / np.where(largest > 0, largest, 1.0)
    reach = None if form.reach is None else np.asarray(form.reach) * scale[:, None]
    slack = None if form.slack is None else form.slack * scale
    gain = np.asarray(form.gain) * scale[:, None]
    return LinearForm(form.rows * scale[:, None], form.target * scale, gain, reach, slack=slack)


def _whole(
    form: LinearForm, whole: NDArray[np.bool_], low: Vector, high: Vector, statistic: Estimate
) -> tuple[Vector, Vector, Vector]:
    """Shrink each interval to the whole numbers in it, where the true right side is one."""
    inner_low = np.where(whole, np.ceil(low - WHOLE_SLACK), low)
    inner_high = np.where(whole, np.floor(high + WHOLE_SLACK), high)
    if (wrong := np.flatnonzero(inner_low > inner_high)).size:
        row = int(wrong[0])
        label = (
            next(islice(statistic.labels(), row, None)) if form.target.size == statistic.rows else str(row)
        )
        raise InputError(
            f"answer to {label!r}",
            "must come from a whole number of these people",
            f"{wrong.size} answers that cannot",
            "Check the list of people and the digits, or write the mechanism as unknown.",
        )
    bounded = np.isfinite(inner_low) & np.isfinite(inner_high)
    with np.errstate(invalid="ignore"):
        middle = (inner_low + inner_high) / 2
    return inner_low, inner_high, np.where(bounded, middle, form.target)


def _moved(form: LinearForm, error: AnswerError) -> tuple[Vector, Vector]:
    """The interval of each row, when each published number may be anywhere in its own."""
    down, up = (error.centre - error.low)[:, 0], (error.high - error.centre)[:, 0]
    if form.reach is None or not (np.isfinite(down).all() and np.isfinite(up).all()):
        everywhere = np.full(form.target.size, np.inf)
        return -everywhere, everywhere
    with np.errstate(invalid="ignore"):
        most = np.nan_to_num(form.reach @ np.maximum(down, up), nan=np.inf)
    most += FLOAT_SLACK * np.abs(form.rows).max(axis=1) + (0.0 if form.slack is None else form.slack)
    return form.target - most, form.target + most


def _read_counts(
    block: Block, statistic: Counting, groups: Groups, mechanism: Mechanism, levels: tuple[str, ...]
) -> Callable[[str], Equations]:
    operator = statistic.operator(groups.roster.take(groups.first))
    totals = operator.apply(groups.sizes.astype(np.float64))
    error = read_counts(block, totals, mechanism)

    def equations(value: str) -> Equations:
        others = [j for j, other in enumerate(block.values) if other != value]
        if value not in block.values and statistic.counts_all_values and len(others) < len(levels) - 1:
            low, high, centre, sd = _unprinted(totals, error)
            return Equations(operator, centre, low, high, sd, error.shape, totals)
        all_others = len(others) == len(levels) - 1 and statistic.counts_all_values
        low, high, centre, sd = _rows(block, totals, error, value, others if all_others else [])
        own = _own(block, error, value, (low + high) / 2, sd) if all_others and len(others) > 1 else None
        return Equations(operator, centre, low, high, sd, error.shape, totals, own=own)

    return equations


def read_counts(block: Block, totals: Vector, mechanism: Mechanism) -> AnswerError:
    """What each number of a block says by itself: by the mechanism, and by what is printed beside it."""
    error = mechanism.error(
        block.answers, totals, labels=block.statistic.labels, least=block.least, most=block.most
    )
    return _within_printed(block, error)


def _within_printed(block: Block, error: AnswerError) -> AnswerError:
    """Close intervals by what is printed beside the numbers."""
    low = error.low if block.low is None else np.maximum(error.low, block.low)
    high = error.high if block.high is None else np.minimum(error.high, block.high)
    return replace(error, low=low, high=high)


def _unprinted(totals: Vector, error: AnswerError) -> tuple[Vector, Vector, Vector, Vector]:
    """The same for a value that a table leaves out, and not alone: what the others leave at most."""
    high = np.maximum(totals - error.low.sum(axis=1), 0.0)
    return np.zeros_like(totals), high, high / 2, np.zeros_like(totals)


def _rows(
    block: Block, totals: Vector, error: AnswerError, value: str, others: list[int]
) -> tuple[Vector, Vector, Vector, Vector]:
    """Low, high, centre and sd of the counts of one value: from its own column, and from all others."""
    if value not in block.values and not others:
        raise InputError(
            "every value of the secret but one",
            "must be counted in the release",
            f"counts of {len(block.values)}",
            value=value,
        )
    if value in block.values:
        own = block.values.index(value)
        low, high, centre, sd = (part[:, own] for part in (error.low, error.high, error.centre, error.sd))
    else:
        low, high, centre, sd = np.zeros_like(totals), totals, np.full_like(totals, np.nan), totals * 0
    if others:
        low = np.maximum(low, totals - error.high[:, others].sum(axis=1))
        high = np.minimum(high, totals - error.low[:, others].sum(axis=1))
        turned = totals - error.centre[:, others].sum(axis=1)
        centre, sd = _pooled(centre, sd, turned, np.sqrt((error.sd[:, others] ** 2).sum(axis=1)))
    _refuse_contradiction(block, low, high)
    sharp = ~(sd != 0)
    middle = (low + np.minimum(high, totals)) / 2
    return low, np.minimum(high, totals), np.where(sharp | np.isnan(centre), middle, centre), sd


def _own(block: Block, error: AnswerError, value: str, middle: Vector, pooled: Vector) -> RowReading:
    """What the rows of a value say without those of the others; intervals stay as they are."""
    if value not in block.values:
        return RowReading(middle, np.where(pooled == 0, 0.0, np.inf))
    column = block.values.index(value)
    centre, sd = error.centre[:, column], error.sd[:, column]
    hidden = np.isnan(centre) | (sd == 0)
    return RowReading(np.where(hidden, middle, centre), np.where(hidden, 0.0, sd))


def _pooled(a: Vector, sd_a: Vector, b: Vector, sd_b: Vector) -> tuple[Vector, Vector]:
    """Two readings of one count as one: weights by precision; where one is missing, the other."""
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = np.where(sd_a + sd_b > 0, sd_b**2 / (sd_a**2 + sd_b**2), 0.5)
        both = weight * a + (1 - weight) * b
        sd = np.where(sd_a + sd_b > 0, np.sqrt(1 / (1 / sd_a**2 + 1 / sd_b**2)), sd_a)
    no_a, no_b = np.isnan(a), np.isnan(b)
    centre = np.where(no_a, b, np.where(no_b, a, np.where(np.isnan(both), (a + b) / 2, both)))
    return centre, np.where(no_a, sd_b, np.where(no_b, sd_a, sd))


def _refuse_contradiction(block: Block, low: Vector, high: Vector) -> None:
    wrong = np.flatnonzero(low > high)
    if wrong.size:
        raise InputError(
            f"answer to {next(islice(block.statistic.labels(), int(wrong[0]), None))!r}",
            "must fit the public number of people in it and the stated mechanism",
            f"{wrong.size} answers that do not",
            "Check that the list of people is the one that was counted, and the mechanism.",
        )
