"""The commands of singling out on small files: what is written, what is said, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from dalenius.findings.report import Report
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.opening import read_rows
from dalenius.people.rows.columns import TextColumn
from dalenius.singling_out.rows.files import read_rows_files

from .conftest import Run


def write(path: Path, rng: np.random.Generator, people: int) -> None:
    ages, zips = rng.integers(18, 90, people), rng.integers(10_000, 10_100, people)
    sexes, pay = rng.choice(["f", "m"], people), rng.integers(20_000, 90_000, people)
    lines = [f"{a},{z},{s},{p}" for a, z, s, p in zip(ages, zips, sexes, pay, strict=True)]
    path.write_text("\n".join(["age,zip,sex,pay", *lines]) + "\n")


@pytest.fixture
def town(folder: Path) -> Path:
    rng = np.random.default_rng(2)
    write(folder / "everybody.csv", rng, 4000)
    lines = (folder / "everybody.csv").read_text().splitlines()
    chosen = rng.choice(np.arange(1, 4001), 300, replace=False)
    (folder / "people.csv").write_text("\n".join([lines[0], *(lines[i] for i in chosen)]) + "\n")
    (folder / "sex.csv").write_text("f;*\nm;*\n")
    people = read_rows(folder / "people.csv")
    anonymise(people, ("age", "zip", "sex"), "mondrian:k=5", rng).write(folder / "released.csv")
    return folder


def flat(text: str) -> str:
    return " ".join(text.split())


ROWS = ("single-out", "rows", "--anonymised", "released.csv", "--quasi", "age,zip,sex")
GAME = ("single-out", "game", "--population", "everybody.csv", "--n")
COUNTS = ("single-out", "counts", "--population", "everybody.csv", "--n", "200")


@pytest.mark.pictures
def test_rows(town: Path, run: Run) -> None:
    done = run(
        *ROWS, "--original", "people.csv", "--population", "everybody.csv", "--out", "o", "--limit", "0.1"
    )
    assert done.exit_code == 1, done.output
    assert "allows people to be singled out" in flat(done.output)
    said = json.loads((town / "o/predicates.json").read_text())
    assert said["evidence"] == "demonstrated"
    assert said["k"] >= 5
    keys = {"limits", "together", "text", "predicate", "at_most", "matches", "isolates", "attack"}
    assert all(keys == set(each) for each in said["predicates"])
    for at in said["limits"]:
        assert sum(at["c"] in each["limits"] for each in said["predicates"]) == at["trials"]
    written = (town / "o/findings.json").read_text()
    report = Report.model_validate_json(written)
    assert report.verdict == "stop"
    assert report.findings[0].goal == "singling-out"
    assert not any(each["text"] in written + done.output for each in said["predicates"])
    assert "Theorem 6.1" in (town / "o/success.svg").read_text()


def test_without_a_population_there_is_no_verdict(town: Path, run: Run) -> None:
    released = [line.rpartition(",")[0] for line in (town / "released.csv").read_text().splitlines()]
    (town / "released.csv").write_text("\n".join(released) + "\n")  # without the pay, which is one's own
    done = run(*ROWS, "--original", "people.csv", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "UNDECIDED" in done.output
    assert "there is nobody to weigh conditions with; give a population or a holdout" in flat(done.output)


@pytest.mark.pictures
def test_game(town: Path, run: Run) -> None:
    done = run(*GAME, "200", "--mechanism", "mondrian:k=5", "--trials", "12", "--out", "o")
    assert done.exit_code == 1, done.output
    said = json.loads((town / "o/findings.json").read_text())
    assert said["findings"][0]["details"]["evidence"] == "demonstrated"
    assert (said["verdict"], said["seed"]) == ("stop", 1)
    assert said["reasons"]
    assert "STOP: the policy is broken." in done.output
    assert (town / "o/success.svg").read_text().startswith("<?xml")


def test_a_game_passes_only_if_it_is_shown_to_keep_the_limit(town: Path, run: Run) -> None:
    """Whole columns made coarse: nobody is singled out, and few rounds do not show that."""
    for name in ("age", "zip", "pay"):
        column = read_rows(town / "everybody.csv").column(name)
        values = sorted({column.text(i) for i in range(4000)})
        (town / f"{name}.csv").write_text("\n".join(f"{value};*" for value in values) + "\n")
    words = [*GAME, "200", "--mechanism", "datafly:k=60", "--quasi", "age,zip,sex,pay", "--out", "o"]
    words += [word for name in ("age", "zip", "sex", "pay") for word in ("--hierarchy", f"{name}={name}.csv")]
    few = run(*words, "--trials", "10")
    assert few.exit_code == 1, few.output
    assert "UNDECIDED: not shown to keep to the policy." in few.output
    many = run(*words, "--trials", "150")
    assert many.exit_code == 0, many.output
    assert "PASS: the findings keep to the policy." in many.output
    assert json.loads((town / "o/findings.json").read_text())["verdict"] == "pass"


def test_game_with_hierarchies(town: Path, run: Run) -> None:
    zips = [f"{z};{str(z)[:4]}*;{str(z)[:3]}**;*" for z in range(10_000, 10_100)]
    (town / "zip.csv").write_text("\n".join(zips) + "\n")
    words = (*GAME, "200", "--mechanism", "datafly:k=5", "--quasi", "zip", "--trials", "12", "--out", "o")
    done = run(*words, "--hierarchy", "zip=zip.csv")
    assert done.exit_code == 1, done.output
    assert json.loads((town / "o/findings.json").read_text())["findings"][0]["release"] == "datafly:k=5"
    (town / "zip.csv").write_text("\n".join(zips[:-1]) + "\n")
    done = run(*words, "--hierarchy", "zip=zip.csv")
    assert done.exit_code == 2, done.output
    assert "hierarchy of 'zip' must hold every value of the column; got 1 that it lacks" in flat(done.output)


def test_game_with_a_sample(town: Path, run: Run) -> None:
    words = ("--holdout", "everybody.csv", "--n", "20", "--mechanism", "mondrian:k=3", "--trials", "40")
    done = run("single-out", "game", *words, "--out", "o")
    assert done.exit_code == 1, done.output
    said = json.loads((town / "o/findings.json").read_text())
    assert said["findings"][0]["details"]["evidence"] == "demonstrated"
    assert said["findings"][0]["details"]["weight_error"] == 1e-3
    assert "a sample of 4,000, of which 2,000 are held out for weights" in flat(done.output)


def test_counts(town: Path, run: Run) -> None:
    done = run(*COUNTS, "--queries", "30", "--trials", "30", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "Each count alone is safe" in " ".join(done.output.split())
    first = json.loads((town / "o/findings.json").read_text())["findings"][0]
    assert any("with noise" in note for note in first["notes"]), "the same counts with noise stand beside"
    assert "STOP: the policy is broken." in done.output
    few = run(*COUNTS, "--queries", "2", "--trials", "3", "--out", "o")
    assert few.exit_code == 1, "three rounds show nothing"
    assert "UNDECIDED" in few.output


@pytest.fixture
def triple(town: Path) -> tuple[str, ...]:
    write(town / "ctl.csv", np.random.default_rng(31), 1500)
    write(town / "fresh.csv", np.random.default_rng(9), 300)
    return (
        "single-out", "triple", "--original", "people.csv", "--control", "ctl.csv", "--out", "o",
        "--attacks", "200",
    )  # fmt: skip


def test_triple(town: Path, run: Run, triple: tuple[str, ...]) -> None:
    leak = run(*triple, "--synthetic", "people.csv")
    assert leak.exit_code == 1, leak.output
    assert "STOP: the policy is broken." in leak.output
    said = json.loads((town / "o/findings.json").read_text())
    assert said["verdict"] == "stop"
    names = {"original": "people.csv", "synthetic": "people.csv", "control": "ctl.csv"}
    assert said["findings"][0]["details"]["files"] == names
    assert said["seed"] == 1
    assert said["dalenius_version"]
    assert said["findings"][0]["assumptions"]
    assert "isolating" not in said
    numbered = [f"{i},{line}" for i, line in enumerate((town / "people.csv").read_text().splitlines())]
    (town / "people.csv").write_text("\n".join(["row" + numbered[0][1:], *numbered[1:]]) + "\n")
    for words in (("--leave-out", "row"), ("--id", "row")):
        run(*triple, "--synthetic", "people.csv", *words, "--show-people")
        said = json.loads((town / "o/findings.json").read_text())
        assert said["verdict"] == "stop"
        isolating = json.loads((town / "o/isolating.json").read_text())
        assert isolating
        assert "'row'" not in str(isolating)
    fresh = run(*triple, "--synthetic", "fresh.csv", "--id", "row")
    verdict = json.loads((town / "o/findings.json").read_text())["verdict"]
    assert verdict != "stop"
    assert fresh.exit_code == (0 if verdict == "pass" else 1)


def test_a_control_that_holds_originals_is_refused(town: Path, run: Run, triple: tuple[str, ...]) -> None:
    lines = (town / "people.csv").read_text().splitlines()
    with (town / "ctl.csv").open("a") as file:
        file.write("\n".join(lines[1:151]) + "\n")
    done = run(*triple, "--synthetic", "fresh.csv")
    assert done.exit_code == 2, done.output
    assert "control must be other people than the original rows; got 150 rows that are in both" in flat(
        done.output
    )
    assert not (town / "o").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((*ROWS[:-1], "age,town"), "released.csv must have a column 'town'"),
        ((*ROWS[:-1], " , "), "quasi must name the columns that were generalised; got none"),
        ((*GAME, "100000", "--mechanism", "mondrian:k=5"), "n must be from 1 to the population's 4,000 rows"),
        ((*ROWS, "--original", "everybody.csv"), "must be as many as the 4,000 original rows; got 300"),
        ((*ROWS, "--original", "everybody.csv"), "if suppressed ones were left out, say so (--dropped)"),
        ((*ROWS, "--limit", "2"), "weight limit must be above 0 and at most 1/n; got 2/n"),
        ((*ROWS, "--tight", "pay"), "tight column 'pay' must be a quasi-identifier"),
        (
            (*ROWS, "--population", "everybody.csv", "--holdout", "everybody.csv"),
            "population and holdout must not be given together",
        ),
        ((*GAME, "200", "--mechanism", "mondrian:k=5", "--weight", "0.1"), "at most 1/n = 0.005; got 0.1"),
        (
            (*GAME, "200", "--mechanism", "mondrian:k=5", "--holdout", "people.csv"),
            "--population and --holdout must be given one or the other; got both",
        ),
        (
            ("single-out", "game", "--n", "200", "--mechanism", "mondrian:k=5"),
            "--population and --holdout must be given one or the other; got neither",
        ),
        (
            ("single-out", "game", "--n", "200", "--mechanism", "mondrian:k=5", "--holdout", "people.csv"),
            "sample must be large enough to show a weight of 1/n = 0.005; got 300 rows",
        ),
        ((*GAME, "200", "--mechanism", "datafly:k=5", "--hierarchy", "zip"), "NAME=FILE"),
        (
            (*GAME, "200", "--mechanism", "datafly:k=5", "--hierarchy", "zip=no.csv"),
            "file 'no.csv' must exist",
        ),
        (
            (*GAME, "200", "--mechanism", "datafly:k=5", "--hierarchy", "zp=sex.csv"),
            "column 'zp' must be one of the columns",
        ),
        (
            (*GAME, "200", "--mechanism", "mondrian:k=5", "--hierarchy", "sex=sex.csv"),
            "hierarchies must come with datafly",
        ),
        ((*COUNTS, "--weight", "0.1"), "weight limit must be above 0 and at most 1/n = 0.005; got 0.1"),
        ((*COUNTS, "--weight", "1e-9"), "weight limit must be at least 0.00025"),
        ((*COUNTS[:-1], "5000"), "n must be from 1 to the population's 4,000 rows; got 5,000"),
        ((*ROWS, "--hierarchy", "zip"), "NAME=FILE"),
        (
            (
                "single-out",
                "game",
                "--population",
                "everybody.csv",
                "--n",
                "200",
                "--mechanism",
                "mondrian:k=1",
            ),
            "mondrian: k must be at least 2; got 1",
        ),
        (
            ("single-out", "game", "--population", "everybody.csv", "--n", "200", "--mechanism", "arx:k=5"),
            "arx",
        ),
        (
            (
                "single-out",
                "game",
                "--population",
                "everybody.csv",
                "--n",
                "9999",
                "--mechanism",
                "mondrian:k=5",
            ),
            "n",
        ),
        (
            ("single-out", "counts", "--population", "everybody.csv", "--n", "200", "--queries", "1"),
            "queries",
        ),
        (("single-out", "counts", "--population", "no.csv", "--n", "200"), "no.csv"),
    ],
)
def test_bad_input(town: Path, run: Run, words: tuple[str, ...], message: str) -> None:
    done = run(*words)
    assert done.exit_code == 2, done.output
    assert message in flat(done.output)
    assert not (town / "dalenius-report").exists()


def test_rows_that_generalise_nobody_are_counted_and_pointed_on(town: Path, run: Run) -> None:
    lines = (town / "released.csv").read_text().splitlines()
    moved = [re.sub(r'^"\[\d+, \d+\]"', '"[200, 210]"', line) for line in lines]
    (town / "moved.csv").write_text("\n".join(moved) + "\n")
    done = run(*ROWS[:3], "moved.csv", *ROWS[4:], "--original", "people.csv")
    assert done.exit_code == 2
    assert "must generalise original rows; got 42 of 42 classes that no original row meets" in done.output
    assert "dalenius single-out triple" in flat(done.output)
    assert "200" not in done.output, "nobody's cells"
    assert not (town / "dalenius-report").exists()


def test_cells_that_cannot_be_read_are_named_with_the_grammar(town: Path, run: Run) -> None:
    text = (town / "released.csv").read_text().replace('"[', '"[[')
    (town / "odd.csv").write_text(text)
    done = run(*ROWS[:3], "odd.csv", *ROWS[4:], "--original", "people.csv")
    assert done.exit_code == 2
    assert re.search(
        r"cells of column 'age' must be readable; got \d+ of \d+ different ones", flat(done.output)
    )
    assert "[[" not in done.output, "nobody's cells"
    assert "an interval such as [20, 30[ or (20, 30], a range like 20-29" in flat(done.output)


def test_a_small_population_is_warned_of_with_a_limit_that_can_be_used(town: Path, run: Run) -> None:
    lines = (town / "everybody.csv").read_text().splitlines()
    (town / "few.csv").write_text("\n".join(lines[:1501]) + "\n")
    ages = [int(line.split(",")[0]) for line in (town / "people.csv").read_text().splitlines()[1:]]
    coarse = ["<50,*,*" if age < 50 else ">=50,*,*" for age in ages]
    (town / "released.csv").write_text("\n".join(["age,zip,sex", *coarse]) + "\n")
    files = ("--original", "people.csv", "--population", "few.csv", "--out", "o")
    done = run(*ROWS, *files)
    assert done.exit_code == 1
    said = flat(done.output)
    assert "Warning: The population has 1,500 people, fewer than 10 times the 300 of the data." in said
    assert "luck isolates somebody in 20% of cases. No attack can be told from less luck." in said
    assert "take a rarity limit of 0.2 (luck is then 16.4%)" in said
    again = run(*ROWS, *files, "--limit", "0.2")
    assert "give a larger population" not in again.output


def test_postal_codes_keep_their_zeros_in_every_file(town: Path, run: Run) -> None:
    """No code of the original or of the release starts with a zero, one of the population does."""
    people = (town / "people.csv").read_text().splitlines()
    swapped = [line.split(",") for line in people]
    (town / "own.csv").write_text("\n".join(f"{a},{p},{s},{z}" for a, z, s, p in swapped) + "\n")
    everybody = (town / "everybody.csv").read_text().splitlines()
    whole = [f"{a},{p},{s},{z}" for a, z, s, p in (line.split(",") for line in everybody)]
    (town / "all.csv").write_text("\n".join([*whole, "40,50000,f,09101"]) + "\n")
    own = read_rows(town / "own.csv")
    made = anonymise(own, ("age", "pay", "sex"), "mondrian:k=5", np.random.default_rng(1))
    made.write(town / "out.csv")
    files = read_rows_files(
        town / "out.csv", ["age", "pay", "sex"], original=town / "own.csv", population=town / "all.csv"
    )
    for rows in (files.released, files.original, files.population):
        assert rows is not None
        assert isinstance(rows.column("zip"), TextColumn)
    done = run(
        "single-out", "rows", "--anonymised", "out.csv", "--quasi", "age,pay,sex", "--original", "own.csv",
        "--population", "all.csv", "--limit", "0.1", "--out", "o",
    )  # fmt: skip
    assert done.exit_code == 1, done.output
    assert "The release allows people to be singled out." in flat(done.output)


def test_whole_numbers_beside_decimal_ones(town: Path, run: Run) -> None:
    text = (town / "everybody.csv").read_text()
    (town / "all.csv").write_text(text + "40,10050,f,50000.5\n")
    done = run(*ROWS, "--original", "people.csv", "--population", "all.csv", "--limit", "0.1", "--out", "o")
    assert done.exit_code == 1, done.output
    assert "The release allows people to be singled out." in flat(done.output)


@pytest.mark.pictures
def test_the_same_seed_gives_the_same_bytes_and_tight_columns_can_be_named(town: Path, run: Run) -> None:
    files = ("--original", "people.csv", "--population", "everybody.csv", "--limit", "0.1")
    for out in ("a", "b"):
        run(*ROWS, *files, "--out", out)
    run(*ROWS, *files, "--tight", "age", "--out", "c")
    for name in ("findings.json", "predicates.json", "success.svg"):
        assert (town / "a" / name).read_bytes() == (town / "b" / name).read_bytes()
    assert json.loads((town / "c/predicates.json").read_text())["evidence"] == "demonstrated"


def test_help_teaches(run: Run) -> None:
    for action in ("rows", "game", "counts", "triple"):
        done = run("single-out", action, "--help")
        assert done.exit_code == 0
        assert f"dalenius single-out {action}" in done.output
