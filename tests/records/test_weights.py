"""Counts by survey weights without a list of people: numbers of people between two ends, never more."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.errors import InputError
from dalenius.records.attack.certain.settle import settle
from dalenius.records.attack.system import make_system
from dalenius.records.published.read import read_records
from dalenius.records.published.said import ALL, SaidOfTables
from dalenius.records.published.weights import parse_table_weights, people_behind
from dalenius.records.referee.control import published_again

EXACT = "block,sex,count\nA,f,3\nA,m,0\nB,f,1\nB,m,2\n"


def written(folder: Path, **tables: str) -> list[Path]:
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
    return [folder / f"{name}.csv" for name in tables]


@pytest.mark.parametrize(
    ("weights", "ends"),
    [((5.0, 20.0), [[2, 6], [0, 0], [1, 2], [1, 4]]), ((1.0, math.inf), [[1, 33], [0, 1], [1, 13], [1, 21]])],
)
def test_a_weighted_count_is_of_so_many_people(
    tmp_path: Path, weights: tuple[float, float], ends: list[list[int]]
) -> None:
    """Numbers are rounded or cut: 32 is of 31 to 33."""
    paths = written(tmp_path, w="block,sex,count\nA,f,32\nA,m,0\nB,f,12\nB,m,20\n")
    published = read_records(paths, SaidOfTables(weights={"w": weights}))
    (grid,) = published.grids
    np.testing.assert_array_equal(np.stack([grid.low, grid.high], axis=1), ends)
    assert "survey weights" in published.mechanism
    assert published_again(published, np.zeros((1, 2), np.int32), rng=np.random.default_rng(0)) is None


def test_zeros_prove_records_whatever_the_weights(tmp_path: Path) -> None:
    """Counts of people by sex and age; that no woman is old is all that the weighted table tells."""
    tables = {
        "sex": "sex,count\nf,3\nm,2\n",
        "age": "age,count\n0-64,3\n65+,2\n",
        "w": "sex,age,count\nf,0-64,7.2\nf,65+,0.0\nm,0-64,0.0\nm,65+,x\n",
    }
    said = SaidOfTables(weights={"w": (1.0, math.inf)})
    published = read_records(written(tmp_path, **tables), said)
    found = settle(make_system(published.columns, published.grids))
    assert found.certain == 5
    unknown = read_records(written(tmp_path, **tables), SaidOfTables(weights={"w": (0.0, math.inf)}))
    assert settle(make_system(unknown.columns, unknown.grids)).certain < 5, "0.0 may be of a weight of 0.04"


@pytest.mark.parametrize("seed", range(6))
def test_nothing_certain_is_wrong_whatever_people_weigh(tmp_path: Path, seed: int) -> None:
    """Random people with random weights in the range: their own data set fits every cell as it is read."""
    rng = np.random.default_rng(seed)
    people = rng.integers(0, (2, 3, 2), (8, 3))
    weights = np.round(rng.uniform(2, 9, 8), 2)
    tables, names = {"all": f"count\n{weights.sum():.2f}\n"}, ("a", "b", "c")
    for one, other in ((0, 1), (1, 2), (0, 2)):
        lines = [f"{names[one]},{names[other]},count"]
        for i, j in np.ndindex(3, 3):
            inside = (people[:, one] == i) & (people[:, other] == j)
            if inside.any() or rng.random() < 0.7:
                lines.append(f"v{i},v{j},{weights[inside].sum():.{rng.integers(0, 3)}f}")
        tables[f"t{one}{other}"] = "\n".join(lines) + "\n"
    published = read_records(written(tmp_path, **tables), SaidOfTables(weights={ALL: (2.0, 9.0)}))
    found = settle(make_system(published.columns, published.grids))
    codes = [[published.columns.levels[at].index(f"v{v}") for at, v in enumerate(row)] for row in people]
    for record, least, most in zip(found.system.records.tolist(), found.lo, found.hi, strict=True):
        assert least <= codes.count(record) <= most


def test_people_behind_a_total() -> None:
    assert people_behind((10.0, 10.0), (10.0, 10.0)) == (1, 1)
    assert people_behind((30.0, 30.0), (0.1, 0.3)) == (100, 300), "30 / 0.3 is above 100 in floating point"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--weights", "known"], "Without a list"),
        (["--weights", "5"], "least and the largest"),
        (["--weights", "P9=5-20"], "must name one of the tables"),
        (["--weights", "t=4-5"], "must be a sum of weights"),
        (["--weights", "t=4-5", "--weights", "t=1-5"], "must be said once"),
    ],
)
def test_bad_words_about_weights(tmp_path: Path, options: list[str], words: str) -> None:
    (path,) = written(tmp_path, t=EXACT.replace(",2\n", ",2.0\n"))
    out = tmp_path / "out"
    done = CliRunner().invoke(
        app, ["reconstruct", "records", "--table", str(path), "--out", str(out), *options]
    )
    assert done.exit_code == 2, done.output
    assert words in " ".join(done.output.split())
    assert not out.exists()


def test_weighted_means_are_left_out_and_said_so(tmp_path: Path) -> None:
    paths = written(tmp_path, t="age,count,mean age\n1,10.0,3.0\n2,5.0,4.0\n")
    published = read_records(paths, SaidOfTables(weights=parse_table_weights({ALL: "5-5"})))
    assert not published.sums
    assert any("left out" in note for note in published.notes)
    with pytest.raises(InputError, match="must be ends"):
        parse_table_weights({ALL: "known"})
