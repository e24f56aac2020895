"""Releases of one audit are also attacked as one, unless they are said to be alternatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dalenius.auditing import alternatives
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.people.dataset import read
from dalenius.random import stream
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.reconstruction.together import TOGETHER
from dalenius.release.publish import publish


@pytest.fixture(scope="module")
def town():
    """Sixty people, one of them the mayor; a third are ill."""
    rng = np.random.default_rng(1)
    rows = {
        "region": ["north", "south"] * 30,
        "job": ["mayor", *rng.choice(["clerk", "baker"], 59)],
        "ill": ["yes", *rng.choice(["no", "no", "yes"], 59)],
    }
    with read(pa.table(rows), secret="ill") as people:
        yield people


def asking(folder, name: str, condition: str) -> str:
    path = folder / f"{name}.csv"
    path.write_text(f"query,condition\n{name},{condition}\n")
    return f"queries:path={path}"


def test_two_counts_that_differ_by_one_person_give_them_away_only_together(town, tmp_path):
    with_mayor = Planned([asking(tmp_path, "a", "region = north")], "exact")
    without = Planned([asking(tmp_path, "b", "region = north and job != mayor")], "exact")
    done = audit(town, {"with": with_mayor, "without": without})
    certain = {finding.release: finding.certain for finding in done.report.findings}
    assert certain == {"with": 0, "without": 0, TOGETHER: 1}
    assert done.claims["reconstruction", TOGETHER].certain.tolist().index(True) == 0
    assert done.verdict == "stop"
    assert any(reason.startswith(TOGETHER) for reason in done.report.reasons)


def test_alternatives_are_not_put_together(town):
    asked = ["tables:k=1"]
    releases = {"exact": Planned(asked), "rounded": Planned(asked, "rounding:base=5", alternative_to="exact")}
    done = audit(town, releases)
    assert [finding.release for finding in done.report.findings] == list(releases)


def test_six_noisy_answers_to_one_question_do_not_pass():
    """They counted as ways to make one release, and passed; their mean has hardly any noise."""
    ill = np.random.default_rng(2).choice(["no", "yes"], 100)
    crowd = pa.table({"post": [f"head {j}" for j in range(12)] + ["clerk"] * 88, "ill": ill})
    months = [f"month {j}" for j in range(1, 7)]
    asked = Planned(["tables:k=1"], "gaussian:sigma=1.2")
    with read(crowd, secret="ill") as people:
        scenario = Scenario(policy=Policy(max_advantage=1, max_recovered=1), resamples=0, why=False)
        done = audit(people, dict.fromkeys(months, asked), scenario).report
    verdicts = {each.release: each.verdict for each in done.verdicts}
    assert [verdicts[month] for month in months] == ["pass"] * 6
    assert verdicts[TOGETHER] == done.verdict != "pass"
    together = done.findings[-1]
    assert together.known > 0
    (said,) = (text for text in together.assumptions if "answer the same statistics" in text)
    assert said.startswith("month 1, month 2, ")
    assert 'alternative_to = "month 1"' in said


def test_releases_that_share_a_table_are_no_alternatives(town, tmp_path):
    """Each passed alone, and nobody attacked the two counts that differ by the mayor."""
    shared = "histogram:column=region"
    with_mayor = Planned([shared, asking(tmp_path, "a", "region = north")], "exact")
    without = Planned([shared, asking(tmp_path, "b", "region = north and job != mayor")], "exact")
    findings = audit(town, {"with": with_mayor, "without": without}).report.findings
    assert [(finding.release, finding.certain) for finding in findings[-1:]] == [(TOGETHER, 1)]


def test_an_alternative_is_attacked_with_what_is_none(town, tmp_path):
    """That one statistic had two ways to protect it kept all others from being attacked together."""
    asked = [asking(tmp_path, "a", "region = north")]
    releases = {
        "exact": Planned(asked, "exact"),
        "coarse": Planned(asked, "rounding:base=50", alternative_to="exact"),
        "without": Planned([asking(tmp_path, "b", "region = north and job != mayor")], "exact"),
    }
    done = audit(town, releases).report
    certain = {finding.release: finding.certain for finding in done.findings}
    assert certain["exact, with all others"] == 1
    assert certain["coarse, with all others"] == 0
    assert TOGETHER not in certain
    told = {
        finding.release: [t for t in finding.assumptions if "One of exact, coarse is published" in t]
        for finding in done.findings
    }
    assert told["exact"] == told["coarse"] != []
    assert not told["without"]


def test_too_many_ways_to_choose_alternatives_are_no_pass(town, monkeypatch):
    monkeypatch.setattr(alternatives, "MOST_CHOICES", 3)
    mechanisms = ("gaussian:rho=0.001", "gaussian:rho=0.002")
    releases = {
        f"{column} {m}": Planned(
            [f"histogram:column={column}"], m, alternative_to=f"{column} {mechanisms[0]}" if j else None
        )
        for column in ("region", "job")
        for j, m in enumerate(mechanisms)
    }
    done = audit(town, releases)
    assert [failed.release for failed in done.report.not_run] == [TOGETHER]
    assert done.verdict != "pass"
    monkeypatch.undo()
    done = audit(town, releases)
    assert sum("with all others" in finding.release for finding in done.report.findings) == 4


def test_promises_add_up(town):
    releases = {
        "regions": Planned(["histogram:column=region"], "gaussian:rho=0.1"),
        "jobs": Planned(["histogram:column=job"], "gaussian:rho=0.2"),
    }
    together = audit(town, releases).report.findings[-1]
    assert together.release == TOGETHER
    assert "rho = 0.3" in together.promise
    assert together.decisive.control is not None


def test_a_promise_and_none_are_none(town):
    releases = {
        "regions": Planned(["histogram:column=region"], "gaussian:rho=0.1"),
        "jobs": Planned(["histogram:column=job"], "exact"),
    }
    assert audit(town, releases).report.findings[-1].promise is None


def test_intervals_pay_for_the_look_at_all_of_them(town):
    one = {"regions": Planned(["histogram:column=region"], "exact")}
    two = {**one, "jobs": Planned(["histogram:column=job"], "exact")}
    confidence = [audit(town, r).report.findings[0].advantage.confidence for r in (one, two)]
    assert confidence == pytest.approx([0.95, 1 - 0.05 / 3])


def test_the_name_is_taken(town):
    with pytest.raises(InputError, match="must have another name"):
        audit(town, {TOGETHER: Planned(["tables:k=1"], "exact")})


def test_secrets_may_change_between_dates(town, tmp_path):
    """The mayor of last year's count may have fallen ill since: the difference says nothing for certain."""
    asked = {"with": "region = north", "without": "region = north and job != mayor"}
    made = {
        name: publish(town, [asking(tmp_path, name, text)], "exact", rng=stream(1, name), name=name)
        for name, text in asked.items()
    }
    dated = {
        "of one date": {"with": "2023", "without": "2023"},
        "of two": {"with": "2023", "without": "2024"},
        "one of the data": {"with": "2023", "without": ""},
    }
    certain, assumed = {}, {}
    for case, dates in dated.items():
        releases = {name: replace(made[name], date=date) for name, date in dates.items()}
        together = audit(town, releases).report.findings[-1]
        assert together.release == TOGETHER
        certain[case] = together.certain
        assumed[case] = any("may have changed between the dates" in text for text in together.assumptions)
    assert certain == {"of one date": 1, "of two": 0, "one of the data": 0}
    assert assumed == {"of one date": False, "of two": True, "one of the data": True}


def test_the_same_statistic_of_two_dates_is_no_alternative(town):
    made = publish(town, ["tables:k=1"], "exact", rng=stream(1, "t"), name="t")
    releases = {year: replace(made, name=year, date=year) for year in ("2023", "2024")}
    done = audit(town, releases)
    assert [finding.release for finding in done.report.findings] == ["2023", "2024", TOGETHER]
    older, newer = done.report.findings[:2]
    assert any("The release is of 2023: secrets may have changed since" in text for text in older.assumptions)
    assert not any("secrets may have changed" in text for text in newer.assumptions)
