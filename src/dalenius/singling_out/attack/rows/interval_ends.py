"""Attacks on cells that say what is in the class: intervals from the least value to the largest, full sets.

Somebody in the class has the least value. Where an interval's ends are values of rows (Mondrian with tight
boxes, interval buckets), each end is a condition that matches one row unless two share the value.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.boxes.axis import Leaves
from dalenius.conditions.leaves import Between, Equals, In
from dalenius.people.rows.columns import NumberColumn, number_text
from dalenius.release.rows.cells import Domain
from dalenius.release.rows.classes import Classes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, alone_given_some
from dalenius.singling_out.attack.rows.released_values import CANDIDATES


def tight_columns(classes: Classes) -> tuple[str, ...]:
    """Which columns look as if their intervals ended at values of rows.

    All intervals must hold both ends. Intervals of a hierarchy are disjoint or one inside the other, and
    leave the same gap between neighbours; regions that a tree of splits publishes share their ends with
    others, and none is a single value. What is neither ends at values.
    """
    return tuple(
        name for name, leaves in zip(classes.quasi, classes.boxes.leaves, strict=True) if _looks_tight(leaves)
    )


def _looks_tight(leaves: Leaves) -> bool:
    intervals = {leaf for leaf in leaves if isinstance(leaf, Between)}
    if len(intervals) < 2 or any(b.closed != "both" or b.low is None or b.high is None for b in intervals):
        return False
    ends = np.array(sorted((b.low, b.high) for b in intervals), np.float64)
    disjoint = bool((ends[1:, 0] > ends[:-1, 1]).all())
    if disjoint:
        gaps = ends[1:, 0] - ends[:-1, 1]
        return bool(np.ptp(gaps) > 1e-9 * max(1.0, float(np.abs(gaps).max())))
    starts, stops = np.unique(ends[:, 0]), np.unique(ends[:, 1])
    inner = stops[stops < stops[-1]]
    shared = np.isin(inner, starts).mean() if inner.size else 1.0
    single = any(isinstance(leaf, Equals) for leaf in leaves) or bool((ends[:, 0] == ends[:, 1]).any())
    return (single or bool(shared < 1)) and not _nested(ends)


def _nested(ends: NDArray[np.float64]) -> bool:
    """Whether any two intervals are disjoint or one inside the other: a hierarchy."""
    open_until: list[float] = []
    for low, high in sorted(ends.tolist(), key=lambda pair: (pair[0], -pair[1])):
        while open_until and open_until[-1] < low:
            open_until.pop()
        if open_until and high > open_until[-1]:
            return False
        open_until.append(high)
    return True


def endpoint_candidates(
    classes: Classes, columns: tuple[str, ...], known: ClassMembers | None
) -> Iterator[Candidates]:
    """Both ends of every interval of some columns."""
    by_ends = sorted(columns, key=lambda name: -len(classes.boxes.leaves[classes.quasi.index(name)]))
    affordable = max(1, CANDIDATES // (2 * len(classes)))
    for name in by_ends[:affordable]:
        j = classes.quasi.index(name)
        leaves = classes.boxes.leaves[j]
        for end in ("low", "high"):
            values = tuple(_end(leaf, end, classes.domains[j]) for leaf in leaves)
            usable = np.array([value is not None for value in values], np.bool_)
            which = np.flatnonzero(usable[classes.boxes.codes[:, j]])
            if not which.size:
                continue
            outer = classes.boxes.take(which)
            boxes = outer.narrow(name, values, outer.codes[:, j])
            yield Candidates(
                "interval end",
                which,
                boxes,
                np.ones(which.size, np.int64),
                alone_given_some(
                    classes.sizes[which],
                    np.zeros(which.size) if known is None else known.share(boxes, which),
                ),
                f"intervals of {name} go from the least to the largest value of the class",
            )


def _end(leaf: object, end: str, domain: Domain) -> Equals | None:
    """The end of an interval as a value of the column, if the interval has more than one value."""
    if not isinstance(leaf, Between) or leaf.closed != "both" or leaf.low == leaf.high:
        return None
    value = leaf.low if end == "low" else leaf.high
    if value is None:
        return None
    kind = domain.values.kind if isinstance(domain.values, NumberColumn) else "float"
    whole = kind == "float" and value == int(value)
    return Equals(leaf.column, number_text(value, "integer" if whole else kind))


def full_set_candidates(classes: Classes) -> Iterator[Candidates]:
    """Sets with as many values as the class has rows: each value is one row's."""
    for j, name in enumerate(classes.quasi):
        listed = [
            len(leaf.levels) if isinstance(leaf, In) and "," in text else 0
            for leaf, text in zip(classes.boxes.leaves[j], classes.texts[j], strict=True)
        ]
        codes = classes.boxes.codes[:, j]
        which = np.flatnonzero((np.array(listed)[codes] == classes.sizes) & (classes.sizes > 1))
        if not which.size:
            continue
        values = tuple(Equals(name, leaf.levels[0]) if isinstance(leaf, In) else None
                       for leaf in classes.boxes.leaves[j])  # fmt: skip
        boxes = classes.boxes.take(which).narrow(name, values, codes[which])
        ones = np.ones(which.size, np.int64)
        yield Candidates(
            "full set",
            which,
            boxes,
            ones,
            np.ones(which.size),
            f"sets of {name} list what is in the class",
        )
