"""The prior in use is the stated one, or nothing passes: households with a bias, wide networks."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from dalenius.auditing.plan_parts import PriorPlan
from dalenius.auditing.run import Audit
from dalenius.cli.main import app
from dalenius.findings.policy import Policy
from dalenius.inference.answers.measure import measure
from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.answers.promise import promise
from dalenius.inference.attack.fit import implied as simulating
from dalenius.inference.attack.fit.implied import implied
from dalenius.inference.case import open_related
from dalenius.inference.finding import InferenceFinding
from dalenius.inference.priors.prior import PriorFiles, open_prior, read_network
from dalenius.inference.priors.settle import regardless, without_bounds
from dalenius.inference.rules import rulings
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.network import Network
from dalenius.people.dataset import read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.theory.inference import nu_of_pair

LENIENT = {"max_advantage": 1, "max_recovered": 1, "max_certain": 10_000}


@pytest.fixture
def households(tmp_path: Path) -> Path:
    """37 households of 8 people, each of whom has a 1 in 5 of 100 cases."""
    people = [(f"p{h}x{i}", h) for h in range(37) for i in range(8)]
    (tmp_path / "homes.csv").write_text("id,household\n" + "".join(f"{p},{h}\n" for p, h in people))
    (tmp_path / "bias.csv").write_text("id,bias\n" + "".join(f"{p},0.05\n" for p, _ in people))
    return tmp_path


def prior(folder: Path, *, fit: bool = True) -> PriorPlan:
    return PriorPlan(
        households=folder / "homes.csv", people=folder / "bias.csv", agreement={"household": 0.93}, fit=fit
    )


def audited(plan: PriorPlan, limit: float, people: list[str], epsilon: float = 0.5) -> Audit:
    rng = np.random.default_rng(1)
    rows = pa.table(
        {
            "id": people,
            "age": rng.integers(0, 3, len(people)),
            "ill": np.where(rng.random(len(people)) < 0.05, "yes", "no"),
        }
    )
    with read(rows, secret="ill", id="id") as data:
        return audit(
            data,
            Planned("tables:k=1", f"laplace:epsilon={epsilon}"),
            Scenario(policy=Policy(max_nu=limit, **LENIENT)),
            related=open_related(plan),
        )


def about(result: Audit) -> InferenceFinding:
    return next(f for f in result.report.findings if isinstance(f, InferenceFinding))


def test_households_with_a_bias_stop_the_audit(households: Path) -> None:
    """Link by link nu came out as 0.5004, and a limit of 0.6 was kept."""
    people = [f"p{h}x{i}" for h in range(37) for i in range(8)]
    result = audited(prior(households), 0.6, people)
    found = about(result)
    assert found.details.nu is not None
    assert found.details.nu.worst == pytest.approx(2.253, abs=5e-4)
    assert found.details.prior.as_stated
    assert found.details.prior.prevalence is not None
    assert found.details.prior.prevalence.implied is not None
    assert found.details.prior.prevalence.implied.mean == pytest.approx(0.05, abs=1e-9)
    assert result.verdict == "stop"
    verdict, reason, _ = rulings(found, Policy(max_nu=3.0))[0]
    assert verdict == "pass"
    assert "genes are not covered" in reason


def test_link_by_link_cannot_pass(households: Path) -> None:
    people = [f"p{h}x{i}" for h in range(37) for i in range(8)]
    plan = prior(households, fit=False)
    between = audited(plan, 1.0, people)
    assert between.verdict == "undecided"
    assert about(between).details.exact is False
    found = about(between)
    assert rulings(found, Policy(max_nu=0.6))[0][0] == "stop"  # two linked people alone have 0.654
    assert rulings(found, Policy(max_nu=4.0))[0][0] == "pass"  # group privacy needs no agreement
    assert all(rulings(found, Policy(max_nu=limit))[0][0] != "pass" for limit in (0.5005, 0.6, 1.0, 2.3, 3.9))


def test_the_command_ends_with_1(households: Path) -> None:
    rng = np.random.default_rng(1)
    ids = [f"p{h}x{i}" for h in range(37) for i in range(8)]
    rows = [f"{p},{a},{'yes' if r < 0.05 else 'no'}" for p, a, r in zip(
        ids, rng.integers(0, 3, len(ids)), rng.random(len(ids)), strict=True)]  # fmt: skip
    (households / "people.csv").write_text("\n".join(["id,age,ill", *rows]) + "\n")
    (households / "audit.toml").write_text(
        'seed = 1\n[data]\npath = "people.csv"\n[schema]\nid = "id"\nsecret = "ill"\n[knowledge.prior]\n'
        'households = "homes.csv"\npeople = "bias.csv"\nagreement = { household = 0.93 }\n[policy]\n'
        'max_nu = 0.6\nmax_advantage = 1.0\nmax_recovered = 1.0\n[[release]]\nname = "a"\n'
        'statistics = ["tables:k=1"]\nmechanism = "laplace:epsilon=0.5"\n'
    )
    done = CliRunner().invoke(app, ["audit", str(households / "audit.toml"), "--out", str(households / "o")])
    assert done.exit_code == 1, done.output
    assert "STOP" in done.output


def test_beliefs_start_from_the_stated_prior(households: Path) -> None:
    said = households / "said.csv"
    said.write_text("id,answer\np0x0,1\n")
    words = ["infer", "beliefs", "--households", "homes.csv", "--people", "bias.csv", "--agreement",
             "household=0.93", "--answers", "said.csv", "--epsilon", "0.5", "--show-people"]  # fmt: skip
    words = [str(households / word) if word.endswith(".csv") else word for word in words]
    done = CliRunner().invoke(app, [*words, "--out", str(households / "o")])
    assert done.exit_code == 1, done.output
    rows = (households / "o/beliefs.csv").read_text().splitlines()[1:]
    assert {float(row.split(",")[1]) for row in rows} == {0.05}
    assert "implied" in json.dumps(
        json.loads((households / "o/findings.json").read_text())["findings"][0]["details"]["prior"]
    )


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """40 people with 500 random links: no junction tree is small enough."""
    rng = np.random.default_rng(2)
    pairs = np.array(list(itertools.combinations(range(40), 2)))
    lines = [f"q{a},q{b}" for a, b in pairs[np.sort(rng.choice(len(pairs), 500, replace=False))]]
    (tmp_path / "edges.csv").write_text("\n".join(["a,b", *lines]) + "\n")
    return tmp_path / "edges.csv"


def kept(finding: InferenceFinding, target: float) -> str:
    return rulings(finding, Policy(max_nu=target))[0][0]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulating, "MOST_ROUNDS", 5_000)


@pytest.mark.usefixtures("quick")
def test_a_network_too_wide_to_fit_is_undecided(wide: Path) -> None:
    network = open_prior(PriorFiles(edges=wide, agreement=0.52))
    assert network.standing is not None
    assert not network.standing.as_stated
    answer = promise(network, spend([0.1]), 2.0, source="edges.csv")
    known = answer.finding.details.regardless
    assert known is not None
    assert known.least == pytest.approx(nu_of_pair(0.52, 0.1, 0.1))
    assert known.most == pytest.approx(4.0)
    assert kept(answer.finding, 2.0) == "undecided"
    assert kept(promise(network, spend([0.1]), 4.0, source="e").finding, 4.0) == "pass"
    assert kept(promise(network, spend([0.1]), 0.1, source="e").finding, 0.1) == "stop"
    found = promise(network, spend([]), 0.4, source="e").finding
    assert found.details.chosen is not None
    assert found.details.chosen.epsilon == pytest.approx(0.01)
    assert kept(found, 0.4) == "pass"
    plan = PriorPlan(edges=wide, agreement=0.52)
    assert audited(plan, 2.0, [f"q{i}" for i in range(40)], 0.1).verdict == "undecided"


def test_what_a_wide_network_implies_is_estimated_with_its_error(
    wide: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Held against other draws of the same law, person by person and all at once."""
    network = without_bounds(read_network(wide, agreement=0.505))
    standing = network.standing
    assert standing is not None
    assert standing.agreement is not None
    assert 0 < standing.error < 0.05
    rng = np.random.default_rng(9)
    model = network.model
    near = model.matrix(model.coupling)
    chains = np.where(rng.random((4000, 40)) < 0.5, 1.0, -1.0)
    for _ in range(40):
        for v in range(40):
            up = 1 / (1 + np.exp(-2 * (chains @ near[[v]].toarray()[0] + model.field[v])))
            chains[:, v] = np.where(rng.random(4000) < up, 1.0, -1.0)
    a, b = model.edges.T
    alike = (chains[:, a] == chains[:, b]).mean(axis=0)
    assert alike.mean() == pytest.approx(standing.agreement.mean(), abs=0.004)
    assert np.abs(alike - standing.agreement).max() < standing.error + 5 * 0.5 / np.sqrt(4000)
    assert standing.as_stated  # so weak that loops hardly matter: shown to be within 0.01
    monkeypatch.setattr(simulating, "MOST_ROUNDS", 20_000)
    strong = read_network(wide, agreement=0.515).standing
    assert strong is not None
    assert strong.agreement is not None
    assert strong.agreement.mean() > 0.525
    assert not strong.as_stated


