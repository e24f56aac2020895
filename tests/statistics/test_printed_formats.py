"""Ways to print the same numbers: shares of rows, columns and all, rates, commas, people beside cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dalenius.errors import InputError
from dalenius.printed.dimensions import is_margin
from helpers.printed_tables import (
    ALL,
    CODES,
    EIGHT,
    ILL,
    NO,
    SEX,
    TOWN,
    YES,
    crossed,
    intervals,
    lines,
    shares,
)

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


def test_one_value_under_the_levels_of_another_column(tmp_path: Path) -> None:
    """Everybody is ill: pandas prints the one value above every column."""
    text = lines("sex,f,m,All", "ill,yes,yes,", "town,,,", "A,4,4,8", "B,4,4,8", "C,4,4,8", "All,12,12,24")
    assert intervals(tmp_path, text)["sex=f & town=A", "yes"] == (4, 4)


def test_a_title_with_commas_above_semicolons(tmp_path: Path) -> None:
    body = crossed("town;no;yes", shares(NO, EIGHT, 100, 1, ","), shares(YES, EIGHT, 100, 1, ","), ";")
    text = "Table 1, by town, in percent, of all, that is\n\n" + body
    assert intervals(tmp_path, text, numbers="percent")["town=A", "yes"] == (YES[0], YES[0])


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
