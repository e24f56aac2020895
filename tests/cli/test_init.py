"""``dalenius init`` looks: header, dates, weights, households, codes for missing, amounts, labels, sizes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from openpyxl import Workbook

from dalenius.auditing.plan import read_plan
from dalenius.people.dataset import ReadSettings, read
from dalenius.people.files.read_file import read_sheet

Run = Callable[..., Any]

CANARY = "ZQ7x"
N = 120


def table(seed: int = 3) -> dict[str, list[Any]]:
    rng = np.random.default_rng(seed)
    ages = rng.integers(18, 80, N)
    return {
        "born": [f"{2000 - age}-05-17" for age in ages],
        "sex": rng.choice([1, 2], N).tolist(),
        "town": rng.choice(["Bern", "Zug", "?"], N).tolist(),
        "rooms": rng.choice([1, 2, 3, 99], N, p=[0.4, 0.3, 0.2, 0.1]).tolist(),
        "wealth": rng.choice([-9, 0, 10, 500], N).tolist(),
        "hh_id": rng.integers(0, N // 2, N).tolist(),
        "PWGTP": rng.integers(1, 900, N).tolist(),
        "income": rng.integers(900, 90_000, N).tolist(),
        "ill": np.where(rng.random(N) < 0.4, "yes", "no").tolist(),
    }


def write(path: Path, columns: dict[str, list[Any]], *, header: bool = True) -> None:
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path.write_text("\n".join([*([",".join(columns)] if header else []), *rows]) + "\n")


def drafted(folder: Path, run: Run, *words: str) -> tuple[dict[str, Any], str]:
    result = run("init", *words, "--out", "draft.toml", "--force")
    assert result.exit_code == 0, result.output
    return tomllib.loads((folder / "draft.toml").read_text()), result.stdout


def test_a_mark_with_a_blank_before_it_is_one_too(folder: Path, run: Run) -> None:
    """Many files have blanks after their commas."""
    columns = {name: table()[name] for name in ("sex", "town", "ill")}
    rows = [", ".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    (folder / "all.csv").write_text("\n".join([",".join(columns), *rows]) + "\n")
    plan, said = drafted(folder, run, "all.csv", "--secret", "ill")
    assert plan["schema"]["missing_codes"] == {"town": ["?"]}
    assert "Taken for missing values: " in said


def test_what_is_recognised_and_runs(folder: Path, run: Run) -> None:
    write(folder / "all.csv", table())
    plan, said = drafted(folder, run, "all.csv", "--secret", "ill", "--table", "sex+town", "--table", "born")
    schema = plan["schema"]
    assert schema["public"] == ["born", "sex", "town", "rooms", "wealth", "income"]
    assert (schema["weight"], schema["household"], schema["by_year"]) == ("PWGTP", "hh_id", ["born"])
    assert schema["missing_codes"] == {"town": ["?"], "rooms": [99], "wealth": [-9]}
    assert set(schema["bins"]) == {"income"}
    assert plan["release"][0]["statistics"] == [
        "tables:k=2,attributes=sex+town",
        "tables:k=1,attributes=born",
    ]
    assert re.search(r"Secret ill, 120 people: no \d\d\.\d%, yes \d\d\.\d%\.", said)
    assert re.search(r"Planned: 2 tables, \d+ numbers, \d+ below 10\.", said)
    assert "Survey weights, left out: PWGTP." in said
    assert run("audit", "draft.toml", "--quiet").exit_code in (0, 1)


def test_an_amount_is_no_name_and_a_number_is_a_secret(folder: Path, run: Run) -> None:
    write(folder / "all.csv", table())
    plan, said = drafted(folder, run, "all.csv", "--secret", "income")
    edges = plan["schema"]["bins"]["income"]
    assert edges == sorted(edges)
    assert all(edge % 1000 == 0 for edge in edges)
    assert f"below {edges[0]}" in said
    plan, _ = drafted(folder, run, "all.csv", "--secret", "income", "--bins", "income=10000,20000.5")
    assert plan["schema"]["bins"]["income"] == [10000, 20000.5]


def test_a_first_person_is_no_header(folder: Path, run: Run) -> None:
    people = table()
    people = {"name": [f"{CANARY}{i}" for i in range(N)]} | people
    write(folder / "bare.csv", people, header=False)
    result = run("init", "bare.csv", "--secret", "ill", "--out", "draft.toml")
    assert result.exit_code == 2
    assert "must start with a line of column names; got a first line like the others in" in result.stderr
    assert "--columns a,b,c" in result.stderr
    assert CANARY not in result.output
    assert not (folder / "draft.toml").exists()
    plan, _ = drafted(
        folder, run, "bare.csv", "--secret", "ill", "--columns", ",".join(people), "--table", "sex"
    )
    assert plan["data"]["columns"] == list(people)
    assert plan["schema"]["id"] == "name"
    assert run("audit", "draft.toml", "--quiet").exit_code in (0, 1)
    plan, said = drafted(folder, run, "bare.csv", "--secret", "c10", "--no-header")
    assert plan["schema"]["id"] == "c1"
    assert "120 people" in said


def test_a_header_of_years_is_a_header(folder: Path, run: Run) -> None:
    write(
        folder / "years.csv",
        {"2018": [1, 2, 2] * 6, "2019": [3, 3, 4] * 6, "2020": [5, 6, 5] * 6, "ill": [0, 1] * 9},
    )
    result = run("init", "years.csv", "--secret", "ill", "--out", "draft.toml")
    assert result.exit_code == 2
    plan, _ = drafted(folder, run, "years.csv", "--secret", "ill", "--header")
    assert plan["schema"]["public"] == ["2018", "2019", "2020"]


def test_labels_and_reference(folder: Path, run: Run) -> None:
    write(folder / "all.csv", table())
    write(folder / "others.csv", table(seed=4))
    (folder / "codes.json").write_text(
        '{"sex": {"values": {"1": "male", "2": "female"}}, "other": {"1": "x"}}'
    )
    (folder / "codes.csv").write_text("column,code,label\nill,yes,HIV\nill,no,none\n")
    words = ("all.csv", "--secret", "ill", "--table", "sex")
    plan, _ = drafted(folder, run, *words, "--labels", "codes.json", "--reference", "others.csv")
    assert (plan["schema"]["labels"], plan["knowledge"]["reference"]) == ("codes.json", "others.csv")
    _, said = drafted(folder, run, *words, "--labels", "codes.csv", "--reference", "others.csv")
    assert "HIV" in said
    result = run("audit", "draft.toml")
    assert result.exit_code in (0, 1), result.output
    assert "HIV" in (folder / "dalenius-report" / "findings.json").read_text()


def test_people_in_a_workbook(folder: Path, run: Run) -> None:
    book, people = Workbook(), table()
    for row in [list(people), *zip(*people.values(), strict=True)]:
        book.active.append(row)
    book.save(folder / "people.xlsx")
    plan, _ = drafted(folder, run, "people.xlsx", "--secret", "ill", "--table", "sex+town")
    assert plan["data"] == {"path": "people.xlsx"}
    assert run("audit", "draft.toml", "--quiet").exit_code in (0, 1)


def test_two_hundred_columns_give_a_small_plan(folder: Path, run: Run) -> None:
    rng = np.random.default_rng(4)
    wide = {f"q{j}": rng.integers(0, 4, N).tolist() for j in range(60)}
    write(folder / "wide.csv", wide | {"sex": rng.choice(["f", "m"], N).tolist(), "ill": table()["ill"]})
    plan, said = drafted(folder, run, "wide.csv", "--secret", "ill")
    (statistic,) = plan["release"][0]["statistics"]
    assert statistic == "tables:k=2,attributes=q0+q1+q2+q3+q4+q5+q6+sex"
    assert "Planned: 28 tables" in said
    assert len(plan["schema"]["public"]) == 61


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--secret", "ill", "--secret", "sex"), "--secret must be one column; got 2. An audit looks at one"),
        (
            ("--secret", "ill", "--table", "sex+twon"),
            "table 'sex+twon' must be by public columns; got the column",
        ),
        (("--secret", "ill", "--table", "sex+sex"), "table 'sex+sex' must name each column once"),
        (("--secret", "ill", "--table", "PWGTP"), "table 'PWGTP' must be by public columns"),
        (
            ("--secret", "income", "--bins", "income"),
            "--bins must be a column and its cut points; got 'income'",
        ),
        (("--secret", "income", "--bins", "income=a"), "--bins must be a column and its cut points"),
        (("--secret", "income", "--bins", "income=2,1"), "bins for 'income' must rise"),
        (("--secret", "ill", "--bins", "incom=2"), "bins for column 'incom' must be in the data"),
        (
            ("--secret", "ill", "--columns", "a,b"),
            "line 1, must have 2 fields like the list of columns; got 9",
        ),
        (("--secret", "ill", "--columns", "a", "--header"), "--columns must not be given with --header"),
        (("--secret", "ill", "--labels", "no.json"), "no.json must be a file"),
        (("--secret", "ill", "--labels", "bad.json"), "bad.json must be a dictionary of columns; got list"),
        (("--secret", "ill", "--labels", "same.json"), "labels of 'sex' must tell all values apart; got 1"),
        (("--secret", "ill", "--reference", "codes.csv"), "'codes.csv' must have the secret column 'ill'"),
        (("--secret", "ill", "--reference", "no.csv"), "no.csv must be a file"),
    ],
)
def test_bad_words(folder: Path, run: Run, words: tuple[str, ...], message: str) -> None:
    write(folder / "all.csv", table())
    (folder / "bad.json").write_text("[1]")
    (folder / "same.json").write_text('{"sex": {"1": "x", "2": "x"}}')
    (folder / "codes.csv").write_text("column,code,label\nsex,1,male\n")
    result = run("init", "all.csv", *words, "--out", "draft.toml")
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (folder / "draft.toml").exists()


def test_a_value_of_the_secret_that_one_person_has_is_not_named(folder: Path, run: Run) -> None:
    """It may be somebody's name in the wrong column."""
    columns = table()
    columns["ill"][7] = "Anna Muster"
    write(folder / "all.csv", columns)
    _, said = drafted(folder, run, "all.csv", "--secret", "ill", "--table", "sex+town")
    assert re.search(r"Secret ill, 120 people: no [\d.]+%, yes [\d.]+%, 1 value of one person 0\.8%\.", said)
    assert "Anna" not in said + (folder / "draft.toml").read_text()


