import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from dalenius.auditing.decide import conclude, decide
from dalenius.auditing.schemas import findings_schema
from dalenius.errors import InputError
from dalenius.findings.default_policy import RULES
from dalenius.findings.measure import Bound
from dalenius.findings.policy import Policy, Resampled
from dalenius.findings.report import Data, Finding, NotRun, Report
from dalenius.findings.tally import Comparison, Tally
from dalenius.reconstruction.referee.known import Known
from dalenius.reconstruction.rules import with_samples
from dalenius.report.text import summary

N = 6366
DATA = Data(source="people.csv", people=N, public=("age", "children"), secret="affair")
FIXED = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=60,
    deadline=None,
    derandomize=True,
)
PROVED = Bound(statement="exposed-20", text="no attack gains more", kind="advantage-at-most", value=0.02)


def test_an_established_advantage_stops(finding):
    verdict, reasons = decide([finding()], Policy())
    assert verdict == "stop"
    assert reasons[0].startswith("exact tables, lmmse: advantage 20.9 points (")


def test_one_certain_person_stops_even_without_an_advantage(finding):
    found = finding(attack=4581, certain=Tally(1, 1))
    assert decide([found], Policy())[0] == "stop"
    assert "1 person follows by arithmetic" in decide([found], Policy())[1][0]
    assert decide([found], Policy(max_certain=1))[0] == "pass"


def test_an_advantage_established_below_the_limit_passes(finding):
    assert decide([finding(attack=4600)], Policy())[0] == "pass"


def known(right: int, held: int | None = None, by_luck: float = 1e-9, **changes) -> Known:
    given = {"before": 0, "calibrated": True, "certain": 0, "certain_right": 0, "value": "yes"} | changes
    return Known(held=right if held is None else held, right=right, by_luck=by_luck, **given)


def test_people_as_good_as_known_stop_beyond_luck(finding):
    """The attack does not gain, and nobody is certain: noise that hides nothing."""

    def decided(*rows, **policy):
        return decide([finding(attack=4581, known=rows)], Policy(**policy))

    assert decided(known(0))[0] == "pass"
    verdict, reasons = decided(known(3), known(9, value="no"))
    assert verdict == "stop"
    assert "the secrets of 12 people (yes: 3, no: 9) are as good as known" in reasons[0]
    assert decided(known(3), max_known=3)[0] == "pass"
    assert decided(known(3, by_luck=0.2))[0] == "undecided"
    assert "by luck" in decided(known(3, by_luck=0.2))[1][0]
    assert decided(known(30, held=60, calibrated=False))[0] == "undecided"
    assert decided(known(3), known(9, value="no"), sensitive=("no",), max_known=9)[0] == "pass"
    with pytest.raises(InputError, match=r"must count people as known from 0\.9 on"):
        decided(known(3), known_at=0.9)


def test_every_broken_rule_is_told_at_once(finding):
    found = finding(certain=Tally(5, 5), known=(known(7, certain=5, certain_right=5),))
    verdict, reasons = decide([found], Policy())
    assert verdict == "stop"
    assert len(reasons) == 3
    for reason, rule in zip(
        reasons, ("follow by arithmetic", "as good as known", "above the limit"), strict=True
    ):
        assert rule in reason


def test_people_certain_not_to_have_it_do_not_stop_where_values_are_named(finding):
    rows = (known(0, certain=1, certain_right=1), known(0, value="no", certain=4, certain_right=4))
    found = finding(attack=4581, certain=Tally(5, 5), known=rows)
    assert decide([found], Policy(max_certain=1))[0] == "stop"
    assert decide([found], Policy(max_certain=1, sensitive=("yes",)))[0] == "pass"


def test_a_limit_says_where_it_comes_from(finding):
    reasons = decide([finding(n=5000, attack=5000, baseline=4850)], Policy())[1]
    assert "limit 0.8 points: 25% of the 3.0% that guessing gets wrong" in reasons[0]


def test_what_is_not_decided_is_not_called_none(finding):
    unclear = finding(n=40, attack=29, baseline=28)
    assert unclear.severity == "none"
    report = conclude([unclear], Policy(), data=DATA, seed=1)
    assert (report.verdict, report.findings[0].severity) == ("undecided", "undecided")
    harmless = conclude([finding(attack=4600)], Policy(), data=DATA, seed=1)
    assert (harmless.verdict, harmless.findings[0].severity) != ("pass", "undecided")


def test_alternatives_have_a_verdict_each_and_those_that_pass_are_named(finding):
    good = finding(2, attack=4600).model_copy(update={"release": "noisy"})
    report = conclude([finding(2), good], Policy(), data=DATA, seed=1)
    assert [(each.release, each.verdict) for each in report.verdicts] == [
        ("exact tables", "stop"),
        ("noisy", "pass"),
    ]
    assert (report.verdict, report.passing) == ("stop", ("noisy",))
    assert "Releases that pass: noisy." in summary(report)


def test_from_very_few_people_only_arithmetic_stops(finding):
    """What they could be guessed by cannot be learnt."""
    few = {"n": 16, "attack": 16, "baseline": 6}
    verdict, reasons = decide([finding(**few)], Policy())
    assert verdict == "undecided"
    assert "fewer than 20 people" in reasons[0]
    assert decide([finding(**few, certain=Tally(2, 2))], Policy())[0] == "stop"


def test_a_pass_that_samples_of_the_people_do_not_share_is_none(finding):
    def tried(broken: int) -> Finding:
        again = Resampled(
            draws=5, share=0.9, broken=broken, reason="somebody is certain." if broken else None
        )
        return with_samples(finding(attack=4600), again)

    assert decide([tried(0)], Policy())[0] == "pass"
    verdict, reasons = decide([tried(2)], Policy())
    assert verdict == "undecided"
    assert "only 3 of 5 random samples of 90% of the people do" in reasons[0]


