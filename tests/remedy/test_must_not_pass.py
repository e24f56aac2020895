"""What must not pass: noise that rounds away, hidden cells that follow from totals, a base that is lucky."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.planned import SIZES
from dalenius.auditing.plan import Plan, read_plan
from dalenius.findings.policy import Resampled
from dalenius.findings.report import Price
from dalenius.reconstruction.case import SecretsCase
from dalenius.reconstruction.opened import SecretsOpened
from dalenius.reconstruction.rules import with_samples
from dalenius.remedy.bench import Workbench
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.rungs import resampled
from dalenius.remedy.search import Search
from dalenius.remedy.work import WorkLeft

from .people import write


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with Workbench(read_plan(write(tmp_path_factory.mktemp("people")))) as opened:
        yield opened


def with_mechanism(plan: Plan, mechanism: str, *more: str) -> Plan:
    release: Any = plan.release[0]
    texts = [*release.statistics, *more]
    return plan.model_copy(
        update={"release": [release.model_copy(update={"mechanism": mechanism, "statistics": texts})]}
    )


def test_noise_of_a_hundredth_of_a_person_does_not_pass(bench: Workbench) -> None:
    assert bench.look(with_mechanism(bench.plan, "gaussian:sigma=0.01")).verdict == "stop"
    assert min(SIZES) >= 1  # nor is it ever proposed


def test_hidden_cells_that_totals_give_away_do_not_pass(bench: Workbench) -> None:
    """Everybody's public columns are known, so are the totals of rows: one hidden cell of a row follows."""
    seen = bench.look(with_mechanism(bench.plan, "suppression:below=5"))
    assert seen.finding is not None
    assert seen.verdict == "stop"
    assert seen.finding.certain


@pytest.mark.parametrize(("broken", "verdict"), [(1, "undecided"), (0, "pass")])
def test_a_base_that_is_lucky_on_these_people_does_not_pass(
    bench: Workbench, broken: int, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of twenty other groups breaks the policy: the ordinary audit may miss it, a remedy does not."""
    plan = with_mechanism(bench.plan, "gaussian:sigma=40")
    report = bench.audit(plan).report
    found: Any = with_samples(report.findings[0], Resampled(draws=20, share=0.9, broken=broken, reason=None))
    lucky = report.model_copy(update={"verdict": "pass", "findings": (found,)})
    asked = []

    def audit(plan: Plan, **options: Any) -> Any:
        asked.append(plan.budget.resamples)
        return SimpleNamespace(report=lucky)

    monkeypatch.setattr(bench, "audit", audit)
    search = Search(bench, RemedyOptions(), WorkLeft(100))
    rung = search._confirm(Candidate("round", "round to 25", "planned", plan), Price())
    assert asked == [20]
    assert (rung.verdict, rung.tried, rung.kept) == (verdict, 20, 20 - broken)
    assert (rung.note is not None) == (broken > 0)


def test_what_could_not_be_tried_again_does_not_pass(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = with_mechanism(bench.plan, "gaussian:sigma=40")
    report = bench.audit(plan).report.model_copy(update={"verdict": "pass"})
    monkeypatch.setattr("dalenius.remedy.search.resampled", lambda findings: None)
    monkeypatch.setattr(bench, "audit", lambda plan, **options: SimpleNamespace(report=report))
    search = Search(bench, RemedyOptions(), WorkLeft(100))
    rung = search._confirm(Candidate("round", "round to 25", "planned", plan), Price())
    assert rung.verdict == "undecided"


def test_what_is_out_is_never_changed(tmp_path: Path, bench: Workbench) -> None:
    from dalenius.remedy.bench import changeable_names, is_fixed

    release: Any = bench.plan.release[0]
    assert not is_fixed(release)
    out = SimpleNamespace(name="last year", path=tmp_path, fixed=False)
    assert is_fixed(out)
    assert is_fixed(SimpleNamespace(fixed=True, path=None))
    assert changeable_names(bench.plan) == {"planned"}


def test_what_arithmetic_breaks_is_refused_without_a_decoder(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of such a change only who is certain is known; a remedy says no more than that."""

    def no_decoder(*given: Any, **named: Any) -> Any:
        raise AssertionError("a decoder was used")

    monkeypatch.setattr("dalenius.reconstruction.attack.attack._decode", no_decoder)
    plan = with_mechanism(bench.plan, "suppression:below=5")
    seen = bench.look(plan)
    assert (seen.verdict, seen.only_certain) == ("stop", True)
    rung = Search(bench, RemedyOptions(), WorkLeft(9))._rung(
        Candidate("hide", "hide", "planned", plan), seen, Price(), "stop"
    )
    assert rung.sure
    assert (rung.nearly, rung.advantage) == (None, None)


def test_a_lucky_base_is_refused_by_arithmetic_on_other_people_before_it_is_attacked_in_full(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The samples are those of the audit, so nothing is refused here that the audit would let pass."""
    plan = with_mechanism(bench.plan, "rounding:base=10")
    judged = bench.audit(plan.model_copy(update={"budget": plan.budget.model_copy(update={"why": False})}))
    monkeypatch.setattr(SecretsCase, "attack", None)  # the whole attack is not needed
    seen = bench.look(plan)
    assert (seen.verdict, judged.report.verdict) == ("undecided", "undecided")
    assert seen.on_others == resampled(judged.report.findings) == (5, 3)
    changed = Candidate("round", "round to 10", "planned", plan)
    rung = Search(bench, RemedyOptions(), WorkLeft(9))._rung(changed, seen, Price(), seen.verdict)
    assert (rung.tried, rung.kept) == (5, 3)
    assert "random samples" in (rung.note or "")


def test_what_a_look_remembers_changes_no_word_of_the_audit(tmp_path: Path) -> None:
    """The attack that looked at a change is not made again: the report is the same, byte by byte."""
    plan = read_plan(write(tmp_path))
    changed = plan.model_copy(
        update={"release": [plan.release[0].model_copy(update={"mechanism": "gaussian:sigma=20"})]}
    )
    quiet = changed.model_copy(update={"budget": changed.budget.model_copy(update={"why": False})})
    with Workbench(plan) as anew:
        without = anew.audit(quiet).report.to_json()
    with Workbench(plan) as bench:
        assert bench.look(changed, remember=True).verdict == "pass"
        attacks = []
        with pytest.MonkeyPatch.context() as patch:
            real = SecretsOpened.guess
            patch.setattr(
                SecretsOpened, "guess", lambda *given, **said: attacks.append(1) or real(*given, **said)
            )
            again = bench.audit(quiet).report.to_json()
    assert again == without
    assert len(attacks) <= 1 + quiet.budget.resamples, "the control and the samples, not the release itself"
