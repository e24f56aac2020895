"""What published rules say of people, from files: predictions, or a tree as scikit-learn prints it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.matrices.answers import Vector
from dalenius.people.files.read_file import read_sheet
from dalenius.people.files.reading import decode, read_bytes
from dalenius.people.files.sheet import Sheet
from dalenius.people.schema import Roster
from dalenius.random import stream
from dalenius.statistics.classifiers.random_trees import random_trees
from dalenius.statistics.classifiers.score_forms import form_of
from dalenius.statistics.classifiers.scores import ClassifierScores, one_score_each
from dalenius.statistics.classifiers.trees import read_tree
from dalenius.statistics.printed_number import half_units

VALUES = ("prediction", "probability")
"""Names of a column of values in a file about one rule."""

MOST_TREES = 100_000
MOST_DEPTH = 30
"""Of random trees: a deeper one has a leaf for every person of a country."""


@dataclass(frozen=True)
class Predictions:
    """What rules say of people.

    Parameters
    ----------
    rules
        The names of the rules.
    values
        One row per rule, one column per person, in the order of the roster.
    within
        How far each true value may be from that: what was printed was rounded.
    """

    rules: tuple[str, ...]
    values: Vector
    within: Vector


def read_predictions(path: str | Path, roster: Roster) -> Predictions:
    """Read what rules say of the people of a roster.

    Parameters
    ----------
    path
        ``<id>,prediction`` or ``<id>,probability``; one column per rule, named by it; or one row per rule and
        person, ``classifier,<id>,prediction``. A ``.txt`` file is a tree printed by ``export_text``.
    roster
        The people.

    Raises
    ------
    InputError
        If somebody is missing, unknown or named twice, or a value is not a number.
    """
    path = Path(path)
    if path.suffix == ".txt":
        tree = read_tree(decode(path, read_bytes(path)))
        said = zip(tree.predict(roster), tree.probability(roster), strict=True)
        low, high = (np.stack(ends) for ends in said)
        return Predictions(VALUES, (low + high) / 2, (high - low) / 2)
    table = read_sheet(path)
    if "classifier" in table.names:
        return _long(table, roster)
    rules = tuple(name for name in table.names if name != roster.id_name)
    if not rules:
        raise InputError(table.name, "must have a column of predictions", "none beside the id")
    order = _order(table.name, table.text(roster.id_name), roster)
    columns = [_column(table, rule) for rule in rules]
    return _stacked(rules, [(values[order], within[order]) for values, within in columns])


def _column(table: Sheet, name: str) -> tuple[Vector, Vector]:
    """A column of numbers and how exact each is: probabilities were rounded, classes and other values not."""
    values = table.numbers(name)
    if np.isin(values, (0.0, 1.0)).all() or not ((values >= 0) & (values <= 1)).all():
        return values, np.zeros_like(values)
    return values, np.array(half_units(table.text(name).tolist()))


def _stacked(rules: tuple[str, ...], rows: Sequence[tuple[Vector, Vector]]) -> Predictions:
    values, within = (np.stack(part) for part in zip(*rows, strict=True))
    return Predictions(rules, values, within)


def _long(table: Sheet, roster: Roster) -> Predictions:
    given = [name for name in VALUES if name in table.names]
    if len(given) != 1:
        raise InputError(table.name, "must have a column prediction or probability", f"{len(given)} of them")
    names, ids = table.text("classifier"), table.text(roster.id_name)
    numbers, within = _column(table, given[0])
    rules = tuple(dict.fromkeys(names.tolist()))
    rows = []
    for rule in rules:
        here = np.flatnonzero(names == rule)
        order = _order(f"{table.name}: classifier {rule!r}", ids[here], roster)
        rows.append((numbers[here][order], within[here][order]))
    return _stacked(rules, rows)


def _order(what: str, ids: NDArray[np.str_], roster: Roster) -> NDArray[np.intp]:
    """Where each person of the roster stands in a file that must name all of them once and nobody else."""
    if strangers := np.setdiff1d(ids, roster.ids).tolist():
        raise InputError(
            what,
            "must be about people on the list",
            f"{len(strangers):,} others",
            "A score counts everybody it was computed on.",
            value=str(strangers[0]),
        )
    if missing := np.setdiff1d(roster.ids, ids).tolist():
        raise InputError(
            what,
            "must have everybody on the list of people",
            f"{len(missing):,} missing",
            value=str(missing[0]),
        )
    if ids.size > len(roster):
        raise InputError(what, "must name every person once", f"{ids.size - len(roster):,} repeated names")
    order = np.argsort(ids)
    return np.asarray(order[np.searchsorted(ids, roster.ids, sorter=order)], np.intp)


def scores_of_file(path: str | Path, kind: str, roster: Roster) -> ClassifierScores:
    """Make one kind of score of every rule of a file."""
    found = read_predictions(path, roster)
    scores = one_score_each(found.rules, kind)
    return ClassifierScores(roster.ids, found.rules, found.values, scores, found.within)


def scores_of_random_trees(
    roster: Roster, kind: str, trees: int, depth: int, *, rng: np.random.Generator
) -> ClassifierScores:
    """Make one kind of score of small random trees.

    Examples
    --------
    >>> from dalenius.people.schema import CodedColumns
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> people = Roster("id", np.array(["a", "b"]), CodedColumns((sex,), np.array([[0], [1]], np.int32)))
    >>> list(scores_of_random_trees(people, "error-rate", 2, 1, rng=np.random.default_rng(1)).labels())
    ['error-rate of tree-1', 'error-rate of tree-2']
    """
    values = random_trees(roster, trees, depth, rng=rng)
    rules = tuple(f"tree-{j + 1}" for j in range(trees))
    return ClassifierScores(roster.ids, rules, values, one_score_each(rules, kind))


def ask_scores(options: Options, roster: Roster, rng: np.random.Generator) -> ClassifierScores:
    """Make ``classifier-score[:score=error-rate,trees=200,depth=3,seed=1]``, or of rules in ``path=...``."""
    kind = form_of(options)
    if "path" in options.values:
        return scores_of_file(options.text("path"), kind, roster)
    if "seed" in options.values:
        rng = stream(options.whole("seed", least=0), "trees")
    trees = options.whole("trees", 200, least=1, most=MOST_TREES)
    depth = options.whole("depth", 3, least=1, most=MOST_DEPTH)
    return scores_of_random_trees(roster, kind, trees, depth, rng=rng)
