"""How many records change with one person's value, if others are drawn to agree as far as they can.

Let the others be drawn given that a person is 0, and given that they are 1, by one coupling of both laws; D
is the number of records in which the two data sets differ, the person's own included. What a mechanism tells
about the person is then a mixture, over D, of what it tells about D records at once, whatever the coupling.

On a tree a child of somebody who differs differs with probability ``|P(1|1) - P(1|0)|``, and behind somebody
who does not, nobody does: D is the size of a cluster of percolation. In a small group with loops everybody is
coupled in turn, from the person outwards, as closely as those before allow. In other groups everybody's
record may change.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order
from scipy.special import expit

from dalenius.inference.attack.identical import merge_identical
from dalenius.knowledge.correlation.model import CorrelationModel, Floats
from dalenius.progress import Progress, silent

MOST = 256
"""Records counted one by one; more are counted together."""

SMALL = 8
"""People with loops among them whom all combinations of values are looked at for."""

MOST_PEOPLE = 100_000
"""People up to whom the law of D is worked out."""


@dataclass(frozen=True, eq=False)
class ChangedRecords:
    """The law of D for everybody.

    Parameters
    ----------
    law
        By person and number of records, from 0 on; the last column is the chance of more.
    group
        How many records of the person's group of linked people are in the data.
    by_group
        Of whom nothing is known but that: D is taken to be the whole group.
    """

    law: Floats
    group: NDArray[np.int64]
    by_group: NDArray[np.bool_]

    @property
    def mean_square(self) -> Floats:
        """E D^2, more records than were counted taken for the whole group."""
        counted = self.law[:, :-1] @ np.arange(self.law.shape[1] - 1.0) ** 2
        return np.asarray(counted + self.law[:, -1] * self.group.astype(np.float64) ** 2, np.float64)


def changed_records(
    model: CorrelationModel, present: NDArray[np.bool_], *, progress: Progress = silent
) -> ChangedRecords | None:
    """The law of D for everybody, of whom those ``present`` have a record; None of too many people.

    Examples
    --------
    >>> ids, link = np.array(["a", "b"]), np.array([[0, 1]])
    >>> pair = CorrelationModel("id", ids, link, np.arctanh([0.2]), np.zeros(2))
    >>> changed = changed_records(pair, np.ones(2, bool))
    >>> changed.law[0].round(6), changed.mean_square.round(6)
    (array([0. , 0.8, 0.2, 0. ]), array([1.6, 1.6]))
    """
    if len(model) > MOST_PEOPLE:
        return None
    merged = merge_identical(model)
    one = merged.model
    records = np.bincount(merged.group, present, minlength=len(one)).astype(np.int64)
    label = one.components()
    group = np.bincount(label, records).astype(np.int64)
    width = int(min(group.max(), MOST)) + 1
    law, by_group = np.zeros((len(one), width + 1)), np.zeros(len(one), np.bool_)
    seen: dict[bytes, Floats] = {}
    for done, (people, part) in enumerate(_groups(one, label)):
        progress(done / group.size, "what changes with one person's value")
        if len(part.edges) == people.size - 1:
            law[people] = _of_tree(part, records[people], width)
        elif people.size <= SMALL:
            key = (
                part.edges.tobytes()
                + part.coupling.tobytes()
                + part.field.tobytes()
                + records[people].tobytes()
            )
            if key not in seen:
                seen[key] = _of_small(part, records[people], width)
            law[people] = seen[key]
        else:
            by_group[people] = True
            law[people, min(int(group[label[people[0]]]), width)] = 1.0
    return ChangedRecords(law[merged.group], group[label][merged.group], by_group[merged.group])


def _groups(
    model: CorrelationModel, label: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.intp], CorrelationModel]]:
    order = np.argsort(label, kind="stable")
    place = np.empty(len(model), np.int64)
    starts = np.concatenate([[0], np.cumsum(np.bincount(label))])
    place[order] = np.arange(len(model)) - starts[label[order]]
    by_label = np.argsort(label[model.edges[:, 0]], kind="stable")
    cuts = np.searchsorted(label[model.edges[by_label, 0]], np.arange(starts.size))
    for at in range(starts.size - 1):
        people, links = order[starts[at] : starts[at + 1]], by_label[cuts[at] : cuts[at + 1]]
        yield (
            people,
            CorrelationModel(
                model.id_name,
                model.ids[people],
                place[model.edges[links]],
                model.coupling[links],
                model.field[people],
            ),
        )


class _Tree:
    """One tree, and what each person's side of a link says to the other: a field, and a law of D."""

    def __init__(self, part: CorrelationModel, records: NDArray[np.int64], width: int) -> None:
        self.near: list[list[tuple[int, float]]] = [[] for _ in records]
        for (a, b), J in zip(part.edges.tolist(), part.coupling.tolist(), strict=True):
            self.near[a].append((b, J))
            self.near[b].append((a, J))
        self.field, self.records, self.width = part.field, records, width
        self.said: dict[tuple[int, int], tuple[float, Floats]] = {}

    def order(self) -> list[tuple[int, int]]:
        """Everybody with the one before, from the first outwards."""
        found, waiting = [], deque([(0, -1)])
        while waiting:
            at, before = waiting.popleft()
            found.append((at, before))
            waiting.extend((next_, at) for next_, _ in self.near[at] if next_ != before)
        return found

    def own(self, at: int) -> Floats:
        """The law of a person's own record."""
        law = np.zeros(min(int(self.records[at]), self.width) + 1)
        law[-1] = 1.0
        return law

    def say(self, at: int, to: int, J: float, field: float, law: Floats) -> None:
        """Tell a neighbour what lies on this side, without the neighbour: (field, law of D)."""
        differs = abs(float(expit(2 * (field + J)) - expit(2 * (field - J))))
        law = differs * law
        law[0] += 1 - differs
        self.said[at, to] = (
            float(np.arctanh(np.clip(np.tanh(J) * np.tanh(field), -1 + 1e-15, 1 - 1e-15))),
            law,
        )

    def tell(self, at: int, to: int | None) -> Floats:
        """Hear everybody around; tell one of them, or everybody; return the law of D at this person."""
        heard = [(other, J, *self.said[other, at]) for other, J in self.near[at] if other != to]
        before = [self.own(at)]
        for _, _, _, law in heard:
            before.append(_with(before[-1], law, self.width))
        field = float(self.field[at]) + sum(each[2] for each in heard)
        if to is not None:
            self.say(at, to, dict(self.near[at])[to], field, before[-1])
            return before[-1]
        after = np.ones(1)
        for k in range(len(heard) - 1, -1, -1):
            other, J, said, law = heard[k]
            if (at, other) not in self.said:
                self.say(at, other, J, field - said, _with(before[k], after, self.width))
            after = _with(after, law, self.width)
        return before[-1]


