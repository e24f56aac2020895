"""Printed tables of amounts: long, crossed, in thousands, hidden; and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner

from dalenius.cli.main import app

PEOPLE = "id,town,age,sex\n" + "".join(
    f"p{i:02},{'Bern' if i < 8 else 'Zug'},{20 + 3 * i},{'f' if i % 2 else 'm'}\n" for i in range(16)
)
AMOUNTS = [1000 + 100 * i for i in range(16)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    rows = "".join(f"p{i:02},{amount}\n" for i, amount in enumerate(AMOUNTS))
    (tmp_path / "truth.csv").write_text("id,income\n" + rows)
    return tmp_path


def run(folder: Path, *words: str, truth: bool = False) -> tuple[int, str]:
    base = [
        "reconstruct",
        "amounts",
        "--people",
        str(folder / "people.csv"),
        "--id",
        "id",
        "--amount",
        "income",
    ]
    given = ["--truth", str(folder / "truth.csv")] if truth else []
    result = CliRunner().invoke(app, [*base, *given, *words, "--out", str(folder / "out")])
    return result.exit_code, result.output


def ends(folder: Path) -> dict[str, tuple[float, float]]:
    with (folder / "out" / "amounts.csv").open() as lines:
        return {row["id"]: (float(row["least"]), float(row["most"])) for row in csv.DictReader(lines)}


def test_a_long_table_with_bands_and_margins(folder: Path) -> None:
    """Bern less its people up to 38 and its people from 42 on is the one of 41."""
    table = folder / "t.csv"
    bern = AMOUNTS[:8]
    table.write_text(
        f"town,age,count,sum\nBern,20-38,7,{sum(bern[:7])}\nBern,Total,8,{sum(bern)}\nZug,*,*,*\n".replace(
            "Zug,*", "Zug,Total"
        )
    )
    code, text = run(folder, "--table", str(table), truth=True)
    assert code == 1, text
    low, high = ends(folder)["p07"]
    assert low <= AMOUNTS[7] <= high
    assert high - low <= 4.1, "the last digit of two numbers"
    found = json.loads((folder / "out" / "findings.json").read_text())["findings"][0]
    assert found["certain"] == 1
    assert found["details"]["outside"] == 0
    assert "p07" not in (folder / "out" / "findings.json").read_text()


def test_a_crossed_workbook_in_thousands(folder: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["town", "f", "m", "Total"], ["Bern", 5.6, 5.2, 10.8], ["Zug", 8.8, 8.4, 17.2]):
        sheet.append(row)
    book.save(folder / "t.xlsx")
    code, text = run(folder, "--table", str(folder / "t.xlsx"), "--times", "1000", truth=True)
    assert code == 1, text
    found = json.loads((folder / "out" / "findings.json").read_text())["findings"][0]
    assert found["details"]["outside"] == 0
    assert found["details"]["classes"] == 4
    assert max(high for _, high in ends(folder).values()) <= 9000


def test_quantiles_as_programs_print_them(folder: Path) -> None:
    """Golden: eight people in Bern. The first quartile is the second or third amount, whoever defined it."""
    bern = sorted(AMOUNTS[:8])
    (folder / "t.csv").write_text(
        f"town,n,mean,std,min,25%,50%,75%,max\nBern,8,{sum(bern) / 8},244.95,{bern[0]},{bern[1]}.5,1350,"
        f"{bern[5]}.5,{bern[7]}\n"
    )
    code, text = run(folder, "--table", str(folder / "t.csv"), truth=True)
    assert code == 1, text
    found = json.loads((folder / "out" / "findings.json").read_text())["findings"][0]
    assert found["details"]["outside"] == 0
    assert found["numbers"] == 8
    assert ends(folder)["p00"] == (pytest.approx(1000, abs=1), pytest.approx(1700, abs=1))


def test_without_the_truth_nothing_passes(folder: Path) -> None:
    (folder / "t.csv").write_text(f"count,sum\n16,{sum(AMOUNTS)}\n")
    code, text = run(folder, "--table", str(folder / "t.csv"))
    assert code == 1
    assert "UNDECIDED" in text


def test_a_mechanism_that_was_not_used_is_refuted_by_the_truth(folder: Path) -> None:
    """Sums were rounded to 1,000 and said to be exact: what follows is not true, and is no disclosure."""
    lines = "".join(f"{20 + 3 * i},1,{round(amount, -3)}\n" for i, amount in enumerate(AMOUNTS))
    (folder / "t.csv").write_text("age,count,sum\n" + lines)
    code, text = run(folder, "--table", str(folder / "t.csv"), truth=True)
    assert code == 1
    assert "UNDECIDED" in text
    assert "not made as stated" in text
    code, text = run(
        folder, "--table", str(folder / "t.csv"), "--mechanism", "rounding:base=1000", truth=True
    )
    assert (
        json.loads((folder / "out" / "findings.json").read_text())["findings"][0]["details"]["outside"] == 0
    )


@pytest.mark.parametrize(
    ("table", "words", "said"),
    [
        ("town,sum\nGenf,5\n", (), "somebody on the list has"),
        ("town,share\nBern,5%\n", (), "header"),
        ("town,q1\nBern,5\n", (), "p25"),
        ("town,sum\nBern,see note\n", (), "number or a mark"),
        ("town,sum\nBern,*\n", (), "at least one number"),
        ("town,count,sum\nBern,9,10000\n", (), "list of people, 8"),
        ("town,sum\nBern,100\nZug,100\nTotal,900\n", (), "contradict"),
        ("town,sum\nBern,5\n", ("--times", "0"), "above 0"),
        ("town,sum\nBern,5\n", ("--mechanism", "roundin:base=5"), "mechanism"),
        ("town,f,m\nBern,1,2\n", ("--statistic", "modus"), "statistic"),
        ("town,sum\nBern,10000\n", ("--least", "5", "--most", "1"), "below most"),
        ("town,sum\nAnn Lee,10000\n", (), "must be a level that somebody on the list has; got another"),
        ("town,sum\nBern," + 200 * "9" + "\n", (), "must be at most 1e+100"),
    ],
)
def test_bad_input_writes_nothing(folder: Path, table: str, words: tuple[str, ...], said: str) -> None:
    (folder / "t.csv").write_text(table)
    code, text = run(folder, "--table", str(folder / "t.csv"), *words)
    assert code == 2
    assert said in text
    assert not (folder / "out").exists()


def test_what_nobody_said_of_the_numbers_is_a_condition(folder: Path) -> None:
    table = folder / "t.csv"
    table.write_text(f"town,age,count,sum\nBern,20,1,{AMOUNTS[0]}\n")
    first = "If the numbers are exact to their last digit, as nothing else was said, the income of 1 of 16"
    said = " ".join(run(folder, "--table", str(table))[1].split())
    assert first in said
    assert said.count("as nothing else was said") == 3, "headline, severity and reason"
    stated = " ".join(run(folder, "--table", str(table), "--mechanism", "exact")[1].split())
    assert "as nothing else was said" not in stated
    assert "The income of 1 of 16 people follows by arithmetic" in stated


def test_a_truth_that_refutes_is_the_headline(folder: Path) -> None:
    table = folder / "t.csv"
    table.write_text(f"town,age,count,sum\nBern,20,1,{AMOUNTS[0] + 500}\n")
    said = " ".join(run(folder, "--table", str(table), truth=True)[1].split())
    assert "The tables were not made as stated: the true amount of 1 person lies outside" in said
    assert "UNDECIDED" in said
