"""Ways to print the same numbers: shares of rows, columns and all, rates, commas, people beside cases."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dalenius.errors import InputError, SaysNothingError
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.printed.dimensions import is_margin
from dalenius.printed.files import PrintedTable, read_printed
from dalenius.printed.tables import Said, release_of_tables
from dalenius.reconstruction.attack.system.equations import read_counts
from dalenius.statistics.printed_cell import decimal_comma, read_cell

TOWN = Column("town", Role.PUBLIC, Kind.CATEGORICAL, ("A", "B", "C"))
SMOKER = Column("smoker", Role.PUBLIC, Kind.BINARY, ("no", "yes"))
SEX = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
CODES = np.array([[i % 3, i % 2, (i // 2) % 2] for i in range(24)], np.int32)
PEOPLE = Roster("id", np.array([f"p{i}" for i in range(24)]), CodedColumns((TOWN, SMOKER, SEX), CODES))
ILL = np.array([i % 5 == 0 for i in range(24)])
YES = [int(ILL[CODES[:, 0] == town].sum()) for town in range(3)]
NO = [8 - yes for yes in YES]


def intervals(folder: Path, text: str, **said: Any) -> dict[tuple[str, str], tuple[float, float]]:
    """Read a table, and return for each cell the counts that it allows by itself."""
    secret = said.pop("secret", "ill")
    (folder / "t.csv").write_text(text)
    stated = Said(**said)
    tables = read_printed(folder / "t.csv", PEOPLE.attributes.columns, secret=secret, per=stated.per)
    found = {}
    for block in release_of_tables(tables, PEOPLE, stated, secret=secret).blocks:
        totals = block.statistic.operator(PEOPLE).apply(np.ones(24))
        error = read_counts(block, totals, parse_mechanism(block.mechanism or stated.mechanism))
        for row, label in enumerate(block.statistic.labels()):
            for column, value in enumerate(block.values):
                low, high = error.low[row, column], error.high[row, column]
                before = found.get((label.partition(": ")[2], value), (0.0, 24.0))
                found[label.partition(": ")[2], value] = max(low, before[0]), min(high, before[1])
    return found


def lines(*rows: str) -> str:
    return "\n".join([*rows, ""])


def shares(numbers: list[int], of: list[int], per: float, digits: int = 1, point: str = ".") -> list[str]:
    return [f"{per * n / d:.{digits}f}".replace(".", point) for n, d in zip(numbers, of, strict=True)]


def crossed(header: str, no: list[str], yes: list[str], mark: str = ",") -> str:
    return lines(header, *(mark.join(row) for row in zip("ABC", no, yes, strict=True)))


EIGHT, ALL = [8] * 3, [24] * 3
WAYS: dict[str, tuple[str, dict[str, str]]] = {
    "plain percentages, said": (
        crossed("town,no,yes", shares(NO, EIGHT, 100), shares(YES, EIGHT, 100)),
        {"numbers": "percent"},
    ),
    "percentages, by a line above": (
        lines("Percent,,", *crossed("town,no,yes", shares(NO, EIGHT, 100), shares(YES, EIGHT, 100)).split()),
        {},
    ),
    "percentages, by the header": (
        crossed("town,no (%),yes (%)", shares(NO, EIGHT, 100), shares(YES, EIGHT, 100)),
        {},
    ),
    "fractions, said": (
        crossed("town,no,yes", shares(NO, EIGHT, 1, 3), shares(YES, EIGHT, 1, 3)),
        {"numbers": "fraction"},
    ),
    "fractions, long": (
        lines("town,ill,share", *map(",yes,".join, zip("ABC", shares(YES, EIGHT, 1, 3), strict=True))),
        {},
    ),
    "rates per thousand": (
        lines(
            "town,n,cases,rate per 1,000".replace("1,000", "1000"),
            *(f"{t},8,{y},{x}" for t, y, x in zip("ABC", YES, shares(YES, EIGHT, 1000, 0), strict=True)),
        ),
        {},
    ),
    "rates per thousand, said": (
        crossed("town,no,yes", shares(NO, EIGHT, 1000, 0), shares(YES, EIGHT, 1000, 0)),
        {"numbers": "per:1000"},
    ),
    "decimal commas": (
        crossed("town;no;yes", shares(NO, EIGHT, 100, 1, ","), shares(YES, EIGHT, 100, 1, ","), ";"),
        {"numbers": "percent"},
    ),
    "decimal commas and signs": (
        crossed("town;no;yes", [x + " %" for x in shares(NO, EIGHT, 100, 1, ",")],
                [x + " %" for x in shares(YES, EIGHT, 100, 1, ",")], ";"),
        {},
    ),
    "percentages of columns": (
        crossed("town,no,yes", shares(NO, [sum(NO)] * 3, 100), shares(YES, [sum(YES)] * 3, 100)),
        {"numbers": "percent", "of": "column"},
    ),
    "percentages of all": (
        crossed("town,no,yes", shares(NO, ALL, 100), shares(YES, ALL, 100)),
        {"numbers": "percent", "of": "all"},
    ),
    "people beside cases": (
        lines("town,n,cases", *(f"{t},8,{y}" for t, y in zip("ABC", YES, strict=True))), {},
    ),
    "people beside cases and percentages": (
        lines(
            "town,Population,cases,%",
            *(f"{t},8,{y},{x}" for t, y, x in zip("ABC", YES, shares(YES, EIGHT, 100), strict=True)),
        ),
        {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_one_table_in_many_ways(tmp_path: Path, way: str) -> None:
    text, said = WAYS[way]
    found = intervals(tmp_path, text, **said)
    value = "cases" if "cases" in text else "yes"
    for town, yes in zip("ABC", YES, strict=True):
        assert found[f"town={town}", value] == (yes, yes)


def test_columns_whose_sizes_are_counted_below(tmp_path: Path) -> None:
    """Percentages of columns with one decimal, and how many people each column is of."""
    body = crossed("town,no,yes", shares(NO, [sum(NO)] * 3, 100, 0), shares(YES, [sum(YES)] * 3, 100, 0))
    signed = lines(
        *(",".join(x if x[0].isalpha() else x + "%" for x in row.split(",")) for row in body.split())
    )
    found = intervals(tmp_path, signed + f"Total,{sum(NO)},{sum(YES)}\n", of="column")
    for town, yes in zip("ABC", YES, strict=True):
        low, high = found[f"town={town}", "yes"]
        assert low <= yes <= high
        assert high - low <= 1
    assert found["everybody", "yes"] == (sum(YES), sum(YES))


def test_shares_that_add_up_both_ways_may_be_of_either(tmp_path: Path) -> None:
    """Rows and columns add up to 100: of rows four of eight in A are ill, of columns perhaps fewer."""
    sexes = lines("sex,no,yes", "f,25.0%,75.0%", "m,75.0%,25.0%")
    either = intervals(tmp_path, sexes)
    rows, columns = (intervals(tmp_path, sexes, of=of) for of in ("row", "column"))
    for cell, (low, high) in either.items():
        assert low == min(rows[cell][0], columns[cell][0])
        assert high == max(rows[cell][1], columns[cell][1])


@pytest.mark.parametrize(
    ("text", "unit"),
    [("12", 1), ("12.0", 0.1), ("12.30", 0.01), ("1.2e+02", 10), ("1,204", 1), ("7.", 1), (".5", 0.1)],
)
def test_each_cell_has_its_own_digits(text: str, unit: float) -> None:
    cell = read_cell(text)
    assert cell is not None
    assert cell.unit == pytest.approx(unit)


def test_significant_digits_are_not_decimals(tmp_path: Path) -> None:
    """``%.2g`` prints 12 and 5.3: the first is not 12.0."""
    people = 400
    town = Column("town", Role.PUBLIC, Kind.BINARY, ("A", "B"))
    codes = np.repeat([[0], [1]], people // 2, axis=0).astype(np.int32)
    roster = Roster("id", np.arange(people).astype(np.str_), CodedColumns((town,), codes))
    (tmp_path / "t.csv").write_text("town,ill,percent\nA,yes,12\nB,yes,5.5\n")
    for digits, units in (("rounded", 1.0), ("truncated", 1.0), (None, 1.5)):
        tables = read_printed(tmp_path / "t.csv", (town,))
        (block,) = release_of_tables(tables, roster, Said(digits=digits)).blocks
        assert block.most[0, 0] - block.least[0, 0] == pytest.approx(2.0 * units)
        assert block.most[1, 0] - block.least[1, 0] == pytest.approx(0.2 * units)


def test_digits_may_be_cut_off(tmp_path: Path) -> None:
    """Two of three are 66.6% where digits are cut off, and 66.7% where they are rounded."""
    town = Column("town", Role.PUBLIC, Kind.BINARY, ("A", "B"))
    people = CodedColumns((town,), np.zeros((3000, 1), np.int32))
    roster = Roster("id", np.arange(3000).astype(np.str_), people)
    (tmp_path / "t.csv").write_text("town,no,yes\nA,33.3%,66.6%\n")
    tables = read_printed(tmp_path / "t.csv", (town,))
    for digits, ends in (("rounded", (1996.5, 1999.5)), ("truncated", (1998, 2001)), (None, (1996.5, 2001))):
        (block,) = release_of_tables(tables, roster, Said(digits=digits)).blocks
        assert (block.least[0, 1], block.most[0, 1]) == pytest.approx(ends)
    with pytest.raises(InputError, match="--digits must be rounded or truncated; got 'cut'"):
        release_of_tables(tables, roster, Said(digits="cut"))


@pytest.mark.parametrize("digits", [None, "truncated"])
def test_truncated_shares_hold_their_counts(tmp_path: Path, digits: str | None) -> None:
    """Read as rounded, some of these counts would be excluded."""
    no, yes = ([f"{math.floor(1000 * n / 8) / 10:.1f}%" for n in numbers] for numbers in (NO, YES))
    found = intervals(tmp_path, crossed("town,no,yes", no, yes), digits=digits)
    assert [found[f"town={town}", "yes"] for town in "ABC"] == [(n, n) for n in YES]


def test_a_count_with_its_share_is_both(tmp_path: Path) -> None:
    pairs = [[f"{n} ({100 * n / 8:.1f}%)" for n in numbers] for numbers in (NO, YES)]
    found = intervals(tmp_path, crossed("town,no,yes", *pairs))
    assert [found[f"town={town}", "yes"] for town in "ABC"] == [(n, n) for n in YES]
    marked = crossed("town,no,yes", pairs[0], ["* (*)", "*", "* (*%)"])
    found = intervals(tmp_path, marked, mechanism="suppression:below=3,zeros=hide")
    assert [found[f"town={town}", "yes"] for town in "ABC"] == [(0, 2)] * 3
    wrong = crossed("town,no,yes", pairs[0], [f"{YES[0]} (99.0%)", *pairs[1][1:]])
    with pytest.raises(InputError, match="which add up to 100, or of everybody"):
        intervals(tmp_path, wrong)


def test_counts_and_their_shares_are_protected_alike(tmp_path: Path) -> None:
    """Rounded to five, 6 of 8 are 5 and 62.5%; shares of the true counts would be another statement."""
    rounded = lines("town,no,yes", *(f"{town},5 (62.5%),0 (0.0%)" for town in "ABC"))
    found = intervals(tmp_path, rounded, mechanism="rounding:base=5")
    assert all(found[f"town={town}", "yes"] == (0, 2) for town in "ABC")
    true = lines("town,no,yes", *(f"{town},5 (75.0%),0 (25.0%)" for town in "ABC"))
    for mechanism in ("exact", "rounding:base=5"):
        with pytest.raises(InputError):
            intervals(tmp_path, true, mechanism=mechanism)


@pytest.mark.parametrize("text", ["12 (3.4)", "12 (see note)", "(3.4%) 12", "3.4% (12)"])
def test_other_pairs_are_not_read(tmp_path: Path, text: str) -> None:
    table = crossed("town,no,yes", ["5", "5", "5"], [text, "3", "3"])
    with pytest.raises(
        InputError, match=r"row 2, column 3 must be a number, a percentage, both as in 12 \(3.4%\)"
    ):
        intervals(tmp_path, table)


def test_counts_in_powers_of_ten_are_no_counts(tmp_path: Path) -> None:
    text = lines("town,no,yes", "A,5,3", "B,5,3", "C,5,3", "Total,1e1,1.4e1")
    for digits, ends in (("rounded", (5, 15)), ("truncated", (10, 20)), (None, (5, 20))):
        found = intervals(tmp_path, text, digits=digits)
        assert found["everybody", "yes"] == (14, 14)
        assert found["everybody", "no"] == ends


@pytest.mark.parametrize(
    ("text", "said", "message"),
    [
        ("town,yes\nA,1.0\nB,0.0\nC,1.0\n", {}, "must say whether its numbers are counts, percentages"),
        ("Table 1. Percentage ill,\ntown,yes\nA,5\nB,2\nC,8\n", {}, "State --numbers counts, percent or"),
        ("town,yes\nA,5.0\nB,2.0\nC,8.0\n", {}, "State --numbers counts, percent or fraction"),
        ("town,no,yes\nA,87.5%,12.5%\nB,50%,50\nC,50%,50%\n", {}, "a number without a sign among"),
        ("town,no,yes,%\nA,5,3,1\nB,5,3,1\nC,5,3,1\n", {}, "must say which value of the secret"),
        ("town;no;yes\nA;87,5;12.5\nB;50;50\nC;50;50\n", {}, "must write decimals in one way"),
        ("town,no,yes\nA,50%,50%\n", {"numbers": "percents"}, "--numbers must be counts, percent"),
        ("town,no,yes\nA,50%,50%\nB,50%,50%\nC,50%,50%\n", {"of": "rows"}, "--of must be one of row"),
        ("town,no,yes\nA,99%,99%\nB,1%,1%\nC,0%,0%\n", {"of": "column"}, "no number of people gives"),
        ("town,cases,people\nA,3,8\nB,2,8\nC,1,8\n", {"secret": None}, "values of the secret, or counts"),
        (",no,,yes,\ntown,f,m,f,m\nA,1,1,1,1\n", {}, "say which column it is about; got labels that fit"),
        (",0,,1,\ntown,no,yes,no,yes\nA,1,1,1,1\n", {}, "must say which column it is about"),
        ("smoker,town,work,no,yes\n", {}, "must"),
    ],
)  # fmt: skip
def test_what_is_asked_about(tmp_path: Path, text: str, said: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        intervals(tmp_path, text, **said)
    assert message in str(caught.value)


def test_a_public_column_with_the_labels_of_the_secret(tmp_path: Path) -> None:
    """A table of smokers, who are public, is not read as one of the ill; one of the ill is read."""
    smokes = [int((CODES[CODES[:, 0] == town][:, 1] == 1).sum()) for town in range(3)]
    rows = [f"{t},{8 - s},{s}" for t, s in zip("ABC", smokes, strict=True)]
    with pytest.raises(InputError, match="whether it is about the secret or about 'smoker'"):
        intervals(tmp_path, lines("town,no,yes", *rows))
    shares = [f"{t},{100 - 12.5 * s}%,{12.5 * s}%" for t, s in zip("ABC", smokes, strict=True)]
    with pytest.raises(InputError, match="whether it is about the secret or about 'smoker'"):
        intervals(tmp_path, lines("town,no,yes", *shares))
    named = intervals(tmp_path, lines(",ill,ill", "town,no,yes", *rows))
    assert named["town=A", "yes"] == (smokes[0], smokes[0])
    ill = [f"{t},{n},{y}" for t, n, y in zip("ABC", NO, YES, strict=True)]
    assert intervals(tmp_path, lines("town,no,yes", *ill))["town=A", "yes"] == (YES[0], YES[0])


def test_a_label_that_is_left_out_between_two(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="must have a label in every column, or Total"):
        intervals(tmp_path, "town,sex,smoker,yes\nA,f,no,1\nA,,yes,1\n")
    with pytest.raises(InputError, match="must have a label in every row, or Total"):
        intervals(tmp_path, "town,A,A,B\nsex,f,,m\nill,no,yes,no\nsmoker,,,\nno,1,1,1\n")


def test_all_of_a_part_is_not_everybody() -> None:
    assert is_margin("Total")
    assert is_margin("All ages", "age")
    assert not is_margin("All women", "sex")
    assert not is_margin("Total f", "sex")


def test_commas_and_points() -> None:
    assert decimal_comma(["1,204", "3"]) is False
    assert decimal_comma(["1.204,5"]) is True
    assert decimal_comma(["0,204"]) is True
    assert decimal_comma(["1,5", "1.5"]) is None


def test_one_value_under_the_levels_of_another_column(tmp_path: Path) -> None:
    """Everybody is ill: pandas prints the one value above every column."""
    text = lines("sex,f,m,All", "ill,yes,yes,", "town,,,", "A,4,4,8", "B,4,4,8", "C,4,4,8", "All,12,12,24")
    assert intervals(tmp_path, text)["sex=f & town=A", "yes"] == (4, 4)


def test_values_that_are_not_printed(tmp_path: Path) -> None:
    """Two of three values: the third may be anybody's, if it is said to be there."""
    (tmp_path / "t.csv").write_text(lines("town,flu,other", "A,5,5", "B,0,5", "C,5,0"))
    tables = read_printed(tmp_path / "t.csv", PEOPLE.attributes.columns)
    said = Said("rounding:base=5")
    for levels in (("flu", "none", "other"), None):
        made = release_of_tables(tables, PEOPLE, said, levels=levels)
        assert made.secret.levels == (levels or ("flu", "other"))
    with pytest.raises(
        InputError, match="--values must name every value that is printed; got one without it"
    ):
        release_of_tables(tables, PEOPLE, said, levels=("flu", "none"))


