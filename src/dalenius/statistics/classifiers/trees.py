"""Decision trees on public columns: printed by scikit-learn, fitted by it, or drawn at random."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest_column
from dalenius.matrices.answers import Vector
from dalenius.people.schema import Roster
from dalenius.statistics.printed_number import everyday, last_units

LEAF = -1

HALF = 0.5

MOST_DEEP = 500
"""Levels of a tree that are read: far more than any program prints."""

POSITIVE, NEGATIVE = ("1", "1.0", "yes", "true"), ("0", "0.0", "no", "false")


@dataclass(frozen=True)
class Tree:
    """A binary tree: whoever has ``feature <= threshold`` goes left.

    Parameters
    ----------
    features
        What is compared at each node; empty at a leaf. A public column, or one of its levels as
        ``column_level`` or ``column=level``.
    thresholds
        What it is compared with.
    left, right
        The next node; `LEAF` at a leaf.
    values
        At each leaf the probability of the secret, 0 or 1 where the tree prints only a class.
    within
        How far each true threshold may be from the printed one; not given, all are exact.
    """

    features: tuple[str, ...]
    thresholds: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    values: tuple[float, ...]
    within: tuple[float, ...] = ()

    def probability(self, roster: Roster) -> tuple[Vector, Vector]:
        """What the tree says of each person: the least and the most, as far as rounded thresholds tell.

        Examples
        --------
        >>> stump = Tree(("age", "", ""), (30.0, 0, 0), (1, -1, -1), (2, -1, -1), (0, 0.0, 1.0), (0.5, 0, 0))
        >>> from dalenius.people.schema import CodedColumns
        >>> from dalenius.people.schema import Column, Kind, Role
        >>> age = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("25", "30.2", "40"))
        >>> known = CodedColumns((age,), np.array([[0], [1], [2]], np.int32))
        >>> [x.tolist() for x in stump.probability(Roster("id", np.array(["a", "b", "c"]), known))]
        [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0]]
        """
        # scikit-learn compares numbers of single precision with thresholds of double precision
        names = {name for name in self.features if name}
        columns = {name: numbers_of(roster, name).astype(np.float32).astype(np.float64) for name in names}
        low, high = np.full(len(roster), np.inf), np.full(len(roster), -np.inf)
        here = np.zeros((len(self.features), len(roster)), np.bool_)
        here[0] = True
        for node, name in enumerate(self.features):  # children stand after their parents
            if name:
                within = self.within[node] if self.within else 0.0
                here[self.left[node]] |= here[node] & (columns[name] <= self.thresholds[node] + within)
                here[self.right[node]] |= here[node] & (columns[name] > self.thresholds[node] - within)
            else:
                low[here[node]] = np.minimum(low[here[node]], self.values[node])
                high[here[node]] = np.maximum(high[here[node]], self.values[node])
        return low, high

    def predict(self, roster: Roster) -> tuple[Vector, Vector]:
        """Return 1 for each person whom the tree holds more likely to have the secret than not.

        The least and the most, as in `probability`.
        """
        low, high = self.probability(roster)
        return (low > HALF).astype(np.float64), (high > HALF).astype(np.float64)


def numbers_of(roster: Roster, name: str) -> Vector:
    """Return a public column as numbers, or one of its levels as 0 and 1.

    Two levels that are not numbers count as 0 and 1 in their order.

    Raises
    ------
    InputError
        If there is no such column, or it has neither numbers nor two levels.
    """
    if name in roster.numbers:
        return roster.numbers[name]
    known = [column.name for column in roster.attributes.columns]
    if name not in known:
        return _indicator(roster, name)
    j = roster.attributes.position(name)
    column, codes = roster.attributes.columns[j], roster.attributes.codes[:, j]
    try:
        return np.array([float(level) for level in column.levels])[codes]
    except ValueError:
        if len(column.levels) == 2:
            return codes.astype(np.float64)
    raise InputError(
        f"column {name!r}",
        "must hold numbers, or two levels, to be compared in a tree",
        f"{len(column.levels):,} levels that are no numbers",
        "Give the tree's predictions as a file, or its columns as column_level.",
        value=column.levels[0],
    )


def _indicator(roster: Roster, name: str) -> Vector:
    for j, column in enumerate(roster.attributes.columns):
        for joint in ("_", "="):
            head = column.name + joint
            if name.startswith(head) and name.removeprefix(head) in column.levels:
                level = column.levels.index(name.removeprefix(head))
                return np.asarray(roster.attributes.codes[:, j] == level, np.float64)
    known = [column.name for column in roster.attributes.columns]
    raise InputError(
        "every feature of the tree",
        "must be a public column or one of its levels",
        "no such column",
        nearest_column(name, known) if known else "The list of people has no public columns.",
        value=name,
    )


_LINE = re.compile(r"^(?P<bars>(?:\|\s{3})*)\|--- (?P<rest>.*)$")
_SPLIT = re.compile(r"^(?P<feature>.+?) (?P<side><=|>) +(?P<threshold>[-+0-9.eE]+)$")
_CLASS = re.compile(r"^(?:weights: \[(?P<weights>[^]]*)\] )?class: (?P<label>.+)$")


def read_tree(source: Any, features: Sequence[str] = ()) -> Tree:
    """Read a tree that scikit-learn printed with ``export_text``, or a fitted ``DecisionTreeClassifier``.

    Parameters
    ----------
    source
        The printed text, or the fitted object (anything with its ``tree_`` and ``classes_``).
    features
        The names of the columns that a tree was fitted on without names: ``feature_0`` or position 0 first.

    Raises
    ------
    InputError
        If a line cannot be read, the tree was cut off, or its classes are not 0 and 1, no and yes, or false
        and true.

    Examples
    --------
    >>> tree = read_tree('''|--- age <= 30.50
    ... |   |--- class: 0
    ... |--- age >  30.50
    ... |   |--- class: 1
    ... ''')
    >>> tree.features, tree.values
    (('age', '', ''), (0.0, 0.0, 1.0))
    """
    if isinstance(source, str):
        return _Text(source, features).tree()
    return _fitted(source, features)


class _Text:
    """Reads the lines of ``export_text`` from the top: a node is its `<=` line, its subtree, its `>` line."""

    def __init__(self, text: str, features: Sequence[str]) -> None:
        self.lines = [line.rstrip() for line in text.splitlines() if line.strip()]
        self.names = {f"feature_{j}": name for j, name in enumerate(features)}
        self.at = 0
        self.nodes: list[list[Any]] = []

    def tree(self) -> Tree:
        if any(len(line) - len(line.lstrip("| ")) > 4 * MOST_DEEP for line in self.lines):
            raise InputError("tree", f"must have at most {MOST_DEEP} levels", "more", "Print a smaller one.")
        self._subtree(0)
        if self.at < len(self.lines):
            raise self._refuse("must end where its root ends")
        columns = list(zip(*self.nodes, strict=True))
        return Tree(*(tuple(column) for column in columns))

    def _subtree(self, depth: int) -> int:
        node = len(self.nodes)
        self.nodes.append(["", 0.0, LEAF, LEAF, 0.0, 0.0])
        rest = self._line(depth)
        if leaf := _CLASS.match(rest):
            self.nodes[node][4] = _leaf_value(leaf["label"], leaf["weights"])
            return node
        name, printed = self._split(rest, "<=")
        threshold = self._threshold(printed)
        # a person on the edge of the interval is compared in binary, a little inside or outside
        within = last_units([printed])[0] * (1 + 1e-6) + float(np.spacing(np.float32(abs(threshold))))
        self.nodes[node][:2] = self.names.get(name, name), threshold
        self.nodes[node][5] = within
        self.nodes[node][2] = self._subtree(depth + 1)
        if self._split(self._line(depth), ">") != (name, printed):
            raise self._refuse(f"must go on with {name} > {printed}", back=1)
        self.nodes[node][3] = self._subtree(depth + 1)
        return node

    def _line(self, depth: int) -> str:
        line = self.lines[self.at] if self.at < len(self.lines) else ""
        found = _LINE.match(line)
        if found is None or len(found["bars"]) != 4 * depth:
            raise self._refuse("must be a branch as export_text prints it")
        self.at += 1
        return found["rest"]

    def _threshold(self, printed: str) -> float:
        threshold = everyday(printed)
        if threshold is None:
            raise self._refuse("must compare with a number of everyday size", back=1)
        return threshold

    def _split(self, rest: str, side: str) -> tuple[str, str]:
        found = _SPLIT.match(rest)
        if found is None or found["side"] != side:
            raise self._refuse("must be a comparison or a class, not cut off", back=1)
        return found["feature"], found["threshold"]

    def _refuse(self, rule: str, back: int = 0) -> InputError:
        place = self.at - back
        line = self.lines[place] if place < len(self.lines) else None
        got = "the end of the text" if line is None else "another line"
        fix = "Print it with export_text(tree, max_depth=100)."
        return InputError(f"tree: line {place + 1}", rule, got, fix, value=line)


def _leaf_value(label: str, weights: str | None) -> float:
    positive = _class(label)
    if weights is None:
        return positive
    try:
        numbers = [float(weight) for weight in weights.split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 2 or not 0 < sum(numbers) < np.inf or min(numbers) < 0:
        raise InputError("tree: weights", "must be two per leaf, one per class, not negative", "others")
    share = numbers[1] / sum(numbers)
    # the class was taken before the weights were rounded
    return max(share, float(np.nextafter(HALF, 1))) if positive else min(share, HALF)


def _class(label: str) -> float:
    word = label.strip().lower()
    if word not in POSITIVE + NEGATIVE:
        rule = "must be 0 or 1, no or yes, false or true"
        raise InputError("tree: class", rule, "another", "Rename the classes.", value=label)
    return float(word in POSITIVE)


def _fitted(source: Any, features: Sequence[str]) -> Tree:
    tree, classes = getattr(source, "tree_", None), getattr(source, "classes_", None)
    if tree is None or classes is None:
        raise InputError(
            "tree", "must be the text of export_text or a fitted classifier", type(source).__name__
        )
    if [_class(str(c)) for c in classes] != [0.0, 1.0]:
        raise InputError("tree: classes", "must be 0 and 1, in that order", repr(list(classes)))
    names = list(features) or [str(name) for name in getattr(source, "feature_names_in_", ())]
    feature: NDArray[np.intp] = np.asarray(tree.feature)
    leaf = np.asarray(tree.children_left) == LEAF
    if not names or feature[~leaf].max(initial=0) >= len(names):
        raise InputError("tree: features", "must be named", "a fit without names", "Give features=[...].")
    weight = np.asarray(tree.value, np.float64)[:, 0, :]
    return Tree(
        tuple("" if end else names[j] for j, end in zip(feature, leaf, strict=True)),
        tuple(float(x) for x in tree.threshold),
        tuple(int(x) for x in tree.children_left),
        tuple(int(x) for x in tree.children_right),
        tuple(float(x) for x in weight[:, 1] / weight.sum(axis=1)),
    )
