"""What published rules say of people, as a file beside a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from dalenius.errors import InputError
from dalenius.statistics.classifiers.scores import ClassifierScores, Score

ID = "id"


def write_predictions(statistic: ClassifierScores, path: Path) -> None:
    """Write one row per person: ``id``, then one column per rule."""
    columns = [pa.array(statistic.ids.tolist(), pa.string()), *(pa.array(row) for row in statistic.values)]
    parquet.write_table(pa.Table.from_arrays(columns, [ID, *statistic.rules]), path)


def read_predictions(table: Any, described: dict[str, Any], path: Path) -> ClassifierScores:
    """Read scores back: which they are from the description, what the rules say from the table."""
    rules = tuple(str(name) for name in table.column_names[1:])
    if not rules or table.column_names[0] != ID:
        raise InputError(
            str(path), "must have a column id and one per rule", f"{len(table.column_names):,} other columns"
        )
    ids = np.asarray(table.column(0).to_pylist(), np.str_)
    values = np.stack([np.asarray(table.column(j + 1).to_numpy(), np.float64) for j in range(len(rules))])
    scores = tuple(Score(str(rule), str(kind)) for rule, kind in described["scores"])
    return ClassifierScores(ids, rules, values, scores)
