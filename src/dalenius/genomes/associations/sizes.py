"""Of how many people a study is: what its file says, what is said besides, and whether the two agree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dalenius.errors import InputError
from dalenius.genomes.associations.odds import spread_of
from dalenius.genomes.associations.table import StudyTable
from dalenius.matrices.answers import Vector

CASES, CONTROLS, EVERYBODY = "cases", "controls", "everybody"
Of = Literal["auto", "controls", "everybody"]

AGREE = 4.0
"""How many times the variance of log odds ratios may be off from what numbers and frequencies say."""

OPPOSITE = -0.3
"""A correlation of odds ratios with those of the frequencies below this says that alleles are mistaken."""

ENOUGH = 30
"""Variants from which numbers are held against each other."""


@dataclass(frozen=True)
class StudySizes:
    """What a person says about a study beside its file.

    Parameters
    ----------
    people, cases, controls
        How many there are; not given, what the file says.
    frequencies_of
        Whose frequencies the file prints, where it prints one a variant. ``auto``: the controls' in files of
        GWAS-SSF, as that standard has it, and everybody's in others.
    """

    people: int | None = None
    cases: int | None = None
    controls: int | None = None
    frequencies_of: Of = "auto"


def in_words(sizes: Vector) -> str:
    """Write the largest number of people."""
    return f"{int(np.nanmax(sizes)):,}"


def sizes_of(table: StudyTable, said: StudySizes, study: bool) -> Mapping[str, Vector]:
    """Return how many people each group has, variant by variant."""
    people = _column(table, "people", None, said.people)
    if not study:
        if people is None:
            raise InputError(str(table.path), "must say of how many people it is", "nothing", "Give --n.")
        return {EVERYBODY: _above(table, people, EVERYBODY)}
    columns = table.columns
    cases = _column(table, CASES, columns.cases, said.cases)
    controls = _column(table, CONTROLS, columns.controls, said.controls)
    if people is not None and cases is not None and controls is None:
        controls = people - cases
    if people is not None and controls is not None and cases is None:
        cases = people - controls
    if cases is None or controls is None:
        raise InputError(
            str(table.path),
            "must say of how many cases and controls it is",
            "nothing" if cases is controls else "one of the two",
            "Give --cases and --controls.",
        )
    if said.people is not None and np.nanmax(cases + controls) > said.people:
        together = in_words(cases + controls)
        raise InputError("--n", f"must be the {together} cases and controls together", f"{said.people:,}")
    return {CASES: _above(table, cases, CASES), CONTROLS: _above(table, controls, CONTROLS)}


def _column(table: StudyTable, key: str, header: int | None, told: int | None) -> Vector | None:
    """Return how many people of a kind the file counts, or else what is said; the two must agree."""
    alleles = table.numbers(f"{key} alleles")
    found = table.numbers(key) if alleles is None else alleles / 2
    if found is None and header is not None:
        found = np.full(len(table.body), float(header))
    if found is None:
        return None if told is None else np.full(len(table.body), float(told))
    most = float(np.nanmax(found, initial=0.0))
    # variants lack some people's genotypes, hardly half of them; the number in a header lacks nobody
    fits = told is None or (told == header if header is not None else told / 2 <= most <= told)
    if not fits:
        raise InputError(str(table.path), f"must be of the {told:,} {key} that are given", f"{most:,.0f}")
    return found


def _above(table: StudyTable, sizes: Vector, group: str) -> Vector:
    if not np.nanmax(sizes, initial=0) >= 1:
        raise InputError(str(table.path), f"must have {group}", f"{np.nanmax(sizes, initial=0):g} of them")
    return np.maximum(np.nan_to_num(sizes, nan=float(np.nanmedian(sizes))), 1.0)


def check_study(
    table: StudyTable, odds: Vector | None, groups: tuple[Vector, Vector], sizes: tuple[Vector, Vector]
) -> None:
    """Hold what a file prints against itself: numbers that fit no study would make a test of nothing."""
    use = np.all([(f > 0.01) & (f < 0.99) for f in groups], axis=0)
    if use.sum() < ENOUGH:
        return
    cases, controls = groups[0][use], groups[1][use]
    if odds is not None:
        implied, printed = np.log(cases / (1 - cases) * (1 - controls) / controls), odds[use]
        known = np.isfinite(printed)
        if known.sum() >= ENOUGH and implied[known].std() > 0 and printed[known].std() > 0:
            correlation = float(np.corrcoef(implied[known], printed[known])[0, 1])
            if correlation < OPPOSITE:
                raise InputError(
                    str(table.path),
                    "must have odds ratios of the allele whose frequencies stand beside them",
                    f"a correlation of {correlation:.2f} between the two",
                    "Cases and controls are exchanged, or the other allele is counted.",
                )
    error = table.numbers("error")
    if error is None:
        return
    implied = spread_of(cases, controls, (sizes[0][use], sizes[1][use]))
    ratio = float(np.nanmedian((error[use] / implied) ** 2))
    if not 1 / AGREE <= ratio <= AGREE:
        raise InputError(
            str(table.path),
            "must have standard errors of log odds ratios, of as many people as are said",
            f"variances {ratio:.2g} times those of {in_words(sizes[0])} cases, {in_words(sizes[1])} controls",
            "Check --cases, --controls and whose frequencies they are.",
        )
