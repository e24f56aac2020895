"""Plans with an attacker who does not know who is in the data: no secret is needed, every column counts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dalenius.auditing.plan import read_plan
from dalenius.auditing.run import run_plan
from dalenius.errors import InputError
from dalenius.records import why
from dalenius.records.attack.certain.settle import Effort, RecordBounds, settle
from dalenius.records.attack.system import CellSystem

PLAN = """
[data]
path = "people.csv"
[schema]
id = "id"
[knowledge]
roster = false
[[release]]
name = "tables"
"""

PEOPLE = [("f", "24", "no"), ("f", "31", "no"), ("m", "24", "yes"), ("m", "45", "no"), ("f", "45", "no")]


def plan(folder: Path, release: str, people: list[tuple[str, ...]] = PEOPLE) -> Path:
    rows = [f"p{at}," + ",".join(each) for at, each in enumerate(people)]
    (folder / "people.csv").write_text("id,sex,age,ill\n" + "\n".join(rows) + "\n")
    (folder / "audit.toml").write_text(PLAN + release)
    return folder / "audit.toml"


def test_tables_of_all_pairs_prove_everybody(tmp_path: Path) -> None:
    audit = run_plan(read_plan(plan(tmp_path, 'statistics = ["tables:k=2"]\nmechanism = "exact"\n')))
    (finding,) = audit.report.findings
    assert (finding.goal, finding.certain, finding.people) == ("records", 5, 5)
    assert audit.verdict == "stop"
    assert audit.report.data.secret is None
    assert finding.details.judged.wrong == 0
    files = audit.people_files()
    assert {"certain.csv", "records.csv", "units.csv"} == set(files)
    assert "p0" not in "".join(files.values())


def test_one_table_a_column_proves_less_and_never_passes(tmp_path: Path) -> None:
    audit = run_plan(read_plan(plan(tmp_path, 'statistics = ["tables:k=1"]\nmechanism = "exact"\n')))
    assert audit.report.findings[0].certain < 5
    assert audit.verdict != "pass"


def test_a_promise_is_kept_by_the_whole_release_and_nothing_is_certain(tmp_path: Path) -> None:
    release = 'statistics = ["tables:k=1", "tables:k=2"]\nmechanism = "geometric:epsilon=3"\n'
    audit = run_plan(read_plan(plan(tmp_path, release)))
    (finding,) = audit.report.findings
    assert finding.certain == 0
    assert finding.mechanism == "geometric:scale=4", "two cells in each of six tables, over 3"
    assert audit.verdict == "undecided"


def test_zeros_are_hidden_where_they_are_to_be(tmp_path: Path) -> None:
    release = 'statistics = ["tables:k=2"]\nmechanism = "suppression:below=2,zeros=hide"\n'
    audit = run_plan(read_plan(plan(tmp_path, release)))
    (finding,) = audit.report.findings
    assert (finding.mechanism, finding.details.judged.wrong) == ("suppression:below=2,zeros=hide", 0)
    assert audit.verdict != "pass"


def test_a_random_sample_protects_nobody_who_is_in_it(tmp_path: Path) -> None:
    """Its tables are exact about whom they count: those people's records are proven, and nobody else's."""
    release = 'statistics = ["tables:k=2"]\nmechanism = "subsample:rate=0.5"\n'
    audit = run_plan(read_plan(plan(tmp_path, release, PEOPLE * 8)))
    (finding,) = audit.report.findings
    assert 10 < finding.people < 30
    assert finding.certain == finding.people
    assert (finding.details.judged.wrong, audit.verdict) == (0, "stop")
    assert finding.mechanism == "subsample:rate=0.5"
    assert any(
        note.startswith(f"A random sample is counted, {finding.people} of 40") for note in finding.notes
    )
    noisy = release.replace("rate=0.5", "rate=0.5 | geometric:epsilon=3")
    (after,) = run_plan(read_plan(plan(tmp_path, noisy, PEOPLE * 8))).report.findings
    assert after.mechanism == "subsample:rate=0.5 | geometric:scale=2"
    assert after.certain == 0


def test_printed_tables_beside_the_data(tmp_path: Path) -> None:
    (tmp_path / "t1.csv").write_text("sex,age,count\nf,0-29,1\nf,30+,2\nm,0-29,1\nm,30+,1\n")
    (tmp_path / "t2.csv").write_text("sex,ill,count\nf,no,3\nf,yes,0\nm,no,1\nm,yes,1\n")
    audit = run_plan(read_plan(plan(tmp_path, 'tables = ["t1.csv", "t2.csv"]\n')))
    (finding,) = audit.report.findings
    assert (finding.certain, finding.details.judged.wrong) == (3, 0)


@pytest.mark.parametrize(
    ("release", "message"),
    [
        (
            'statistics = ["hadamard"]\nmechanism = "exact"\n',
            "must be tables where the attacker does not know",
        ),
        ('statistics = ["tables:k=4"]\nmechanism = "exact"\n', "must cross at most 3 columns"),
        ('statistics = ["tables:k=1,attributes=zip"]\nmechanism = "exact"\n', "must be one of sex, age, ill"),
    ],
)
def test_what_cannot_be_asked_is_refused(release: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        run_plan(read_plan(plan(tmp_path, release)))
    assert message in str(refused.value)


def test_with_a_roster_a_secret_is_still_needed(tmp_path: Path) -> None:
    path = plan(tmp_path, 'statistics = ["tables:k=2"]\nmechanism = "exact"\n')
    path.write_text(path.read_text().replace("roster = false", "roster = true"))
    with pytest.raises(InputError, match=r"schema\.secret: must name the column"):
        read_plan(path)


def test_a_column_to_be_left_out_must_be_there(tmp_path: Path) -> None:
    """Misspelt, it would be taken for a column that tables are made of."""
    path = plan(tmp_path, 'statistics = ["tables:k=1"]\nmechanism = "exact"\n')
    path.write_text(path.read_text().replace('id = "id"', 'id = "id"\nignored = ["illl"]'))
    with pytest.raises(InputError, match=r"column 'illl' must be in the data.*Did you mean 'ill'"):
        run_plan(read_plan(path))


def test_somebody_in_the_first_line_becomes_no_column(tmp_path: Path) -> None:
    path = plan(tmp_path, 'statistics = ["tables:k=1"]\nmechanism = "exact"\n', PEOPLE * 2)
    path.write_text(path.read_text().replace('id = "id"', ""))
    data = tmp_path / "people.csv"
    data.write_text("\n".join(data.read_text().splitlines()[1:]) + "\n")
    with pytest.raises(InputError, match=r"line of column names.*data\.columns") as refused:
        run_plan(read_plan(path))
    assert "p0" not in str(refused.value)


def test_the_tables_that_prove_records_are_named(tmp_path: Path) -> None:
    """What is proved without a table is what a plan without it proves."""
    whole = run_plan(read_plan(plan(tmp_path, 'statistics = ["tables:k=2"]\nmechanism = "exact"\n')))
    finding = whole.report.findings[0]
    why = finding.explanation.why
    assert why is not None
    assert (why.whole, {cause.kind for cause in why.causes}) == (5, {"table"})
    pairs = {"sex*age": "sex+age", "sex*ill": "sex+ill", "age*ill": "age+ill"}
    assert {cause.name for cause in why.causes} == set(pairs)
    for cause in why.causes:
        rest = [f'"tables:k=2,attributes={by}"' for name, by in pairs.items() if name != cause.name]
        release = f'statistics = [{", ".join(rest)}]\nmechanism = "exact"\n'
        fewer = run_plan(read_plan(plan(tmp_path, release))).report.findings[0]
        assert cause.without == fewer.certain
        assert cause.alone == 0, "the third column may be anything"
    assert any(said.startswith("Without the table") for said in finding.facts)
    off = plan(tmp_path, 'statistics = ["tables:k=2"]\nmechanism = "exact"\n[budget]\nwhy = false\n')
    assert run_plan(read_plan(off)).report.findings[0].explanation.why is None


def test_records_that_take_long_to_prove_are_not_proved_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a short proof misses would seem to rest on whichever table is left out."""
    efforts = []

    def one_fewer(system: CellSystem, effort: Effort) -> RecordBounds:
        efforts.append(effort)
        found = settle(system)
        return replace(found, lo=np.maximum(found.lo - (np.arange(found.lo.size) == found.lo.argmax()), 0))

    monkeypatch.setattr(why, "settle", one_fewer)
    published = 'statistics = ["tables:k=2"]\nmechanism = "exact"\n'
    told = run_plan(read_plan(plan(tmp_path, published))).report.findings[0].explanation.why
    assert told is not None
    assert (told.whole, told.causes) == (5, ())
    assert "take too long" in (told.left_out or "")
    assert efforts == [why.SHORT]
