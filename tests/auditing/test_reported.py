"""What questions in Python give shows itself alike: text, frame, JSON, page, picture, and nobody in them."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from jsonschema import Draft202012Validator

import dalenius
from dalenius.auditing import findings_schema
from dalenius.auditing.decide import Reported
from dalenius.inference import SeenOutput, believe, read_network
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.opening import read_rows
from dalenius.singling_out import (
    GameSettings,
    RowsSettings,
    TripleSettings,
    WeightLimits,
    parse_anonymiser,
    single_out_counts,
    single_out_game,
    single_out_rows,
    single_out_triple,
)
from dalenius.tracing import MembersSettings, TracingView, open_groups, trace_members, trace_targets

N = 80
NAMES = [f"person{i:03}" for i in range(4 * N)]


def people(start: int, size: int) -> pa.Table:
    rng = np.random.default_rng(start)
    return pa.table(
        {
            "name": NAMES[start : start + size],
            "age": rng.integers(18, 90, size),
            "zip": rng.integers(8000, 8060, size),
            "sex": rng.choice(["f", "m"], size),
            "ill": rng.choice(["no", "yes"], size),
        }
    )


def answers(start: int) -> pa.Table:
    rng = np.random.default_rng(start)
    names = {"name": NAMES[start : start + N]}
    return pa.table(names | {f"x{j}": rng.integers(2, size=N) for j in range(40)})


def of_an_audit() -> Reported:
    return dalenius.audit(people(0, N), secret="ill", id="name", tables=["sex"])


def of_members() -> Reported:
    ours = open_groups(answers(0), answers(N), dalenius.tracing.Opening("name"))
    return trace_members(ours.members, ours.reference, how=MembersSettings(rounds=2, confidence=0.9, seed=7))


def of_targets() -> Reported:
    ours = open_groups(answers(0), answers(N), dalenius.tracing.Opening("name"))
    release = trace_members(ours.members, ours.reference, how=MembersSettings(rounds=2)).release
    return trace_targets(TracingView(release, ours.members, ours.reference), seed=7)


def of_anonymised_rows() -> Reported:
    rows = read_rows(people(0, N)).select(["age", "zip", "sex"])
    released = anonymise(rows, ("age", "zip"), "mondrian:k=4", np.random.default_rng(1)).rows
    others = read_rows(people(0, 4 * N)).select(["age", "zip", "sex"])
    how = RowsSettings(limits=WeightLimits(confidence=0.9), seed=7)
    return single_out_rows(released, ("age", "zip"), original=rows, population=others, how=how)


def of_a_game() -> Reported:
    others = read_rows(people(0, 4 * N)).select(["age", "zip", "sex"])
    how = GameSettings(trials=4, confidence=0.9, seed=7)
    return single_out_game(others, 40, parse_anonymiser("mondrian:k=4", {}), how=how)


def of_counts() -> Reported:
    others = read_rows(people(0, 4 * N)).select(["age", "zip", "sex"])
    return single_out_counts(others, 40, 12, how=GameSettings(trials=4, confidence=0.9, seed=7))


def of_copies() -> Reported:
    ours, released, others = (read_rows(people(at, N)).select(["age", "zip"]) for at in (0, 1, 2 * N))
    return single_out_triple(ours, released, others, how=TripleSettings(attacks=50, confidence=0.9, seed=7))


def of_beliefs() -> Reported:
    network = read_network(pa.table({"a": NAMES[:11], "b": NAMES[1:12]}), agreement=0.8)
    said = pa.table({"id": NAMES[:12], "answer": [0, 1] * 6})
    return believe(network, SeenOutput(said, epsilon=0.5), source="links", confidence=0.9)


QUESTIONS = [
    of_an_audit,
    of_members,
    of_targets,
    of_anonymised_rows,
    of_a_game,
    of_counts,
    of_copies,
    of_beliefs,
]


@pytest.mark.parametrize("ask", QUESTIONS)
def test_every_result_shows_itself_as_its_report(ask: Callable[[], Reported]) -> None:
    result = ask()
    plain = json.loads(result.to_json())
    Draft202012Validator(findings_schema()).validate(plain)
    assert plain["verdict"] == result.verdict == result.report.verdict
    assert plain["seed"] == (1 if ask in (of_an_audit, of_beliefs) else 7)
    assert result.verdict.upper() in result.summary()
    assert len(result.to_frame()) >= len(result.report.findings) - (ask is of_targets)
    page = result._repr_html_()
    assert page.startswith('<div class="dal-report">')
    assert "<!doctype" in result.report_html().lower()
    assert result.plot().axes
    for text in (repr(result), str(result), result.summary(), result.to_json(), page, result.report_html()):
        assert "person0" not in text


def test_targets_come_apart_into_finding_and_accusations() -> None:
    result = of_targets()
    finding, accusations = result
    assert result.report.findings[0].sentence == finding.sentence
    assert "person000" in accusations.to_csv()
