"""Releases that give members away in ways that a share of them, recognised at a few levels, does not show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dalenius.auditing.plan import check_plan
from dalenius.auditing.run import run_plan
from dalenius.findings.policy import Policy
from dalenius.mechanisms.base import Promise
from dalenius.people.sealed import sealed_traits
from dalenius.people.traits.traits import RealTraits, Traits, coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means
from dalenius.tracing.attack.genomes.beacon import BeaconAttack
from dalenius.tracing.attack.score_test import ScoreTest
from dalenius.tracing.case import MembersSettings
from dalenius.tracing.files.groups import TraitGroups
from dalenius.tracing.questions.beacon import run_beacon
from dalenius.tracing.questions.members import trace_members
from dalenius.tracing.referee.as_stated import TOO_NEAR, believed
from dalenius.tracing.referee.outstanding import find_standing_out
from dalenius.tracing.rules import rulings
from dalenius.tracing.together import join_means, promised_together

Values = NDArray[np.float64]


def made(values: Values, prefix: str, kind: str = "binary") -> Traits:
    ids = np.array([f"{prefix}{i}" for i in range(len(values))])
    names = np.array([f"c{j}" for j in range(values.shape[1])])
    if kind == "real":
        return RealTraits("id", ids, names, values)
    return coded_from_values("id", ids, names, values, kind)


def ruled(members: Traits, others: Traits, mechanism: str = "exact") -> dict[str, str]:
    found = trace_members(members, others, mechanism).finding
    return {each.rule: each.verdict for each in rulings(found, Policy())}


def test_one_extreme_income_is_a_member_who_stands_out() -> None:
    rng = np.random.default_rng(5)
    money = rng.lognormal(10, 0.5, (1200, 3))
    members, others = money[:600].copy(), money[600:]
    assert "max_known" not in ruled(made(members, "m", "real"), made(others, "r", "real"))
    members[0, 0] = 1e9
    assert ruled(made(members, "m", "real"), made(others, "r", "real"))["max_known"] == "stop"


@pytest.mark.parametrize(("rare", "found"), [(60, 1), (1, 0)])
def test_one_of_another_kind_stands_out_and_somebody_with_one_rare_value_does_not(
    rare: int, found: int
) -> None:
    rng = np.random.default_rng(6)
    values = np.where(rng.random((2000, 160)) < np.r_[np.full(60, 0.5), np.zeros(100)], 1.0, -1.0)
    values[0, 60 : 60 + rare] = 1.0
    people, others = sealed_traits(made(values[:1000], "m")), made(values[1000:], "r")
    means = values[:1000].mean(axis=0)
    release = MeansRelease("r", people.names, means, "binary", 1000, "exact", 0.0)
    assert find_standing_out(people, others, release).people == found
    noisy = MeansRelease("r", people.names, means, "binary", 1000, "gaussian:sigma=0.1", 0.2)
    assert find_standing_out(people, others, noisy).people == 0


def test_the_unit_of_a_column_does_not_hide_the_others() -> None:
    rng = np.random.default_rng(7)
    values = rng.normal(size=(200, 300))
    area = []
    for unit in (1.0, 1e6):
        table = values * np.r_[unit, np.ones(299)]
        found = trace_members(made(table[:60], "m", "real"), made(table[60:], "r", "real")).finding
        area.append(found.details.area)
    assert min(area) > 0.8


def test_an_attack_that_can_compare_nothing_decides_nothing() -> None:
    rng = np.random.default_rng(8)
    values = np.where(rng.random((600, 600)) < 0.5, 1.0, -1.0)
    who = np.arange(600) % 300
    lone = np.where(np.arange(600)[:, None] % 300 == who, values, np.nan)
    found = trace_members(made(lone[:300], "m"), made(lone[300:], "r")).finding
    assert found.details.compared < 0.01
    (only,) = rulings(found, Policy(max_advantage=0.2))
    assert only.verdict == "undecided"


def test_a_beacon_that_excludes_half_of_the_others_with_one_question_does_not_pass() -> None:
    rng = np.random.default_rng(5)
    share = rng.beta(0.05, 2, 800)
    copies = rng.binomial(2, share, (600, share.size)) - 1.0
    groups = TraitGroups(made(copies[:300], "m", "genotype"), made(copies[300:], "r", "genotype"))
    found = run_beacon(groups, BeaconAttack(queries=1), MembersSettings()).finding
    assert max(row.advantage.low for row in found.measures) <= 0  # at no level looked at
    assert found.details.gap > 0.1
    assert rulings(found, Policy())[0].verdict != "pass"


def survey(folder: Path, *releases: dict[str, object]) -> dict[str, str]:
    rng = np.random.default_rng(3)
    for name in ("people.csv", "others.csv"):
        bits = rng.integers(0, 2, (100, 6))
        rows = [",".join("yes" if bit else "no" for bit in row) for row in bits]
        (folder / name).write_text("\n".join([",".join("abcdef"), *rows]) + "\n")
    known = {"data": {"path": "people.csv"}, "knowledge": {"reference": "others.csv"}}
    report = run_plan(check_plan({**known, "release": list(releases)}, folder)).report
    return {each.release: each.verdict for each in report.verdicts}


def test_releases_that_keep_to_the_policy_alone_do_not_together(tmp_path: Path) -> None:
    one = {"statistics": ["means"], "mechanism": "gaussian:rho=0.006", "fixed": True}
    said = survey(tmp_path, {"name": "May", **one}, {"name": "June", **one})
    assert said == {"May": "pass", "June": "pass", "all together, shares": "undecided"}


def test_means_of_other_columns_are_one_release_with_them(tmp_path: Path) -> None:
    first = {"name": "one", "statistics": ["means:columns=a+b+c"], "mechanism": "gaussian:rho=0.0001"}
    second = {"name": "two", "statistics": ["means:columns=d+e+f"], "mechanism": "gaussian:rho=0.0001"}
    assert survey(tmp_path, first, second) == {"one": "pass", "two": "pass", "all together, shares": "pass"}


def test_noise_drawn_often_is_averaged_and_promises_add_up() -> None:
    names = np.array(["a", "b"])
    half = Promise(None, 0.5, "rho 0.5")
    noisy = [MeansRelease(f"r{k}", names, np.full(2, 0.1 * k), "binary", 9, "g", 0.2, half) for k in range(4)]
    both = join_means(noisy, "all")
    assert both.sigma == pytest.approx(0.1)
    assert both.means == pytest.approx(0.15)
    assert both.promise is not None
    assert both.promise.rho == 2.0
    exact = MeansRelease("e", names[:1], np.array([0.7]), "binary", 9, "exact", 0.0)
    told = join_means([*noisy, exact], "all")
    assert told.promise is None
    assert told.means[told.names == "a"] == pytest.approx(0.7)
    pure = promised_together([Promise(0.2, None, "x"), Promise(0.3, None, "y")])
    assert pure is not None
    assert pure.epsilon == pytest.approx(0.5)


def test_shares_that_say_the_same_do_not_drown_the_others() -> None:
    rng = np.random.default_rng(9)
    own = np.where(rng.random((600, 300)) < 0.5, 1.0, -1.0)
    common = np.where(rng.random((600, 1)) < 0.5, 1.0, -1.0)
    same = np.where(rng.random((600, 700)) < 0.97, common, -common)
    values = np.concatenate([own, same], axis=1)
    found = trace_members(made(values[:300], "m"), made(values[300:], "r")).finding
    assert found.attack_method == "opt, adjusted:components=0"
    assert found.details.area > 0.65
    plain = MembersSettings(attack=ScoreTest("llr", "conformal:how=full"))
    alike = trace_members(made(values[:300], "m"), made(values[300:], "r"), how=plain).finding
    assert alike.details.area < found.details.area - 0.05


@pytest.mark.parametrize("columns", [1, 5, 20])
def test_a_promise_that_the_members_refute_is_no_promise(columns: int) -> None:
    rng = np.random.default_rng(22)
    values = rng.binomial(2, rng.uniform(0.05, 0.95, columns), (210, columns)) - 1.0
    members, others = made(values[:60], "m", "genotype"), made(values[60:], "r", "genotype")
    noisy = publish_means(members, "gaussian:rho=0.0001", rng=rng)
    assert noisy.sigma is not None
    assert noisy.sigma > 1
    kept = trace_members(members, others, noisy).finding
    assert (kept.promise is not None, rulings(kept, Policy())[0].verdict) == (True, "pass")
    told = replace(noisy, means=values[:60].mean(axis=0))  # the noise was stated, and never drawn
    found = trace_members(members, others, told).finding
    assert found.promise is None
    assert rulings(found, Policy())[0].verdict != "pass"
    assert TOO_NEAR in found.notes


def test_noise_that_is_cut_off_is_not_refuted() -> None:
    rng = np.random.default_rng(23)
    people = made(np.where(rng.random((60, 30)) < 0.99, 1.0, -1.0), "m")
    for mechanism in ("gaussian:rho=0.0001 | clip", "laplace:epsilon=0.01", "gaussian:rho=0.01"):
        release = publish_means(people, mechanism, rng=rng)
        assert believed(release, sealed_traits(people)) is release
    ten = made(np.where(rng.random((10, 30)) < 0.5, 1.0, -1.0), "m")  # whose shares have one decimal
    release = publish_means(ten, "gaussian:sigma=0.01 | rounding:digits=1", rng=rng)
    assert believed(release, sealed_traits(ten)) is release


def test_numbers_that_say_the_same_do_not_drown_the_others() -> None:
    rng = np.random.default_rng(10)
    same = rng.normal(size=(600, 1)) + 0.2 * rng.normal(size=(600, 300))
    table = np.concatenate([rng.normal(size=(600, 200)), same], axis=1)
    area = {}
    for held in ("auto", "conformal:how=full"):
        how = MembersSettings(attack=ScoreTest("auto" if held == "auto" else "corr", held))
        found = trace_members(made(table[:100], "m", "real"), made(table[300:], "r", "real"), how=how)
        area[held] = found.finding.details.area
    assert area["auto"] > area["conformal:how=full"] + 0.05


def test_members_of_another_population_than_the_references_do_not_all_stand_out() -> None:
    rng = np.random.default_rng(11)
    share = rng.uniform(0.02, 0.98, (2, 2000))
    people = [np.where(rng.random((150, 2000)) < each, 1.0, -1.0) for each in share]
    means = people[0].mean(axis=0)
    release = MeansRelease("r", made(people[0], "m").names, means, "binary", 150, "exact", 0.0)
    said = find_standing_out(sealed_traits(made(people[0], "m")), made(people[1], "r"), release)
    assert said.people == 0
    numbers = rng.normal(size=(300, 3)) + np.repeat([[40.0], [0.0]], 150, axis=0)
    real = MeansRelease("r", np.array(["a", "b", "c"]), numbers[:150].mean(axis=0), "real", 150, "exact", 0.0)
    both = made(numbers[:150], "m", "real"), made(numbers[150:], "r", "real")
    assert find_standing_out(sealed_traits(both[0]), both[1], real).people == 0
