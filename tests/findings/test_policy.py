import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from dalenius.errors import InputError
from dalenius.findings.document import AuditReport, Data, NotRun, conclude, findings_schema
from dalenius.findings.finding import Bound
from dalenius.findings.policy import Policy, decide
from dalenius.referee.score import Comparison, Tally

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
    "wrong", [{"max_advantage": -0.1}, {"confidence": 1.0}, {"max_certain": -1}, {"max_advantge": 0.1}]
)
def test_a_policy_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValidationError):
        Policy(**wrong)


def report(finding) -> AuditReport:
    missing = NotRun(release="exact tables", attack_method="hadamard", reason="other queries")
    return conclude([finding(bound=PROVED)], Policy(), data=DATA, seed=7, version="0.1.0", not_run=[missing])


def test_the_same_findings_give_the_same_bytes_and_read_back(finding):
    text = report(finding).to_json()
    assert text == report(finding).to_json()
    back = AuditReport.model_validate_json(text)
    assert back.to_json() == text
    assert back.verdict == "stop"


def test_the_document_is_sorted_versioned_and_rounded(finding):
    plain = json.loads(report(finding).to_json())
    assert list(plain) == sorted(plain)
    assert plain["schema_version"] == 1
    assert plain["findings"][0]["brier"] == 0.3333333333
    assert plain["not_run"][0]["reason"] == "other queries"


def test_the_schema_names_every_field(finding):
    schema = findings_schema()
    plain = json.loads(report(finding).to_json())
    assert set(schema["properties"]) == set(plain)
    assert set(schema["$defs"]["Finding"]["properties"]) == set(plain["findings"][0])
    assert schema["properties"]["schema_version"]["const"] == 1


def test_an_unknown_field_is_refused(finding):
    plain = json.loads(report(finding).to_json())
    with pytest.raises(ValidationError):
        AuditReport.model_validate(plain | {"surprise": 1})
