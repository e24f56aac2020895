"""``dalenius reconstruct tables`` and ``joint``: files in, files out, and every kind of bad input."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]

SHOW = ("--show-people",)
AGES, SEXES = ("20-29", "30-39", "40-49"), ("f", "m")


class People:
    """Sixty people by age and sex, with a secret, and tables about some of them."""

    def __init__(self, n: int = 60) -> None:
        rng = np.random.default_rng(3)
        self.ids = [f"c{i:02}" for i in range(n)]
        self.age, self.sex = rng.choice(AGES, n), rng.choice(SEXES, n)
        self.ill = rng.random(n) < 0.3

    def list(self, keep: int = 60) -> str:
        rows = zip(self.ids[:keep], self.age, self.sex, strict=False)
        return "id,age,sex\n" + "".join(f"{i},{a},{s}\n" for i, a, s in rows)

    def truth(self) -> str:
        rows = zip(self.ids, self.ill, strict=True)
        return "id,ill\n" + "".join(f"{i},{'yes' if ill else 'no'}\n" for i, ill in rows)

    def count(self, yes: bool, keep: int = 60, **where: str) -> int:
        inside = (self.ill == yes) & (np.arange(60) < keep)
        for name, level in where.items():
            inside &= getattr(self, name) == level
        return int(inside.sum())

    def by_age(self, keep: int = 60, shown: Callable[[int], str] = str) -> str:
        rows = ["age,no,yes"]
        for age in AGES:
            rows.append(
                f"{age},{shown(self.count(False, keep, age=age))},{shown(self.count(True, keep, age=age))}"
            )
        rows.append(f"Total,{shown(self.count(False, keep))},{shown(self.count(True, keep))}")
        return "\n".join(rows) + "\n"

    def by_both(self, shown: Callable[[int], str] = str) -> str:
        rows = ["age,sex,ill,count"]
        for age in AGES:
            for sex in SEXES:
                for word, yes in (("no", False), ("yes", True)):
                    rows.append(f"{age},{sex},{word},{shown(self.count(yes, age=age, sex=sex))}")
        return "\n".join(rows) + "\n"


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> People:
    monkeypatch.chdir(tmp_path)
    people = People()
    Path("people.csv").write_text(people.list())
    Path("truth.csv").write_text(people.truth())
    Path("age.csv").write_text(people.by_age())
    Path("both.csv").write_text(people.by_both())
    return people


@pytest.fixture
def tables(run: Run) -> Run:
    return lambda *words: run("reconstruct", "tables", "--people", "people.csv", "--id", "id", *words)


def read(name: str) -> list[dict[str, str]]:
    with Path("dalenius-report", name).open(newline="") as file:
        return list(csv.DictReader(file))


def small(count: int) -> str:
    return "<5" if 0 < count < 5 else str(count)


def test_files_and_what_they_say(made: People, tables: Run) -> None:
    Path("hidden.csv").write_text(made.by_both(small))
    result = tables("--table", "hidden.csv", "--table", "age.csv", "--truth", "truth.csv")
    assert result.exit_code == 1, result.output
    assert "Cells not printed as they are:" in result.output
    cells = {row["what"]: row for row in read("cells.csv")}
    assert cells
    for what, row in cells.items():
        where, _, value = what.removeprefix("hidden.csv: ").rpartition(", ill=")
        conditions = dict(part.split("=") for part in where.split(" & "))
        truth = made.count(value == "yes", **conditions)
        assert int(row["derived_low"]) <= truth <= int(row["derived_high"])
        assert row["published"] == "0 to 4"
    claims = read("claims.csv")
    assert [row["id"] for row in claims] == made.ids
    for row, ill in zip(claims, made.ill, strict=True):
        assert row["certain"] == "false" or row["guess"] == ("yes" if ill else "no")
    findings = json.loads(Path("dalenius-report/findings.json").read_text())
    assert findings["data"]["people"] == 60
    assert findings["findings"][0]["certain"] == findings["findings"][0]["details"]["judged"]["certain_right"]
    assert not any(name in json.dumps(findings) for name in made.ids)
    assert {row["kind"] for row in read("disclosures.csv")} <= {"one cell", "from a total", "published twice"}


def test_rounded_tables_and_a_workbook(made: People, tables: Run) -> None:
    from openpyxl import Workbook

    book = Workbook()
    for line in made.by_age(shown=lambda c: str(5 * ((c + 2) // 5))).splitlines():
        book.active.append([int(cell) if cell.isdigit() else cell for cell in line.split(",")])
    book.save("age.xlsx")
    assert tables("--table", "age.xlsx", "--mechanism", "rounding:base=5").exit_code == 1
    for row in read("cells.csv"):
        assert int(row["derived_high"]) - int(row["derived_low"]) <= 4
    one, two = (Path("dalenius-report", name).read_bytes() for name in ("claims.csv", "cells.csv"))
    assert tables("--table", "age.xlsx", "--mechanism", "rounding:base=5").exit_code == 1
    assert one == Path("dalenius-report/claims.csv").read_bytes()
    assert two == Path("dalenius-report/cells.csv").read_bytes()


@pytest.mark.parametrize(
    ("change", "words", "message"),
    [
        (lambda t: t.replace("Total,", "Total,1"), (), "must add up to the 60 people on the list"),
        (lambda t: t.replace("30-39", "30-38"), (), "age.csv: every level of 'age' must be somebody's"),
        (lambda t: t.replace("30-39", "30-38"), SHOW, "It is '30-38'. Did you mean '30-39'?"),
        (lambda t: "\n".join(t.splitlines()[:3]) + "\n", (), "level of 'age' on the list of people must be"),
        (lambda t: "\n".join(t.splitlines()[:3]) + "\n", SHOW, "tables do. It is '40-49'."),
        (lambda t: t.replace("age,no", "age,?no").replace("Total,", "Total,??"), (), "must be a number"),
        (lambda t: "age,no,yes\n20-29,10%,20%\n30-39,1%,2%\n40-49,3%,4%\n", (), "Give --group-size"),
        (lambda t: t, ("--mechanism", "rouding:base=5"), "Did you mean 'rounding'?"),
        (lambda t: t, ("--group-size", "61"), "--group-size must be the number of people"),
        (lambda t: t, ("--decoder", "magic"), "decoder 'magic' must be a known one"),
        (lambda t: t, ("--secret", "sex"), "must not be both the secret and public"),
    ],
)  # fmt: skip
def test_bad_input(
    made: People, tables: Run, change: Callable[[str], str], words: tuple[str, ...], message: str
) -> None:
    Path("age.csv").write_text(change(made.by_age()))
    result = tables("--table", "age.csv", *words)
    assert result.exit_code == 2
    assert message in result.output
    assert not Path("dalenius-report").exists()


def test_tables_that_contradict_each_other_are_named(made: People, tables: Run) -> None:
    """Each table fits the people; the two together fit no secrets."""
    right = made.by_age()
    wrong = right.splitlines()
    no, yes = (int(cell) for cell in wrong[1].split(",")[1:])
    wrong[1] = f"20-29,{no + 1},{yes - 1}"
    Path("wrong.csv").write_text("\n".join(wrong[:-1]) + "\n")
    result = tables("--table", "age.csv", "--table", "wrong.csv")
    assert result.exit_code == 2
    assert "these 2 cannot all hold: 'age.csv: age=20-29'" in result.output
    assert "'wrong.csv: age=20-29'" in result.output


def test_a_number_that_the_mechanism_cannot_print_is_named(made: People, tables: Run) -> None:
    Path("t.csv").write_text(made.by_age())
    result = tables("--table", "t.csv", "--mechanism", "suppression:below=40")
    assert result.exit_code == 2
    assert "'t.csv: age=" in result.output


@pytest.mark.parametrize("mark", ["*", "c", "x", ".", "<50"])
def test_every_way_to_hide_a_cell(made: People, tables: Run, mark: str) -> None:
    Path("t.csv").write_text(made.by_age(shown=lambda count: mark))
    counts = [f"{sex},{made.count(False, sex=sex)},{made.count(True, sex=sex)}" for sex in SEXES]
    Path("sex.csv").write_text("\n".join(["sex,no,yes", *counts, ""]))
    result = tables("--table", "t.csv", "--table", "sex.csv")
    assert result.exit_code == 1, result.output
    ages = [row for row in read("cells.csv") if "age=" in row["what"]]
    assert len(ages) > 0
    assert all(row["exact"] == "false" for row in ages)


@pytest.mark.parametrize(("shown", "mechanism"), [("*", "exact"), ("0", "rounding:base=500")])
def test_tables_that_say_nothing_are_not_guessed_from(
    made: People, tables: Run, shown: str, mechanism: str
) -> None:
    Path("t.csv").write_text(made.by_age(shown=lambda count: shown))
    result = tables("--table", "t.csv", "--mechanism", mechanism)
    assert result.exit_code == 1, "nothing can be learnt, which is no mistake of the input"
    assert "every secret of these people fits all of them" in result.output
    assert "nothing is guessed" in result.output
    assert not Path("dalenius-report").exists()


def test_a_folder_of_releases_is_attacked_together(made: People, run: Run) -> None:
    folder = Path("releases")
    for year, keep in (("2023", 59), ("2024", 60)):
        (folder / year).mkdir(parents=True)
        (folder / year / "people.csv").write_text(made.list(keep))
        (folder / year / "age.csv").write_text(made.by_age(keep))
    words = ("reconstruct", "joint", "releases", "--id", "id", "--truth", "truth.csv", "--unchanged")
    result, shown = run(*words), run(*words, "--show-people")
    assert (result.exit_code, shown.exit_code) == (1, 1), result.output
    value = "yes" if made.ill[59] else "no"
    first, second, third = shown.stdout.splitlines()[:3]
    assert first == "1 of 60 people is given away by arithmetic alone."
    assert second == "1 disclosure by one or two numbers (1 difference); disclosures.csv has the words."
    assert "'2023: age.csv: age=" in third
    assert third.endswith(f"so c59 has ill={value}")
    assert "c59" not in result.output  # nobody is named unless that is asked for
    assert [row["people"] for row in read("disclosures.csv")] == ["c59"]


def test_a_release_beside_tables_each_with_its_mechanism(made: People, run: Run) -> None:
    from dalenius.people.dataset import read as read_people
    from dalenius.release.files import write_release
    from dalenius.release.publish import publish

    lines = [
        f"{line},{'yes' if ill else 'no'}"
        for line, ill in zip(made.list().splitlines()[1:], made.ill, strict=True)
    ]
    Path("data.csv").write_text("id,age,sex,ill\n" + "\n".join(lines) + "\n")
    Path("releases").mkdir()
    with read_people("data.csv", secret="ill", id="id") as people:
        release = publish(people, "tables:k=2", "rounding:base=5", rng=np.random.default_rng(1))
        write_release(release, "releases/rounded")
    Path("releases/age.csv").write_text(made.by_age(shown=small))
    words = ("reconstruct", "joint", "releases", "--id", "id", "--people", "people.csv", "--secret", "ill")
    said = ("--mechanism", "age.csv=suppression:below=5", "--unchanged")
    result = run(*words, *said, "--truth", "truth.csv")
    assert result.exit_code == 1, result.output
    assert "mechanism suppression:below=5 or rounding:base=5" in result.output
    for row in read("cells.csv"):
        where, _, value = row["what"].partition(": ")[2].rpartition(", ill=")
        conditions = dict(part.split("=") for part in where.split(" & ")) if where != "everybody" else {}
        assert int(row["derived_low"]) <= made.count(value == "yes", **conditions) <= int(row["derived_high"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nowhere",), "nowhere must be a folder of releases"),
        (("empty",), "must hold releases or tables"),
        (("some",), "must have a people.csv, or be about a list of people"),
        (("some", "--people", "people.csv", "--mechanism", "ag.csv=exact"), "must name a table"),
    ],
)
def test_bad_folders(made: People, run: Run, words: tuple[str, ...], message: str) -> None:
    Path("empty").mkdir()
    Path("some").mkdir()
    Path("some/age.csv").write_text(made.by_age())
    result = run("reconstruct", "joint", *words, "--id", "id")
    assert result.exit_code == 2
    assert message in result.output
    assert not Path("dalenius-report").exists()