def test_a_title_with_commas_above_semicolons(tmp_path: Path) -> None:
    body = crossed("town;no;yes", shares(NO, EIGHT, 100, 1, ","), shares(YES, EIGHT, 100, 1, ","), ";")
    text = "Table 1, by town, in percent, of all, that is\n\n" + body
    assert intervals(tmp_path, text, numbers="percent")["town=A", "yes"] == (YES[0], YES[0])


def test_shares_of_nobody_visible_say_nothing(tmp_path: Path) -> None:
    """In B all that is left are zeros, and nothing divided by nothing is printed as nothing."""
    text = lines("town,flu,none,other", "A,0.0%,50.0%,50.0%", "B,,,", "C,100.0%,,0.0%")
    found = intervals(tmp_path, text, mechanism="suppression:below=3")
    assert ("town=B", "other") not in found
    assert found["town=A", "none"] == (4, 4)


def test_columns_of_shares_of_nobody_visible_say_nothing(tmp_path: Path) -> None:
    """Nobody visible has none: of what its column is a share cannot be told from cells that are hidden."""
    text = lines("town,flu,none,other", "A,0.0%,,100.0%", "B,100.0%,,0.0%", "C,0.0%,,0.0%")
    found = intervals(tmp_path, text, mechanism="suppression:below=3", of="column")
    assert ("town=A", "none") not in found
    assert found["town=A", "flu"] == (0, 0)


