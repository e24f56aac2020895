"""Who descends from whom, and what of it cannot be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import breadth_first_order, connected_components

from dalenius.errors import InputError
from dalenius.knowledge.correlation.files.columns import Codes, Columns, line, listed
from dalenius.people.schema import Ids
from dalenius.shown import hides_people

_SEXES = {"m": 1, "male": 1, "1": 1, "f": 2, "female": 2, "2": 2, "": 0, "0": 0, "u": 0, "unknown": 0}


@hides_people()
@dataclass(frozen=True)
class Pedigree:
    """Who descends from whom.

    Parameters
    ----------
    ids
        The people.
    father, mother
        Their positions; -1 if not known.
    twins
        The number of each person's set of identical twins; -1 for others.
    """

    ids: Ids
    father: Codes
    mother: Codes
    twins: Codes

    def parents(self) -> Codes:
        """One row a known parent: the child and the parent."""
        rows = [np.stack([np.arange(self.ids.size), own], axis=1) for own in (self.father, self.mother)]
        both = np.concatenate(rows)
        return both[both[:, 1] >= 0]


def check_descent(columns: Columns, pedigree: Pedigree) -> None:
    """Refuse families that cannot be; lines are told, people only if asked for."""
    _check_roles(columns, pedigree)
    _check_cycles(columns.name, pedigree)
    _check_twins(columns.name, pedigree)


def _check_roles(columns: Columns, pedigree: Pedigree) -> None:
    """Father and mother are two people, of the sexes that the words say."""
    ids, father, mother = pedigree.ids, pedigree.father, pedigree.mother
    same = np.flatnonzero((father == mother) & (father >= 0))
    if same.size:
        got = f"the same person in {line(same[0])}{_more(same)}"
        who = listed(ids[same].tolist())
        raise InputError(f"{columns.name}: father and mother", "must be two people", got, value=who)
    is_father, is_mother = (np.isin(np.arange(ids.size), own) for own in (father, mother))
    both = np.flatnonzero(is_father & is_mother)
    if both.size:
        got = f"somebody as both, whose own line is {line(both[0])}{_more(both)}"
        who = listed(ids[both].tolist())
        raise InputError(f"{columns.name}: a parent", "must be a father or a mother", got, value=who)
    sex = _sexes(columns)
    wrong = np.flatnonzero((is_father & (sex == 2)) | (is_mother & (sex == 1)))
    if wrong.size:
        role, other = ("father", "female") if is_father[wrong[0]] else ("mother", "male")
        raise InputError(
            f"{columns.name}: column 'sex'",
            "must fit the role as a parent",
            f"a {role} who is {other} in {line(wrong[0])}{_more(wrong)}",
            value=listed(ids[wrong].tolist()),
        )


def _more(rows: NDArray[np.intp]) -> str:
    """How many lines there are besides the first."""
    return f" and {rows.size - 1:,} more" if rows.size > 1 else ""


def _sexes(columns: Columns) -> Codes:
    """1 male, 2 female, 0 not said."""
    if "sex" not in columns:
        return np.zeros(len(columns), np.int64)
    words, (cell,) = columns.labels("sex")
    strange = [str(word) for word in words if str(word).lower() not in _SEXES]
    if strange:
        at = np.flatnonzero(np.isin(cell, [i for i, word in enumerate(words) if str(word) in strange]))
        raise InputError(
            f"{columns.name}: column 'sex'",
            "must be m or f, or 1 or 2",
            f"another word in {line(at[0])}{_more(at)}",
            "Or leave it empty.",
            value=listed(strange),
        )
    return np.array([*(_SEXES[str(word).lower()] for word in words), 0], np.int64)[cell]


def _check_cycles(file: str, pedigree: Pedigree) -> None:
    """Nobody descends from themselves."""
    ids, (child, parent) = pedigree.ids, pedigree.parents().T
    own = np.flatnonzero(child == parent)
    if own.size:
        got = f"somebody as a parent of themselves in {line(child[own[0]])}{_more(own)}"
        who = listed(ids[child[own]].tolist())
        raise InputError(f"{file}: parents", "must be other people", got, value=who)
    n = ids.size
    upwards = coo_array((np.ones(child.size), (child, parent)), shape=(n, n)).tocsr()
    group = connected_components(upwards, connection="strong")[1]
    in_cycle = np.flatnonzero(np.bincount(group)[group] > 1)
    if not in_cycle.size:
        return
    start = int(in_cycle[0])
    before = breadth_first_order(upwards, start)[1]
    # back to the start: a child-parent step from somebody whom the search from the start has reached
    last = next(int(v) for v in child[parent == start] if group[v] == group[start])
    way = [start, last]
    while way[-1] != start:
        way.append(int(before[way[-1]]))
    names = " < ".join(str(ids[v]) for v in reversed(way))
    raise InputError(
        f"{file}: descent",
        "must have no cycle",
        f"one of {len(way) - 1:,} people, among them the one of {line(start)}",
        "Nobody can be their own ancestor.",
        value=f"{names}, where < means is a child of",
    )


def _check_twins(file: str, pedigree: Pedigree) -> None:
    """Twins have the same parents, and are two or more."""
    twins, is_twin = pedigree.twins, pedigree.twins >= 0
    if not is_twin.any():
        return
    sizes = np.bincount(twins[is_twin])
    alone = np.flatnonzero(is_twin)[sizes[twins[is_twin]] == 1]
    if alone.size:
        who = listed(pedigree.ids[alone].tolist())
        got = f"somebody alone in {line(alone[0])}{_more(alone)}"
        raise InputError(f"{file}: column 'twin'", "must name a twin twice", got, value=who)
    order = np.argsort(twins, kind="stable")
    pairs = np.stack([order[:-1], order[1:]], axis=1)
    pairs = pairs[(twins[pairs[:, 0]] == twins[pairs[:, 1]]) & is_twin[pairs[:, 0]]]
    for own in (pedigree.father, pedigree.mother):
        torn = np.flatnonzero(own[pairs[:, 0]] != own[pairs[:, 1]])
        if torn.size:
            pair = np.sort(pairs[torn[0]])
            got = f"other parents in {line(pair[0])} and {line(pair[1])}"
            who = listed(pedigree.ids[pair].tolist())
            raise InputError(f"{file}: twins", "must have the same parents", got, value=who)
