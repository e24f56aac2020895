"""People told by record: the same is found as about each of them, and a line is many people."""

from __future__ import annotations

from pathlib import Path

import ibis
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

from dalenius.auditing.plan import check_plan
from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.engine.tabulate import tabulate
from dalenius.people.truth import line_people, secret_codes
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.family import open_people
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.reconstruction.referee import lines as counted
from dalenius.release.publish import publish, roster_of

BY_RECORD = ReadSettings(by_record=True)


def made(n: int, seed: int = 1, *, rare: bool = True) -> pa.Table:
    """People whose secret goes with their columns; some combinations of columns few people have."""
    rng = np.random.default_rng(seed)
    sex, age, town = rng.integers(0, 2, n), rng.integers(0, 5, n), rng.integers(0, 4, n)
    town[rng.random(n) < 0.01] = 4 if rare else 0
    ill = rng.random(n) < 0.2 + 0.1 * age
    return pa.table(
        {
            "who": [f"person {i}" for i in range(n)],
            "sex": np.array(["f", "m"])[sex],
            "age": age,
            "town": np.array(["a", "b", "c", "d", "isle"])[town],
            "ill": np.where(ill, "yes", "no"),
        }
    )


def both(table: pa.Table) -> tuple[Dataset, Dataset]:
    return read(table, secret="ill", id="who"), read(table, secret="ill", id="who", how=BY_RECORD)


def test_grouping_keeps_every_count() -> None:
    people, records = both(made(900))
    with people, records:
        assert (people.n, records.n) == (900, 900)
        assert records.rows.n < 100
        names = [("sex", "age"), ("town",), ()]
        assert all(map(np.array_equal, tabulate(people, names), tabulate(records, names)))
        assert line_people(records).sum() == 900
        roster = roster_of(records)
        assert (roster.size, len(roster)) == (900, len(np.unique(people.attributes().codes, axis=0)))
        assert (
            np.bincount(secret_codes(records), line_people(records)).tolist()
            == np.bincount(secret_codes(people)).tolist()
        )


@pytest.mark.parametrize("mechanism", ["exact", "rounding:base=3"])
def test_the_same_is_certain_and_as_many_guesses_are_right(mechanism: str) -> None:
    """Brute force: every person is claimed to have what their record is claimed to have."""
    people, records = both(made(700))
    with people, records:
        view, told = (
            View(
                publish(each, ["tables:k=2"], mechanism, rng=stream(1, "noise")),
                Knowledge(roster_of(each)),
            )
            for each in (people, records)
        )
        assert np.array_equal(view.release.blocks[0].answers, told.release.blocks[0].answers)
        one = reconstruct(view, rng=np.random.default_rng(1), calibrated=False)
        other = reconstruct(told, rng=np.random.default_rng(1), calibrated=False)
        codes, truth = people.attributes().codes, secret_codes(people)
    place = {tuple(row): at for at, row in enumerate(told.knowledge.roster.attributes.codes.tolist())}
    record = np.array([place[tuple(row)] for row in codes.tolist()])
    assert np.array_equal(other.certain[record], one.certain)
    assert (mechanism != "exact") or one.certain.sum() > 0
    assert (other.guess[record] == truth).sum() == (one.guess == truth).sum()
    assert np.allclose(other.probability[record], one.probability, atol=1e-6)


def test_an_audit_by_record_finds_what_one_by_person_does() -> None:
    people, records = both(made(900))
    planned = Planned(["tables:k=2", "tables:k=3"], "exact")
    with people, records:
        one, other = (audit(each, planned, Scenario(why=False)) for each in (people, records))
    first, second = one.report.findings[0], other.report.findings[0]
    assert first.certain == second.certain > 0
    assert (first.people, first.numbers) == (second.people, second.numbers) == (900, first.numbers)
    assert first.decisive.attack.hits == second.decisive.attack.hits
    assert first.advantage.low <= second.advantage.value <= first.advantage.high
    assert second.details.judged.certain_right == second.certain
    assert second.decisive.control.low <= 0 <= second.decisive.control.high
    assert other.verdict == one.verdict == "stop"
    assert any("900 people are told by" in text for text in second.assumptions)
    assert sum(group.people for group in second.explanation.groups if group.column == "sex") == 900
    text = other.people_files()["claims.csv"].splitlines()
    assert text[0] == "sex,age,town,people,probability,guess,certain"
    assert sum(int(line.split(",")[3]) for line in text[1:]) == 900
    assert not any("person " in line for line in text)


