"""Certain if nobody said what was done to counts: the condition stands wherever the claim does."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from dalenius.auditing.plan import read_plan
from dalenius.auditing.run import run_plan
from dalenius.findings.policy import Policy
from dalenius.records.finding import RecordsFinding
from dalenius.records.published.read import read_records
from dalenius.records.published.said import SaidOfTables
from dalenius.records.rules import rulings
from dalenius.records.run import AttackedTables, BesideTables, attack_and_examine

INNER = "sex,ill,count\nf,no,2\nf,yes,0\nm,no,4\nm,yes,1\n"
MOVED = "sex,ill,count\nf,no,2\nf,yes,1\nm,no,3\nm,yes,1\n"
"""The same people, two counts moved by one: no other table can tell."""
TRUTH = "sex,ill\n" + "f,no\n" * 2 + "m,no\n" * 4 + "m,yes\n"
CONDITION = "as nothing else was said"


def attacked(folder: Path, said: SaidOfTables | None = None, **tables: str) -> AttackedTables:
    paths = [folder / f"{name}.csv" for name in tables]
    for path, text in zip(paths, tables.values(), strict=True):
        path.write_text(text)
    truth = folder / "truth.txt"
    files = BesideTables(truth=truth) if truth.exists() else BesideTables()
    return attack_and_examine(read_records(paths, said), files)


def reason(finding: RecordsFinding) -> str:
    return rulings(finding, Policy())[0].reason


def test_the_headline_and_the_reasons_carry_the_condition(tmp_path: Path) -> None:
    finding = attacked(tmp_path, t=MOVED).finding
    assert finding.sentence.startswith(f"If the table is exact, {CONDITION}, the whole record of 7 of 7")
    assert " Then one data set alone fits" in finding.sentence
    assert f"if the table is exact, {CONDITION}" in reason(finding)
    assert CONDITION in finding.severity_reason
    assert finding.details.assumed == "the table is exact"
    assert any("nobody said what was done to counts" in each for each in finding.assumptions)
    assert "mechanism that is stated" not in " ".join(finding.assumptions)


def test_once_it_is_stated_no_condition_is_left(tmp_path: Path) -> None:
    found = attacked(tmp_path, SaidOfTables(mechanism={"": "exact"}), t=INNER)
    assert found.finding.sentence.startswith("The tables prove the whole record of 7 of 7")
    assert CONDITION not in reason(found.finding) + found.finding.severity_reason
    assert found.finding.details.assumed == ""
    assert {row["holds_if"] for row in table(found)} == {"tables were made as stated"}


def table(found: AttackedTables) -> list[dict[str, str]]:
    return list(csv.DictReader(found.claims.to_csv().splitlines()))


def test_every_certain_record_carries_it(tmp_path: Path) -> None:
    rows = table(attacked(tmp_path, t=MOVED))
    assert [row["holds_if"] for row in rows] == ["the table is exact (nobody said so)"] * len(rows)


def test_tables_of_which_nothing_is_said_are_named(tmp_path: Path) -> None:
    said = SaidOfTables(mechanism={"t": "exact"})
    finding = attacked(tmp_path, said, t=INNER, u="ill,count\nno,6\nyes,1\n").finding
    assert finding.sentence.startswith(f"If u is exact, {CONDITION}, the whole record of 7")


def test_a_truth_that_refutes_is_the_headline(tmp_path: Path) -> None:
    (tmp_path / "truth.txt").write_text(TRUTH)
    finding = attacked(tmp_path, t=MOVED).finding
    assert finding.sentence.startswith("The tables were not made as stated: of 4 certain claims 1 ")
    assert rulings(finding, Policy())[0].verdict == "undecided"


def test_a_shared_margin_that_differs_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="tables t and u must fit one data set"):
        attacked(tmp_path, t=MOVED, u="ill,count\nno,6\nyes,1\n")


@pytest.mark.parametrize(("line", "conditional"), [("", True), ('mechanism = "exact"\n', False)])
def test_a_plan_that_says_nothing_of_printed_tables_has_it_too(
    tmp_path: Path, line: str, *, conditional: bool
) -> None:
    (tmp_path / "t.csv").write_text(INNER)
    (tmp_path / "people.csv").write_text(TRUTH)
    plan = '[data]\npath = "people.csv"\n[knowledge]\nroster = false\n[[release]]\ntables = ["t.csv"]\n'
    (tmp_path / "audit.toml").write_text(plan + line)
    finding = run_plan(read_plan(tmp_path / "audit.toml")).report.findings[0]
    assert finding.certain == 7
    assert (CONDITION in finding.sentence) is conditional
