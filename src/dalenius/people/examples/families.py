"""Families and contacts of people who never were, to try on what relations give away.

A pedigree of several families that marry among each other now and then, so that it has loops; and a town
whose people live, work and go to school together. The same seed gives the same people.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.random import stream
from dalenius.shown import hides_people

Codes = NDArray[np.int64]

_CHILDREN = (0.12, 0.18, 0.36, 0.2, 0.1, 0.04)
"""How many children a couple has: none to five."""
_RELATED_MARRIAGES = 0.12
"""How often a spouse is from a family of the same pedigree."""
_UNMARRIED = 0.2
_HOME = (0.34, 0.3, 0.14, 0.15, 0.05, 0.02)
"""How many people live together: one to six."""


def family(people: int = 600, seed: int = 1) -> Any:
    """Return a pedigree as an Arrow table ``id, father, mother, sex``; founders have no parents.

    Couples of each generation have none to five children. Most spouses come from outside; some are children
    of another family of the pedigree, though never a sibling or a first cousin.

    Parameters
    ----------
    people
        How many, at least 10.
    seed
        Which.

    Examples
    --------
    >>> table = family(30)
    >>> table.num_rows, table.column_names
    (30, ['id', 'father', 'mother', 'sex'])
    """
    import pyarrow as pa

    if people < 10:
        raise InputError("people", "must be 10 or more", str(people))
    rng, kin = stream(seed, "example", "family", people), _Kin()
    generation = [kin.add(int(rng.integers(2))) for _ in range(max(4, people // 40))]
    while len(kin.sex) < people:
        # where everybody stayed without children, or there is room for one more only, somebody moves in
        generation = kin.next_generation(generation, people, rng) or [kin.add(int(rng.integers(2)))]
    names = [f"p{i + 1:0{len(str(people))}d}" for i in range(people)]

    def named(parents: list[int]) -> list[str | None]:
        return [None if parent < 0 else names[parent] for parent in parents[:people]]

    sexes = ["mf"[sex] for sex in kin.sex[:people]]
    columns = {"id": names, "father": named(kin.father), "mother": named(kin.mother), "sex": sexes}
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


@dataclass
class _Kin:
    """A pedigree while it grows: sex (0 male, 1 female) and parents by number."""

    sex: list[int] = field(default_factory=list)
    father: list[int] = field(default_factory=list)
    mother: list[int] = field(default_factory=list)

    def add(self, sex: int, father: int = -1, mother: int = -1) -> int:
        self.sex.append(sex)
        self.father.append(father)
        self.mother.append(mother)
        return len(self.sex) - 1

    def next_generation(self, generation: list[int], most: int, rng: np.random.Generator) -> list[int]:
        """Marry a generation, to one another where families allow it, else to outsiders; return the children.

        Outsiders without children are left out: they are related to nobody here.
        """
        free = [person for person in rng.permutation(generation).tolist() if rng.random() > _UNMARRIED]
        born: list[int] = []
        while free and len(self.sex) < most - 1:
            one, within = free.pop(), rng.random() < _RELATED_MARRIAGES
            children = int(rng.choice(len(_CHILDREN), p=_CHILDREN))
            spouse = next((p for p in free if within and self._may_marry(one, p)), None)
            if spouse is not None:
                free.remove(spouse)
            elif children:
                spouse = self.add(1 - self.sex[one])
            else:
                continue
            father, mother = (one, spouse) if self.sex[one] == 0 else (spouse, one)
            for _ in range(min(children, most - len(self.sex))):
                born.append(self.add(int(rng.integers(2)), father, mother))
        return born

    def _may_marry(self, one: int, other: int) -> bool:
        return self.sex[one] != self.sex[other] and not self._grandparents(one) & self._grandparents(other)

    def _grandparents(self, person: int) -> set[int]:
        parents = {self.father[person], self.mother[person]} - {-1}
        above = {side[parent] for parent in parents for side in (self.father, self.mother)} - {-1}
        return parents | above | {person}


@hides_people()
@dataclass(frozen=True)
class Contacts:
    """A town as Arrow tables.

    Parameters
    ----------
    people
        ``id``: everybody, also those without contacts.
    households
        ``id, household``: who lives together.
    edges
        ``a, b, type``: who works together, sits in one class, or is friends.
    """

    people: Any
    households: Any
    edges: Any


def contacts(people: int = 2000, seed: int = 1) -> Contacts:
    """Return who meets whom in a town.

    Households of one to six; adults work in teams of three to nine, of whom neighbours at work know each
    other; children sit in classes and have three friends there; everybody has a few friends anywhere.

    Parameters
    ----------
    people
        How many, at least 10.
    seed
        Which.

    Examples
    --------
    >>> town = contacts(300)
    >>> town.people.num_rows, town.households.num_rows, town.edges.column_names
    (300, 300, ['a', 'b', 'type'])
    """
    import pyarrow as pa

    if people < 10:
        raise InputError("people", "must be 10 or more", str(people))
    rng = stream(seed, "example", "contacts", people)
    names = np.array([f"c{i + 1:0{len(str(people))}d}" for i in range(people)])
    home, child = _homes(people, rng)
    adults = rng.permutation(np.flatnonzero(~child))
    working = adults[: int(0.75 * adults.size)]
    links = {
        "work": _chains(_groups(working, 3, 9, rng)),
        "school": _friends(_groups(np.flatnonzero(child), 18, 25, rng), 3, rng),
        "friend": rng.integers(people, size=(people * 3 // 4, 2)),
    }
    pairs = np.concatenate([own.reshape(-1, 2) for own in links.values()])
    kind = np.repeat(np.array(list(links)), [len(own.reshape(-1, 2)) for own in links.values()])
    ends = np.sort(pairs, axis=1)
    known = np.unique(ends[:, 0] * people + ends[:, 1], return_index=True)[1]
    kept = np.sort(known)
    kept = kept[(ends[kept, 0] != ends[kept, 1]) & (home[ends[kept, 0]] != home[ends[kept, 1]])]
    return Contacts(
        pa.table({"id": names}),
        pa.table({"id": names, "household": np.char.add("h", (home + 1).astype(np.str_))}),
        pa.table({"a": names[ends[kept, 0]], "b": names[ends[kept, 1]], "type": kind[kept]}),
    )


def _homes(people: int, rng: np.random.Generator) -> tuple[Codes, NDArray[np.bool_]]:
    """The household of each person, and who is a child: those beyond the second at home."""
    sizes = rng.choice(np.arange(1, len(_HOME) + 1), people, p=_HOME)
    home = np.repeat(np.arange(people), sizes)[:people]
    first = np.r_[True, home[1:] != home[:-1]]
    place = np.arange(people) - np.maximum.accumulate(np.where(first, np.arange(people), 0))
    return home, place >= 2


def _groups(people: Codes, least: int, most: int, rng: np.random.Generator) -> list[Codes]:
    """Cut a list of people into groups of so many."""
    ends = np.cumsum(rng.integers(least, most + 1, max(people.size // least, 1)))
    return [group for group in np.split(people, ends[ends < people.size]) if group.size > 1]


def _chains(groups: list[Codes]) -> Codes:
    """Everybody with the next two of their group."""
    pairs = [
        np.stack([group[:-gap], group[gap:]], axis=1)
        for group in groups
        for gap in (1, 2)
        if group.size > gap
    ]
    return np.concatenate(pairs) if pairs else np.empty((0, 2), np.int64)


def _friends(groups: list[Codes], each: int, rng: np.random.Generator) -> Codes:
    """Everybody with some others of their group, by chance."""
    pairs = [
        np.stack([np.repeat(group, each), rng.choice(group, each * group.size)], axis=1) for group in groups
    ]
    return np.concatenate(pairs) if pairs else np.empty((0, 2), np.int64)


def write_family(folder: Path, people: int = 600, seed: int = 1) -> Path:
    """Write `family` as ``family.csv``, as ``dalenius infer pedigree`` reads it; return the path."""
    return _write(folder, "family", family(people, seed))


def write_contacts(folder: Path, people: int = 2000, seed: int = 1) -> tuple[Path, Path, Path]:
    """Write `contacts` as ``people.csv``, ``households.csv`` and ``edges.csv``; return the paths."""
    town = contacts(people, seed)
    return (
        _write(folder, "people", town.people),
        _write(folder, "households", town.households),
        _write(folder, "edges", town.edges),
    )


def _write(folder: Path, name: str, table: Any) -> Path:
    from pyarrow import csv

    path = Path(folder) / f"{name}.csv"
    csv.write_csv(table, path, csv.WriteOptions(quoting_style="needed"))
    return path
