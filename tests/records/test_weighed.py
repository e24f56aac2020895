"""Sums, means, medians and shares in printed tables: rows like any other, and never more than they say."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from validation.census import seven

from dalenius.errors import InputError
from dalenius.records.attack.certain.none import proven_empty
from dalenius.records.attack.certain.pieces import Piece
from dalenius.records.attack.certain.settle import RecordBounds, settle
from dalenius.records.attack.system import make_system
from dalenius.records.published.read import read_records
from dalenius.records.published.said import SaidOfTables, parse_numbers, parse_shares
from dalenius.records.run import BesideTables, attack_and_examine


def attacked(folder: Path, said: SaidOfTables | None = None, **tables: str) -> RecordBounds:
    paths = []
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
        paths.append(folder / f"{name}.csv")
    published = read_records(paths, said)
    return settle(make_system(published.columns, published.grids, published.sums, published.medians))


def people(found: RecordBounds) -> Counter[str]:
    levels = found.system.columns.levels
    return Counter(
        {
            " ".join(levels[at][code] for at, code in enumerate(record)): int(least)
            for record, least in zip(found.system.records, found.lo, strict=True)
            if least
        }
    )


AGES = SaidOfTables(numbers={"age": (0, 9)})


def test_seven_people_whose_medians_lie_between_two() -> None:
    """R15: one data set alone, although four groups are even in number."""
    assert seven.proven(()) == (1, seven.TRUTH)


def test_a_mean_says_the_sum_of_a_group_of_known_size(tmp_path: Path) -> None:
    tables = {"t": "sex,count,mean age\nf,2,4.5\nm,1,3.0\n", "old": "age,count\n8+,1\n"}
    found = attacked(tmp_path, AGES, **tables)
    assert people(found)["m 3"] == 1
    records = found.system.records[found.hi > 0].tolist()
    assert [record for record in records if record[0] == 0] == [[0, age] for age in (0, 1, 8, 9)]
    assert found.data_sets == 2


def test_a_mean_of_nobody_knows_how_many_still_bounds(tmp_path: Path) -> None:
    """At most 3 people, mean 7 to 8: one child of 0 needs two of 9 beside it to come near, and fails."""
    said = SaidOfTables(numbers={"age": (0, 9)}, mechanism={"n": "topcode:at=9"}, digits="rounded")
    found = attacked(tmp_path, said, n="sex,count\nf,3\n", t="sex,mean age\nf,7.0\nTotal,7.0\n")
    ages = found.system.records[:, found.system.columns.position("age")]
    assert found.hi[ages == 0].tolist() == [0]
    assert found.hi[ages == 7].tolist() == [3]


def test_bands_make_a_mean_say_less(tmp_path: Path) -> None:
    """Two people of 0-4 or 5-9 with mean 2: one of 5-9 could be 5, but then the other is below 0."""
    found = attacked(tmp_path, t="count,mean age\n2,2.0\n", ages="age,count\n0-4,2\n5-9,0\n")
    assert people(found) == {"0-4": 2}
    with pytest.raises(InputError, match="must fit one data set"):
        attacked(tmp_path, t="count,mean age\n2,2.0\n", ages="age,count\n0-4,0\n5-9,2\n")
    open_end = attacked(tmp_path, t="count,mean age\n2,80.0\n", ages="age,count\n0-64,1\n65+,1\n")
    assert people(open_end) == {"0-64": 1, "65+": 1}


def test_a_sum_is_exact_and_a_median_of_an_odd_group_is_somebody(tmp_path: Path) -> None:
    found = attacked(tmp_path, AGES, t="count,sum of age,median age\n3,27,9\n")
    assert people(found) == {"9": 3}
    middle = attacked(tmp_path, AGES, t="count,median age\n3,4\n")
    assert people(middle) == {"4": 1}


def test_the_median_of_an_even_group_lies_between_two(tmp_path: Path) -> None:
    """Two people with median 1.5 are 0 and 3, or 1 and 2; a whole median of them may be rounded."""
    said = SaidOfTables(numbers={"age": (0, 9)}, digits="full")
    found = attacked(tmp_path, said, t="count,median age\n2,1.5\n")
    assert found.data_sets == 2
    narrow = attacked(tmp_path, said, t="count,median age\n2,1.5\n", child="age,count\n0,1\n")
    assert people(narrow) == {"0": 1, "3": 1}
    assert attacked(tmp_path, AGES, t="count,median age\n2,1\n").data_sets != 2


def test_a_report_over_medians_between_two_people(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("sex,count,median age\nf,2,1.5\nm,1,4\n")
    said = SaidOfTables(numbers={"age": (0, 9)}, digits="full")
    done = attack_and_examine(read_records([tmp_path / "t.csv"], said), BesideTables())
    assert (done.finding.certain, done.finding.people, done.finding.details.data_sets) == (1, 3, "2")
    assert done.claims.fits
    assert "The truth can differ from the reconstruction in 2 records at most" in " ".join(done.finding.facts)


def test_percentages_need_nobody_who_says_how_many(tmp_path: Path) -> None:
    text = "block,sex,percent of block\nA,f,33.3\nA,m,66.7\nB,f,100\nB,m,0\n"
    found = attacked(tmp_path, t=text, n="block,count\nA,3\nB,2\n")
    assert people(found) == {"A f": 1, "A m": 2, "B f": 2}
    signs = "block,sex,count\nA,f,33.3%\nA,m,66.7%\n"
    said = SaidOfTables(shares=parse_shares(["t=block"]))
    assert people(attacked(tmp_path, said, t=signs, n="block,count\nA,3\n")) == {"A f": 1, "A m": 2}


def test_percentages_that_no_number_of_people_gives_contradict(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must fit one data set"):
        attacked(tmp_path, t="sex,percent of all\nf,25.0\nm,75.0\n", n="count\n3\n")


def test_after_rounding_nobody_knows_of_which_numbers_a_mean_is(tmp_path: Path) -> None:
    said = SaidOfTables(numbers={"age": (0, 9)}, mechanism={"": "rounding:base=3"})
    (tmp_path / "t.csv").write_text("sex,count,mean age\nf,3,4.5\n")
    published = read_records([tmp_path / "t.csv"], said)
    assert published.sums == ()
    assert "t: sums, means, medians and shares are left out" in " ".join(published.notes)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"t": "sex,percent\nf,50\nm,50\n"}, "table t must say of whom its percentages are"),
        ({"t": "sex,percent of town\nf,50\nm,50\n"}, "--shares must name columns of table t; got 'town'"),
        ({"t": "sex,percent of all\nf,150\nm,50\n"}, "t, row 2 must be a share of people"),
        ({"t": "sex,count,mean age\nf,2,30\n"}, "must have sums, means and medians of a column of the table"),
        ({"t": "sex,count,mean sex\nf,2,1\n"}, "column 'sex' must have numbers or bands as labels"),
        ({"t": "sex,count,mean age\nf,2,many\n"}, "t, row 2 must be a mean"),
    ],
)
def test_what_cannot_be_read_is_asked_for(tables: dict[str, str], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        attacked(tmp_path, **tables)
    assert message in str(refused.value)


@pytest.mark.parametrize("text", ["age", "age=5", "=0-9", "age=9-0", "age=a-b"])
def test_numbers_that_are_not_written_so_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--numbers must be a column, its first and its last number"):
        parse_numbers([text])


def test_a_no_is_proven_in_whole_numbers_and_never_where_something_fits() -> None:
    """An even sum is never odd; that takes parting, since fractions fit."""
    rng = np.random.default_rng(4)
    empty = 0
    for _ in range(60):
        A = rng.integers(-2, 4, (3, 5))
        point = rng.integers(0, 3, 5)
        ends = A @ point + rng.integers(-1, 2, 3) * rng.integers(0, 2)
        piece = Piece(
            np.arange(5), np.arange(3), sparse.csr_array(A), ends, ends, np.zeros(5, np.int64), np.full(5, 2)
        )
        grid = np.stack(np.meshgrid(*[np.arange(3)] * 5), -1).reshape(-1, 5)
        fits = (grid @ A.T == ends).all(axis=1).any()
        assert proven_empty(piece) == (not fits)
        empty += not fits
    assert 5 < empty < 55
