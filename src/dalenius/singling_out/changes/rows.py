"""Changes of anonymised rows: coarser columns, starred rows, columns left out; made anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.proposals import Proposals, ToChange
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import DataPlan
from dalenius.auditing.plan_releases import AnonymisedPlan, open_data
from dalenius.errors import InputError, nearest
from dalenius.findings.report import ChangeKind, Price
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.mechanisms.anonymise.parse import parse_anonymiser
from dalenius.mechanisms.anonymise.released import AnonymisedRows, replace_cells
from dalenius.people.files.sheet import Sheet
from dalenius.people.rows.as_bytes import digest
from dalenius.people.rows.columns import TextColumn
from dalenius.people.rows.rows import Rows, distinct
from dalenius.people.sealed import SealedRows
from dalenius.random import sealed, stream
from dalenius.shown import several
from dalenius.singling_out.changes.instead import instead_of_rows
from dalenius.singling_out.rows.files import ColumnsApart, read_hierarchies, read_rows_files


@dataclass(frozen=True)
class Recode:
    """How rows are made anew.

    Parameters
    ----------
    columns
        The columns that are published.
    quasi
        Those of them that are recoded.
    k
        How many people must be alike in all of these; 1 leaves them as they are.
    suppress
        The share of rows whose cells may be starred instead of recoded further.
    """

    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    k: int = 1
    suppress: float = 0.0

    def of(self, original: Rows, hierarchies: Mapping[str, Hierarchy]) -> AnonymisedRows:
        """Make the rows, in the order of the original."""
        rows = original.select(self.columns)
        if self.k < 2:
            cells = [_as_text(rows, name) for name in self.quasi]
            return replace_cells(rows, cells, "exact")
        text = f"datafly:k={self.k}" + (f",suppress={self.suppress:g}" if self.suppress else "")
        given = {name: own for name, own in hierarchies.items() if name in self.quasi}
        return parse_anonymiser(text, given).recode(rows, list(self.quasi))


def _as_text(rows: Rows, name: str) -> TextColumn:
    column = rows.column(name)
    return column if isinstance(column, TextColumn) else column.as_text


def price_of(made: AnonymisedRows, original: Rows, planned: Sequence[str]) -> Price:
    """Say what readers of the rows lose.

    ``hidden`` is the share of starred cells; ``blurred`` the mean share of a column's values that a cell no
    longer tells apart, 1 for a column that is left out.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = Rows.of_table(pa.table({"age": [31, 34, 58, 52], "sex": ["f", "f", "m", "f"]}))
    >>> price_of(Recode(("age",), ("age",), 2).of(people, {}), people, ["age", "sex"]).lost
    1
    """
    kept = [name for name in planned if name in made.rows.names]
    stars, blurred = [], [1.0] * (len(planned) - len(kept))
    for name in kept:
        cells, values = _as_text(made.rows, name), _as_text(original, name)
        star = cells.levels.index("*") if "*" in cells.levels else -2
        stars.append(float((cells.codes == star).mean()))
        blurred.append(_blurred(cells.codes, values.codes))
    return Price(
        hidden=float(np.mean(stars)) if stars else 1.0,
        blurred=float(np.mean(blurred)) if blurred else 1.0,
        lost=len(planned) - len(kept),
    )


def _blurred(cells: NDArray[np.int32], values: NDArray[np.int32]) -> float:
    """The mean share of the other values that a cell stands for too."""
    different = np.unique(values).size
    if different < 2:
        return 0.0
    pairs = np.unique(np.stack([cells, values]), axis=1)
    labels, sizes = np.unique(pairs[0], return_counts=True)
    return float(((sizes[np.searchsorted(labels, cells)] - 1) / (different - 1)).mean())


KS = (5, 10, 20, 50, 100, 200)


SUPPRESSED = 0.05
"""The share of rows that may be starred rather than recoded further."""

LEFT_OUT_WITH = (1, 20)
"""Columns are left out of rows as they are, and of rows of which so many are alike."""

SHARE = 0.9
"""Of the people, on whom a change is tried again."""

NO_PROMISE = "A promise for the rows themselves: rows have none, whatever k is."


NO_ROWS = "The original rows and the released ones share no column: nothing can be made anew."


@dataclass(frozen=True)
class RowsChanges:
    """A release of rows that may be changed.

    Parameters
    ----------
    asked, release
        What is asked, and the release.
    sheet, original
        The original rows, as they were read and without what names people.
    columns, quasi
        What is published, and what of it was generalised.
    hierarchies
        How columns may be generalised, where the plan says so.
    """

    asked: ToChange
    release: AnonymisedPlan
    sheet: Sheet
    original: Rows
    columns: tuple[str, ...]
    quasi: tuple[str, ...]
    hierarchies: Mapping[str, Hierarchy]

    @staticmethod
    def of(asked: ToChange, release: AnonymisedPlan) -> RowsChanges:
        """Open the original rows and look which of their columns are published."""
        plan, sheet = asked.plan, open_data(asked.plan)
        ids = [plan.columns.id] if plan.columns.id is not None else []
        files = read_rows_files(
            release.path,
            release.quasi,
            original=sheet,
            apart=ColumnsApart(plan.columns.ignored, ids, release.count),
        )
        original = files.original
        if original is None or isinstance(original, SealedRows):
            raise InputError("data", "must hold the original rows", "none")
        columns = tuple(name for name in files.released.names if name in original.names)
        quasi = tuple(name for name in release.quasi if name in columns)
        _check_keep(asked.keep, columns)
        hierarchies = read_hierarchies(release.hierarchies)
        return RowsChanges(asked, release, sheet, original, columns, quasi, hierarchies)

    def propose(self) -> Proposals:
        """Propose every kind of change; each is a file of rows of its own."""
        if not self.quasi:
            return Proposals(not_tried=(NO_ROWS,))
        by_kind: dict[ChangeKind, list[Candidate]] = {
            "hide": list(self._hidden()),
            "fewer": list(self._fewer()),
            "coarser": list(self._coarser()),
        }
        instead = instead_of_rows(self.asked, self.release, self.sheet, self.original, self.columns)
        return Proposals(by_kind, promise=instead.candidate, not_tried=(instead.why_not or NO_PROMISE,))

    def _coarser(self) -> Iterator[Candidate]:
        """Recode whole columns until so many people are alike; those published as they are stay, or join."""
        for k in self._ks:
            said = f"recode whole columns until at least {k} people are alike"
            yield from self._made("coarser", said, Recode(self.columns, self.quasi, k))
            if self.quasi != self.columns:
                also = f"{said}, in all columns"
                yield from self._made("coarser", also, Recode(self.columns, self.columns, k))

    def _hidden(self) -> Iterator[Candidate]:
        for k in self._ks:
            said = f"recode whole columns until {k} are alike, star up to {SUPPRESSED:.0%} of the rows"
            yield from self._made("hide", said, Recode(self.columns, self.quasi, k, SUPPRESSED))

    def _fewer(self) -> Iterator[Candidate]:
        """Leave out the most telling columns, with what is left as in the data or recoded."""
        may = [name for name in self._telling if name not in self.asked.keep]
        for number in range(1, len(may) + 1):
            gone = may[:number]
            columns = tuple(name for name in self.columns if name not in gone)
            quasi = tuple(name for name in self.quasi if name in columns)
            if not quasi:
                continue
            named = ", ".join(gone) if number <= 3 else several(number, "column")
            for k in (k for k in LEFT_OUT_WITH if k <= len(self.original)):
                how = f", recode the others until {k} are alike" if k > 1 else ", the others as in the data"
                yield from self._made("fewer", f"leave out {named}{how}", Recode(columns, quasi, k))

    @property
    def _ks(self) -> list[int]:
        return [k for k in KS if 2 * k <= len(self.original)]

    @property
    def _telling(self) -> list[str]:
        """The columns, those first without which fewest people are singled out."""
        finding = self.asked.finding
        why = None if finding is None else finding.explanation.why
        named = [] if why is None else [cause.name for cause in why.causes if cause.name in self.columns]
        if not named:  # columns of many values first
            values = {name: _different(self.original, name) for name in self.columns}
            named = sorted(self.columns, key=lambda name: -values[name])
        return named + [name for name in self.columns if name not in named]

    def _made(self, kind: ChangeKind, said: str, recode: Recode) -> Iterator[Candidate]:
        """Make the rows of a change, and write them where its plan leads to."""
        made = recode.of(self.original, self.hierarchies)
        called = f"{self.release.name}-remedied.csv"
        folder = self.asked.folder / f"{kind}-{len(list(self.asked.folder.iterdir()))}"
        folder.mkdir()
        path = _written(made, folder / called, self._stream("order"))
        yield Candidate(
            kind,
            said,
            self.release.name,
            self._plan(path, recode),
            files={called: path},
            price=price_of(made, self.original, self.columns),
            again=self._again(made, recode, folder),
        )

    def _plan(self, path: Path, recode: Recode, data: DataPlan | None = None) -> Plan:
        kept = {name: file for name, file in self.release.hierarchies.items() if name in recode.quasi}
        tight = self.release.tight
        new: dict[str, Any] = {"path": path, "quasi": list(recode.quasi), "dropped": False}
        new |= {"hierarchies": kept} if kept or self.release.hierarchies else {}
        new |= {} if self.release.count is None else {"count": None}  # one row per person
        new |= {} if tight is None else {"tight": [name for name in tight if name in recode.quasi]}
        plan = self.asked.with_releases({self.release.name: new})
        return plan if data is None else plan.model_copy(update={"data": data})

    def _again(self, made: AnonymisedRows, recode: Recode, folder: Path) -> Callable[[int], Plan]:
        """The same recoding on nine tenths of the people: they and their rows, written beside each other."""

        def on_others(draw: int) -> Plan:
            from pyarrow import parquet

            mixed = self._stream("again", draw).permutation(len(made))
            chosen = np.sort(mixed[: int(SHARE * len(made))])
            people, rows = folder / "people.parquet", folder / "rows.csv"
            parquet.write_table(self.sheet.typed().take(chosen), people)
            _written(made.take(chosen), rows, self._stream("order", draw))
            return self._plan(rows, recode, DataPlan(path=people))

        return on_others

    def _stream(self, *named: str | int) -> np.random.Generator:
        return stream(self.asked.plan.seed, "remedy", *named)


def _written(made: AnonymisedRows, path: Path, rng: np.random.Generator) -> Path:
    """Write rows in random order, which nobody can undo without them: their place would name people."""
    made.take(sealed(rng, digest(made.rows)).permutation(len(made))).write(path)
    return path


def _different(rows: Rows, name: str) -> int:
    return int(distinct(rows.select([name])).counts.size)


def _check_keep(keep: Sequence[str], columns: Sequence[str]) -> None:
    for name in keep:
        if name not in columns:
            raise InputError("keep", "must name columns of the rows", repr(name), nearest(name, columns))
