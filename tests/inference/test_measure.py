"""Runs behind the commands: what is spent, measured, chosen, drawn, and kept together when it is large."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dalenius.auditing.decide import decide
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.inference.answers import measure as measuring
from dalenius.inference.answers.approximate_dp import without_limit
from dalenius.inference.answers.bounded_degree import all_trees
from dalenius.inference.answers.joint import epsilons_of, measure_joint
from dalenius.inference.answers.nu_curve import scale
from dalenius.inference.answers.privacy_loss import Spent, spend
from dalenius.inference.answers.promise import promise
from dalenius.inference.attack import nu as nus_of
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.attack.solver_parts import SolvablePart, SolvedNu
from dalenius.inference.finding import InferenceFinding
from dalenius.inference.priors.prior import PriorFiles, describe, generations, open_prior
from dalenius.knowledge.correlation.joint import JointPrior, from_model
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.network import Network
from dalenius.theory.inference import coupling_of, least_enforceable_nu, nu_of_pair

Make = Callable[..., Network]


@pytest.fixture
def network(tmp_path: Path) -> Make:
    def make(edges: str, people: str | None = None, agreement: float | None = 0.8) -> Network:
        (tmp_path / "edges.csv").write_text(edges)
        if people is not None:
            (tmp_path / "people.csv").write_text(people)
        known = None if people is None else tmp_path / "people.csv"
        return open_prior(PriorFiles(edges=tmp_path / "edges.csv", people=known, agreement=agreement))

    return make


CHAIN = "a,b\na,b\nb,c\nc,d\n"


def kept(finding: InferenceFinding, target: float) -> str:
    return decide([finding], Policy(max_nu=target))[0]


def test_what_is_spent_adds_up_without_losing_digits() -> None:
    assert spend([0.1] * 10).epsilon == 1.0
    assert str(spend([0.5], delta=1e-6)) == "epsilon = 0.5, delta = 1e-06"
    assert not spend([], rho=0.1).pure
    assert spend([]).pure


def test_nu_and_what_is_said_of_it(network: Make) -> None:
    found = measuring.measure(network(CHAIN), spend([0.5]), source="edges.csv")
    nu = inferential_privacy(found.network.model, 0.5).nu
    assert found.nus.nu == pytest.approx(nu, abs=1e-12)
    assert [line[:20] for line in found.worst_off(1)] == ["somebody with 2 link"]
    said = list(found.worst_off(3, show_people=True))
    assert [line[:11] for line in said] == ["b (2 links)", "c (2 links)", "a (1 link):"]
    assert said[0].endswith(f"protects like epsilon = {nu.max():.4g}")
    finding = found.finding
    assert [part.people for part in finding.details.solved] == [4]
    assert finding.details.exact
    assert finding.details.by_distance[0].nu == 0.5
    assert finding.details.by_distance[-1].nu == pytest.approx(nu.max(), abs=1e-9)
    distances = [step.nu for step in finding.details.by_distance]
    assert distances == sorted(distances)
    group = next(one for one in finding.details.bounds if one.name == "group")
    assert group.nu == pytest.approx(2.0)
    assert all(one.nu is None or one.nu >= nu.max() - 1e-9 for one in finding.details.bounds)


def test_a_bound_is_marked_as_one(network: Make) -> None:
    """A frustrated cycle of more people than the linear program takes, and no exact formula."""
    people = [f"p{i:02}" for i in range(12)]
    rows = [f"{a},{b},0.6" for a, b in zip(people, [*people[1:], people[0]], strict=True)]
    rows[0] = rows[0].replace("0.6", "0.4")
    found = measuring.measure(
        network("a,b,agreement\n" + "\n".join(rows) + "\n", agreement=None), spend([0.5]), source="e"
    )
    assert not found.finding.details.exact
    assert found.finding.details.by_distance == ()
    assert "at least like" in found.finding.sentence
    assert all("protects at least like" in line for line in found.worst_off())
    assert {part.bound.split("-")[0] for part in found.finding.details.solved} == {"bound"}


def test_rows_come_in_parts(network: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    nus = measuring.measure(network(CHAIN), spend([0.5]), source="e").nus
    whole = "".join(measuring.rows_of(nus))
    monkeypatch.setattr(measuring, "ROWS", 3)
    parts = list(measuring.rows_of(nus))
    assert len(parts) == 3  # the header, three people, one person
    assert "".join(parts) == whole
    assert whole.count("\n") == 5


def test_an_epsilon_for_a_target_leaves_absent_people_absent(network: Make) -> None:
    absent = network("a,b\na,b\n", "id,epsilon\na,0\nb,0.1\n")
    found = promise(absent, spend([]), 0.5, source="e")
    chosen = found.finding.details.chosen
    assert chosen is not None
    assert chosen.epsilon == pytest.approx(0.5, abs=1e-9)  # b's own nu is what limits it
    assert found.nus.epsilon.tolist() == [0.0, 0.1]  # a file's own epsilons are what is released
    assert kept(found.finding, 0.5) == "pass"


def test_an_epsilon_that_is_given_is_judged(network: Make) -> None:
    pair = network("a,b\na,b\n")
    nu = nu_of_pair(0.8, 0.5, 0.5)
    assert kept(promise(pair, spend([0.5]), nu, source="e").finding, nu) == "pass"
    assert kept(promise(pair, spend([0.5]), nu - 1e-6, source="e").finding, nu - 1e-6) == "stop"


def test_nu_grows_with_epsilon_and_stays_under_the_tree_of_its_degree(network: Make) -> None:
    found = measuring.measure(network(CHAIN), spend([0.5]), source="e")
    curve = scale(found.prepared, found.nus)
    assert (np.diff(curve.worst) > 0).all()
    assert (curve.median <= curve.worst).all()
    assert curve.trees is not None
    assert (curve.worst <= curve.trees.nu + 1e-9).all()
    assert curve.trees.floor == 0.0
    middle = int(np.abs(curve.epsilon - 0.5).argmin())
    assert curve.worst[middle] == pytest.approx(found.nus.nu.max(), abs=1e-9)


@pytest.mark.parametrize(("large", "most"), [(0.0, 9), (1e9, 25)])
def test_what_is_slow_is_solved_seldom(
    network: Make, monkeypatch: pytest.MonkeyPatch, large: float, most: int
) -> None:
    rows = [f"p{a},p{b}" for a in range(12) for b in (a + 1, a + 2)]
    monkeypatch.setattr(nus_of, "LARGE", large)
    solves, one = [], nus_of.solve

    def counting(part: SolvablePart, epsilon: np.ndarray) -> SolvedNu:
        solves.append(part)
        return one(part, epsilon)

    monkeypatch.setattr(nus_of, "solve", counting)
    found = measuring.measure(network("a,b\n" + "\n".join(rows) + "\n"), spend([0.5]), source="e")
    curve = scale(found.prepared, found.nus)
    assert 7 <= len(solves) <= most
    assert (len(solves) > 9) is (large > 0)
    assert curve.epsilon[curve.epsilon.size // 2] == pytest.approx(0.5, abs=1e-12)
    assert curve.worst[curve.epsilon.size // 2] == found.nus.nu.max()
    assert (np.diff(curve.worst) > 0).all()
    assert found.finding.details.by_distance[0].nu == 0.5
    left = found.nus.nu.max() - found.finding.details.by_distance[-1].nu
    assert bool(left < 1e-9) is (large > 0)


def test_biased_people_have_no_tree_to_compare_with(network: Make) -> None:
    biased = network("a,b,agreement\na,b,0.9\n", "id,bias\na,0.2\nb,0.2\n", None)
    found = measuring.measure(biased, spend([0.5]), source="e")
    assert scale(found.prepared, found.nus).trees is None


def test_a_tree_beside_loops_is_not_said_to_have_another_agreement(network: Make) -> None:
    """Four people, all linked, agree in 0.8 by couplings that alone would give 0.68."""
    square = "a,b\n" + "".join(f"{a},{b}\n" for a, b in itertools.combinations("wxyz", 2))
    found = measuring.measure(network(square), spend([0.5]), source="e")
    curve = scale(found.prepared, found.nus)
    assert curve.trees is not None
    assert curve.trees.name == "all trees of degree 3, the same couplings"
    assert (curve.worst <= curve.trees.nu + 1e-9).all()
    alone = measuring.measure(network(CHAIN), spend([0.5]), source="e")
    assert "agreement 0.8" in scale(alone.prepared, alone.nus).trees.name


def test_generations(tmp_path: Path) -> None:
    path = tmp_path / "family.csv"
    path.write_text(
        "id,father,mother,twin\nEva,,,\nAdam,,,\nAbel,Adam,Eva,t\nKain,Adam,Eva,t\nZillah,,,\nHanoch,Kain,Zillah,\n"
    )
    relations = {"parent": 0.75, "twin": 1.0}
    family = open_prior(PriorFiles(pedigree=path, agreement=relations, identical=True))
    by_name = dict(zip(family.model.ids.tolist(), generations(family).tolist(), strict=True))
    assert by_name == {"Eva": 0, "Adam": 0, "Abel": 1, "Kain": 1, "Zillah": 0, "Hanoch": 2}


def test_a_prior_is_described_without_naming_anybody(network: Make) -> None:
    said = describe("edges.csv", network(CHAIN + "x,y\n"))
    assert (said.people, said.links, said.groups, said.largest) == (6, 4, 2, 4)


def test_simulated_releases_repeat_with_their_seed(network: Make) -> None:
    gaussian = Spent(None, None, 0.1, 1)
    found = [without_limit(network(CHAIN), gaussian, source="e", seed=seed) for seed in (1, 1, 2)]
    assert found[0] == found[1]
    assert found[0] != found[2]
    assert found[0].details.instead is not None
    levels = found[0].details.instead.simulated
    assert [one.level for one in levels] == [0.5, 0.9, 0.99]
    assert all(one.low <= one.moved <= (one.high or np.inf) for one in levels)
    assert "not a guarantee" in levels[0].label


@pytest.mark.parametrize("degree", [2, 3, 5])
@pytest.mark.parametrize("agreement", [0.5, 0.6, 0.9, 0.1])
def test_all_trees(degree: int, agreement: float) -> None:
    least = least_enforceable_nu(degree, abs(coupling_of(agreement)))
    found = all_trees(degree, agreement, epsilon=None, target=least + 0.5)
    trees = found.details
    assert trees.nu == pytest.approx(least + 0.5, abs=1e-6)
    assert kept(found, least + 0.5) == "pass"
    assert (trees.slope is None) == (trees.pull >= 1)
    if least > 0:
        none = all_trees(degree, agreement, epsilon=None, target=0.9 * least)
        assert none.details.epsilon is None
        assert kept(none, 0.9 * least) == "stop"
        little = all_trees(degree, agreement, epsilon=1e-6, target=0.9 * least)
        assert kept(little, 0.9 * least) == "stop"


def clique(people: int, coupling: float) -> CorrelationModel:
    ids = np.array([f"p{i}" for i in range(people)])
    pairs = np.array([(i, j) for i in range(people) for j in range(i)])
    return CorrelationModel("id", ids, pairs, np.full(len(pairs), coupling), np.zeros(people))


def test_a_large_joint_gets_the_formula() -> None:
    model = clique(13, 0.05)
    found = measure_joint(from_model(model), np.full(13, 0.2), source="prior.csv")
    assert found.worst is None
    assert found.solved.bound == "exact-eq6"
    assert found.nu == pytest.approx(inferential_privacy(model, 0.2).nu, abs=1e-9)
    assert "mechanism.csv" not in found.files()


def test_a_large_joint_that_is_not_affiliated_gets_a_bound() -> None:
    model = clique(13, -0.02)
    found = measure_joint(from_model(model), np.full(13, 0.2), source="prior.csv")
    assert found.solved.bound.startswith("bound-")
    assert not found.finding.details.exact


def test_a_joint_of_three_values() -> None:
    equal = np.exp(0.6 * np.eye(3))
    joint = JointPrior(("a", "b"), (("x", "y", "z"),) * 2, equal / equal.sum())
    found = measure_joint(joint, np.full(2, 0.5), source="prior.csv")
    assert found.nu == pytest.approx([0.612694443966] * 2, abs=1e-6)
    bounds = {one.name: one.nu for one in found.finding.details.bounds}
    assert bounds["A"] == pytest.approx(1.214285714286, abs=1e-9)
    assert bounds["paper"] == pytest.approx(1.428571428571, abs=1e-9)
    assert bounds["B-bin"] is None  # for two values only


def test_epsilons_of_people_by_name() -> None:
    assert epsilons_of(["0.5", "0.25", "b=0.1"], ["a", "b"]).tolist() == [0.75, 0.1]
    assert epsilons_of(["x=y=0.1"], ["x=y"]).tolist() == [0.1]
    with pytest.raises(InputError, match="must be a number, 0 or more"):
        epsilons_of(["-1"], ["a"])