@pytest.mark.usefixtures("quick")
def test_two_phases_are_not_estimated(wide: Path) -> None:
    standing = read_network(wide, agreement=0.7).standing
    assert standing is not None
    assert standing.agreement is None
    assert "not known" in standing.how
    finding = measure(read_network(wide, agreement=0.7), spend([0.5]), source="e").finding
    assert finding.details.prior.agreement is not None
    assert finding.details.prior.agreement.implied is None


def test_implied_is_exact_where_it_can_be() -> None:
    edges = np.array([[0, 1], [1, 2], [2, 0], [2, 3], [3, 4]])
    rng = np.random.default_rng(4)
    J, h = np.array([0.5, -0.3, 0.8, np.inf, 0.4]), np.array([0.1, -0.4, 0.2, 0.0, 0.3])
    found = implied(CorrelationModel("id", np.arange(5).astype(str), edges, J, h), rng=rng)
    bits = np.array([x for x in itertools.product([0, 1], repeat=5) if x[2] == x[3]])
    spin = 1 - 2 * bits
    finite = np.isfinite(J)
    weight = np.exp((spin[:, edges[finite, 0]] * spin[:, edges[finite, 1]]) @ J[finite] + spin @ h)
    weight /= weight.sum()
    assert found.agreement == pytest.approx(
        weight @ (bits[:, edges[:, 0]] == bits[:, edges[:, 1]]), abs=1e-12
    )
    assert found.prevalence == pytest.approx(weight @ bits, abs=1e-12)
    assert found.error == 0


