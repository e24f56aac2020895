"""Which levels a label stands for: the same label, a band of numbers, or what a file says lies within it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dalenius.errors import InputError
from dalenius.people.files.reading import read_text, split_rows
from dalenius.printed.dimensions import number_of
from dalenius.statistics.printed_cell import read_interval

Band = tuple[float, float]
"""From which whole number on, and up to which it no longer goes."""


@dataclass(frozen=True)
class Nesting:
    """Levels of one column and the coarser labels that hold them; ``coarser`` names those labels' columns."""

    column: str
    levels: tuple[str, ...]
    within: Mapping[str, tuple[str, ...]]
    coarser: tuple[str, ...] = ()


def read_nesting(path: Path) -> Nesting:
    r"""Read a file that says what lies within what: a column first, coarser ones after it, if there are any.

    Raises
    ------
    InputError
        If a level is listed twice, or a label is empty.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "n.csv").write_text("block,tract\n1001,10\n1002,10\n2001,20\n")
    ...     found = read_nesting(Path(place, "n.csv"))
    >>> found.column, found.coarser, found.within["10"]
    ('block', ('tract',), ('1001', '1002'))
    """
    rows = [row for row in split_rows(path, read_text(path), ",") if any(row)]
    if len(rows) < 2 or any(len(row) != len(rows[0]) or not all(row) for row in rows):
        raise InputError(
            str(path), "must have a column, coarser ones beside it if any, and no empty cell", "another"
        )
    levels = [row[0].strip() for row in rows[1:]]
    if len(set(levels)) != len(levels):
        raise InputError(str(path), "must list every level once", "one twice", "A level lies within one.")
    within: dict[str, tuple[str, ...]] = {}
    for row in rows[1:]:
        for label in dict.fromkeys(cell.strip() for cell in row[1:]):
            if label != row[0].strip():
                within[label] = (*within.get(label, ()), row[0].strip())
    names = [name.strip() for name in rows[0]]
    return Nesting(names[0], tuple(levels), within, tuple(names[1:]))


@dataclass(frozen=True)
class LabelsOf:
    """The labels of one column, table by table, and those that are only said beside the tables.

    ``numbers`` are the first and the last of a column in which each number is a level of its own.
    """

    column: str
    tables: Mapping[str, Sequence[str]]
    said: Sequence[str] = field(default=())
    numbers: tuple[int, int] | None = None


def find_levels(labels: LabelsOf, nesting: Nesting | None = None) -> dict[str, tuple[str, ...]]:
    """Return for every label the levels it stands for, the finest that the tables tell apart.

    Raises
    ------
    InputError
        If tables have different labels that are no bands of numbers, and no file says how they nest; or if
        labels of one table are bands that share people, and are no sums: names of places may look so.

    Examples
    --------
    >>> find_levels(LabelsOf("age", {"t1": ["0-9", "10-17", "18+"], "t2": ["under 18"]}))["under 18"]
    ('0-9', '10-17')
    """
    every = list(dict.fromkeys([*(label for own in labels.tables.values() for label in own), *labels.said]))
    if nesting is not None:
        return _nested(labels.column, every, nesting)
    bands = {label: band for label in every if (band := band_of(label)) is not None}
    if len(bands) == len(every):
        if labels.numbers is None:
            _check_bands(labels, bands)
        return _refined(bands, {label for own in labels.tables.values() for label in own}, labels.numbers)
    if labels.numbers is not None:
        raise InputError("--numbers", "must be of a column with numbers or bands as labels", labels.column)
    widest = max(labels.tables, key=lambda name: len(set(labels.tables[name])))
    known = set(labels.tables[widest])
    for name, own in labels.tables.items():
        if not set(own) <= known:
            raise InputError(
                f"column {labels.column!r}",
                "must have labels that nest",
                f"other labels in table {name} than in table {widest}",
                "Give --nesting FILE: the finest labels in its first column, what they lie within beside it.",
            )
    if not set(labels.said) <= known:
        raise InputError(
            f"column {labels.column!r}", "must have every level that --universe names", "another one"
        )
    return {label: (label,) for label in every}


