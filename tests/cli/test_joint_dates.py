"""Releases of several dates: a secret may change between them, and nothing is certain through time."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

CELLS = ("f,a", "f,b", "m,a", "m,b")


def write(place: Path, people: dict[str, str], ill: set[str]) -> None:
    """A list of people, each in a cell, and the exact table of who is ill."""
    place.mkdir(parents=True)
    rows = [f"{name},{cell}" for name, cell in people.items()]
    (place / "people.csv").write_text("\n".join(["id,sex,town", *rows]) + "\n")
    lines = ["sex,town,no,yes"]
    for cell in CELLS:
        here = [name for name, own in people.items() if own == cell]
        lines.append(f"{cell},{sum(n not in ill for n in here)},{sum(n in ill for n in here)}")
    (place / "t.csv").write_text("\n".join(lines) + "\n")


@pytest.fixture
def years(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody comes, and somebody else of the same cell falls ill in between."""
    monkeypatch.chdir(tmp_path)
    people = {f"p{i}": CELLS[i % 4] for i in range(29)}
    write(Path("r/2018"), people, {"p1", "p6"})
    now = people | {"p29": CELLS[3]}
    ill = {"p1", "p6", "p3"}
    write(Path("r/2019"), now, ill)
    Path("truth.csv").write_text("\n".join(["id,ill", *(f"{p},{'yes' if p in ill else 'no'}" for p in now)]))


def claims(place: str = "dalenius-report") -> dict[str, dict[str, str]]:
    with Path(place, "claims.csv").open() as file:
        return {row["id"]: row for row in csv.DictReader(file)}


WORDS = ("reconstruct", "joint", "r", "--id", "id", "--secret", "ill", "--truth", "truth.csv")


@pytest.mark.usefixtures("years")
@pytest.mark.parametrize("words", [("--decoder", "magic"), ("--truth", "none.csv")])
def test_an_error_stands_alone(run: Run, words: tuple[str, ...]) -> None:
    """What is said before the work is not said before an error."""
    result = run(*WORDS, *words)
    assert result.exit_code == 2
    assert result.output.startswith("error: ")
    assert len(result.output.splitlines()) == 1


@pytest.mark.usefixtures("years")
def test_nothing_is_certain_through_time(run: Run):
    result = run(*WORDS)
    assert result.exit_code == 1, result.output
    assert "of 2 dates" in result.output
    assert "said is about 2019" in result.output
    assert "p29" not in Path("dalenius-report/disclosures.csv").read_text()
    truth = dict(line.split(",") for line in Path("truth.csv").read_text().splitlines()[1:])
    said = claims()
    assert all(row["guess"] == truth[name] for name, row in said.items() if row["certain"] == "true")
    assert said["p29"]["certain"] == said["p3"]["certain"] == "false"
    # what the last release says alone still holds
    assert said["p0"]["certain"] == "true"


@pytest.mark.usefixtures("years")
def test_saying_that_no_secret_changed_is_the_old_reading_and_here_it_is_refuted(run: Run):
    """Planted fault: under a false statement somebody is named wrongly, and the truth shows it."""
    result = run(*WORDS, "--unchanged")
    assert result.exit_code in (1, 2), result.output


@pytest.mark.usefixtures("years")
def test_what_people_are_born_with_may_be_compared(run: Run):
    ill = {"p1", "p6"}
    everybody = [f"p{i}" for i in range(30)]
    write(Path("s/2018"), {f"p{i}": CELLS[i % 4] for i in range(29)}, ill)
    write(Path("s/2019"), {f"p{i}": CELLS[i % 4] for i in range(29)} | {"p29": CELLS[3]}, ill)
    rows = [f"{p},{'yes' if p in ill else 'no'}" for p in everybody]
    Path("truth.csv").write_text("\n".join(["id,ill", *rows]))
    result = run(*("s" if word == "r" else word for word in WORDS), "--unchanged")
    assert result.exit_code == 1, result.output
    assert "dates" not in result.output
    assert claims()["p29"]["certain"] == "true"


@pytest.mark.usefixtures("years")
def test_tables_of_one_date_beside_each_other_are_one_release(run: Run):
    """A year in the name of a table makes it one of another date."""
    people = {f"p{i}": CELLS[i % 4] for i in range(29)}
    write(Path("flat"), people, {"p1"})
    text = Path("flat/t.csv").read_text()
    Path("flat/u.csv").write_text(text)
    words = ("reconstruct", "joint", "flat", "--id", "id", "--secret", "ill")
    assert "dates" not in run(*words).output
    Path("flat/t.csv").rename("flat/t2018.csv")
    Path("flat/u.csv").rename("flat/t2019.csv")
    assert "said is about 2019" in run(*words).output


@pytest.mark.usefixtures("years")
def test_hidden_cells_of_another_date(run: Run):
    text = Path("r/2018/t.csv").read_text().splitlines()
    text[1] = "f,a,*,*"
    Path("r/2018/t.csv").write_text("\n".join(text) + "\n")
    result = run(*WORDS, "--mechanism", "2018=unknown")
    assert result.exit_code == 1, result.output