def _of_tree(part: CorrelationModel, records: NDArray[np.int64], width: int) -> Floats:
    tree = _Tree(part, records, width)
    order = tree.order()
    for at, before in reversed(order[1:]):
        tree.tell(at, before)
    found = np.zeros((len(order), width + 1))
    for at, _ in order:
        law = tree.tell(at, None)
        found[at, : law.size] = law
    return found


def _with(one: Floats, other: Floats, width: int) -> Floats:
    """The law of a sum, all that is ``width`` or more together."""
    both = np.convolve(one, other)
    if both.size <= width:
        return both
    return np.append(both[:width], both[width:].sum())


def _of_small(part: CorrelationModel, records: NDArray[np.int64], width: int) -> Floats:
    n = len(part)
    spins = 1.0 - 2.0 * ((np.arange(1 << n)[:, None] >> np.arange(n)[::-1]) & 1)
    a, b = part.edges.T
    energy = (spins[:, a] * spins[:, b]) @ part.coupling + spins @ part.field
    mass = np.exp(energy - energy.max()).reshape((2,) * n)
    found = np.zeros((n, width + 1))
    values = (np.arange(1 << (n - 1))[:, None] >> np.arange(n - 1)[::-1]) & 1
    near = part.matrix(np.ones(len(part.edges)))
    for person in range(n):
        outwards = breadth_first_order(near, person, directed=False, return_predecessors=False)
        given = mass.transpose(outwards).reshape(2, -1)
        pair = _coupled(given / given.sum(axis=1, keepdims=True), n - 1)
        differ = (values[:, None, :] != values[None, :, :]) @ records[outwards[1:]] + records[person]
        found[person] = np.bincount(np.minimum(differ, width).ravel(), pair.ravel(), width + 1)
    return found


def _coupled(laws: Floats, people: int) -> Floats:
    """A coupling of two laws of some people's values: one after the other, each as closely as can be."""
    pair = np.ones((1, 1))
    for known in range(people):
        ones = []
        for law in laws:
            table = law.reshape(1 << known, 2, -1).sum(axis=2)
            total = table.sum(axis=1)
            ones.append(np.divide(table[:, 1], total, out=np.full(total.size, 0.5), where=total > 0))
        p, q = ones[0][:, None], ones[1][None, :]
        step = np.empty((1 << known, 2, 1 << known, 2))
        step[:, 1, :, 1] = pair * np.minimum(p, q)
        step[:, 0, :, 0] = pair * np.minimum(1 - p, 1 - q)
        step[:, 1, :, 0] = pair * np.maximum(p - q, 0)
        step[:, 0, :, 1] = pair * np.maximum(q - p, 0)
        pair = step.reshape(2 << known, 2 << known)
    return pair
