"""Files of summary statistics: the frequencies behind an association study, of its cases and its controls.

Read are PLINK 1.9 (``.assoc``, ``.assoc.fisher``, ``.assoc.logistic``, ``.assoc.linear``), PLINK 2
(``.glm.*``), GWAS-SSF and daner files, and tables whose columns have names like theirs. A study of a trait
that is measured has one group, everybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from dalenius.errors import InputError
from dalenius.genomes.associations.layout import StudyColumns, find_columns
from dalenius.genomes.associations.odds import (
    allelic,
    cases_from_controls,
    groups_from_everybody,
    groups_from_spread,
    spread_of,
)
from dalenius.genomes.associations.sizes import (
    CASES,
    CONTROLS,
    EVERYBODY,
    StudySizes,
    check_study,
    in_words,
    sizes_of,
)
from dalenius.genomes.associations.table import StudyTable, fractions, log_odds, usable, variants_of
from dalenius.genomes.frequencies import Frequencies, read_frequencies
from dalenius.genomes.printed_columns import header_of, rows_of
from dalenius.genomes.variants import name_variants
from dalenius.matrices.answers import Vector

UNSAID = StudySizes()


def read_groups(
    path: str | Path, said: StudySizes = UNSAID, *, noisy: bool = False
) -> dict[str, Frequencies]:
    """Read published frequencies by the group they are of, each group with the same variants.

    Parameters
    ----------
    path
        Summary statistics, or frequencies alone, see `read_frequencies`: those are of ``everybody``.
    said
        What is known about the study besides.
    noisy
        Noise is said to have been added: frequencies alone may lie outside 0 .. 1.

    Raises
    ------
    InputError
        If the file lacks alleles or numbers of people, or contradicts itself or what is said.
    """
    path = Path(path)
    columns = find_columns(header_of(path))
    if columns is None:
        if said.cases is not None or said.controls is not None:
            raise InputError(
                str(path), "must be of an association study, for --cases and --controls", "frequencies alone"
            )
        return {EVERYBODY: read_frequencies(path, noisy=noisy)}
    rows = rows_of(path)
    if len(rows) == 1:
        raise InputError(str(path), "must have at least one variant", "none")
    table, notes = usable(StudyTable(path, columns, rows[1:]))
    variants = variants_of(table)
    groups, sizes, told = _frequencies(table, said)
    whole = {
        name: Frequencies(variants, groups[name], np.rint(2 * sizes[name]).astype(np.int64))
        for name in groups
    }
    known = np.all([np.isfinite(f) for f in groups.values()], axis=0)
    named, kept, repeated = name_variants(str(path), variants.take(np.flatnonzero(known)))
    left = np.flatnonzero(known) if kept is None else np.flatnonzero(known)[kept]
    lost = int((~known).sum())
    if lost:
        told = (*told, f"{lost:,} of {known.size:,} variants were dropped, whose frequencies cannot be told.")
    if not left.size:
        raise InputError(str(path), "must have variants whose frequencies can be told", "none")
    all_notes = (*notes, *told, *repeated)
    return {name: replace(f.take(left), variants=named, notes=all_notes) for name, f in whole.items()}


def read_population(path: str | Path) -> Frequencies:
    """Read frequencies of people who stand for a population: of a study's controls, where it has cases."""
    groups = read_groups(path)
    return groups.get(CONTROLS) or groups[EVERYBODY]


def _frequencies(
    table: StudyTable, said: StudySizes
) -> tuple[Mapping[str, Vector], Mapping[str, Vector], tuple[str, ...]]:
    """Return frequencies and numbers of people by group, and how they were found."""
    columns, odds = table.columns, log_odds(table)
    study = columns.odds or said.cases is not None or said.controls is not None or "cases" in columns
    frequency = fractions(table, "frequency")
    sizes = sizes_of(table, said, study)
    if not study:
        if frequency is None:
            raise InputError(
                str(table.path), "must have a frequency for each variant", "effects alone",
                "Effects on a trait that is measured do not tell them; those of cases and controls do: "
                "give --cases and --controls.",
            )  # fmt: skip
        return {EVERYBODY: frequency}, sizes, ()
    both = sizes[CASES], sizes[CONTROLS]
    cases, controls = _printed(table, CASES, both[0]), _printed(table, CONTROLS, both[1])
    if cases is not None and controls is not None:
        how = "as the file prints them"
    elif odds is None:
        raise InputError(str(table.path), "must have odds ratios or frequencies of both groups", "neither")
    elif controls is not None or (frequency is not None and _of_controls(columns, said)):
        controls = frequency if controls is None else controls
        assert controls is not None  # noqa: S101  (the line before)
        cases, how = cases_from_controls(odds, controls), "the cases' from the controls' and the odds ratios"
        cases = cases_from_controls(_corrected(table, odds, (cases, controls), both), controls)
    elif frequency is not None:
        share = both[0] / (both[0] + both[1])
        first = groups_from_everybody(odds, frequency, share)
        cases, controls = groups_from_everybody(_corrected(table, odds, first, both), frequency, share)
        how = "from everybody's and the odds ratios"
    else:
        cases, controls, how = _from_errors(table, odds, both)
    check_study(table, odds, (cases, controls), both)
    note = f"Frequencies in {in_words(both[0])} cases and {in_words(both[1])} controls: {how}."
    return {CASES: cases, CONTROLS: controls}, sizes, (note,)


def _corrected(
    table: StudyTable, odds: Vector, groups: tuple[Vector, Vector], sizes: tuple[Vector, Vector]
) -> Vector:
    """Correct odds ratios by their standard errors, where there are any, see `allelic`."""
    error = table.numbers("error")
    return odds if error is None else allelic(odds, error, spread_of(*groups, sizes))


def _from_errors(table: StudyTable, odds: Vector, sizes: tuple[Vector, Vector]) -> tuple[Vector, Vector, str]:
    error = table.numbers("error")
    if error is None:
        raise InputError(
            str(table.path), "must have frequencies or standard errors beside odds ratios", "neither",
            "Frequencies cannot be told from odds ratios alone.",
        )  # fmt: skip
    cases, controls, beyond = groups_from_spread(odds, error, sizes)
    if beyond.mean() > 0.5:
        raise InputError(
            str(table.path),
            "must have standard errors that fit the numbers of people",
            f"{int(beyond.sum()):,} of {beyond.size:,} too small for any frequency",
            "Check --cases and --controls.",
        )
    return cases, controls, "from odds ratios and standard errors, the counted allele taken as the rarer one"


def _of_controls(columns: StudyColumns, said: StudySizes) -> bool:
    return columns.of_controls if said.frequencies_of == "auto" else said.frequencies_of == "controls"


def _printed(table: StudyTable, group: str, people: Vector) -> Vector | None:
    """Return the frequencies of a group as printed, from counts where those are."""
    counted, alleles = table.numbers(f"{group} counted"), table.numbers(f"{group} alleles")
    if counted is not None:
        total = 2 * people if alleles is None else alleles
        share = np.divide(counted, total, out=np.full(counted.shape, np.nan), where=total > 0)
        if (share > 1).any() or (share < 0).any():
            raise InputError(
                str(table.path), f"must count at most two alleles for each of the {group}",
                f"{int((share > 1).sum()):,} variants with more", f"Check --{group}.",
            )  # fmt: skip
        return np.asarray(share)
    return fractions(table, f"{group} frequency")
