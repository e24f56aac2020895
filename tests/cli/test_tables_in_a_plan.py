"""Printed tables in a plan: last month's beside this month's, judged by the data; what is not attacked."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalenius
from dalenius.auditing.plan import read_plan
from dalenius.errors import InputError
from dalenius.reconstruction.family import open_people
from dalenius.release.files import write_release
from dalenius.release.publish import publish

Run = Callable[..., Any]

BASE = """[data]
path = "people.csv"
[schema]
secret = "ill"
id = "id"
bins = { age = [25, 35] }
[budget]
resamples = 0
"""
JANUARY = """[[release]]
tables = ["2019-01/*.csv"]
people = "2019-01/people.csv"
fixed = true
"""
FEBRUARY = """[[release]]
tables = ["2019-02/*.csv"]
"""
N = 40


class Town:
    """Forty people, the last of whom came in February; tables by age band, which no bin of the plan is."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        self.ids = [f"p{i:03}" for i in range(N)]
        self.age = rng.integers(20, 50, N)
        self.ill = np.where(rng.random(N) < 0.4, "yes", "no")

    def write(self) -> None:
        rows = zip(self.ids, self.age, self.ill, strict=True)
        people = [f"{i},{a},{x}" for i, a, x in rows]
        Path("people.csv").write_text("\n".join(["id,age,ill", *people]) + "\n")
        for month, last in (("2019-01", N - 1), ("2019-02", N)):
            Path(month).mkdir()
            Path(month, "age.csv").write_text(self.table(last))
        Path("2019-01/people.csv").write_text("\n".join(["id,age,ill", *people[:-1]]) + "\n")

    def table(self, last: int = N, shown: Callable[[int], str] = str, move: int = 0) -> str:
        lines = ["age,no,yes"]
        for low in (20, 30, 40):
            inside = (self.age >= low) & (self.age < low + 10) & (np.arange(N) < last)
            counts = [int((inside & (self.ill == value)).sum()) + move for value in ("no", "yes")]
            lines.append(f"{low}-{low + 9},{shown(counts[0])},{shown(counts[1])}")
        return "\n".join(lines) + "\n"


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Town:
    monkeypatch.chdir(tmp_path)
    made = Town()
    made.write()
    return made


def write(*parts: str) -> None:
    Path("audit.toml").write_text("".join((BASE, *parts)))


def report() -> dict[str, Any]:
    return dict(json.loads(Path("dalenius-report/findings.json").read_text()))


def test_the_newcomer_stands_between_two_months(town: Town, run: Run) -> None:
    write(JANUARY, FEBRUARY)
    done = run("audit", "audit.toml")
    assert done.exit_code == 1, done.output
    found = {each["release"]: each for each in report()["findings"]}
    assert [found[name]["certain"] for name in ("2019-01", "2019-02", "all together")] == [0, 0, 1]
    assert found["all together"]["details"]["judged"]["certain_right"] == 1
    assert found["2019-01"]["measures"][0]["control"] is not None  # the data give the tables: made again
    verdicts = {each["release"]: each["verdict"] for each in report()["verdicts"]}
    assert verdicts["all together"] == "stop"
    assert town.ids[-1] not in done.output
    assert run("audit", "audit.toml", "--show-people").exit_code == 1
    said = Path("dalenius-report/disclosures-all together.csv").read_text()
    assert f"{town.ids[-1]} has ill={town.ill[-1]}" in said


def test_values_may_stand_with_the_name_of_the_secret(town: Town, run: Run) -> None:
    """``ill=no``: so a remedy writes the tables that it changed."""
    write(JANUARY, FEBRUARY)
    assert run("audit", "audit.toml").exit_code == 1
    plain = report()["findings"]
    for path in Path().glob("2019-*/age.csv"):
        path.write_text(path.read_text().replace("age,no,yes", "age,ill=no,ill = yes"))
    done = run("audit", "audit.toml")
    assert done.exit_code == 1, done.output
    assert report()["findings"] == plain


@pytest.mark.causes
def test_the_cause_is_said_with_nobody_named(town: Town, run: Run) -> None:
    write(JANUARY, FEBRUARY)
    assert run("audit", "audit.toml").exit_code == 1
    (found,) = (each for each in report()["findings"] if each["release"] == "all together")
    assert found["explanation"]["why"]["examples"]
    assert not any(name in json.dumps(found) for name in town.ids)


