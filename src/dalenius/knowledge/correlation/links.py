"""Links between people as files give them: who, of which type, with which agreement."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.correlation.files.columns import Codes, line, listed
from dalenius.people.schema import Ids
from dalenius.shown import hides_people, several

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


@hides_people()
@dataclass(frozen=True)
class Links:
    """Some people and the links among them.

    Parameters
    ----------
    ids
        The people.
    edges
        One row per link: the positions of its two people.
    agreement
        The probability that the two agree.
    types, kind
        The types there are, and the place of each link's among them; the type ``""`` is none.
    source
        The file.
    notes
        What its reader has to say.
    seen
        The row of the file in which each person is first named; None where that is not known.
    """

    ids: Ids
    edges: Pairs
    agreement: Floats
    types: tuple[str, ...]
    kind: Codes
    source: str
    notes: tuple[str, ...] = ()
    seen: Codes | None = None

    def keys(self) -> NDArray[np.int64]:
        """One number per pair of people, the same whoever is named first."""
        ends = np.sort(self.edges, axis=1)
        keys: NDArray[np.int64] = ends[:, 0] * self.ids.size + ends[:, 1]
        return keys

    def take(self, which: NDArray[np.bool_] | NDArray[np.intp]) -> Links:
        """Keep these links, and everybody."""
        return replace(self, edges=self.edges[which], agreement=self.agreement[which], kind=self.kind[which])

    def among(self, ids: Ids, whose: str) -> Links:
        """The same links among the people of a longer list, which must hold everybody here."""
        place = place_of(self.ids, ids)
        strange = np.flatnonzero(place < 0)
        if strange.size:
            where = "" if self.seen is None else f", first in {line(self.seen[strange].min())}"
            raise InputError(
                f"people of {self.source}",
                f"must be in {whose}",
                f"{several(strange.size, 'person', 'people')} not in it{where}",
                "Add them there, or correct the id.",
                value=listed(self.ids[strange].tolist()),
            )
        return replace(self, ids=ids, edges=place[self.edges], seen=None)

    def once(self) -> Links:
        """Keep one of several lines about the same two people; they must say the same agreement."""
        keys = self.keys()
        order = np.argsort(keys, kind="stable")
        repeats = keys[order[1:]] == keys[order[:-1]]
        if not repeats.any():
            return self
        other = repeats & (self.agreement[order[1:]] != self.agreement[order[:-1]])
        if other.any():
            at = sorted((int(order[1:][other][0]), int(order[:-1][other][0])))
            said = " and ".join(line(row) for row in at)
            more = f", and {int(other.sum()) - 1:,} more pairs like them" if other.sum() > 1 else ""
            raise InputError(
                f"{self.source}: a pair of people",
                "must have one agreement",
                f"two that differ in {said}{more}",
                "Keep the line that holds.",
                value=listed([str(self.ids[v]) for v in self.edges[at[0]]]),
            )
        again = several(int(repeats.sum()), "line")
        note = f"{self.source}: {again} about a pair named before, with the same agreement: kept once"
        kept = self.take(np.sort(np.r_[order[:1], order[1:][~repeats]]))
        return replace(kept, notes=(*self.notes, note))

    def beside(self, other: Links) -> Links:
        """These links, and those of ``other``, which must be among the same people, between other pairs."""
        fresh = ~np.isin(other.keys(), self.keys())
        lost = int((~fresh).sum())
        note = f"{other.source}: {several(lost, 'pair')} also in {self.source}, whose agreement is used"
        added = other.take(fresh)
        types = (*self.types, *(name for name in other.types if name not in self.types))
        renumbered = np.array([types.index(name) for name in other.types], np.int64)[added.kind]
        return Links(
            self.ids,
            np.concatenate([self.edges, added.edges]),
            np.r_[self.agreement, added.agreement],
            types,
            np.r_[self.kind, renumbered],
            f"{self.source}, {other.source}",
            (*self.notes, *other.notes, *((note,) if lost else ())),
        )


def place_of(ids: Ids, among: Ids) -> NDArray[np.int64]:
    """Where each id is in a list; -1 if it is not there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.index_in(pa.array(ids), value_set=pa.array(among))
    return np.asarray(found.fill_null(-1).to_numpy(zero_copy_only=False), np.int64)


def all_of(first: Ids, second: Ids) -> Ids:
    """Everybody of two lists, those only in the second last."""
    return np.concatenate([first, second[place_of(second, first) < 0]])
