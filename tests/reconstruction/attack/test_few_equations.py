"""Far fewer equations than people: nothing is written out, and arithmetic still finds what follows."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from dalenius.errors import InputError
from dalenius.matrices.operators import SparseRows, Stacked, take_people, take_rows
from dalenius.matrices.tables import TableRows
from dalenius.reconstruction.attack.decoders.box import largest_eigenvalue
from dalenius.reconstruction.attack.decoders.least_squares import decode
from dalenius.reconstruction.attack.decoders.posterior_together import propagate_together
from dalenius.reconstruction.attack.search import parts as bounds
from dalenius.reconstruction.attack.system.system import LinearSystem

LEVELS = (3, 4, 2, 5)
PAIRS = [(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)]


def codes_of(people: int, seed: int, levels: tuple[int, ...] = LEVELS) -> np.ndarray:
    """Levels that are rarer the higher they are, so that some cells have a few people only."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.choice(size, people, p=0.3 ** np.arange(size) / (0.3 ** np.arange(size)).sum()) for size in levels
    ]
    return np.stack(columns, axis=1).astype(np.int32)


def system_of(A: TableRows | SparseRows | Stacked, secret: np.ndarray, width: float = 0.0) -> LinearSystem:
    truth = A.apply(secret.astype(np.float64))
    one = np.ones(secret.size, np.int64)
    wide = np.where(np.arange(truth.size) % 3 == 0, width, 0.0)  # every third row is only known roughly
    low = np.floor(truth / (wide + 1)) * (wide + 1)
    return LinearSystem(
        A, low + wide / 2, low, low + wide, 0 * low, "none", one, 0 * one, one,
        np.full(secret.size, 0.2), np.ones(low.size, np.bool_),
    )  # fmt: skip


@pytest.fixture
def secret() -> np.ndarray:
    return (np.random.default_rng(2).random(400) < 0.2).astype(np.int64)


def test_parts_of_tables_are_those_of_the_written_matrix() -> None:
    tables = TableRows(codes_of(50, 1), LEVELS, PAIRS)
    both = Stacked([tables, SparseRows(tables.explicit())])
    rows, people = np.array([0, 5, 17, 50, 80]), np.array([3, 4, 40])
    written = both.explicit().toarray()
    assert np.array_equal(take_rows(both, rows).toarray(), written[rows])
    assert np.array_equal(take_people(both, people).explicit().toarray(), written[:, people])
    assert take_rows(both, rows[:0]).shape == (0, 50)


@pytest.mark.parametrize("width", [0.0, 4.0])
@pytest.mark.parametrize("limit", [0, 300])
def test_arithmetic_does_not_depend_on_how_much_is_written_out(
    monkeypatch: pytest.MonkeyPatch, secret: np.ndarray, width: float, limit: int
) -> None:
    system = system_of(TableRows(codes_of(400, 3), LEVELS, PAIRS), secret, width)
    whole = bounds.propagate(system)
    monkeypatch.setattr(bounds, "ENTRY_LIMIT", limit)
    parts = bounds.propagate(system)
    known = whole.least == whole.most
    assert known.any()
    assert np.array_equal(whole.least[known], secret[known])
    found = parts.least == parts.most
    assert np.array_equal(parts.least[found], secret[found])
    if limit:
        assert np.array_equal(whole.least, parts.least)
        assert np.array_equal(whole.most, parts.most)
    else:
        assert not found.any(), "nothing may be written out"


def test_a_contradiction_is_found_without_writing_the_matrix_out(
    monkeypatch: pytest.MonkeyPatch, secret: np.ndarray
) -> None:
    monkeypatch.setattr(bounds, "ENTRY_LIMIT", 300)
    system = system_of(TableRows(codes_of(400, 3), LEVELS, PAIRS), secret)
    system.high[3] += 400
    system.low[3] += 400
    with pytest.raises(InputError, match="found at the answer to '3'"):
        bounds.propagate(system)


def test_what_is_known_moves_to_the_other_side_of_implicit_equations(secret: np.ndarray) -> None:
    tables = TableRows(codes_of(400, 3), LEVELS, PAIRS)
    implicit, written = (
        bounds.propagate(system_of(A, secret)).free() for A in (tables, SparseRows(tables.explicit()))
    )
    assert isinstance(implicit[0].A, TableRows)
    assert np.array_equal(implicit[1], written[1])
    filled = implicit[0].A.apply(np.ones(implicit[1].size)) > 0
    assert np.array_equal(implicit[0].centre[filled], written[0].centre)
    assert not implicit[0].centre[~filled].any()


def test_probabilities_from_few_equations_are_as_sure_as_they_are_right() -> None:
    rng = np.random.default_rng(5)
    codes = codes_of(6_000, 6, (4,) * 12)
    secret = (rng.random(6_000) < 0.2).astype(np.int64)
    pairs = [(i, j) for i in range(12) for j in range(i)]
    system = system_of(SparseRows(TableRows(codes, (4,) * 12, pairs).explicit()), secret)
    sure = decode(system, rng=rng).share
    right = np.where(sure >= 0.5, secret, 1 - secret)
    confidence = np.maximum(sure, 1 - sure)
    assert abs(confidence.mean() - right.mean()) < 0.02
    assert right[confidence >= 0.95].mean() > 0.93
    assert (confidence >= 0.95).any()
    assert 0.8 < right.mean() < 0.95


def test_a_value_that_no_row_says_anything_about_keeps_what_was_known_before() -> None:
    """Without one table all rows of a rare value may be decided, while whose it is is open."""
    rows = csr_array(np.ones((1, 5)))
    said = system_of(SparseRows(rows), np.array([1, 0, 0, 0, 1]))
    silent = system_of(SparseRows(rows[:0]), np.zeros(5, np.int64))
    assert silent.centre.size == 0
    (told, untold), _ = propagate_together([said, silent])
    assert told == pytest.approx(np.full(5, 0.4), abs=0.05)
    assert ((untold > 0.01) & (untold < 0.6)).all()
    (alone,), _ = propagate_together([silent])
    assert np.isfinite(alone).all()
    assert largest_eigenvalue(silent.A, np.zeros(0), rng=np.random.default_rng(1)) == 0
