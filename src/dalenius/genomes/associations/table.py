"""The lines of a file of summary statistics: which were estimated, of which variants, with which effect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.genomes.associations.layout import StudyColumns
from dalenius.genomes.variants import FEW_BAD, UNNAMED, Text, Variants
from dalenius.matrices.answers import Vector

ADDITIVE = frozenset({"ADD", "ALLELIC", ""})
"""Tests of one allele's effect: files with covariates have a line for each of those as well."""

LARGEST = 20.0
"""Log odds ratios beyond this are no estimates: a group without one of the alleles."""


@dataclass(frozen=True)
class StudyTable:
    """The lines of a file of summary statistics, and where its columns are."""

    path: Path
    columns: StudyColumns
    body: list[list[str]]

    def text(self, key: str) -> Text:
        """Return a column as text, empty where nothing stands."""
        if key not in self.columns:
            return np.full(len(self.body), "", dtype=np.str_)
        at = self.columns.where[key]
        return np.array(
            ["" if row[at] in UNNAMED or row[at] == "#NA" else row[at] for row in self.body], np.str_
        )

    def numbers(self, key: str) -> Vector | None:
        """Return a column of numbers, not a number where nothing was estimated; None if there is none."""
        if key not in self.columns:
            return None
        at = self.columns.where[key]
        try:
            return np.array(
                [np.nan if row[at] in ("NA", ".", "", "#NA") else float(row[at]) for row in self.body]
            )
        except ValueError:
            raise InputError(str(self.path), f"must have numbers in the column of {key}", "text") from None

    def keep(self, rows: NDArray[np.bool_]) -> StudyTable:
        """Keep these lines."""
        return replace(self, body=[self.body[i] for i in np.flatnonzero(rows)])


def usable(table: StudyTable) -> tuple[StudyTable, tuple[str, ...]]:
    """Keep the lines about one allele's effect that were estimated."""
    notes = []
    tests = np.char.upper(table.text("test"))
    wanted = np.isin(tests, list(ADDITIVE))
    if not wanted.any():
        raise InputError(
            str(table.path), "must have lines of the test ADD", f"{np.unique(tests).size:,} other tests",
            "Run the regression with an additive effect.",
        )  # fmt: skip
    if not wanted.all():
        notes.append(f"{int((~wanted).sum()):,} lines about covariates and other tests were left out.")
        table = table.keep(wanted)
    failed = table.text("failed") != ""
    effect = log_odds(table)
    gone = failed if effect is None else failed | np.isnan(effect)
    error = table.numbers("error")
    if error is not None:
        _refuse_errors(table.path, error[~gone])
        gone = gone | ~np.isfinite(error) | (error <= 0)
    if gone.all():
        raise InputError(str(table.path), "must have variants that were estimated", "none")
    if gone.any():
        notes.append(f"{int(gone.sum()):,} of {gone.size:,} variants were dropped, that were not estimated.")
        table = table.keep(~gone)
    return table, tuple(notes)


def _refuse_errors(path: Path, error: Vector) -> None:
    bad = ~np.isfinite(error) | (error <= 0)
    if bad.sum() > FEW_BAD * max(error.size, 1):
        raise InputError(
            str(path),
            "must have standard errors that are numbers above 0",
            f"{int(bad.sum()):,} of {error.size:,} that are not, the first {error[bad][0]:g}",
            "Leave out variants that were not estimated.",
        )


def log_odds(table: StudyTable) -> Vector | None:
    """Return log odds ratios, not a number where there is no estimate."""
    odds, beta = table.numbers("odds"), table.numbers("beta")
    if odds is not None:
        bad = ~(odds > 0) | np.isinf(odds)
        unwell = bad & ~np.isnan(odds)
        if unwell.sum() > FEW_BAD * odds.size:
            raise InputError(
                str(table.path), "must have odds ratios above 0",
                f"{int(unwell.sum()):,} of {odds.size:,} that are not, the first {odds[unwell][0]:g}",
                "If they are logarithms, call the column BETA.",
            )  # fmt: skip
        return np.log(np.where(bad, np.nan, odds))
    if beta is None:
        return None
    return np.where(np.abs(beta) < LARGEST, beta, np.nan)


def variants_of(table: StudyTable) -> Variants:
    """Say which variants the lines are about; the effect must be of a named allele."""
    if "counted" not in table.columns:
        raise InputError(
            str(table.path), "must name the allele of each effect", "no column of alleles", "Call it A1."
        )
    if not {"id", "place"} & set(table.columns.where):
        raise InputError(str(table.path), "must have ids or places of variants", "neither")
    counted, other = np.char.upper(table.text("counted")), np.char.upper(table.text("other"))
    unnamed = int((counted == "").sum())
    if unnamed > FEW_BAD * counted.size:
        raise InputError(
            str(table.path), "must name the allele of each effect", f"{unnamed:,} variants without one"
        )
    if "omitted" in table.columns:
        other = np.char.upper(table.text("omitted"))
    elif "ref" in table.columns and "alt" in table.columns:
        ref, alt = np.char.upper(table.text("ref")), np.char.upper(table.text("alt"))
        other = np.where(counted == alt, ref, alt)
    places = table.numbers("place")
    where = np.zeros(counted.size, np.int64)
    if places is not None:
        if not (np.abs(np.nan_to_num(places)) < 2**53).all():
            raise InputError(str(table.path), "must have whole numbers in the column of place", "others")
        where = np.nan_to_num(places).astype(np.int64)
    return Variants(table.text("id"), table.text("chromosome"), where, counted, other)


def fractions(table: StudyTable, key: str) -> Vector | None:
    """Return a column of frequencies, refusing what is none."""
    found = table.numbers(key)
    if found is None:
        return None
    outside = (found < 0) | (found > 1)
    if outside.any():
        raise InputError(
            str(table.path), "must have frequencies in 0 .. 1",
            f"{int(outside.sum()):,} outside, such as {found[outside][0]:g}",
        )  # fmt: skip
    return found
