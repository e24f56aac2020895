"""Weighted counts of a secret, with a list of people: what follows, what passes, what is refused."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dalenius.auditing.plan import read_plan
from dalenius.auditing.run import run_plan
from dalenius.cli.main import app
from dalenius.errors import InputError
from dalenius.printed.tables import Said
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.published.tables import read_tables

WEIGHTS = [2.5, 4.1, 7.3, 3.2, 9.9, 5.6]
TOWNS = "AAABBB"
ILL = [False, True, True, False, False, True]
"""In A 11.4 of 13.9 are ill, the last two alone weigh so much; in B 5.6 of 18.7, the last alone."""


def folder_of(tmp_path: Path, rows: str, weights: list[float] = WEIGHTS) -> Path:
    people = "".join(f"p{i},{TOWNS[i]},{w}\n" for i, w in enumerate(weights))
    (tmp_path / "people.csv").write_text("id,town,w\n" + people)
    (tmp_path / "truth.csv").write_text("id,ill\n" + "".join(f"p{i},{'ny'[s]}\n" for i, s in enumerate(ILL)))
    (tmp_path / "t.csv").write_text(rows)
    return tmp_path


ROWS = "town,n,y\nA,2.5,11.4\nB,13.1,5.6\n"


def attacked(place: Path, values: str = "n,y", **said: Any) -> Guesses:
    view = read_tables(
        place / "people.csv", [place / "t.csv"], id="id", said=Said(**said), secret="ill",
        values=tuple(values.split(",")),
    )  # fmt: skip
    return reconstruct(view, rng=stream(1, "attack"))


def test_known_weights_tell_who_makes_up_a_sum(tmp_path: Path) -> None:
    found = attacked(folder_of(tmp_path, ROWS), weight="w")
    assert found.certain.all()
    assert found.guess.tolist() == [int(ill) for ill in ILL]


@pytest.mark.parametrize("weights", ["2-10", "1+", "unknown"])
def test_weights_between_ends_say_how_many_at_most(tmp_path: Path, weights: str) -> None:
    assert not attacked(folder_of(tmp_path, ROWS), weights=weights).certain.any()


def test_ends_that_leave_one_number_of_people_are_certain(tmp_path: Path) -> None:
    """Nobody weighs less than 2, so 13.9 of three is everybody; nobody in A is well."""
    rows = "town,n,y\nA,0.0,13.9\nB,13.1,5.6\n"
    found = attacked(folder_of(tmp_path, rows), weights="2-10")
    assert found.certain.tolist() == [True, True, True, False, False, False]


def test_weights_of_one_digit_are_exact_to_it(tmp_path: Path) -> None:
    """Whole weights add up to whole numbers: 5 is no 5.9 that was cut off, so 3 and 3 are not it."""
    rows = "town,y\nA,5\nB,0\n"
    found = attacked(folder_of(tmp_path, rows, [2, 3, 3, 1, 1, 1]), weight="w")
    assert found.certain.tolist() == [True, False, False, True, True, True]
    assert found.guess[0] == 1


@pytest.mark.parametrize("seed", range(6))
def test_certain_is_what_all_fits_have_in_common(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    weights = np.round(rng.uniform(1, 4, 6), 1)
    ill = rng.random(6) < 0.5
    in_a = np.array([town == "A" for town in TOWNS])
    sums = [round(float(weights[mask & ill].sum()), 1) for mask in (in_a, ~in_a)]
    found = attacked(folder_of(tmp_path, f"town,y\nA,{sums[0]}\nB,{sums[1]}\n", list(weights)), weight="w")
    fits = np.array(
        [
            bits
            for bits in itertools.product((0, 1), repeat=6)
            if all(
                abs((weights * bits)[mask].sum() - total) < 1e-6
                for mask, total in zip((in_a, ~in_a), sums, strict=True)
            )
        ]
    )
    assert found.certain.tolist() == (fits == fits[0]).all(axis=0).tolist()


def test_several_values_are_counts_between_ends(tmp_path: Path) -> None:
    rows = "town,a,b,c\nA,2.5,11.4,0\nB,13.1,5.6,0\n"
    found = attacked(folder_of(tmp_path, rows), "a,b,c", weight="w")
    assert (found.probability[:, 2] == 0).all(), "nobody weighs nothing"


def test_margins_that_may_be_sums_of_rounded_numbers_are_not_used(tmp_path: Path) -> None:
    """Rounded to 5 the cells add up to 25 ill, though 17.0 are: nothing false follows."""
    rows = "town,n,y\nA,5,10\nB,15,5\nTotal,20,15\n"
    found = attacked(folder_of(tmp_path, rows), weight="w", mechanism="rounding:base=5")
    truth = np.array(ILL).astype(int)
    assert (found.guess[found.certain] == truth[found.certain]).all()


@pytest.mark.parametrize(
    ("rows", "said", "message"),
    [
        ("town,n,y\nA,2.5,99.4\nB,13.1,5.6\n", {"weight": "w"}, "must be a sum of the weights of its people"),
        ("town,n,y\nA,2.5,1.4\nB,13.1,5.6\n", {"weight": "w"}, "must be a sum of the weights of some of its"),
        ("town,n,y,Total\nA,2.5,11.4,20.0\n", {"weight": "w"}, "must be what its people weigh"),
        (ROWS, {"weight": "w", "weights": "2-9"}, "must not come with --weight"),
        (ROWS, {"weights": "known"}, "must be ends or unknown"),
        (ROWS, {"weight": "v"}, "column 'v' must be in the data"),
        (ROWS, {"weight": "w", "numbers": "percent"}, "must be counts where people count by weights"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, rows: str, said: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        attacked(folder_of(tmp_path, rows), **said)


@pytest.mark.parametrize(
    ("options", "verdict"), [(["--weight", "w"], "STOP"), (["--weights", "unknown"], "UNDECIDED")]
)
def test_the_command_stops_or_is_undecided_and_says_why(
    tmp_path: Path, options: list[str], verdict: str
) -> None:
    place = folder_of(tmp_path, ROWS)
    base = ["--people", f"{place}/people.csv", "--id", "id", "--secret", "ill", "--table", f"{place}/t.csv"]
    files = ["--truth", f"{place}/truth.csv", "--out", f"{place}/out", "--max-advantage", "1"]
    done = CliRunner().invoke(app, ["reconstruct", "tables", *base, *files, *options])
    said = " ".join(done.output.split())
    assert done.exit_code == 1, done.output
    assert verdict in said
    if verdict == "UNDECIDED":
        assert "whoever knows them learns more" in said


PLAN = """
[data]
path = "all.csv"
[schema]
id = "id"
secret = "ill"
{weight}
[[release]]
name = "survey"
tables = ["t.csv"]
numbers = "weighted"
{line}
"""


def planned(place: Path, weight: str = 'weight = "w"', line: str = "", rows: str = ROWS) -> Any:
    folder_of(place, rows)
    people = (place / "people.csv").read_text().splitlines()
    secret = [line.split(",")[1] for line in (place / "truth.csv").read_text().splitlines()]
    (place / "all.csv").write_text("\n".join(map(",".join, zip(people, secret, strict=True))) + "\n")
    (place / "audit.toml").write_text(PLAN.format(weight=weight, line=line))
    return run_plan(read_plan(place / "audit.toml")).report


def test_a_plan_attacks_them_by_the_weights_of_its_schema(tmp_path: Path) -> None:
    report = planned(tmp_path)
    assert (report.verdict, report.findings[0].certain, report.findings[0].numbers) == ("stop", 6, 4)
    assert any("Survey weights are those of the list" in text for text in report.findings[0].assumptions)


def test_weights_said_to_be_less_known_never_pass(tmp_path: Path) -> None:
    report = planned(tmp_path, line='weights = "2-10"')
    assert report.verdict == "undecided"
    assert "whoever knows them learns more" in report.not_run[0].reason


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"weight": 'ignored = ["w"]'}, "no attack here reads these yet"),
        ({"rows": "town,n,y\nA,2.5,11.4\nB,15.5,3.2\n"}, "are not what [data] gives by these weights"),
    ],
)
def test_what_is_not_attacked_in_a_plan_is_undecided(
    tmp_path: Path, changes: dict[str, str], reason: str
) -> None:
    report = planned(tmp_path, **changes)
    assert report.verdict == "undecided"
    assert reason in report.not_run[0].reason


def test_weights_are_said_of_weighted_numbers_only(tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text(
        PLAN.format(weight="", line='weights = "2-10"').replace('numbers = "weighted"\n', "")
    )
    with pytest.raises(InputError, match="only of what is weighted"):
        read_plan(tmp_path / "audit.toml")