def _nested(column: str, labels: Iterable[str], nesting: Nesting) -> dict[str, tuple[str, ...]]:
    own = set(nesting.levels)
    found: dict[str, tuple[str, ...]] = {level: (level,) for level in nesting.levels}
    for label in labels:
        if label not in own:
            if label not in nesting.within:
                raise InputError(
                    f"column {column!r}", "must have every label in the file of --nesting", "another one"
                )
            found[label] = nesting.within[label]
    return found


def band_of(label: str) -> Band | None:
    """The numbers that a label stands for; ``None`` where it is none.

    Examples
    --------
    >>> band_of("17"), band_of("65+"), band_of("other"), band_of("nan")
    ((17.0, 18.0), (65.0, inf), None, None)
    """
    number = number_of(label)
    if number is not None:
        whole = math.isfinite(number) and number == int(number)  # a column may be called nan
        return (number, number + 1) if whole else None
    ends = read_interval(label)
    return None if ends is None else (ends[0], ends[1] + 1)


def _check_bands(labels: LabelsOf, bands: Mapping[str, Band]) -> None:
    """Refuse labels of a table that would count people twice: blocks 101-1001 and 101-1002 are names."""
    for table, own in labels.tables.items():
        every = {label: (max(bands[label][0], 0.0), bands[label][1]) for label in own}
        for label, band in every.items():
            shared = [other for other in own if other != label and _overlap(band, every[other])]
            inside = [every[other] for other in shared if _lies_in(every[other], band)]
            around = [other for other in shared if _lies_in(band, every[other])]
            if len(inside) + len(around) < len(shared) or (inside and not _covers(inside, band)):
                raise InputError(
                    f"column {labels.column!r}",
                    "must have labels that are sums of others of their table, or share nobody with them",
                    f"{label!r} in table {table}, which read as numbers shares some with {shared[0]!r}",
                    "If they are names, say so by --geography, where they are places, or by --nesting FILE, "
                    "which lists them; it also says which bands lie within which.",
                )


def _overlap(one: Band, other: Band) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _lies_in(one: Band, other: Band) -> bool:
    return other[0] <= one[0] and one[1] <= other[1]


def _covers(parts: Iterable[Band], whole: Band) -> bool:
    """Whether bands together leave nothing of another one out."""
    reached = whole[0]
    for first, last in sorted(parts):
        if first > reached:
            return False
        reached = max(reached, last)
    return reached >= whole[1]


def _refined(
    bands: Mapping[str, Band], printed: set[str], numbers: tuple[int, int] | None = None
) -> dict[str, tuple[str, ...]]:
    """Cut bands of numbers at every end, so that each is made of whole parts; or at every number.

    Where no label speaks of numbers below 0, one that is open below begins at 0.
    """
    if numbers is not None:
        first, last = numbers
        return {str(number): (str(number),) for number in range(first, last + 1)} | {
            label: tuple(str(n) for n in range(first, last + 1) if band[0] <= n < band[1])
            for label, band in bands.items()
        }
    if all(band[0] >= 0 or (math.isinf(band[0]) and band[1] > 0) for band in bands.values()):
        bands = {label: (max(band[0], 0.0), band[1]) for label, band in bands.items()}
    cuts = sorted({end for band in bands.values() for end in band})
    atoms = [
        (first, last)
        for first, last in itertools.pairwise(cuts)
        if any(bands[label][0] <= first and last <= bands[label][1] for label in printed)
    ]
    names = {atom: _name(atom, bands) for atom in atoms}
    return {
        label: tuple(names[atom] for atom in atoms if band[0] <= atom[0] and atom[1] <= band[1])
        for label, band in bands.items()
    }


def _name(atom: Band, bands: Mapping[str, Band]) -> str:
    for label, band in bands.items():
        if band == atom:
            return label
    first, last = atom
    if math.isinf(first):
        return f"under {last:.0f}"
    if math.isinf(last):
        return f"{first:.0f}+"
    return f"{first:.0f}" if last == first + 1 else f"{first:.0f}-{last - 1:.0f}"