def test_blanks_after_commas_are_no_part_of_names_or_values(folder: Path) -> None:
    """Some programs write them; both readers of people take them away where names or all values have them."""
    rows = "\n".join(
        f"{20 + i % 7}, {100 + i}.5, {'fm'[i % 2]}, {'no' if i % 3 else 'yes'}" for i in range(30)
    )
    (folder / "padded.csv").write_text(f"age, fnlwgt, sex, ill\n{rows}\n30, 1.5,  , no\n")
    with read("padded.csv", secret="ill", ignored=["fnlwgt"], how=ReadSettings(missing="value")) as people:
        assert people.schema.secret.levels == ("no", "yes")
        levels = next(column.levels for column in people.schema.public if column.name == "sex")
    assert levels == ("f", "m", "(missing)")
    sheet = read_sheet("padded.csv")
    assert sheet.names == ["age", "fnlwgt", "sex", "ill"]
    assert sheet.table.column("sex").unique().to_pylist() == ["f", "m", None]
    (folder / "plain.csv").write_text("sex,ill\n m,no\n")
    assert read_sheet("plain.csv").table.column("sex").to_pylist() == [" m"]
    (folder / "bare.csv").write_text(rows + "\n30, 1.5, , no\n41, 2.5,, yes\n")
    columns = ("age", "weight", "sex", "ill")
    how = ReadSettings(missing="value", columns=columns)
    with read("bare.csv", secret="ill", ignored=["weight"], how=how) as people:
        assert people.schema.secret.levels == ("no", "yes")
    sheet = read_sheet("bare.csv", columns=columns)
    assert sheet.table.column("sex").unique().to_pylist() == ["f", "m", None]
    (folder / "one.csv").write_text("sex,ill\nm, no\nf,no\n")
    assert read_sheet("one.csv").table.column("ill").to_pylist() == [" no", "no"], "not all have one"


