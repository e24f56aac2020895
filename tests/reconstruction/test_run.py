"""An audit end to end: what leaks is found, what does not leak is not, and the same seed says the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalenius.errors import InputError, UnsupportedError
from dalenius.findings.policy import Policy
from dalenius.knowledge.view import View
from dalenius.people.dataset import Dataset
from dalenius.random import stream
from dalenius.reconstruction import opened as run
from dalenius.reconstruction.attack import attack as attempts
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.release.publish import publish

LEAKY = Planned(["tables:k=3", "tables:k=2"], "exact")
NOISY = Planned("tables:k=2", "gaussian:rho=0.01")


def test_a_leak_is_found_and_noise_stops_it(people: Dataset) -> None:
    noisy = replace(NOISY, alternative_to="leaky")
    result = audit(people, {"leaky": LEAKY, "noisy": noisy}, Scenario(seed=3))
    leaky, noise = result.report.findings
    assert result.verdict == "stop"
    assert leaky.advantage.low > 0
    assert leaky.certain == leaky.details.judged.certain_right > 10
    assert leaky.decisive.control is not None
    assert not leaky.details.judged.control_gains
    assert noise.advantage.low < 0.05
    assert noise.bound is not None
    assert noise.bound.value < 0.05
    assert noise.promise.startswith("zero-concentrated differential privacy with rho = 0.01; given that")
    assert (leaky.looks, leaky.details.judged.population_source) == (2, "k-fold")
    assert audit(people, {"noisy": NOISY}, Scenario(seed=3)).verdict == "pass"


def test_numbers_too_coarse_to_say_anything_are_good_news(people: Dataset) -> None:
    """A publisher wants that: the audit passes, with claims that the prior made, and says why."""
    result = audit(people, Planned("tables:k=2", "rounding:base=100000"))
    assert result.verdict == "pass"
    assert not result.report.not_run
    assert result.report.findings[0].severity == "none"
    assert "Nobody is guessed with probability 0.95 or more." in result.report.findings[0].facts
    claims = result.claims["reconstruction", "release"]
    assert claims.method == "prior"
    assert "nothing is guessed" in claims.notes[0]


def test_the_same_seed_gives_the_same_bytes(people: Dataset) -> None:
    planned = {"a": Planned("random-subsets:m=60", "gaussian:sigma=3"), "b": LEAKY}
    one, two = (audit(people, planned, Scenario(seed=5)) for _ in range(2))
    assert one.report.to_json() == two.report.to_json()
    assert all(
        one.claims["reconstruction", name].to_csv() == two.claims["reconstruction", name].to_csv()
        for name in planned
    )
    other = audit(people, planned, Scenario(seed=6))
    assert other.claims["reconstruction", "a"].to_csv() != one.claims["reconstruction", "a"].to_csv()


def test_a_release_is_judged_alike_whoever_stands_beside_it(people: Dataset) -> None:
    """Streams are named by release: a second release moves intervals, never counts."""
    alone = audit(people, {"b": NOISY}).report.findings[0]
    beside = audit(people, {"a": LEAKY, "b": NOISY}).report.findings[1]
    assert alone.decisive.attack.hits == beside.decisive.attack.hits
    assert alone.decisive.control is not None
    assert beside.decisive.control is not None
    assert alone.decisive.control.value == beside.decisive.control.value


def test_a_published_release_goes_the_same_way(people: Dataset) -> None:
    noise = stream(9, "noise", "a")
    published = publish(people, "tables:k=2", "rounding:base=5", rng=noise, name="a")
    planned = Planned("tables:k=2", "rounding:base=5")
    one = audit(people, {"a": published}, Scenario(seed=9))
    two = audit(people, {"a": planned}, Scenario(seed=9))
    assert one.report.to_json() == two.report.to_json()


def test_an_unknown_mechanism_has_no_control(people: Dataset) -> None:
    published = publish(people, "tables:k=2", "exact", rng=stream(1, "noise"))
    unknown = type(published)("r", published.secret, published.blocks)
    finding = audit(people, {"r": unknown}).report.findings[0]
    assert finding.decisive.control is None
    assert any("no control" in said for said in finding.assumptions)


def test_a_release_that_the_attack_was_told_nothing_about_does_not_pass(people: Dataset) -> None:
    coarse = publish(people, "tables:k=1", "gaussian:rho=0.001", rng=stream(1, "noise"))
    unknown = type(coarse)("r", coarse.secret, coarse.blocks)
    result = audit(people, {"r": unknown}, Scenario(policy=Policy(max_advantage=0.5, max_recovered=1)))
    assert result.verdict == "undecided"
    assert any("told nothing about the mechanism" in reason for reason in result.report.reasons)


def test_other_people_are_baseline_and_prior(people: Dataset, others: Dataset) -> None:
    finding = audit(people, {"n": NOISY}, Scenario(reference=others)).report.findings[0]
    assert finding.details.judged.population_source == "reference"
    assert finding.decisive.attack.rate > 0.6  # the prior alone is that good, though the release says nothing


def test_columns_the_attacker_does_not_know(people: Dataset) -> None:
    planned = Planned("tables:k=1,attributes=age+sex", "exact")
    report = audit(people, {"r": planned}, Scenario(known=["sex", "age"])).report
    assert report.data.public == ("sex", "age")
    with pytest.raises(InputError, match="must count only by columns that the attacker knows; got column"):
        audit(people, {"r": planned}, Scenario(known=["sex"]))


def test_what_cannot_be_attacked_is_not_passed(people: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = attempts.reconstruct

    def fails_once(view: View, **options: object) -> object:
        if view.release.name == "a":
            raise UnsupportedError("no decoder reads this")
        return genuine(view, **options)

    monkeypatch.setattr(attempts, "reconstruct", fails_once)
    result = audit(people, {"a": NOISY, "b": NOISY})
    assert [f.release for f in result.report.findings] == ["b", "all together"]
    assert result.report.not_run[0].reason == "no decoder reads this"
    assert result.verdict == "undecided"


def test_the_attack_never_sees_the_truth(people: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the seed gives is drawn under names of their own, and none of it is the attack's."""
    seen: list[tuple[object, ...]] = []
    monkeypatch.setattr(run, "stream", lambda *names: seen.append(names) or stream(*names))
    audit(people, {"a": NOISY}, Scenario(seed=2))
    assert len(seen) == len(set(seen))
    assert (2, "noise", "a") in seen
    assert not any("attack" in names for names in seen)


def test_the_report_names_nobody(people: Dataset) -> None:
    result = audit(people, Planned("tables:k=3"))
    text = result.report.to_json() + result.summary()
    assert "p1-0" not in text
    assert set(result.claims) == {("reconstruction", "release")}
    assert np.array_equal(result.claims["reconstruction", "release"].ids, people.ids())


def test_progress_rises_to_the_end(people: Dataset) -> None:
    told: list[float] = []
    audit(people, {"a": LEAKY, "b": NOISY}, progress=lambda share, doing: told.append(share))
    assert told == sorted(told)
    assert 0 <= told[0] < 0.1 < told[-1] <= 1