def test_sums_without_a_value_that_is_hidden_everywhere(tmp_path: Path) -> None:
    """In each town seven are ill and the healthy one is hidden: a total of 7 is the sum of what is left."""
    text = lines("town,yes,All", "A,7,7", "B,7,7", "C,7,7", "All,21,21")
    tables = _read(tmp_path, text)
    for mechanism in ("suppression:below=3", "suppression:below=3,zeros=hide"):
        made = release_of_tables(tables, PEOPLE, Said(mechanism), levels=("no", "yes"))
        assert made.size == 4
    with pytest.raises(InputError, match="must add up to the 8 people on the list; got 7"):
        release_of_tables(tables, PEOPLE, Said("exact"), levels=("no", "yes"))


def _read(folder: Path, text: str, per: float | None = None) -> tuple[PrintedTable, ...]:
    (folder / "t.csv").write_text(text)
    return read_printed(folder / "t.csv", PEOPLE.attributes.columns, secret="ill", per=per)


@pytest.mark.parametrize("numbers", [None, "percent", "fraction"])
def test_a_table_without_numbers_says_nothing(tmp_path: Path, numbers: str | None) -> None:
    """Counts that are hidden, or shares of nobody? Nothing can be concluded, and nothing is wrong with it."""
    said = Said("suppression:below=5", numbers=numbers)
    tables = _read(tmp_path, lines("town,no,yes", "A,,", "B,,", "C,,"), said.per)
    with pytest.raises(SaysNothingError, match="nothing follows about anybody and nothing is guessed"):
        release_of_tables(tables, PEOPLE, said)
    counts = Said("suppression:below=5", numbers="counts")
    tables = _read(tmp_path, (tmp_path / "t.csv").read_text(), counts.per)
    assert release_of_tables(tables, PEOPLE, counts).size == 6


