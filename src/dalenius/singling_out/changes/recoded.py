"""Rows made anew for a changed release: whole columns recoded, some left out; and what that costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.report import Price
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.mechanisms.anonymise.parse import parse_anonymiser
from dalenius.mechanisms.anonymise.released import AnonymisedRows, replace_cells
from dalenius.people.rows.columns import TextColumn
from dalenius.people.rows.rows import Rows


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
