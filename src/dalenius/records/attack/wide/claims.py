"""Claims from a domain that is too wide: ranked records of several searches, and nothing decided."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from dalenius.records.attack.certain.settle import RecordBounds
from dalenius.records.attack.ranked.copies import RankedCopies
from dalenius.records.attack.system import CellSystem
from dalenius.records.attack.units import Units
from dalenius.records.attack.wide.anneal import AnnealedPeople
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.grid import Whole
from dalenius.records.cells.release import PublishedRecords

Wide = tuple[RecordBounds, Whole, Units, RankedCopies]


def with_searches(bounds: RecordBounds, ranked: RankedCopies, found: AnnealedPeople) -> RankedCopies:
    """Give open records without a probability the share of searches that have them; certain ones stay."""
    number = {tuple(record): at for at, record in enumerate(bounds.system.records.tolist())}
    have = set(zip(ranked.record.tolist(), ranked.copy.tolist(), strict=True))
    more = [
        (number[record], copy, share)
        for (record, copy), share in zip(*found.copies(), strict=True)
        if record in number and copy <= bounds.hi[number[record]] and (number[record], copy) not in have
    ]
    record, copy, probability = (
        np.concatenate([own, np.array([each[at] for each in more], own.dtype)])
        for at, own in enumerate((ranked.record, ranked.copy, ranked.probability))
    )
    order = np.lexsort((copy, record, -probability))
    return replace(
        ranked,
        record=record[order],
        copy=copy[order],
        probability=probability[order],
        missed=min(found.missed),
        searches=len(found.people),
        lost=found.lost,
    )


def rank_wide(published: PublishedRecords, found: AnnealedPeople) -> Wide:
    """Bounds over the records seen, which say nothing, the people who miss least, and copies by frequency."""
    copies, share = found.copies()
    keys = sorted({record for record, _ in copies})
    number = {record: at for at, record in enumerate(keys)}
    records = np.array(keys, np.int32).reshape(len(keys), len(published.columns.names))
    lo = np.zeros(len(keys), np.int64)
    guess = np.bincount([number[tuple(each)] for each in found.best.tolist()], minlength=len(keys)).astype(
        np.int64
    )
    make: Any = sparse.csr_array  # its types know no whole numbers
    system = CellSystem(published.columns, records, make((0, len(keys)), dtype=np.int64), lo[:0], lo[:0], ())
    ranked = RankedCopies(
        np.array([number[record] for record, _ in copies], np.int64),
        np.array([copy for _, copy in copies], np.int64),
        share,
        0,
        missed=min(found.missed),
        searches=len(found.people),
        lost=found.lost,
    )
    unit = published.unit
    size = 1 if unit is None else published.columns.sizes[unit]
    of = np.zeros(len(keys), np.int64) if unit is None else records[:, unit].astype(np.int64)
    people = np.bincount(of, weights=guess, minlength=size).astype(np.int64)
    none, no = np.zeros(size, np.int64), np.zeros(size, np.bool_)
    units = Units(people, np.full(size, -1), none, none.copy(), people.copy(), no, no.copy())
    return RecordBounds(system, lo, np.full(len(keys), NO_LIMIT), ()), guess, units, ranked