def test_empty_tables_about_other_people_are_still_refused(tmp_path: Path) -> None:
    tables = _read(tmp_path, lines("town,no,yes", "A,,", "B,,"))
    with pytest.raises(InputError, match="every level of 'town' on the list of people must be in one"):
        release_of_tables(tables, PEOPLE, Said("suppression:below=5"))


@pytest.mark.parametrize("sign", ["%", ""])
def test_empty_columns_under_the_levels_of_another_say_nothing(tmp_path: Path, sign: str) -> None:
    """No woman is visible as ill; beside men the same value is printed, so its column is not empty."""
    rows = [
        f"{town},100.0{sign},,{share}{sign},{share}{sign}" for town, share in zip("ABC", "350", strict=True)
    ]
    text = lines("sex,f,f,m,m", "ill,no,yes,no,yes", "town,,,,", *rows)
    said = {} if sign else {"numbers": "percent"}
    tables = _read(tmp_path, text, Said(**said).per)
    made = release_of_tables(tables, PEOPLE, Said("suppression:below=3", of="all", **said))
    labels = [
        (label, value)
        for block in made.blocks
        for label in block.statistic.labels()
        for value in block.values
    ]
    assert not any("sex=f" in label and value == "yes" for label, value in labels)
    assert sum("sex=f" in label for label, _ in labels) == 3