def test_who_names_no_secret_is_told_the_columns(folder: Path, run: Run) -> None:
    write(folder / "all.csv", table())
    done = run("init", "all.csv")
    assert done.exit_code == 2
    assert "must name the column that an attacker must not learn; got none. Its columns are" in done.output
    assert "income" in done.output
    write(folder / "bare.csv", table(), header=False)
    bare = run("init", "bare.csv")
    assert bare.exit_code == 2
    assert "must start with a line of column names" in bare.output


def test_a_column_that_tells_the_secret_is_asked_about(folder: Path, run: Run) -> None:
    """A code of the secret with a few slips is no other name of it, and still tells nearly everybody's."""
    columns = table()
    columns = {name: columns[name] for name in ("sex", "rooms", "town", "ill")}
    columns["code"] = [
        {"yes": "B20"}.get(ill, "Z00") if i % 20 else "Z00" for i, ill in enumerate(columns["ill"])
    ]
    write(folder / "all.csv", columns)
    plan, said = drafted(folder, run, "all.csv", "--secret", "ill")
    assert "code" in plan["schema"]["public"]
    assert "Is code known to strangers? It tells ill of" in said
    assert "Is town known" not in said
    assert "by itself; without it" in (folder / "draft.toml").read_text()


def test_a_recoding_of_another_column_is_told_and_left_out(folder: Path, run: Run) -> None:
    """Education and its number are one thing to know; a code of the secret would tell it by itself."""
    columns = table()
    columns = {name: columns[name] for name in ("sex", "rooms", "town", "ill")}
    columns["town_number"] = [["Bern", "Zug", "?"].index(town) for town in columns["town"]]
    columns["other"] = columns["town"][::-1]  # as many values, of as many people: another thing
    columns["ill_code"] = [1 + (ill == "yes") for ill in columns["ill"]]
    write(folder / "all.csv", columns)
    plan, said = drafted(folder, run, "all.csv", "--secret", "ill")
    assert plan["schema"]["public"] == ["sex", "rooms", "town", "other"]
    assert plan["schema"]["ignored"] == ["town_number", "ill_code"]
    assert "Tell the same as another column, left out: town_number (as town), ill_code (as ill)." in said
    text = (folder / "draft.toml").read_text()
    assert "3 different values; tells the same as town, in other words or numbers" in text
    plan, said = drafted(folder, run, "all.csv", "--secret", "ill", "--table", "town_number+sex")
    assert "town" not in plan["schema"]["public"]  # the one that a table is planned by is kept
    plan, said = drafted(folder, run, "all.csv", "--secret", "ill", "--table", "town+town_number")
    assert {"town", "town_number"} <= set(plan["schema"]["public"])
    assert "tells the same as town" in (folder / "draft.toml").read_text()


def test_the_values_that_matter_are_proposed_in_words_of_the_data(tmp_path: Path, run: Run) -> None:
    """Taking the sign away must leave a plan that runs."""
    place = tmp_path / "people.csv"
    rows = [f"{j % 7},{'healthy' if j % 5 else 'ill'}" for j in range(60)]
    place.write_text("\n".join(["age,state", *rows, "3,", "4,", "5,"]) + "\n")
    plan = tmp_path / "audit.toml"
    assert run("init", str(place), "--secret", "state", "--out", str(plan)).exit_code == 0
    text = plan.read_text()
    assert '# sensitive = ["ill"]' in text
    plan.write_text(text.replace("# sensitive", "sensitive"))
    assert read_plan(plan).policy.sensitive == ("ill",)
