"""The commands about related people on small files: what is written, what is said, and what is refused."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dalenius.theory.inference import nu_of_bounded_degree, nu_of_pair

from .conftest import FAMILY, JOINT, NETWORK, PAIR, Run, squeeze


def rows(path: Path) -> dict[str, dict[str, str]]:
    with path.open(newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def finding(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "o/findings.json").read_text())["findings"][0]["details"]
    return found


@pytest.mark.pictures
def test_network(related: Path, run: Run) -> None:
    done = run(*NETWORK, "--people", "all.csv", "--epsilon", "0.2", "--show-people")
    assert done.exit_code == 1, done.output
    nu = rows(related / "o/nu.csv")
    assert list(nu["p20"]) == ["id", "epsilon", "nu", "method", "bound"]
    assert float(nu["p20"]["nu"]) == pytest.approx(0.883612409816, abs=1e-9)
    assert float(nu["p8"]["nu"]) == pytest.approx(0.390805527767, abs=1e-9)
    assert float(nu["p0"]["nu"]) == 0.2
    assert {row["bound"] for row in nu.values()} == {"exact-eq6"}
    said = squeeze(done.output)
    assert "epsilon = 0.2 protects the worst-off person like epsilon = 0.884 would" in said
    assert "p20 (3 links): epsilon = 0.2 protects like epsilon = 0.8836" in said
    for words in (
        "23 edges with agreement 0.8",
        "not about one mechanism at hand",
        "13 people by junction tree",
    ):
        assert words in said
    for picture in ("network.svg", "nu_epsilon.svg"):
        assert (related / "o" / picture).read_text().startswith("<?xml")
    assert not (related / "o/generations.svg").exists()
    found = finding(related)
    assert found["exact"] is True
    assert found["by_distance"][0]["nu"] == 0.2
    assert not any(f"p{i}" in json.dumps(found) for i in (8, 20)), "a finding names nobody"


@pytest.mark.pictures
def test_the_same_bytes_again(related: Path, run: Run) -> None:
    def files() -> dict[str, bytes]:
        assert run(*NETWORK, "--epsilon", "0.2").exit_code == 1
        return {path.name: path.read_bytes() for path in (related / "o").iterdir()}

    assert files() == files()


def test_several_releases_add_up(related: Path, run: Run) -> None:
    done = run(*NETWORK, "--epsilon", "0.15", "--epsilon", "0.05")
    assert "the sum over 2 releases" in squeeze(done.output)
    assert float(rows(related / "o/nu.csv")["p20"]["nu"]) == pytest.approx(0.883612409816, abs=1e-9)


def test_link_by_link_is_as_before_and_decides_nothing(related: Path, run: Run) -> None:
    done = run(*NETWORK, "--epsilon", "0.2", "--no-fit", "--target-nu", "1")
    row = rows(related / "o/nu.csv")["p20"]
    assert float(row["nu"]) == pytest.approx(0.985946366056, abs=1e-9)
    assert row["bound"] == "exact-eq6 of another prior than stated"
    said = squeeze(done.output)
    assert "Undecided: the stated prior was not fitted." in said
    assert "the stated prior was not fitted; in every law" in said
    assert done.exit_code == 1
    found = finding(related)
    assert found["exact"] is False
    assert found["prior"]["as_stated"] is False
    assert found["prior"]["agreement"]["implied"]["mean"] > 0.8
    assert not (related / "o/network.svg").exists()


def test_somebody_whose_data_is_not_used(related: Path, run: Run) -> None:
    done = run("infer", "network", "--edges", "pair.csv", "--people", "two.csv", "--out", "o")
    assert done.exit_code == 1, done.output
    nu = rows(related / "o/nu.csv")
    assert float(nu["ann"]["nu"]) == pytest.approx(nu_of_pair(0.8, 0.0, 0.5), abs=1e-9)
    assert float(nu["bob"]["nu"]) == 0.5


@pytest.mark.pictures
def test_one_of_everything_is_said_as_one(related: Path, run: Run) -> None:
    (related / "loop.csv").write_text("a,b\nann,bob\nbob,cid\ncid,dan\ndan,ann\neve,fay\n")
    (related / "six.csv").write_text("id\nann\nbob\ncid\ndan\neve\nfay\ngus\n")
    words = ("infer", "network", "--edges", "loop.csv", "--agreement", "0.8", "--epsilon", "1", "--out", "o")
    said = squeeze(run(*words, "--people", "six.csv").output)
    assert "1 independent loop; fitted: of all laws" in said
    assert "4 people are in 1 group with cycles: exact, by a junction tree of width 2" in said
    pair = squeeze(run("infer", "network", *PAIR[2:], "--epsilon", "1", "--out", "o").output)
    assert "1 edge with agreement 0.8" in pair
    assert "2 people, 1 edge, 1 component" in pair
    assert "2 people, 1 link" in (related / "o/network.svg").read_text()
    sure = run(*PAIR, "--answers", "said.csv", "--epsilon", "5", "--out", "b").output
    assert "pair.csv: 2 people, 1 link" in sure
    assert "The value of 1 person is held to be known" in sure


def test_identical_people(related: Path, run: Run) -> None:
    (related / "twins.csv").write_text("a,b\nathena,adina\n")
    same = ("infer", "network", "--edges", "twins.csv", "--agreement", "1", "--epsilon", "0.5", "--out", "o")
    assert run(*same).exit_code == 2
    assert run(*same, "--identical").exit_code == 1
    assert [float(row["nu"]) for row in rows(related / "o/nu.csv").values()] == [1.0, 1.0]


def test_ids_that_need_quotes(related: Path, run: Run) -> None:
    (related / "odd.csv").write_text('a,b\n"Meier, Ann",O\'Bob\n')
    assert run("infer", "network", "--edges", "odd.csv", "--agreement", "0.8", "--epsilon", "1", "--out", "o")
    assert set(rows(related / "o/nu.csv")) == {"Meier, Ann", "O'Bob"}


def test_links_that_contradict_each_other_are_named_on_the_screen_alone(related: Path, run: Run) -> None:
    links = "zoe,xan,0.6\nxan,yan,0.6\nyan,zoe,0.4\nzoe,una,0.3\n"
    (related / "odd.csv").write_text(f"a,b,agreement\n{links}")
    words = ("infer", "network", "--edges", "odd.csv", "--epsilon", "0.5", "--out", "o")
    done = run(*words)
    assert done.exit_code == 1, done.output
    assert "Links that contradict each other: on a cycle" in done.output
    assert not any(name in done.output for name in ("xan", "yan", "zoe"))
    done = run(*words, "--show-people")
    (cycle,) = (line.split(" - ") for line in done.output.splitlines() if " - " in line)
    assert sorted(name.strip() for name in cycle[:-1]) == ["xan", "yan", "zoe"]
    assert not any(name in (related / "o/findings.json").read_text() for name in ("xan", "yan", "zoe"))
    (related / "odd.csv").write_text("a,b,agreement\nzoe,xan,0.8\nxan,yan,0.2\nyan,zoe,0.2\n")
    assert (
        "contradict"
        not in run("infer", "network", "--edges", "odd.csv", "--epsilon", "0.5", "--out", "o").output
    )


def test_fitted_agreements_lower_nu_on_loops(related: Path, run: Run) -> None:
    (related / "homes.csv").write_text("id,household\na,h\nb,h\nc,h\n")
    words = (
        "infer",
        "network",
        "--households",
        "homes.csv",
        "--agreement",
        "household=0.8",
        "--epsilon",
        "0.5",
    )
    assert run(*words, "--out", "alone", "--no-fit").exit_code == 1
    assert run(*words, "--out", "fitted").exit_code == 1
    alone, fitted = (float(rows(related / out / "nu.csv")["a"]["nu"]) for out in ("alone", "fitted"))
    assert 0.5 < fitted < alone
    assert "fitted: of all laws with the stated agreements" in (related / "fitted/findings.json").read_text()


def test_pedigree_for_a_target(related: Path, run: Run) -> None:
    done = run(*FAMILY, "--agreement", "parent=0.75,sibling=0.75", "--target-nu", "1")
    assert done.exit_code == 0, done.output
    nu = [float(row["nu"]) for row in rows(related / "o/nu.csv").values()]
    assert max(nu) == pytest.approx(1, abs=1e-9)
    assert json.loads((related / "o/findings.json").read_text())["verdict"] == "pass"
    epsilon = finding(related)["chosen"]["epsilon"]
    assert all(
        float(row["epsilon"]) == pytest.approx(epsilon, rel=1e-9)
        for row in rows(related / "o/nu.csv").values()
    )
    assert "The largest epsilon" in done.output
    assert "0.683013" in squeeze(done.output)  # what the parents imply for siblings, beside the 0.75 given
    assert (related / "o/generations.svg").exists()
    # more than that does not keep it
    again = run(*FAMILY, "--agreement", "0.75", "--target-nu", "1", "--epsilon", str(1.01 * epsilon))
    assert again.exit_code == 1
    assert "limit 1: above the limit" in squeeze(again.output)


def test_not_pure(related: Path, run: Run) -> None:
    done = run(*NETWORK, "--epsilon", "0.2", "--delta", "1e-6")
    assert done.exit_code == 1, done.output
    said = squeeze(done.output)
    assert "nu is infinite" in said
    assert "a group of 13 linked people the promise is epsilon = 2.6" in said
    assert "not a guarantee" in said
    assert finding(related)["nu"] is None
    assert not (related / "o/nu.csv").exists()
    assert "rho = 16.9 instead of 0.1" in squeeze(run(*NETWORK, "--rho", "0.1").output)
    assert run(*NETWORK, "--rho", "0.1", "--target-nu", "100").exit_code == 1


def test_joint(related: Path, run: Run) -> None:
    done = run(*JOINT, "prior.csv", "--epsilon", "0.1", "--out", "o")
    assert done.exit_code == 1, done.output
    nu = rows(related / "o/nu.csv")
    golden = {"ann": 0.144820632702, "bob": 0.136771571386, "cid": 0.141163260930}
    for name, value in golden.items():
        assert float(nu[name]["nu"]) == pytest.approx(value, abs=1e-6)
    said = squeeze(done.output)
    assert "Not positively affiliated" in said
    assert "group 0.3, B-bin 0.3752" in said
    mechanism = list(csv.DictReader((related / "o/mechanism.csv").read_text().splitlines()))
    assert len(mechanism) == 3 * 8
    event = np.array([float(row["event"]) for row in mechanism if row["about"] == "ann"]).reshape(2, 2, 2)
    for axis in range(3):  # the event is private: nobody's value changes it by more than a factor e^0.1
        assert np.ptp(np.log(event), axis=axis).max() <= 0.1 + 1e-9
    prior = csv.DictReader((related / "prior.csv").read_text().splitlines())
    table = np.array([float(row["probability"]) for row in prior])
    given = (table.reshape(2, 4) / table.reshape(2, 4).sum(axis=1, keepdims=True)) * event.reshape(2, 4)
    assert abs(np.log(given.sum(axis=1)[0] / given.sum(axis=1)[1])) == pytest.approx(golden["ann"], abs=1e-6)


def test_joint_with_a_person_s_own_epsilon_and_a_target(related: Path, run: Run) -> None:
    words = (*JOINT, "prior.csv", "--epsilon", "0.1", "--out", "o")
    assert run(*words, "--epsilon", "ann=0", "--target-nu", "0.2").exit_code == 0
    assert rows(related / "o/nu.csv")["ann"]["epsilon"] == "0"
    assert run(*words, "--target-nu", "0.14").exit_code == 1


def test_degree(related: Path, run: Run) -> None:
    done = run("infer", "degree", "--degree", "3", "--agreement", "0.7", "--epsilon", "0.1", "--out", "o")
    assert done.exit_code == 1
    found = finding(related)
    assert found["nu"] == pytest.approx(nu_of_bounded_degree(3, 0.5 * np.log(0.7 / 0.3), 0.1), abs=1e-9)
    none = run("infer", "degree", "--degree", "3", "--agreement", "0.8", "--target-nu", "1", "--out", "o")
    assert none.exit_code == 1
    assert "not enforceable" in squeeze(none.output)
    assert "nu stays above 2.887" in squeeze(none.output)
    some = run("infer", "degree", "--degree", "3", "--agreement", "0.8", "--target-nu", "3", "--out", "o")
    assert some.exit_code == 0
    found = finding(related)
    assert found["nu"] == pytest.approx(3, abs=1e-9)
    assert (related / "o/nu_epsilon.svg").exists()


def test_beliefs_after_answers(related: Path, run: Run) -> None:
    words = (
        "infer",
        "beliefs",
        "--edges",
        "pair.csv",
        "--answers",
        "said.csv",
        "--epsilon",
        "0.5",
        "--out",
        "o",
    )
    done = run(*words, "--truth", "truth2.csv")
    assert done.exit_code == 1, done.output
    said = squeeze(done.output)
    assert "moves the odds of the most affected person by a factor of 1.65" in said  # e^0.5
    assert "Closer to the truth: 2 people; farther: 0" in said
    assert not (related / "o/beliefs.csv").exists()
    assert "ann" not in (related / "o/findings.json").read_text()
    assert run(*words, "--show-people").exit_code == 1
    after = {name: float(row["after"]) for name, row in rows(related / "o/beliefs.csv").items()}
    told = 1 / (1 + np.exp(-0.5))
    assert after["ann"] == pytest.approx(told, abs=1e-9)
    assert after["bob"] == pytest.approx(told * 0.8 + (1 - told) * 0.2, abs=1e-9)


def test_beliefs_after_a_noisy_sum(related: Path, run: Run) -> None:
    words = (*PAIR, "--noisy-sum", "-3", "--show-people", "--out", "o")
    done = run(*words, "--noise", "laplace:epsilon=0.5")
    assert done.exit_code == 1, done.output
    shift = np.exp(nu_of_pair(0.8, 0.5, 0.5))  # a sum below 0 is the worst event there is
    assert float(rows(related / "o/beliefs.csv")["ann"]["after"]) == pytest.approx(1 / (1 + shift), abs=1e-9)
    gaussian = run(*words, "--noise", "gaussian:rho=0.1")
    assert "Nothing limits it" in gaussian.output


def test_a_noisy_sum_does_not_count_people_whose_data_is_not_used(related: Path, run: Run) -> None:
    words = (
        "infer",
        "beliefs",
        "--edges",
        "pair.csv",
        "--people",
        "two.csv",
        "--noisy-sum",
        "-3",
        "--show-people",
    )
    done = run(*words, "--noise", "laplace:epsilon=0.5", "--out", "o")
    assert "not counted: 1 person with epsilon 0" in done.output
    after = rows(related / "o/beliefs.csv")
    assert float(after["bob"]["after"]) == pytest.approx(1 / (1 + np.exp(0.5)), abs=1e-9)


def test_an_audit_says_nu_beside_epsilon(related: Path, run: Run) -> None:
    plan = (related / "audit.toml").read_text().replace("rounding:base=5", "laplace:epsilon=0.5")
    (related / "homes.csv").write_text("id,household\nc00,a\nc01,a\nc02,b\nc03,b\n")
    prior = '[knowledge.prior]\nhouseholds = "homes.csv"\nagreement = 0.8\n\n[policy]\nmax_nu = {limit}\n'
    (related / "audit.toml").write_text(plan + prior.format(limit=0.7))
    done = run("audit", "audit.toml", "--out", "o")
    assert done.exit_code == 1
    said = squeeze(done.output)
    assert (
        "planned: With these links, epsilon = 0.5 protects the worst-off person like epsilon = 0.796" in said
    )
    assert "nu is 0.796 for the worst-off, limit 0.7: above the limit." in said
    findings = json.loads((related / "o/findings.json").read_text())["findings"]
    assert [found["goal"] for found in findings] == ["reconstruction", "inference"]
    assert findings[1]["details"]["nu"]["worst"] == pytest.approx(nu_of_pair(0.8, 0.5, 0.5), abs=1e-9)


def test_help_teaches(run: Run) -> None:
    for command in ("network", "pedigree", "joint", "degree", "beliefs"):
        said = run("infer", command, "--help")
        assert said.exit_code == 0
        assert f"dalenius infer {command}" in said.output
        assert "Exit code" in said.output
