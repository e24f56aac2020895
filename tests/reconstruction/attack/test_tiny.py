"""Parts of a few sums: every vector is tried, and no solver is asked."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from dalenius.errors import SolveError
from dalenius.printed.tables import Said
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.certain import ranges as extremes
from dalenius.reconstruction.attack.certain.cells import derive_cells
from dalenius.reconstruction.attack.choose import DECODERS
from dalenius.reconstruction.attack.program import UnsolvedError
from dalenius.reconstruction.attack.search import search
from dalenius.reconstruction.attack.search.parts import POINTS, blocks, expected, points_that_fit
from dalenius.reconstruction.published.attack_one import guess
from dalenius.reconstruction.published.tables import read_tables


@pytest.mark.parametrize("seed", range(20))
def test_every_vector_that_fits_is_found(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    rows = rng.integers(-1, 2, (m, n)).astype(np.float64)
    least = rng.integers(0, 3, n)
    most = least + rng.integers(0, 4, n)
    low = rng.integers(-3, 4, m).astype(np.float64)
    high = low + rng.integers(0, 5, m)
    found = points_that_fit(sparse.csr_array(rows), low, high, least, most)
    wanted = [
        point
        for point in product(*(range(a, b + 1) for a, b in zip(least, most, strict=True)))
        if ((rows @ point >= low) & (rows @ point <= high)).all()
    ]
    assert found is not None
    assert sorted(map(tuple, found.tolist())) == wanted


def test_too_many_are_not_tried() -> None:
    one = sparse.csr_array(np.ones((1, 1)))
    ends = np.zeros(1), np.full(1, 1e9), np.zeros(1, np.int64)
    assert points_that_fit(one, *ends, np.array([POINTS])) is None
    assert points_that_fit(one, *ends, np.array([POINTS - 1])) is not None


def test_the_mean_is_weighted_by_the_product() -> None:
    points = np.array([[0, 1], [1, 0], [1, 1]])
    weights = np.log(np.array([[0.2, 0.8], [0.5, 0.5]]))
    chances = np.array([0.1, 0.4, 0.4])
    wanted = chances @ points / chances.sum()
    np.testing.assert_allclose(expected(points, np.zeros(2, np.int64), weights), wanted)


def test_blocks_are_the_matrix() -> None:
    rng = np.random.default_rng(1)
    parts = [rng.integers(1, 9, (int(rng.integers(1, 4)), int(rng.integers(1, 4)))) for _ in range(12)]
    whole = sparse.block_diag(parts).tocsr()
    order = rng.permutation(whole.shape[0]), rng.permutation(whole.shape[1])
    mixed = sparse.csr_array(whole[order[0]][:, order[1]])
    built = np.zeros(mixed.shape)
    for rows, columns, part in blocks(mixed):
        built[np.ix_(rows, columns)] = part.toarray()
    assert len(list(blocks(mixed))) == 12
    np.testing.assert_array_equal(built, mixed.toarray())


def test_cells_that_overlap_nowhere_need_no_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred groups, small counts hidden: each cell is a part by itself."""

    def asked(*_: object, **__: object) -> None:
        pytest.fail("a solver was asked")

    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(200), rng.integers(1, 9, 200))
    ill = rng.random(groups.size) < 0.3
    people = "".join(f"p{i},g{group}\n" for i, group in enumerate(groups))
    (tmp_path / "people.csv").write_text("id,group\n" + people)
    cells = [[(ill[groups == g] == value).sum() for value in (False, True)] for g in range(200)]
    body = [",".join([f"g{g}", *("" if 0 < n < 3 else str(n) for n in row)]) for g, row in enumerate(cells)]
    (tmp_path / "t.csv").write_text("\n".join(["group,no,yes", *body, ""]))
    said = Said("suppression:below=3")
    view = read_tables(tmp_path / "people.csv", [tmp_path / "t.csv"], id="id", said=said, secret="ill")
    monkeypatch.setattr(search, "search_part", asked)
    monkeypatch.setattr(extremes, "_Search", asked)
    derived = derive_cells(view)
    claims = reconstruct(view, rng=np.random.default_rng(1))
    assert derived.exact > 50
    np.testing.assert_array_equal(claims.guess[claims.certain], ill[claims.certain])
    assert claims.certain.sum() > 100


@pytest.fixture
def rounded(tmp_path: Path):
    """Two crossed tables of 60 people, rounded: one part of some twenty sums."""
    rng = np.random.default_rng(3)
    ages, towns = rng.integers(0, 6, 60), rng.integers(0, 5, 60)
    ill = rng.random(60) < 0.4
    people = "".join(f"p{i},a{a},t{t}\n" for i, (a, t) in enumerate(zip(ages, towns, strict=True)))
    (tmp_path / "people.csv").write_text("id,age,town\n" + people)
    files = []
    for name, codes, letter in (("age", ages, "a"), ("town", towns, "t")):
        lines = [f"{name},no,yes"]
        for code in np.unique(codes):
            counts = [int(((codes == code) & (ill == value)).sum()) for value in (False, True)]
            lines.append(",".join([f"{letter}{code}", *(str(3 * round(count / 3)) for count in counts)]))
        files.append(tmp_path / f"{name}.csv")
        files[-1].write_text("\n".join([*lines, ""]))
    said = Said("rounding:base=3")
    return read_tables(tmp_path / "people.csv", files, id="id", said=said, secret="ill"), ill


def test_a_solver_that_gives_up_refuses_nothing(rounded, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells keep what single rows say of them, and that they were not searched is said."""
    view, _ = rounded
    searched = derive_cells(view)

    def gives_up(*_: object) -> None:
        raise UnsolvedError("it gave up", 7)

    monkeypatch.setattr(extremes._Search, "run", gives_up)
    monkeypatch.setattr(extremes, "points_that_fit", lambda *_: None)
    left = derive_cells(view)
    assert any("were bounded row by row only" in note for note in left.notes)
    for one, other in zip(searched.cells, left.cells, strict=True):
        assert other.derived_low <= one.derived_low
        assert other.derived_high >= one.derived_high


def test_another_decoder_takes_the_place_of_one_that_gives_up(
    rounded, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, _ = rounded
    taken = reconstruct(view, rng=np.random.default_rng(1))
    name = taken.method.split(" and ")[0]

    def gives_up(*_: object, **__: object) -> None:
        raise UnsolvedError("it gave up", 7)

    decoders = {**DECODERS, name: gives_up}
    monkeypatch.setattr("dalenius.reconstruction.attack.attack.DECODERS", decoders)
    other = guess(view, rng=np.random.default_rng(1))
    assert any("least-squares was taken instead" in note for note in other.notes)
    np.testing.assert_array_equal(other.certain, taken.certain)
    for decoder in (name, "auto"):
        with pytest.raises(SolveError, match="it gave up"):
            reconstruct(view, decoder=decoder, rng=np.random.default_rng(1))
    with pytest.raises(SolveError, match="it gave up"):
        guess(view, decoder=name, rng=np.random.default_rng(1))
