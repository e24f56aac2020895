"""nu beside epsilon in an audit: pure promises, others, several releases, and who is in the data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dalenius.auditing.plan_parts import PriorPlan
from dalenius.auditing.run import Audit
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.inference.case import RelatedPeople, open_related
from dalenius.inference.finding import InferenceFinding
from dalenius.people.dataset import Dataset, read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.reconstruction.together import TOGETHER
from dalenius.report.text import summary
from dalenius.theory.inference import nu_of_pair

AGREEMENT = 0.8
ONCE = Scenario(resamples=0)


@pytest.fixture(scope="module")
def people() -> Iterator[Dataset]:
    """So many that five folds of them are fitted, instead of one for each person."""
    rng = np.random.default_rng(3)
    rows = pa.table(
        {
            "id": [f"p{i}" for i in range(64)],
            "age": rng.integers(0, 4, 64),
            "ill": rng.choice(["no", "yes"], 64),
        }
    )
    with read(rows, secret="ill", id="id") as opened:
        yield opened


@pytest.fixture
def related(tmp_path: Path) -> RelatedPeople:
    """One pair in the data, and one person whose brother is not."""
    path = tmp_path / "edges.csv"
    path.write_text("a,b\np0,p1\np2,brother\n")
    return open_related(PriorPlan(edges=path, agreement=AGREEMENT))


def nus(result: Audit) -> dict[str, InferenceFinding]:
    return {f.release: f for f in result.report.findings if isinstance(f, InferenceFinding)}


def test_nu_stands_beside_epsilon(people: Dataset, related: RelatedPeople) -> None:
    result = audit(people, Planned("tables:k=1", "laplace:epsilon=0.5"), ONCE, related=related)
    found = nus(result)["release"]
    assert found.details.epsilon is not None
    assert found.details.nu is not None
    assert found.details.nu.worst == pytest.approx(nu_of_pair(AGREEMENT, 0.5, 0.5), abs=1e-9)
    assert found.details.nu.median == 0.5  # most people of the data are in nobody's prior
    assert found.details.epsilon.least == 0  # the brother
    assert found.details.nu.least == pytest.approx(nu_of_pair(AGREEMENT, 0.0, 0.5), abs=1e-9)
    assert found.details.prior.people == 65
    text = " ".join(summary(result.report).split())
    assert "Not in the prior and taken as unrelated: 61 people of the data." in text
    assert "Without data in the release, only spoken of by relatives: 1 person of the prior." in text
    assert "epsilon = 0.5 protects the worst-off person like epsilon = 0.796 would" in text
    assert "2 edges with agreement 0.8" in text


def test_releases_together_add_up(people: Dataset, related: RelatedPeople) -> None:
    result = audit(
        people,
        {
            "a": Planned("tables:k=1", "laplace:epsilon=0.5"),
            "b": Planned("random-subsets:m=40", "laplace:epsilon=0.3"),
        },
        ONCE,
        related=related,
    )
    worst = {name: f.details.nu.worst for name, f in nus(result).items() if f.details.nu is not None}
    for name, epsilon in (("a", 0.5), ("b", 0.3), (TOGETHER, 0.8)):
        assert worst[name] == pytest.approx(nu_of_pair(AGREEMENT, epsilon, epsilon), abs=1e-9)


def test_gaussian_noise_has_no_nu(people: Dataset, related: RelatedPeople) -> None:
    result = audit(people, Planned("tables:k=1", "gaussian:rho=0.1"), ONCE, related=related)
    found = nus(result)["release"]
    assert found.details.nu is None
    assert found.details.instead is not None
    assert found.details.instead.rho == pytest.approx(0.4)  # groups of two
    assert found.sentence.startswith("nu is infinite: Gaussian noise")


def test_without_a_promise_there_is_nothing_to_say(people: Dataset, related: RelatedPeople) -> None:
    result = audit(people, Planned("tables:k=1", "rounding:base=5"), ONCE, related=related)
    found = nus(result)["release"]
    assert found.details.nu is None
    assert found.details.instead is None
    assert found.sentence == "nu is infinite: no one promise of differential privacy covers this release."


@pytest.mark.parametrize(("limit", "broken"), [(0.7, True), (0.9, False), (None, False)])
def test_a_limit_on_nu_decides(
    people: Dataset, related: RelatedPeople, limit: float | None, broken: bool
) -> None:
    policy = Policy(max_nu=limit, max_advantage=1, max_recovered=1, max_certain=40)
    result = audit(
        people,
        Planned("tables:k=1", "laplace:epsilon=0.5"),
        Scenario(policy=policy, resamples=0),
        related=related,
    )
    assert result.verdict == ("stop" if broken else "pass")


def test_a_prior_about_others_is_refused(people: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text("a,b\nx,y\n")
    strangers = open_related(PriorPlan(edges=path, agreement=AGREEMENT))
    with pytest.raises(InputError, match="must name people of the data"):
        audit(people, Planned("tables:k=1", "laplace:epsilon=1"), related=strangers)


def test_a_secret_of_three_values_is_refused(related: RelatedPeople) -> None:
    rows = pa.table({"id": ["p0", "p1", "p2"], "age": [1, 2, 3], "state": ["a", "b", "c"]})
    with (
        read(rows, secret="state", id="id") as opened,
        pytest.raises(InputError, match="a secret of two values"),
    ):
        audit(opened, Planned("tables:k=1", "laplace:epsilon=1"), related=related)


def test_people_without_ids_are_all_those_of_the_prior(related: RelatedPeople) -> None:
    rows = pa.table({"age": [1, 2, 1, 2], "ill": ["no", "yes", "no", "yes"]})
    with read(rows, secret="ill") as opened:
        result = audit(opened, Planned("tables:k=1", "laplace:epsilon=0.5"), ONCE, related=related)
    found = nus(result)["release"]
    assert found.details.epsilon is not None
    assert found.details.epsilon.least == 0.5
    assert any("has no ids" in note for note in found.notes)
