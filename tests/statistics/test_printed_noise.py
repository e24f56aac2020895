"""In how many noisy numbers of a printed table one person is counted, and which numbers are sums of these."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from dalenius.people.schema import Column, Kind, Role
from dalenius.printed.dimensions import levels_of
from dalenius.printed.files import Entry, PrintedTable, read_printed
from dalenius.printed.noise import (
    NoisyTable,
    noisy_table,
    not_sums,
    numbers_with,
    sensitivity_of_tables,
)

SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
AGE = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("20", "31", "47"))
LEVELS = ("no", "yes")
EVERYBODY = [
    (sex, str(age), value) for sex, age, value in itertools.product(("f", "m"), range(15, 70), LEVELS)
]
"""Also those whom the data do not have: a record may be replaced by any of them."""


def table(folder: Path, text: str) -> PrintedTable:
    (folder / "t.csv").write_text(text)
    (found,) = read_printed(folder / "t.csv", [SEX, AGE], secret="ill")
    return found


def counts(entry: Entry, who: tuple[str, str, str]) -> bool:
    """Whether somebody is counted in a cell, by what is printed beside it."""
    own = {
        "sex": Column("sex", Role.PUBLIC, Kind.CATEGORICAL, (who[0],)),
        "age": Column("age", Role.PUBLIC, Kind.CATEGORICAL, (who[1],)),
    }
    inside = all(levels_of(own[name], label) is not None for name, label in entry.words)
    return inside and entry.value in (None, who[2])


def check_by_hand(found: NoisyTable) -> None:
    """Every record by every cell: how often it is counted, and that sums count whom their parts count."""
    assert found.overlap == max(sum(counts(each, who) for each in found.own) for who in EVERYBODY)
    for entry, parts in found.sums:
        for who in EVERYBODY:
            times = sum(counts(part, who) for part in parts)
            listed = any(counts(each, who) for each in found.own if each.words)  # totals are of the rows
            assert times == int(listed and counts(entry, who)), (entry.label, who)


CROSSED = (
    "age;sex;no;yes;Total\n20-39;f;5;3;8\n;m;4;2;6\n;Total;9;5;14\n40-59;f;1;6;7\n;m;7;0;7\n;Total;8;6;14\n"
)
WHOLE = CROSSED + "Total;f;6;9;15\n;m;11;2;13\n;Total;17;11;28\n"


@pytest.mark.parametrize(
    ("text", "summed", "own", "overlap"),
    [
        (WHOLE, True, 8, 1),
        (WHOLE, False, 18, 4),  # cells, both margins, the grand total: everybody stands in four
        ("age;no;yes\n20-39;9;5\n40-59;8;6\n", True, 4, 1),
        ("age;no;yes\n20-39;9;5\n30-59;8;6\n", True, 4, 2),  # nobody of the data is both
        ("age;no;yes\n31-65;9;5\n60+;8;6\n", True, 4, 2),  # neither is anybody of the data
        ("age;no;yes\n20-39;9;5\n20-29;8;6\n30-39;8;6\n", True, 6, 2),  # part of the rows is no margin
        ("age;yes;Total\n20-39;5;14\n40-59;6;14\nTotal;11;28\n", True, 4, 2),  # with one value of two
    ],
)
def test_the_labels_alone_say_how_often_one_person_is_counted(
    tmp_path: Path, text: str, summed: bool, own: int, overlap: int
) -> None:
    found = noisy_table(table(tmp_path, text), [SEX, AGE], LEVELS, summed=summed)
    assert found is not None
    assert (len(found.own), found.overlap) == (own, overlap)
    check_by_hand(found)


def test_margins_that_cannot_be_sums_are_not_taken_for_such(tmp_path: Path) -> None:
    """Two bands that overlap add up to nobody's total."""
    text = "age;no;yes\n20-39;9;5\n30-59;8;6\nTotal;12;9\n"
    assert noisy_table(table(tmp_path, text), [SEX, AGE], LEVELS, summed=True) is None
    alone = noisy_table(table(tmp_path, text), [SEX, AGE], LEVELS, summed=False)
    assert alone is not None
    assert alone.overlap == 3


def test_rows_add_up_after_the_noise(tmp_path: Path) -> None:
    printed = table(tmp_path, WHOLE)
    found = noisy_table(printed, [SEX, AGE], LEVELS, summed=True)
    assert found is not None
    assert not not_sums(found)
    made = numbers_with(found, lambda counts: [count + 0.4 + j for j, count in enumerate(counts)])
    drawn = [made[entry.at] - entry.printed.number for entry in found.own]
    assert drawn == [*range(8)]
    for entry, parts in found.sums:
        assert made[entry.at] == sum(made[part.at] for part in parts)
    total = next(e for e in printed.entries if not e.words and e.value is None)
    assert made[total.at] == 28 + sum(range(8))


def test_an_exact_total_beside_noisy_cells_is_seen(tmp_path: Path) -> None:
    noisy = WHOLE.replace("20-39;f;5;3;8", "20-39;f;6;3;9")
    found = noisy_table(table(tmp_path, noisy), [SEX, AGE], LEVELS, summed=True)
    assert found is not None
    wrong = {(entry.label, entry.value) for entry in not_sums(found)}
    assert ("everybody", "no") in wrong
    assert ("age=20-39", "no") in wrong


def test_every_table_counts_as_often_as_it_is_printed(tmp_path: Path) -> None:
    found = noisy_table(table(tmp_path, WHOLE), [SEX, AGE], LEVELS, summed=True)
    assert found is not None
    once, twice = sensitivity_of_tables([found]), sensitivity_of_tables([found, found])
    assert (once.l1, once.l2_squared) == (2.0, 2.0)  # it leaves one cell and enters another
    assert twice.l2_squared == 4.0