@pytest.mark.parametrize("purpose", list(RULES))
def test_a_purpose_sets_what_nobody_else_did(purpose):
    policy = Policy(rules=purpose)
    assert {key: getattr(policy, key) for key in RULES[purpose]} == RULES[purpose]
    assert (policy.max_certain, policy.max_known) == (0, 0)
    assert Policy(rules=purpose, max_advantage=0.3).max_advantage == 0.3
    assert Policy.model_validate_json(policy.model_dump_json()) == policy


def test_too_few_people_to_tell_is_undecided(finding):
    found = finding(n=40, attack=29, baseline=28)
    assert decide([found], Policy())[0] == "undecided"


def test_a_theorem_decides_what_too_few_people_cannot(finding):
    found = finding(n=40, attack=29, baseline=28, bound=PROVED)
    verdict, reasons = decide([found], Policy())
    assert verdict == "pass"
    assert "exposed-20" in reasons[0]
    other_kind = PROVED.model_copy(update={"kind": "accuracy-at-most"})
    assert decide([finding(n=40, attack=29, baseline=28, bound=other_kind)], Policy())[0] == "undecided"


def test_a_promise_that_is_not_kept_does_not_pass(finding):
    verdict, reasons = decide([finding(bound=PROVED)], Policy())
    assert verdict == "stop"
    assert "the promise is not kept" in reasons[0]
    slightly = finding(attack=4581 + 220, bound=PROVED)
    assert decide([slightly], Policy())[0] == "undecided"


def test_a_control_that_gains_leaves_it_undecided(finding):
    control = Comparison(Tally(900, 1000), Tally(700, 1000), 220, 20)
    verdict, reasons = decide([finding(control=control)], Policy())
    assert verdict == "undecided"
    assert "correlation, not leak" in reasons[0]
    assert decide([finding(control=control, certain=Tally(1, 1))], Policy())[0] == "stop"


def test_finding_everybody_with_a_rare_secret_is_not_tolerated(finding):
    """Where 97% have the same value an attack that is always right has an advantage of 0.03 only."""
    found = finding(n=5000, attack=5000, baseline=4850)
    assert found.advantage.value < Policy().max_advantage
    assert decide([found], Policy())[0] == "stop"


def test_the_worst_finding_decides(finding):
    good, bad, unclear = finding(3, attack=4600), finding(3), finding(3, n=40, attack=29, baseline=28)
    assert decide([good, bad, unclear], Policy())[0] == "stop"
    assert decide([good, good, unclear], Policy())[0] == "undecided"
    verdict, reasons = decide([good, good, good], Policy())
    assert verdict == "pass"
    assert len(reasons) == 3


def test_intervals_that_did_not_pay_for_their_looks_are_refused(finding):
    with pytest.raises(InputError, match="to hold together"):
        decide([finding(looks=1), finding(looks=1)], Policy())
    assert decide([finding(looks=2), finding(looks=2)], Policy())[0] == "stop"


def test_nothing_run_is_undecided():
    assert decide([], Policy())[0] == "undecided"


@FIXED
@given(st.integers(0, N), st.integers(1, 20))
def test_more_looks_never_make_a_verdict_bolder(finding, attack, looks):
    once = decide([finding(looks=1, attack=attack)], Policy())[0]
    more = decide([finding(looks=looks, attack=attack)], Policy())[0]
    assert more in (once, "undecided")


@FIXED
@given(st.integers(1, 400), st.integers(-9, 0))
def test_a_control_without_gain_never_moves_the_verdict_whatever_its_size(finding, size, tenths):
    """The same release must not score better because the control group was larger or smaller."""
    more, less = size * (10 + tenths) // 20, size // 2
    control = Comparison(Tally(more, size), Tally(less, size), more, less)
    assert decide([finding(control=control)], Policy())[0] == "stop"


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_advantage": -0.1},
        {"confidence": 1.0},
        {"max_certain": -1},
        {"max_advantge": 0.1},
        {"rules": "open"},
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValidationError):
        Policy(**wrong)


def report(finding) -> Report:
    missing = NotRun(release="exact tables", attack_method="hadamard", reason="other queries")
    return conclude([finding(bound=PROVED)], Policy(), data=DATA, seed=7, not_run=[missing])


def test_the_same_findings_give_the_same_bytes_and_read_back(finding):
    text = report(finding).to_json()
    assert text == report(finding).to_json()
    back = Report.model_validate_json(text)
    assert back.to_json() == text
    assert back.verdict == "stop"


def test_the_document_is_sorted_versioned_and_rounded(finding):
    plain = json.loads(report(finding).to_json())
    assert list(plain) == sorted(plain)
    assert plain["schema_version"] == 2
    assert plain["findings"][0]["details"]["judged"]["brier"] == 0.3333333333
    assert plain["not_run"][0]["reason"] == "other queries"


def test_the_schema_names_every_field(finding):
    schema = findings_schema()
    plain = json.loads(report(finding).to_json())
    assert set(schema["properties"]) == set(plain)
    assert set(schema["$defs"]["Finding"]["properties"]) == set(plain["findings"][0])
    assert schema["properties"]["schema_version"]["const"] == 2


def test_an_unknown_field_is_refused(finding):
    plain = json.loads(report(finding).to_json())
    with pytest.raises(ValidationError):
        Report.model_validate(plain | {"surprise": 1})
