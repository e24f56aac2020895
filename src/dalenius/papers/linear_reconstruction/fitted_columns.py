"""Regressions of the secret on one public column each, attacked by least squares.

Every public column holds signs, so that all equations have one scale and least squares is the theorems'.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.tally import Tally
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Vector
from dalenius.papers.experiment import PromisedShare, Result, SimulatedRow
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.simulated import adversarial_errors
from dalenius.papers.simulated.people import (
    RANDOM,
    SECRET,
    UNANNOUNCED,
    Bits,
    attack,
    baseline,
    coins,
    once,
    people,
    refuse_above,
    repeat,
    wrong,
)
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.random import stream
from dalenius.release.release import Block, Release
from dalenius.statistics.estimates.regression import Regression
from dalenius.statistics.statistic import ESTIMATE

PARAMETERS = (
    Parameter("n", "number of people", 32, 16, 200, whole=True),
    Parameter("d", "number of columns, one fit each", 4, 32, 2000, whole=True, per_person=True),
    Parameter("c", "largest error of a coefficient, times sqrt(n)", 0.25, 0.0, 1e6),
)


@dataclass(frozen=True)
class LossBounds:
    """A model, the largest curvature of its loss, and the least gap between its two gradients."""

    model: str
    curvature: float
    gap: float


@dataclass(frozen=True, eq=False)
class FittedColumns:
    """People with columns of signs, one fit per column, and what is promised about them."""

    roster: Roster
    signs: NDArray[np.float64]
    sigma_min: float

    def mistakes(self, model: str, secret: Bits, errors: Vector, attacker: np.random.Generator) -> Tally:
        """Fit, publish with these errors, attack by least squares, count who is guessed wrong."""
        blocks = []
        for column, error in zip(self.roster.attributes.columns, errors, strict=True):
            fitted = Regression((column,), (column.name,), model, intercept=False)
            answer = fitted.compute(self.roster, secret.astype(np.float64)) + error
            blocks.append(Block(fitted, ESTIMATE, answer[:, None]))
        release = Release("simulated", SECRET, tuple(blocks), UNANNOUNCED)
        prior = np.full((len(self.roster), 2), 0.5)
        view = View(release, Knowledge(self.roster, prior))
        return wrong(attack(view, "least-squares", attacker), self.roster, secret)

    def promise(self, loss: LossBounds, h: float) -> PromisedShare:
        """What the theorem promises for these columns."""
        from dalenius.theory.reconstruction.regression import regression_wrong_bound

        d, n = self.signs.shape
        bound = regression_wrong_bound(
            [float(n)] * d, h, self.sigma_min, curvature=loss.curvature, gap=loss.gap
        )
        return PromisedShare(f"{loss.model}, any errors", min(1.0, bound / n))


def _fits(settings: Settings) -> FittedColumns:
    n, d = settings.whole("n"), settings.whole("d")
    if d < 2 * n:
        raise InputError("d", f"must be at least 2n = {2 * n}", str(d), "The theorem needs as many columns.")
    refuse_above("n x d x runs", n * d * settings.runs, 4e5, "Use a smaller --n, --d or --runs.")
    codes = stream(settings.seed, settings.id, "people").integers(0, 2, (n, d), np.int32)
    columns = tuple(Column(f"x{j}", Role.PUBLIC, Kind.BINARY, ("-1", "1")) for j in range(d))
    signs = 2.0 * codes.T - 1
    sigma_min = float(np.linalg.svd(signs, compute_uv=False)[-1])
    return FittedColumns(Roster("person", people(n).ids, CodedColumns(columns, codes)), signs, sigma_min)


def run_losses(settings: Settings, losses: tuple[LossBounds, LossBounds]) -> Result:
    """Fit every column by each loss, with every coefficient off by at most c / sqrt(n)."""
    from dalenius.theory.reconstruction.regression import coefficient_tolerance

    fits = _fits(settings)
    d, n = fits.signs.shape
    h = settings["c"] / math.sqrt(n)
    aimed = adversarial_errors.least_squares(fits.signs, 1.0)
    rows, promises, facts = [], [], [f"{d:,} fits of one column each, off by at most {h:.3g}."]
    for j, loss in enumerate(losses):
        promise = fits.promise(loss, h)
        promises.append(promise)
        tenth = coefficient_tolerance(
            [float(n)] * d, fits.sigma_min, n / 10, curvature=loss.curvature, gap=loss.gap
        )
        facts.append(f"{loss.model}: at most a tenth wrong while no coefficient is off by {tenth:.3g}.")
        facts += _further(n, d, loss, h)
        rows.append(_random_row(settings, fits, loss, promise, (j / 2, (j + 1) / 2)))
        name = f"{loss.model}, constructed errors"

        def constructed(
            world: np.random.Generator, attacker: np.random.Generator, loss: LossBounds = loss
        ) -> Tally:
            return fits.mistakes(loss.model, aimed.secret, h * np.sign(aimed.errors), attacker)

        rows.append(SimulatedRow(name, once(settings, name, constructed), promise, drawn=False))
    rows.append(baseline(settings, f"{RANDOM} {losses[0].model}", n))
    return Result(tuple(promises), tuple(rows), tuple(facts))


def _further(n: int, d: int, loss: LossBounds, h: float) -> Iterator[str]:
    """Say how far an equation is moved at most, and what independent errors should do."""
    from dalenius.theory.reconstruction.regression import coefficient_error_in_counts, single_column_accuracy

    moved = coefficient_error_in_counts(n, h, loss.curvature)
    yield f"{loss.model}: an error of {h:.3g} moves an equation about the secrets by {moved:.3g} at most."
    if h > 0 and loss.gap == 1:
        right = single_column_accuracy(n, d, h / math.sqrt(3), second_moment=1.0, curvature=loss.curvature)
        share = f"a share of {1 - right:.2g}"
        yield f"{loss.model}: independent errors this large should leave {share} wrong (normal law)."


def _random_row(
    settings: Settings,
    fits: FittedColumns,
    loss: LossBounds,
    promise: PromisedShare,
    done: tuple[float, float],
) -> SimulatedRow:
    d, n = fits.signs.shape
    h = settings["c"] / math.sqrt(n)

    def trial(world: np.random.Generator, attacker: np.random.Generator) -> Tally:
        secret = coins(n, world)
        errors: Vector = world.uniform(-h, h, (d,))
        return fits.mistakes(loss.model, secret, errors, attacker)

    name = f"{loss.model}, random errors in +-c/sqrt(n)"
    return SimulatedRow(name, repeat(settings, f"{RANDOM} {loss.model}", trial, done), promise)
