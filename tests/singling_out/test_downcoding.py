"""Labels of hierarchies and blanks in released rows: finer tables that fit, and k with blanks as anything."""

from __future__ import annotations

import csv

import numpy as np
import pyarrow as pa
import pytest

from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.people.rows.rows import Rows
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.rows.rows import single_out_rows
from dalenius.singling_out.rows.settings import Recoding, RowsSettings
from dalenius.singling_out.rows.to_finding import finding_of_rows


def test_downcoding_counts_finer_records_that_fit():
    """Local recoding to the least common label, k = 2: every finer record is right, though cells overlap."""
    leaves = [f"{a}{b}" for a in "xy" for b in "uv"]
    tree = Hierarchy({leaf: (leaf, leaf[0], "*") for leaf in leaves})
    rng = np.random.default_rng(3)
    values = rng.choice(leaves, 300)
    labels = []
    for one, two in zip(values[::2].tolist(), values[1::2].tolist(), strict=True):
        labels += [one if one == two else one[0] if one[0] == two[0] else "*"] * 2
    ages = np.repeat(np.arange(150), 2)
    original = Rows.of_table(pa.table({"a": values.astype(object), "age": ages}))
    released = Rows.of_table(
        pa.table({"a": labels, "age": [f"{max(0, a - 1)}-{a + 1}" for a in ages.tolist()]})
    )
    made = single_out_rows(
        released,
        ["a", "age"],
        original=original,
        how=RowsSettings(recoding=Recoding(hierarchies={"a": tree})),
    )
    assert made.refined > 100
    assert made.refined_right == made.refined


def test_k_counts_suppressed_cells_as_anything():
    """Nobody is alone: a blank may be either value. And where single rows are alone, that is said."""
    people = Rows.of_table(pa.table({"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"]}))
    released = Rows.of_table(pa.table({"a": ["x", "x", "y", "y"], "b": ["u", None, None, None]}))
    made = single_out_rows(released, ["a", "b"], original=people)
    assert (made.k, made.compatible) == (1, 2)
    said = " ".join(finding_of_rows(made, "released.csv").notes)
    assert "nobody is among fewer than 2 rows (k = 2)" in said
    assert "not k-anonymous" not in said
    alone = single_out_rows(people, ["a", "b"], original=people)
    assert "not k-anonymous for any k above 1" in " ".join(finding_of_rows(alone, "released.csv").notes)


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("children", ["uv", "uvw"])
def test_downcoding_of_any_class_writes_a_finer_table_that_is_right(k, children):
    """Local recoding to the least common label: a record without each child, as many as there are rows."""
    leaves = [f"{a}{b}" for a in "xyz"[: len(children)] for b in children]
    tree = Hierarchy({leaf: (leaf, leaf[0], "*") for leaf in leaves})
    rng = np.random.default_rng(k)
    values = rng.choice(leaves, 60 * k)
    values[: 30 * k] = np.repeat(
        [leaf[0] for leaf in values[: 30 * k : k]], k
    )  # half of the groups have one top
    values[: 30 * k] = [
        top + child for top, child in zip(values, rng.choice([*children], 30 * k), strict=False)
    ]
    labels = []
    for group in values.reshape(-1, k).tolist():
        tops = {leaf[0] for leaf in group}
        labels += [group[0] if len({*group}) == 1 else group[0][0] if len(tops) == 1 else "*"] * k
    room = np.repeat([f"room {i}" for i in range(60)], k)
    original = Rows.of_table(pa.table({"a": values.astype(object), "room": room.astype(object)}))
    released = Rows.of_table(pa.table({"a": labels, "room": room.astype(object)}))
    made = single_out_rows(
        released,
        ["a", "room"],
        original=original,
        how=RowsSettings(recoding=Recoding(hierarchies={"a": tree})),
    )
    wide = sum(label in ("*", "x", "y", "z") for label in labels) // k
    assert made.refined == made.refined_right == wide * min(k, len(children)) > 0
    finer = list(csv.reader(made.finer_csv().splitlines()))
    assert finer[0] == ["a", "room"]
    assert len(finer) == len(labels) + 1
    assert sum(cell.startswith("{") or cell in leaves for cell, _ in finer[1:]) >= made.refined
    again = find_classes(Rows.of_table(pa.table({"a": [a for a, _ in finer[1:]]})), ["a"])
    assert len(again) > 1  # it reads as a released table does