def test_columns_under_the_levels_of_another_are_shares_of_their_own(tmp_path: Path) -> None:
    """As pandas normalises columns: each is of all with its value among those of its level."""
    people = pd.DataFrame(
        {"town": [TOWN.levels[c] for c in CODES[:, 0]], "sex": [SEX.levels[c] for c in CODES[:, 2]]}
    )
    ill = pd.Series(np.where(ILL, "yes", "no"), name="ill")
    true = pd.crosstab(people["town"], [people["sex"], ill])
    for margins in (False, True):
        table = pd.crosstab(people["town"], [people["sex"], ill], normalize="columns", margins=margins)
        (100 * table).round(2).to_csv(tmp_path / "p.csv")
        for of in ("column", None):
            try:
                found = intervals(tmp_path, (tmp_path / "p.csv").read_text(), numbers="percent", of=of)
            except InputError as error:
                assert of is None
                assert "--of column" in str(error)  # noqa: PT017
                continue
            for (sex, value), counts in true.items():
                for town, count in counts.items():
                    low, high = found[f"sex={sex} & town={town}", value]
                    assert low <= count <= high


@pytest.mark.parametrize("secret", ["ill", None])
def test_names_beside_what_spans_the_labels(tmp_path: Path, secret: str | None) -> None:
    """Offices print the name of the secret above its values, and those of other columns in that row."""
    numbers = [f"{town},{no},{yes}" for town, no, yes in zip("ABC", NO, YES, strict=True)]
    plain = intervals(tmp_path, lines("town,no,yes", *numbers), secret=secret)
    spanned = intervals(tmp_path, lines("Table 1,,", "town,ill,", ",no,yes", *numbers), secret=secret)
    assert spanned == plain != {}
