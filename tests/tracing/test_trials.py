"""A promise that is kept is not refuted, and noise of half the size is caught."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.people.traits.traits import CodedTraits, RealTraits, Traits, coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means
from dalenius.tracing.questions.promise import PromiseTrial, try_promise


@pytest.fixture(scope="module")
def people() -> CodedTraits:
    values = np.where(np.random.default_rng(1).random((30, 6)) < 0.4, 1, -1)
    names = np.array([f"a{j}" for j in range(6)])
    return coded_from_values("id", np.arange(30).astype(np.str_), names, values, "binary")


def half_the_noise(claim: str, kept: str, for_the_world: bool = False):
    """A publisher that draws noise of another size than it says."""

    def publish(people: Traits, rng: np.random.Generator) -> MeansRelease:
        said = publish_means(people, claim, rng=rng)
        made = publish_means(people, kept, rng=rng, for_the_world=for_the_world)
        return replace(said, means=made.means)

    return publish


@pytest.mark.parametrize("mechanism", ["gaussian:rho=0.5", "gaussian:rho=0.02 | clip", "laplace:epsilon=1"])
def test_a_promise_that_is_kept_is_not_refuted(people: CodedTraits, mechanism: str) -> None:
    found = try_promise(people, mechanism, trials=300)
    assert not found.broken
    assert found.epsilon_low < found.epsilon_claimed
    assert found.sentence.endswith("is not refuted.")


def test_the_gaussian_attack_is_the_best_possible(people: CodedTraits) -> None:
    """At a likelihood ratio of one TPR = Phi(mu/2) and FPR = Phi(-mu/2): with rho = 2, 0.8413 and 0.1587."""
    found = try_promise(people, "gaussian:rho=2", trials=1000)
    four = 4 * np.sqrt(0.8413 * 0.1587 / 1000)
    assert found.accused_with / 1000 == pytest.approx(0.8413, abs=four)
    assert found.accused_without / 1000 == pytest.approx(0.1587, abs=four)
    assert found.rho_low is not None
    assert 1.3 < found.rho_low <= 2


def test_noise_of_half_the_size_is_caught(people: CodedTraits) -> None:
    found = try_promise(people, half_the_noise("gaussian:rho=0.5", "gaussian:rho=2"), trials=300)
    assert found.broken
    assert found.rho_claimed == 0.5
    assert "is not kept" in found.sentence


def test_opendp_keeps_its_promise_and_half_its_noise_is_caught(people: CodedTraits) -> None:
    few = people.select(np.arange(3))
    kept = try_promise(few, "gaussian:rho=0.5", trials=250, seed=None, confidence=0.9999)
    assert not kept.broken
    half = half_the_noise("gaussian:rho=0.5", "gaussian:rho=2", for_the_world=True)
    assert try_promise(few, half, trials=250).broken


def test_halved_laplace_noise_is_caught_on_one_attribute(people: CodedTraits) -> None:
    one = people.select(np.arange(1))
    assert not try_promise(one, "laplace:epsilon=1", trials=300).broken
    assert try_promise(one, half_the_noise("laplace:epsilon=1", "laplace:epsilon=2"), trials=300).broken


def test_the_ceiling_is_that_of_the_trials(people: CodedTraits) -> None:
    found = try_promise(people, "gaussian:rho=200", trials=1000, delta=1e-5)
    assert found.ceiling == pytest.approx(5.6005875313, abs=1e-3)
    assert found.epsilon_low == pytest.approx(found.ceiling)
    assert PromiseTrial.model_validate_json(found.to_json()).broken is False


def test_bad_input(people: CodedTraits) -> None:
    with pytest.raises(InputError, match="promise something"):
        try_promise(people, "rounding:digits=1", trials=2)
    with pytest.raises(InputError, match="at least 1"):
        try_promise(people, "gaussian:rho=1", trials=0)
    real = RealTraits("id", np.array(["a", "b"]), np.array(["x"]), np.zeros((2, 1)))
    with pytest.raises(InputError, match="real values"):
        try_promise(real, "gaussian:rho=1", trials=2)