def test_regardless_holds_for_pairs_with_biases_and_differences() -> None:
    """Two people: everything is stated, and nu is what Equation 6 says of them, whichever way they lean."""
    from dalenius.inference.attack.nu import inferential_privacy
    from dalenius.knowledge.correlation.couplings import couple

    for agreement, bias in ((0.8, (0.3, 0.4)), (0.35, (0.4, 0.6)), (0.93, (0.05, 0.05)), (0.2, None)):
        biases = None if bias is None else np.array(bias)
        ids, edges = np.array(["a", "b"]), np.array([[0, 1]])
        J, h = couple(ids, edges, np.array([agreement]), biases)
        model = CorrelationModel("id", ids, edges, J, h)
        eps = np.array([0.5, 0.3])
        exact = inferential_privacy(model, eps).nu.max()
        found = regardless(Network(model, None, (), (), np.array([agreement]), biases), eps)
        assert found.least == pytest.approx(exact, abs=1e-9)
        assert found.most == pytest.approx(0.8)


def test_python_reads_what_was_stated(households: Path) -> None:
    import dalenius

    network = dalenius.inference.read_network(
        None, households=households / "homes.csv", people=households / "bias.csv", agreement=0.93
    )
    nus = dalenius.inference.inferential_privacy(network.model, 0.5)
    assert nus.nu.max() == pytest.approx(2.253, abs=5e-4)


def test_nothing_is_simulated_from_another_prior(households: Path) -> None:
    words = ["infer", "network", "--households", "homes.csv", "--people", "bias.csv", "--agreement",
             "household=0.93", "--rho", "0.1", "--no-fit"]  # fmt: skip
    words = [str(households / word) if word.endswith(".csv") else word for word in words]
    done = CliRunner().invoke(app, [*words, "--out", str(households / "o")])
    assert done.exit_code == 1, done.output
    assert "No release was simulated: the stated prior was not fitted." in done.output
    tree = ["infer", "degree", "--degree", "3", "--agreement", "0.7", "--epsilon", "0.1"]
    assert "genes" in CliRunner().invoke(app, [*tree, "--out", str(households / "d")]).output
