"""The prior of a plan: both ways to write it, what is refused, and the audit that comes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.errors import InputError
from dalenius.inference.finding import InferenceFinding, Related, Series
from dalenius.theory.inference import nu_of_pair


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    rows = [
        f"p{i},{rng.integers(0, 4)},{rng.choice(['no', 'yes'])}" for i in range(64)
    ]  # five folds instead of one for each person
    (tmp_path / "people.csv").write_text("\n".join(["id,age,ill", *rows]) + "\n")
    (tmp_path / "edges.csv").write_text("a,b,agreement\np0,p1,0.8\n")
    (tmp_path / "bare.csv").write_text("a,b\np0,p1\n")
    (tmp_path / "means.csv").write_text("\n".join(["id,age,ill", *(f"q{r}" for r in rows)]) + "\n")
    return tmp_path


def plan(prior: Any, **more: Any) -> dict[str, Any]:
    release = {"name": "tables", "statistics": ["tables:k=1"], "mechanism": "laplace:epsilon=0.5"}
    return {
        "data": {"path": "people.csv"},
        "schema": {"id": "id", "secret": "ill"},
        "release": [release],
        "knowledge": {"prior": prior},
        "budget": {"resamples": 0},
    } | more


@pytest.mark.parametrize(
    "prior",
    ["edges.csv", {"edges": "edges.csv"}, {"edges": "bare.csv", "agreement": 0.8}],
)
def test_both_ways_to_write_it(folder: Path, prior: Any) -> None:
    result = run_plan(check_plan(plan(prior), folder))
    found = [f for f in result.report.findings if isinstance(f, InferenceFinding)]
    assert [f.release for f in found] == ["tables"]
    assert found[0].details.nu is not None
    assert found[0].details.nu.worst == pytest.approx(nu_of_pair(0.8, 0.5, 0.5), abs=1e-9)
    assert found[0].promise == "differential privacy with epsilon = 0.5"


def test_households_and_types(folder: Path) -> None:
    (folder / "homes.csv").write_text("id,household\np0,a\np1,a\n")
    prior = {"households": "homes.csv", "agreement": {"household": 0.8}}
    found = run_plan(check_plan(plan(prior), folder)).report.findings[-1]
    assert isinstance(found, InferenceFinding)
    assert found.details.nu is not None
    assert found.details.nu.worst == pytest.approx(nu_of_pair(0.8, 0.5, 0.5), abs=1e-9)


def test_a_limit_in_the_policy(folder: Path) -> None:
    limits = {"max_advantage": 1, "max_recovered": 1, "max_certain": 40}
    broken = run_plan(check_plan(plan("edges.csv", policy=limits | {"max_nu": 0.6}), folder))
    kept = run_plan(check_plan(plan("edges.csv", policy=limits | {"max_nu": 0.8}), folder))
    assert (broken.verdict, kept.verdict) == ("stop", "pass")
    assert broken.report.reasons == (
        "tables, exact-eq6: nu is 0.796 for the worst-off, limit 0.6: above the limit.",
    )


def test_releases_of_another_kind_say_that_they_have_no_nu(folder: Path) -> None:
    means = {"name": "averages", "statistics": ["means:columns=age"], "mechanism": "exact"}
    both = plan("edges.csv")
    both["release"].append(means)
    both["knowledge"]["reference"] = "means.csv"
    report = run_plan(check_plan(both, folder)).report
    assert [(one.release, one.attack_method) for one in report.not_run] == [("averages", "inference")]
    assert {f.goal for f in report.findings} == {"reconstruction", "tracing", "inference"}


LIMITS = {"max_advantage": 1, "max_recovered": 1, "max_certain": 40}


def asked(folder: Path, prior: Any, limit: float, **more: Any) -> tuple[str, InferenceFinding]:
    """The verdict with this limit on nu, and what is said of the release."""
    result = run_plan(check_plan(plan(prior, policy=LIMITS | {"max_nu": limit}, **more), folder))
    found = [f for f in result.report.findings if isinstance(f, InferenceFinding)]
    return result.verdict, found[0]


def test_an_agreement_that_is_known_roughly(folder: Path) -> None:
    """Of two people alone nu rises with the agreement, so that the upper end decides."""
    worst = nu_of_pair(0.8, 0.5, 0.5)
    verdict, found = asked(folder, {"edges": "bare.csv", "agreement": "0.6..0.8"}, 0.8)
    assert verdict == "pass"
    assert isinstance(found.details, Related)
    assert found.details.scan is not None
    assert found.details.scan.rises
    assert found.details.scan.most == pytest.approx(worst)
    assert asked(folder, {"edges": "bare.csv", "agreement": "0.6..0.8"}, 0.78)[0] == "stop"
    assert asked(folder, {"edges": "bare.csv", "agreement": "0.6..0.7"}, 0.78)[0] == "pass"


def test_mendels_law(folder: Path) -> None:
    """Four children: golden values of the worst mechanism, 1.47 for a parent and 1.70 for a child."""
    family = ["id,father,mother", "p0,,", "p1,,", *(f"p{k},p0,p1" for k in range(2, 6))]
    (folder / "family.csv").write_text("\n".join(family) + "\n")
    prior = {"pedigree": "family.csv", "law": "mendel", "frequency": 0.5}
    verdict, found = asked(folder, prior, 1.71)
    assert verdict == "pass"
    assert isinstance(found.details, Related)
    assert found.details.nu is not None
    assert found.details.nu.worst == pytest.approx(1.70, abs=0.005)
    assert found.release == "tables"
    assert "58 people of the data" in " ".join(found.notes)
    assert asked(folder, prior, 1.6)[0] == "stop"
    with pytest.raises(InputError, match="secret of 3 values"):
        asked(folder, prior | {"law": "mendel-genotypes"}, 1.6)


def test_values_over_time(folder: Path) -> None:
    """A scale of 3.85 keeps nu = 1 where a value is kept with 0.8 (golden value)."""
    release = {"name": "weekly", "statistics": ["tables:k=1"], "mechanism": "laplace:epsilon=0.2597"}
    prior = {"agreement": 0.8, "length": 1000}
    verdict, found = asked(folder, prior, 1.0, release=[release])
    assert verdict == "pass"
    assert isinstance(found.details, Series)
    assert found.release == "weekly"
    assert found.promise == "differential privacy with epsilon = 0.2597"
    assert asked(folder, prior, 0.95, release=[release])[0] == "stop"
    (folder / "chain.csv").write_text("from,well,sick\nwell,0.9,0.1\nsick,0.3,0.7\n")
    with pytest.raises(InputError, match="must have the values of 'ill'"):
        asked(folder, {"transitions": "chain.csv", "length": 9}, 1.0)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"length": 5, "edges": "edges.csv"}, "not both"),
        ({"law": "mendel", "edges": "edges.csv"}, "must have a pedigree"),
        ({"law": "mendle", "edges": "edges.csv"}, "knowledge.prior.law"),
        ({"transitions": "none.csv", "length": 5}, "knowledge.prior.transitions"),
        ({"edges": "edges.csv", "start": "a=1"}, "a start only beside"),
    ],
)
def test_a_law_that_cannot_be(folder: Path, prior: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_plan(plan(prior), folder)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ({"length": 5}, "must be exactly one"),
        ({"agreement": 0.8, "length": 0}, "must be from 1 to"),
        ({"agreement": "0.6..0.8", "length": 5}, "must be one number for a series"),
        ({"edges": "bare.csv", "agreement": "0.8..0.6"}, "from a lower end to a higher"),
        ({"edges": "bare.csv", "agreement": "much"}, "agreement"),
    ],
)
def test_numbers_of_a_law_that_cannot_be(folder: Path, prior: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_plan(check_plan(plan(prior), folder))


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("edge.csv", "knowledge.prior.edges: .* Did you mean 'edges.csv'"),
        (
            {"agreement": 0.8},
            "knowledge.prior: must have edges, households or a pedigree, or the transitions",
        ),
        ({"edges": "edges.csv", "agreemnt": 0.8}, "knowledge.prior.agreemnt: .* Did you mean 'agreement'"),
        ({"edges": "edges.csv", "people": "all.csv"}, "knowledge.prior.people: "),
        ({"edges": "edges.csv", "identical": "perhaps"}, "knowledge.prior.identical: "),
        (3, "knowledge.prior: "),
    ],
)
def test_a_prior_that_cannot_be(folder: Path, prior: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_plan(plan(prior), folder)


@pytest.mark.parametrize("agreement", [None, 1.0, 0.0, 1.5])
def test_an_agreement_that_cannot_be(folder: Path, agreement: float | None) -> None:
    given = {"edges": "bare.csv"} | ({} if agreement is None else {"agreement": agreement})
    with pytest.raises(InputError, match="agreement"):
        run_plan(check_plan(plan(given), folder))


def test_a_limit_of_0_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"policy.max_nu: "):
        check_plan(plan("edges.csv", policy={"max_nu": 0}), folder)
