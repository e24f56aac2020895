"""Findings about related people: arrays in; headline, severity, group privacy and file out."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from dalenius.auditing.decide import conclude
from dalenius.auditing.redecide import redecide
from dalenius.auditing.schemas import read_report
from dalenius.errors import InputError
from dalenius.findings.measure import Verdict
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data, Report
from dalenius.inference.answers.bounded_degree import all_trees
from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.build import (
    NuOfPeople,
    PromisedRelease,
    grade_links,
    make_inference_finding,
    make_infinite_finding,
    say_instead,
)
from dalenius.inference.finding import InferenceFinding, Prior, Solved, Spread
from dalenius.inference.words import headline
from dalenius.report.text import summary
from dalenius.theory.inference import nu_of_pair
from dalenius.theory.privacy import advantage_from_epsilon

PRIOR = Prior(source="edges.csv", people=4, links=2, groups=2, largest=3, model=("agreement 0.8",))


def found(epsilon: list[float], nu: list[float], *, exact: bool = True) -> InferenceFinding:
    solved = (Solved(method="forest", bound="exact-eq6", exact=exact, people=len(nu)),)
    people = NuOfPeople(np.array(epsilon), np.array(nu), solved)
    return make_inference_finding(people, PromisedRelease("release"), PRIOR)


def test_the_worst_off_person_is_compared_with_their_own_epsilon() -> None:
    finding = found([0.3, 0.5, 0.1, 0.1], [0.5, 0.9, 1.4, 0.1])
    assert finding.details.own == 0.1
    assert finding.details.nu is not None
    assert finding.details.nu.worst == 1.4
    assert finding.sentence == (
        "With these links, epsilon = 0.1 protects the worst-off person like epsilon = 1.4 would, and the "
        "median person like epsilon = 0.5."
    )


def test_a_bound_is_not_called_the_worst_case() -> None:
    finding = found([0.5, 0.5], [1.0, 0.8], exact=False)
    assert not finding.details.exact
    assert "at least like epsilon = 1 would" in finding.sentence


def test_somebody_without_data_is_not_called_protected_by_epsilon_0() -> None:
    words = headline(np.array([0.0, 0.2]), np.array([nu_of_pair(0.9, 0.0, 0.2), 0.1]), exact=True)
    assert "who has no data in the release" in words
    assert "epsilon = 0 " not in words


def test_unrelated_people() -> None:
    finding = found([0.5, 0.5], [0.5, 0.5])
    assert finding.severity == "none"
    assert "nobody is worse off" in finding.sentence


def test_severity_is_what_links_add() -> None:
    """A large epsilon with weak links is no worse than its epsilon; a small one with strong links may be."""
    assert grade_links(3.0, 3.05).severity == "low"
    assert grade_links(0.1, 3.05).severity == "critical"
    assert grade_links(0.0, 0.0).severity == "none"
    assert advantage_from_epsilon(3.0) > 0.45  # the first is not low because the gain itself would be


def test_what_links_add_to_somebody_without_data_is_graded() -> None:
    """The worst-off was so by their own epsilon, and links were said to add nothing to anybody."""
    finding = found([0.0, 2.0, 0.0], [nu_of_pair(0.95, 0.0, 2.0), 2.0, 0.0])
    assert finding.details.own == 2.0
    assert finding.severity == grade_links(0.0, nu_of_pair(0.95, 0.0, 2.0)).severity == "high"
    assert "grows from 0.0 to" in finding.severity_reason
    assert found([0.0, 2.0, 0.0], [0.0, 2.0, 0.0]).severity == "none"


def test_none_is_not_the_word_for_what_is_open_or_breaks_a_rule() -> None:
    """Links that add nothing do not make an epsilon above the limit harmless, nor decide without one."""
    unrelated = found([0.5, 0.5], [0.5, 0.5])
    graded = {
        limit: reported(unrelated, Policy(max_nu=limit)).findings[0].severity for limit in (None, 0.4, 0.6)
    }
    assert graded == {None: "undecided", 0.4: "low", 0.6: "none"}
    broken = reported(unrelated, Policy(max_nu=0.4))
    assert broken.findings[0].severity_reason.startswith("a rule is broken, though the links add nothing")
    for limit, word in graded.items():
        for first in (broken, reported(unrelated, Policy())):
            assert redecide(first, Policy(max_nu=limit)).findings[0].severity == word


def test_a_target_that_no_epsilon_keeps_is_not_harmless() -> None:
    """It stopped, and the grade was none: no epsilon was found to speak of."""
    assert all_trees(3, 0.8, epsilon=None, target=0.5).severity == "high"
    assert all_trees(3, 0.6, epsilon=None, target=0.5).severity != "none"


def test_spread_is_of_people_not_between_them() -> None:
    spread = Spread.of(np.array([4.0, 1.0, 2.0, 3.0]))
    assert (spread.least, spread.median, spread.most_of_95, spread.worst) == (1.0, 2.0, 4.0, 4.0)


def test_group_privacy_instead_of_an_infinite_nu() -> None:
    finding = make_infinite_finding(spend([0.5], delta=1e-6), PromisedRelease("r"), PRIOR)
    assert finding.details.nu is None
    assert finding.details.instead is not None
    assert finding.details.instead.epsilon == pytest.approx(1.5)
    chain = 1e-6 * (1 + math.exp(0.5) + math.exp(1.0))  # a sum over three neighbours
    assert finding.details.instead.delta == pytest.approx(chain)
    assert finding.sentence.startswith("nu is infinite: nothing is promised with probability 1e-06")


def test_a_group_so_large_that_nothing_is_promised() -> None:
    said = say_instead(2000, spend([0.5], delta=1e-6))
    assert said.delta == 1
    assert said.advantage == 0.5
    assert say_instead(10**6, spend([], rho=0.1)).advantage == pytest.approx(0.5)


def test_rho_of_a_group_grows_with_its_square() -> None:
    assert say_instead(3, spend([], rho=0.1)).rho == pytest.approx(0.9)
    assert make_infinite_finding(spend([], rho=1e-4), PromisedRelease("r"), PRIOR).severity == "low"


def test_an_infinite_nu_needs_a_promise() -> None:
    with pytest.raises(InputError, match="epsilon with delta, or rho"):
        say_instead(3, spend([0.5]))


def test_nu_of_other_people_is_refused() -> None:
    with pytest.raises(InputError, match="one per person"):
        found([0.5], [0.5, 0.6])
    with pytest.raises(InputError, match="one per person"):
        found([], [])


def test_the_file_repeats_and_says_what_is_not_said() -> None:
    report = reported(found([0.5, 0.5], [1.0, 0.8]), Policy(max_nu=0.9))
    plain = json.loads(report.to_json())["findings"][0]
    assert plain["goal"] == "inference"
    assert plain["details"]["prior"]["model"] == ["agreement 0.8"]
    assert any("worst mechanism" in text for text in plain["not_shown"])
    assert read_report(report.to_json()).to_json() == report.to_json()


def reported(finding: InferenceFinding, policy: Policy) -> Report:
    data = Data(source="people.csv", people=4, public=(), secret="ill")
    return conclude([finding], policy, data=data, seed=1)


@pytest.mark.parametrize(
    ("worst", "exact", "limit", "verdict"),
    [
        (0.9, True, 1.0, "pass"),
        (0.9, False, 1.0, "pass"),
        (1.1, True, 1.0, "stop"),
        (1.1, False, 1.0, "undecided"),  # only a bound is above the limit
        (1.1, False, 0.4, "stop"),  # epsilon alone is above it
        (1.1, True, None, "undecided"),  # nothing else was found, and nu decides nothing
    ],
)
def test_policy(worst: float, exact: bool, limit: float | None, verdict: Verdict) -> None:
    report = reported(found([0.5, 0.5], [worst, 0.6], exact=exact), Policy(max_nu=limit))
    assert report.verdict == verdict
    assert read_report(report.to_json()).to_json() == report.to_json()


def test_an_infinite_nu_is_above_every_limit() -> None:
    infinite = make_infinite_finding(spend([], rho=0.1), PromisedRelease("r", "gaussian"), PRIOR)
    report = reported(infinite, Policy(max_nu=100.0))
    assert report.verdict == "stop"
    text = " ".join(summary(report).split())
    assert "nu is infinite, limit 100." in text
    assert "rho = 0.9 instead of 0.1" in text


def test_the_text_says_method_prior_and_what_is_not_said() -> None:
    text = " ".join(summary(reported(found([0.5, 0.5], [1.0, 0.8]), Policy())).split())
    for words in (
        "epsilon = 0.5 protects the worst-off person like epsilon = 1 would",
        "2 people by forest: exact-eq6, the worst case under the prior below.",
        "agreement 0.8",
        "not about one mechanism at hand",
    ):
        assert words in text
