"""Noise for printed tables that are not out yet: their files written again with noisy cells and new totals.

Each person is counted in a number of cells that the labels alone tell, so normal noise on every cell has a
promise that is worked out from the files. Totals are added up from the noisy cells where they can be, which
costs nothing; others get noise of their own, and are paid for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.planned import SIZES, size_for
from dalenius.auditing.changes.proposals import ToChange
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.findings.report import Price
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.base import plain
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import Column
from dalenius.printed.files import read_printed
from dalenius.printed.noise import (
    NoisyTable,
    noisy_table,
    not_sums,
    number_elsewhere,
    numbers_with,
    sensitivity_of_tables,
)
from dalenius.printed.rewrite import Place, Rewritten, rewrite_places
from dalenius.printed.tables import Said
from dalenius.random import stream
from dalenius.reconstruction.of_plan.tables import best_reading, rosters_for
from dalenius.reconstruction.opened import SecretsOpened
from dalenius.release.publish import noise_stream

WHOLE = "rounding:digits=0"
"""After the noise: people are printed as whole numbers, which takes nothing from its promise."""

ADDED_UP = (
    "Totals are added up anew from the noisy numbers; two tables can give two totals of the same people."
)
OWN_MARGINS = (
    "Margins are no sums of the cells beside them: they have noise of their own, so rows do not add up."
)
WORLD = "The files that are left behind have other draws of this noise, by OpenDP."

NO_SUMS = (
    "noise: totals of the printed tables are not the sums of the numbers they stand for, or a table has "
    "millions of combinations of labels: in how many numbers one person is counted cannot be worked out."
)
ELSEWHERE = (
    "noise: {place} has a number that stands outside the tables and would stay as it is, so noise in the "
    "tables promises nothing. Take it out, or write it in words if it is none about the people."
)

Draw = Callable[[Sequence[float]], Sequence[float]]
"""From counts to counts with noise."""


@dataclass(frozen=True)
class PrintedFile:
    """A file that is written again: where it is, what the copy is called, and its tables."""

    path: Path
    name: str
    tables: tuple[NoisyTable, ...]


@dataclass(frozen=True)
class NoisyFiles:
    """The files of some releases, and where noise is drawn in them.

    Parameters
    ----------
    asked, opened
        What is asked, and the people behind it.
    files
        The files of each release, by its name.
    columns
        The public columns as the labels of each release write them.
    summed
        Whether the margins of each release are added up from its cells.
    """

    asked: ToChange
    opened: SecretsOpened
    files: Mapping[str, Sequence[PrintedFile]]
    columns: Mapping[str, Sequence[Column]]
    summed: Mapping[str, bool]

    @staticmethod
    def of(
        asked: ToChange, opened: SecretsOpened, releases: Mapping[str, tuple[TablesPlan, Sequence[str]]]
    ) -> NoisyFiles | str:
        """Read the files of releases with the names of their copies; or say why no noise is drawn in them."""
        files: dict[str, Sequence[PrintedFile]] = {}
        columns: dict[str, Sequence[Column]] = {}
        summed: dict[str, bool] = {}
        secret = opened.people.schema.secret
        for each, names in releases.values():
            listed = rosters_for(each, opened.people, opened.roster)
            roster, _ = best_reading(each, listed, secret, Said(numbers=each.numbers))
            columns[each.name] = roster.attributes.columns
            for path in each.tables:
                if (place := number_elsewhere(path, columns[each.name], secret.name)) is not None:
                    return ELSEWHERE.format(place=place)
            for own in (True, False):
                found = _read(each, columns[each.name], secret, names, summed=own)
                if found is not None:
                    files[each.name], summed[each.name] = found, own
                    break
            else:
                return NO_SUMS
        return NoisyFiles(asked, opened, files, columns, summed)

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one record that is replaced moves all noisy numbers together."""
        tables = (table for files in self.files.values() for each in files for table in each.tables)
        return sensitivity_of_tables(tables)

    def noisy(self) -> list[Candidate]:
        """Propose noise from little to much."""
        return [self.candidate(size) for size in SIZES]

    def promised(self, rho: float) -> Candidate:
        """Propose noise of the size that promises so much."""
        return self.candidate(size_for(self.sensitivity.l2_squared, rho))

    def candidate(self, size: float) -> Candidate:
        """Propose noise of one size; the draws of all sizes are the same."""
        square, shown = self.sensitivity.l2_squared, plain(size)
        folder = self._folder(f"noise-{shown}")
        made = self._write(folder, self._seeded(size, "noise"))
        errors = np.array(made.errors)
        tables = sum(len(each.tables) for files in self.files.values() for each in files)
        summed = all(self.summed.values())
        return Candidate(
            "noise",
            f"noise in the files, standard deviation {shown} (rho {square / (2 * size * size):.2g})",
            self.asked.called,
            self._plan(folder, size),
            draws=True,
            note=f"{ADDED_UP if summed else OWN_MARGINS} {WORLD}",
            files={each.name: folder / each.name for files in self.files.values() for each in files},
            price=Price(
                hidden=0.0,
                mean_error=float(errors.mean()),
                worst_error=float(errors.max()),
                lost=0,
                adds_up=summed and tables == 1,
            ),
            again=lambda draw: self._again(size, draw),
            world=lambda: self._for_the_world(size),
        )

    def _again(self, size: float, draw: int) -> Plan:
        """The same noise, drawn anew."""
        folder = self._folder(f"again-{plain(size)}-{draw}")
        self._write(folder, self._seeded(size, "fresh", draw))
        return self._plan(folder, size)

    def _for_the_world(self, size: float) -> dict[str, bytes]:
        """The files with noise that nobody can draw again."""
        from dalenius.mechanisms.stages.opendp import draw_with_opendp

        noise = parse_mechanism(f"gaussian:sigma={plain(size)}")

        def draw(counts: Sequence[float]) -> Sequence[float]:
            column = np.array(counts)[:, None]
            made: list[float] = draw_with_opendp(noise, _counts(column, self.sensitivity))[:, 0].tolist()
            return made

        folder = self._folder(f"world-{plain(size)}")
        self._write(folder, draw)
        return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}

    def _seeded(self, size: float, *named: str | int) -> Draw:
        """Draw as an audit does: from the seed and everybody's secret."""
        noise = parse_mechanism(f"gaussian:sigma={plain(size)}")
        rng = noise_stream(self.opened.people, noise, stream(self.asked.plan.seed, "remedy", "print", *named))

        def draw(counts: Sequence[float]) -> Sequence[float]:
            column = np.array(counts)[:, None]
            made: list[float] = noise.protect(_counts(column, self.sensitivity), rng=rng)[:, 0].tolist()
            return made

        return draw

    def _write(self, folder: Path, draw: Draw) -> Rewritten:
        """Write all files; every table gets noise of its own."""
        secret, total = self.opened.people.schema.secret.name, Rewritten((), 0)
        for name, files in self.files.items():
            for each in files:
                numbers = {
                    (table.name, *at): number
                    for table in each.tables
                    for at, number in numbers_with(table, draw).items()
                }
                made = _written(each.path, folder / each.name, self.columns[name], secret, numbers)
                total += made or Rewritten((), 0)
        return total

    def _plan(self, folder: Path, size: float) -> Plan:
        """The plan that leads to the files and says what was done."""
        mechanism = f"gaussian:sigma={plain(size)} | {WHOLE}"
        new: dict[str, dict[str, Any]] = {}
        for name, files in self.files.items():
            margins = "none" if self.summed[name] else mechanism
            new[name] = {"tables": [folder / each.name for each in files], "mechanism": mechanism}
            new[name]["margins"] = margins
        return self.asked.with_releases(new)

    def _folder(self, name: str) -> Path:
        folder = self.asked.folder / f"printed-{name}"
        folder.mkdir(exist_ok=True)
        return folder


def _written(
    path: Path, out: Path, columns: Sequence[Column], secret: str, numbers: Mapping[Place, int]
) -> Rewritten | None:
    # every cell is marked: one that is not would show that its noise is 0
    return rewrite_places(path, out, columns, secret, lambda place, _: numbers[place], mark_all=True)


def _read(
    release: TablesPlan, columns: Sequence[Column], secret: Column, names: Sequence[str], *, summed: bool
) -> list[PrintedFile] | None:
    files = []
    for path, name in zip(release.tables, names, strict=True):
        tables = []
        for printed in read_printed(path, columns, secret=secret.name):
            found = noisy_table(printed, columns, secret.levels, summed=summed)
            if found is None or not_sums(found):
                return None
            tables.append(found)
        files.append(PrintedFile(path, name, tuple(tables)))
    return files


def _counts(column: Any, sensitivity: Sensitivity) -> Counts:
    return Counts(column, np.arange(len(column)), sensitivity)