def test_what_is_out_is_attacked_along_with_every_alternative(town: Town, run: Run) -> None:
    """Two ways to publish February are not put together, but each is with January."""
    Path("rounded.csv").write_text(town.table(shown=lambda c: str(5 * ((c + 2) // 5))))
    other = '[[release]]\nname = "rounded"\ntables = ["rounded.csv"]\nmechanism = "rounding:base=5"\n'
    write(JANUARY, FEBRUARY, other, 'alternative_to = "2019-02"\n')
    assert run("audit", "audit.toml").exit_code == 1
    found = {each["release"]: each["certain"] for each in report()["findings"]}
    assert found["2019-02, with what is out"] == 1
    assert "rounded, with what is out" in found
    assert "all together" not in found


def test_tables_that_the_data_do_not_give_never_pass(town: Town, run: Run) -> None:
    Path("2019-02/age.csv").write_text(town.table(shown=lambda c: str(c + 3)).replace("no,yes", "no,yes"))
    write(FEBRUARY.replace('["2019-02/*.csv"]', '["2019-02/*.csv"]\nmechanism = "gaussian:sigma=3"'))
    assert run("audit", "audit.toml").exit_code in (0, 1)
    assert report()["findings"], "noise is drawn: nobody can say that it is wrong"
    Path("swapped.csv").write_text(town.table().replace("age,no,yes", "age,yes,no"))
    write('[[release]]\ntables = ["swapped.csv"]\n')
    done = run("audit", "audit.toml")
    assert done.exit_code == 1
    assert report()["verdict"] == "undecided"
    assert "are not what [data] gives" in " ".join(done.output.split())


def test_hidden_cells_have_no_control_and_that_is_said(town: Town, run: Run) -> None:
    Path("2019-02/age.csv").write_text(town.table(shown=lambda c: "*" if c < 7 else str(c)))
    write(FEBRUARY)
    done = run("audit", "audit.toml")
    assert done.exit_code == 1
    (found,) = report()["findings"]
    assert found["measures"][0]["control"] is None
    assert any("hidden by a rule that is not stated" in text for text in found["assumptions"])


@pytest.mark.parametrize("numbers", ["sums", "means", "weighted", "households"])
def test_what_no_attack_reads_is_undecided_not_passed(town: Town, run: Run, numbers: str) -> None:
    Path("sums.csv").write_text("age,turnover\n20-29,1200\n30-39,900\n")
    write(f'[[release]]\nname = "sums"\ntables = ["sums.csv"]\nnumbers = "{numbers}"\n')
    done = run("audit", "audit.toml")
    assert done.exit_code == 1, done.output
    assert report()["verdict"] == "undecided"
    assert report()["not_run"][0]["release"] == "sums"
    assert "no attack here reads these yet" in " ".join(done.output.split())


def test_dates_and_people_of_then(town: Town, run: Run) -> None:
    """Of an older date nothing follows for certain, unless no secret can have changed."""
    older = JANUARY + 'date = "2019-01"\n'
    write(older, FEBRUARY)
    assert run("audit", "audit.toml").exit_code == 1
    assert {each["release"]: each["certain"] for each in report()["findings"]}["all together"] == 0
    write(older + "unchanged = true\n", FEBRUARY)
    assert run("audit", "audit.toml").exit_code == 1
    assert {each["release"]: each["certain"] for each in report()["findings"]}["all together"] == 1


def test_people_of_then_may_be_told_by_their_ids_alone(town: Town, run: Run) -> None:
    write(JANUARY, FEBRUARY)
    assert run("audit", "audit.toml").exit_code == 1
    told = report()["findings"]
    lines = Path("2019-01/people.csv").read_text().split()
    Path("2019-01/people.csv").write_text("\n".join(line.split(",")[0] for line in lines) + "\n")
    assert run("audit", "audit.toml").exit_code == 1
    assert report()["findings"] == told


BAD = {
    'tables = ["2018-*/*.xlsx"]': "must be a file, or a pattern that files fit",
    "tables = []": "release[0].tables",
    "tables = [7]": "release[0].tables",
    'tables = ["2019-02/*.csv"]\nmechanism = "roundin:base=5"': "Did you mean 'rounding'?",
    'tables = ["2019-02/*.csv"]\nmargins = "roundin:base=5"': "Did you mean 'rounding'?",
    'tables = ["2019-02/*.csv"]\nnumbers = "euros"': "must be counts, percent, fraction, per:1000",
    'tables = ["2019-02/*.csv"]\nunchanged = true': "must have unchanged only with a date",
    'tables = ["2019-02/*.csv"]\nfixd = true': "Did you mean 'fixed'?",
    'tables = ["2019-02/*.csv"]\npeople = "nobody.csv"': "release[0].people",
    'name = "a/b"\ntables = ["2019-02/*.csv"]': "since files are named after it"[6:],
    'tables = ["2019-02/*.csv"]\ndate = "May"': "must be a year, a month or a day",
}


@pytest.mark.parametrize(("text", "said"), BAD.items())
def test_bad_input(town: Town, text: str, said: str) -> None:
    write(f"[[release]]\n{text}\n")
    with pytest.raises(InputError) as caught:
        read_plan("audit.toml")
    assert said in str(caught.value)


def test_people_who_are_not_in_the_data_and_other_values(town: Town, run: Run) -> None:
    Path("2019-01/people.csv").write_text("id,age\nstranger,30\n")
    write(JANUARY)
    done = run("audit", "audit.toml")
    assert done.exit_code == 2
    assert "must all be in [data]; got 1 who are not" in done.output
    assert "stranger" not in done.output
    Path("words.csv").write_text("age,well,sick\n20-29,1,2\n")
    write('[[release]]\ntables = ["words.csv"]\n')
    done = run("audit", "audit.toml")
    assert done.exit_code == 2
    assert "values of the secret 'ill' must be among the 2 of the data" in done.output
    assert "sick" not in done.output
    assert "The data have no, yes." in run("--show-people", "audit", "audit.toml").output


def test_a_share_is_not_a_percentage(town: Town) -> None:
    write(FEBRUARY, "[policy]\nmax_advantage = 5\n")
    with pytest.raises(InputError, match=r"0\.05 is 5 points; got 5"):
        read_plan("audit.toml")


def test_people_are_opened_as_the_plan_says(town: Town) -> None:
    write(FEBRUARY)
    with open_people(read_plan("audit.toml")) as people:
        assert people.schema.public[0].edges == (25.0, 35.0)


def noisy(town: Town, last: int, seed: int) -> str:
    """The table with noise of 4 drawn from a seed."""
    noise = iter(np.random.default_rng(seed).normal(0, 4, 6))
    return town.table(last, shown=lambda count: f"{count + next(noise):.4f}")


@pytest.mark.parametrize(("seed", "same"), [(1, True), (2, False)], ids=["the same seed", "another"])
def test_two_months_with_one_noise_are_not_attacked_as_if_they_had_two(
    run: Run, town: Town, seed: int, same: bool
) -> None:
    """Their difference is exact: it passed, since each number was read with noise of its own."""
    Path("2019-01/age.csv").write_text(noisy(town, N - 1, 1))
    Path("2019-02/age.csv").write_text(noisy(town, N, seed))
    stated = 'mechanism = "gaussian:sigma=4"\n'
    Path("audit.toml").write_text(BASE + JANUARY + stated + FEBRUARY + stated)
    assert run("audit", "audit.toml", "--out", "o").exit_code in ((1,) if same else (0, 1))
    found = json.loads(Path("o/findings.json").read_text())
    assert ["the same noise" in each["reason"] for each in found["not_run"]] == [True] * same


def test_a_published_release_with_less_noise_than_it_states_is_undecided(run: Run, town: Town) -> None:
    with dalenius.read("people.csv", secret="ill", id="id", bins={"age": [25, 35]}) as people:
        exact = publish(people, ["tables:k=1"], "exact", rng=np.random.default_rng(1), name="out")
    write_release(replace(exact, mechanism="gaussian:sigma=6"), Path("out"))
    Path("audit.toml").write_text(BASE + '[[release]]\nname = "out"\npath = "out"\n')
    assert run("audit", "audit.toml", "--out", "o").exit_code == 1
    found = json.loads(Path("o/findings.json").read_text())
    assert found["verdict"] == "undecided"
    assert "6 of 6 published numbers are not what [data] gives" in found["not_run"][0]["reason"]
