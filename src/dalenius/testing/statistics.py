"""The contract of a kind of release: it counts whom it says, and nobody moves it further than stated."""

from __future__ import annotations

import json

import numpy as np

from dalenius.people.schema import Roster
from dalenius.statistics.statistic import Counting, Statistic
from dalenius.testing.values import require


def check_statistic(statistic: Statistic, roster: Roster) -> None:
    """Run every check of a statistic that counts people, on these people.

    Every question has a label of its own; the matrix has a row for each question and a column for each
    person, of zeros and ones, and multiplies as it is written out; questions of one table count nobody twice;
    people with the same fingerprint are treated alike; nobody moves the answers further than `sensitivity`
    states; and the statistic can be written as JSON.

    Raises
    ------
    AssertionError
        If the statistic breaks its contract, with the reason.
    """
    kind = statistic.kind
    labels = list(statistic.labels())
    require(len(labels) == statistic.rows, f"{kind}: {statistic.rows} questions and {len(labels)} labels")
    require(len(set(labels)) == len(labels), f"{kind}: two questions have the same label")
    json.dumps(statistic.to_json())
    if not isinstance(statistic, Counting):
        raise AssertionError(f"{kind}: counts nobody; this check is for statistics that count people")
    dense = _check_matrix(statistic, roster)
    for table in np.unique(statistic.table):
        once = dense[statistic.table == table].sum(axis=0)
        require(once.max(initial=0) <= 1, f"{kind}: two questions of table {table} count the same person")
    _check_fingerprint(statistic, roster, dense)
    _check_sensitivity(statistic, dense)


def _check_matrix(statistic: Counting, roster: Roster) -> np.ndarray:
    kind, operator = statistic.kind, statistic.operator(roster)
    require(operator.shape == (statistic.rows, len(roster)), f"{kind}: the matrix has shape {operator.shape}")
    dense: np.ndarray = operator.explicit().toarray()
    require(np.isin(dense, (0, 1)).all(), f"{kind}: the matrix has entries that are not 0 or 1")
    require(operator.entries == np.count_nonzero(dense), f"{kind}: entries are not as many as stated")
    rng = np.random.default_rng(3)
    x, r = rng.normal(size=(dense.shape[1],)), rng.normal(size=(dense.shape[0],))
    require(np.allclose(operator.apply(x), dense @ x), f"{kind}: apply is not the matrix that is written out")
    turned = operator.apply_transpose(r)
    require(
        np.allclose(turned, dense.T @ r), f"{kind}: apply_transpose is not the matrix that is written out"
    )
    return dense


def _check_fingerprint(statistic: Statistic, roster: Roster, dense: np.ndarray) -> None:
    marks = np.asarray(statistic.fingerprint(roster)).reshape(len(roster), -1)
    _, first, alike = np.unique(marks, axis=0, return_index=True, return_inverse=True)
    same = dense == dense[:, first[alike.ravel()]]
    require(same.all(), f"{statistic.kind}: people with the same fingerprint are treated differently")


def _check_sensitivity(statistic: Counting, dense: np.ndarray) -> None:
    """Replace the record of anybody by that of anybody else, with any secret."""
    counted = dense.sum(axis=0)
    two = float(np.sort(counted)[-2:].sum())  # the two who are counted most, one in place of the other
    most = {
        1: float(counted.max(initial=0)),
        2: two if counted.size > 1 else 2 * float(counted.max(initial=0)),
    }
    for values in (1, 2, 3):
        stated, moved = statistic.sensitivity(values), most[min(values, 2)]
        require(
            stated.l1 >= moved,
            f"{statistic.kind}: somebody moves {moved:g}, more than the stated {stated.l1:g}",
        )
        require(stated.l2_squared >= moved, f"{statistic.kind}: squared, somebody moves more than stated")