def test_what_does_not_leak_passes_on_other_people_too() -> None:
    with read(made(900), secret="ill", how=BY_RECORD) as people:
        result = audit(people, Planned("tables:k=1", "rounding:base=100000"), Scenario(resamples=1))
    assert result.verdict == "pass"
    assert result.report.findings[0].tried_again.draws == 1


def test_the_control_redraws_numbers_of_people() -> None:
    """As many people as before, a fifth of them with other secrets, by what was learnt; none twice."""
    rng = np.random.default_rng(5)
    record, secret = np.repeat(np.arange(3), 2), np.tile(np.array([0, 1], np.int32), 3)
    people = np.array([5000, 0, 3000, 3000, 10, 4990])
    lines = counted.Lines(record, secret, people, np.tile([0.25, 0.75], (6, 1)))
    chosen, counts = counted.redraw(lines, 3, rng)
    assert chosen.sum() == round(0.2 * people.sum())
    assert (chosen <= people).all()
    assert counts.sum(axis=1).tolist() == [5000, 6000, 5000]
    drawn = counts[0, 1]  # nobody of the first record had it
    assert abs(drawn - 0.75 * chosen[0]) < 5 * np.sqrt(chosen[0] * 0.25 * 0.75)


def test_nobody_is_predicted_by_their_own_secret() -> None:
    """Records of one person each: a model that saw them would know them."""
    rng = np.random.default_rng(6)
    with read(
        pa.table(
            {
                "x": rng.integers(0, 60, 600),
                "y": rng.integers(0, 60, 600),
                "ill": rng.choice(["no", "yes"], 600),
            }
        ),
        secret="ill",
        how=BY_RECORD,
    ) as people:
        roster = roster_of(people)
        counts = np.zeros((len(roster), 2), np.int64)
        np.add.at(counts, (np.arange(len(roster)), rng.integers(0, 2, len(roster))), roster.people)
    lines = counted.fold_lines(roster.attributes, counts, ("no", "yes"), rng=np.random.default_rng(1))
    assert lines.people.sum() == roster.size
    right = lines.people[lines.usual.argmax(axis=1) == lines.secret].sum() / roster.size
    assert abs(right - 0.5) < 0.08


def test_a_database_needs_no_id_where_people_are_grouped_there() -> None:
    backend = ibis.duckdb.connect()
    backend.create_table("people", made(300).drop_columns(["who"]))
    with read(backend.table("people"), secret="ill", how=BY_RECORD) as people:
        assert people.n == 300
    assert backend.con.execute("SELECT count(*) FROM people").fetchone() == (300,)


def test_a_plan_says_how_people_are_told(tmp_path: Path) -> None:
    pyarrow.csv.write_csv(made(300), tmp_path / "people.csv")
    release = {"name": "r", "statistics": ["tables:k=1"], "mechanism": "exact"}
    plain = {"data": {"path": "people.csv"}, "schema": {"secret": "ill", "id": "who"}, "release": [release]}
    said = plain | {"data": {"path": "people.csv", "roster": "records"}}
    for raw, told in ((plain, False), (said, True)):
        with open_people(check_plan(raw, tmp_path)) as people:
            assert people.by_record is told
    with pytest.raises(InputError, match="roster"):
        check_plan(plain | {"data": {"path": "people.csv", "roster": "families"}}, tmp_path)


@pytest.mark.parametrize(
    ("planned", "scenario", "told"),
    [
        (
            Planned("random-subsets:m=10", "exact"),
            Scenario(),
            "must be tables where people are told by record",
        ),
        (Planned("tables:k=1", "subsample:rate=0.5|exact"), Scenario(), "a sample of people"),
        (Planned("tables:k=1", "exact"), Scenario(split="town"), "schema.split must be left out"),
    ],
)
def test_what_needs_single_people_is_refused(planned: Planned, scenario: Scenario, told: str) -> None:
    with read(made(300), secret="ill", how=BY_RECORD) as people, pytest.raises(InputError, match=told):
        audit(people, planned, scenario)
