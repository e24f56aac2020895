"""The search: enumerated where it must be, bisected for noise alone, counted instead of timed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.classes import PublicClasses, coarser
from dalenius.auditing.changes.parts import ChangeablePart, parts_of, protected, without
from dalenius.auditing.changes.planned import Ground, fewer, hidden, noisy, rounded
from dalenius.auditing.changes.scopes import scopes
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_parts import DataPlan
from dalenius.auditing.plan_releases import ReleasePlan
from dalenius.errors import InputError
from dalenius.findings.measure import Bound
from dalenius.findings.report import Ladder, Price, Rung
from dalenius.reconstruction.changes.propose import rho_for
from dalenius.remedy.options import KINDS, RemedyOptions, read_price
from dalenius.remedy.price import price
from dalenius.remedy.search import Search
from dalenius.remedy.work import WorkLeft, work_for
from dalenius.remedy.written.text import _said, _table, worth_showing

PUBLIC = ("age", "sex", "town")


def release_of(mechanism: str = "exact") -> ReleasePlan:
    return ReleasePlan(name="a", statistics=["tables:k=2"], mechanism=mechanism)


def ground(mechanism: str = "exact", effects: dict[int, float] | None = None) -> Ground:
    release = release_of(mechanism)
    plan = Plan(data=DataPlan(example="fair"), release=[release])
    parts = parts_of(release, PUBLIC)
    return Ground(plan, (release,), PUBLIC, effects={parts[j]: e for j, e in (effects or {}).items()})


class Fake:
    """A bench that lets pass what it is told to."""

    def __init__(self, passing: set[str]) -> None:
        self.passing, self.looked, self.confirmed = passing, [], []
        self.plan = ground().plan

    def numbers(self, plan: Plan) -> dict[str, Any]:
        return {}

    def look_all(self, plans: Sequence[Plan], **options: Any) -> list[Any]:
        return [self.look(plan) for plan in plans]

    def look(self, plan: Plan) -> Any:
        self.looked.append(plan.release[0].mechanism)
        verdict = "pass" if plan.release[0].mechanism in self.passing else "stop"
        return SimpleNamespace(
            verdict=verdict,
            finding=None,
            numbers={},
            only_certain=False,
            why_undecided=None,
            on_others=(0, 0),
        )


def searched(passing: set[str], options: RemedyOptions, work: int = 500) -> tuple[Search, Fake]:
    bench = Fake(passing)
    search = Search(bench, options, WorkLeft(work))  # type: ignore[arg-type]

    def confirm(candidate: Candidate, cost: Price) -> Rung:
        bench.confirmed.append(candidate.plan.release[0].mechanism)
        verdict: Any = "stop" if "lucky" in candidate.said else "pass"
        return Rung(
            kind=candidate.kind, change=candidate.said, release="a", price=cost, verdict=verdict,
            tried=20, kept=20,
        )  # fmt: skip

    search._confirm = confirm  # type: ignore[method-assign]
    return search, bench


def test_bases_are_tried_one_by_one_although_a_coarser_one_is_worse() -> None:
    search, bench = searched({"rounding:base=5", "rounding:base=50"}, RemedyOptions(("round",)))
    search.settle({"round": search.walk("round", list(rounded(ground())))})
    assert bench.looked == ["rounding:base=3", "rounding:base=5"]
    assert bench.confirmed == ["rounding:base=5"]
    assert "dearer" in search.not_tried[0]


def test_a_lucky_base_is_followed_by_the_next_that_passes() -> None:
    found = list(rounded(ground()))
    found[1] = Candidate("round", "lucky", "a", found[1].plan)
    search, bench = searched({"rounding:base=5", "rounding:base=50"}, RemedyOptions(("round",)))
    search.settle({"round": search.walk("round", found)})
    assert bench.confirmed == ["rounding:base=5", "rounding:base=50"]


def test_noise_is_bisected_and_the_least_that_passes_is_confirmed() -> None:
    sizes = noisy(ground(), 6.0)
    passing = {each.plan.release[0].mechanism for each in sizes[7:]}
    search, bench = searched(passing, RemedyOptions(("noise",)))
    search.settle({"noise": search.walk_noise(sizes)})
    assert bench.confirmed == ["gaussian:sigma=10"]
    assert len(bench.looked) <= 5


def test_a_draw_that_fails_ends_the_confirmation_and_none_is_needed_after_twenty(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ending early can refuse a change and never let one pass."""
    search, bench = searched({"gaussian:sigma=2"}, RemedyOptions(("noise",)))
    passing, failing = (noisy(ground(), 2.0)[at] for at in (2, 0))
    assert search._fresh(passing) == (20, 20)
    assert search._fresh(failing) == (5, 0)
    looks = iter([True] * 7 + [False])
    monkeypatch.setattr(
        bench, "look", lambda *_, **__: SimpleNamespace(verdict="pass" if next(looks) else "stop")
    )
    assert search._fresh(passing) == (8, 7)


def test_what_is_said_of_several_changes_is_told_once() -> None:
    rungs = tuple(
        Rung(kind="round", change=f"round to {base}", release="a", price=Price(), verdict="undecided",
             tried=0, kept=0, note="nobody is rare enough" if base else None)
        for base in (0, 5, 10)
    )  # fmt: skip
    ladder = Ladder(rungs=rungs, best=None, allowed=("round",))
    assert _said(ladder, range(3)) == {"nobody is rare enough": [1, 2]}
    assert worth_showing(ladder) == [0, 1], "one of a kind that does not pass"


def test_the_line_with_the_strongest_promise_is_shown_with_its_theorem_whatever_it_costs() -> None:
    """Also where it fails, beside others that are nearer to passing."""
    rungs = [
        Rung(kind="noise", change=f"noise {at}", release="a", price=Price(mean_error=float(at)), sure=at,
             verdict="stop", tried=0, kept=0, bound=Bound(statement="s", text=f"bound {at}",
             kind="advantage-at-most", value=value))
        for at, value in enumerate((0.5, 0.4, 0.3, 0.2, 0.6, 0.7))
    ]  # fmt: skip
    ladder = Ladder(rungs=tuple(rungs), best=None, allowed=("noise",))
    shown = worth_showing(ladder)
    assert shown == [0, 1, 3, 5]
    assert _said(ladder, shown) == {"bound 3": [3]}


def test_only_the_cheapest_is_confirmed_and_the_others_are_not_said_to_pass() -> None:
    search, bench = searched({"rounding:base=5", "gaussian:sigma=500"}, RemedyOptions(("round", "noise")))
    walks = {"round": search.walk("round", list(rounded(ground())))}
    walks["noise"] = search.walk_noise(noisy(ground(), 6.0))
    search.settle(walks)  # type: ignore[arg-type]
    assert bench.confirmed == ["rounding:base=5"]
    (noise,) = [rung for rung, _ in search.tried if rung.change.startswith("noise, standard deviation 500")]
    assert noise.verdict == "undecided"
    assert "--allow noise" in (noise.note or "")


def test_without_time_nothing_passes_and_it_is_said() -> None:
    search, bench = searched({"rounding:base=5"}, RemedyOptions(("round",)), work=2)
    search.settle({"round": search.walk("round", list(rounded(ground())))})
    assert bench.confirmed == []
    assert "no time" in (search.tried[-1][0].note or "")
    search, _ = searched(set(), RemedyOptions(("round",)), work=2)
    search.settle({"round": search.walk("round", list(rounded(ground())))})
    assert "for want of time" in search.not_tried[0]


def test_local_comes_before_global() -> None:
    said = [each.said for each in rounded(ground(effects={0: 4.0}))]
    assert said[:3] == ["round to 3 in age*sex", "round to 3 in the 2 tables by age", "round to 3"]
    plan = next(iter(rounded(ground(effects={0: 4.0})))).plan
    assert [(each.name, each.mechanism) for each in plan.release] == [
        ("a", "exact"),
        ("a changed", "rounding:base=3"),
    ]


def test_hiding_keeps_the_rounding_and_fewer_keeps_what_must_stay() -> None:
    mechanisms = {each.plan.release[0].mechanism for each in hidden(ground("rounding:base=5"))}
    assert all(text.endswith("| rounding:base=5") for text in mechanisms)
    keep = Ground(**{**vars(ground()), "keep": frozenset({("age", "sex")})})
    for each in fewer(keep):
        assert "tables:k=2,attributes=age+sex" in each.plan.release[0].statistics


@given(st.sets(st.integers(0, 2)), st.integers(1, 3))
def test_parts_are_protected_or_left_out_and_none_is_lost(chosen: set[int], k: int) -> None:
    release = ReleasePlan(name="a", statistics=[f"tables:k={k}"], mechanism="exact")
    parts = parts_of(release, PUBLIC)
    ours = [part for j, part in enumerate(parts) if j in chosen]
    made = protected(release, parts, dict.fromkeys(ours, "rounding:base=5"), ["a"])
    texts = [part for each in made for part in parts_of(each, PUBLIC)]
    assert {part.columns for part in texts} == {part.columns for part in parts}
    assert {each.mechanism for each in made} <= {"exact", "rounding:base=5"}
    left = without(release, [part for part in parts if part not in ours])
    assert sum(len(parts_of(each, PUBLIC)) for each in left) == len(parts) - len(ours)


@given(st.floats(0.01, 0.3), st.floats(0.5, 0.95))
def test_the_promise_meets_the_policy(limit: float, baseline: float) -> None:
    from dalenius.findings.policy import Policy
    from dalenius.theory.privacy import advantage_from_rho

    policy = Policy(max_advantage=limit)
    assert advantage_from_rho(rho_for(policy, baseline)) <= policy.limit(baseline)


def test_the_order_is_that_of_what_is_lost_unless_prices_are_given() -> None:
    hides, rounds = Price(hidden=0.01), Price(mean_error=30.0)
    usual, priced = RemedyOptions(), RemedyOptions(weights=read_price("error=1"))
    assert usual.order("round", rounds) < usual.order("hide", hides)
    assert priced.order("hide", hides) < priced.order("round", rounds)
    assert KINDS == ("round", "hide", "fewer", "coarser", "noise")


def test_prices_are_in_the_words_of_those_who_read_the_numbers() -> None:
    exact = {"x": np.array([[10.0, 4.0]]), "y": np.array([[7.0, 1.0], [3.0, 3.0]])}
    same = price(exact, exact)
    assert (same.hidden, same.mean_error, same.adds_up, same.lost) == (0.0, 0.0, True, 0)
    off = price(exact, {"x": np.array([[10.0, 5.0]])}, lost=1)
    assert (off.mean_error, off.worst_error, off.relative_error, off.lost) == (0.5, 1.0, 0.125, 1)


def test_work_is_predicted_from_sizes_alone() -> None:
    assert work_for(5, 7600, 1138).left == work_for(5, 7600, 1138).left
    assert work_for(1, 7600, 1138).left < work_for(10, 7600, 1138).left


def test_scopes_without_causes_are_everything() -> None:
    parts = [ChangeablePart("a", "x", ("x",)), ChangeablePart("a", "y", ("y",))]
    assert [scope.said for scope in scopes(parts, {})] == [""]


@pytest.mark.parametrize("text", ["hidden=-1", "hidden=1,hidden=2", "error=inf"])
def test_wrong_prices_are_refused(text: str) -> None:
    from dalenius.errors import InputError

    with pytest.raises(InputError):
        read_price(text)


def test_the_ladder_says_what_passes_on_eighty_letters() -> None:
    promise = "zero-concentrated differential privacy with rho = 0.6667"
    rung = Rung(
        kind="noise", change="noise, standard deviation 3 (rho 0.67)", release="a", sure=0, nearly=3,
        price=Price(hidden=0.0, mean_error=1.18, lost=0), promise=promise, verdict="undecided",
        tried=20, kept=18,
    )  # fmt: skip
    text = io.StringIO()
    Console(file=text, width=80).print(_table(Ladder(rungs=(rung,), best=None, allowed=("noise",)), [0]))
    assert all(said in text.getvalue() for said in ("not shown,", "18 of 20", "0.6667", "passes"))


def test_numbers_with_fractions_become_neighbours_not_rare_words() -> None:
    ages = {"17.5": 4, "22": 90, "27": 80, "32": 3, "37": 50}
    classes = PublicClasses({}, {"age": ages, "town": {"a": 9, "b": 2, "c": 1}}, frozenset({"age", "town"}))
    found = list(coarser(ground().plan, classes, "a"))
    assert [each.said for each in found] == ["3 classes of age instead of 5", "c, b of town as one"]
    assert found[0].plan.columns.bins == {"age": [27.0, 37.0]}
    assert found[0].merged == 2


def test_changes_that_cannot_be_made_are_said_once_a_kind() -> None:
    search = Search(Fake(set()), RemedyOptions(), WorkLeft(50))
    search.tried.append((Rung(kind="as planned", change="x", release="a", verdict="stop", tried=0, kept=0,
                              price=Price()), None))  # fmt: skip
    error = InputError("merged of 'age'", "must be of words", "numbers")
    for name in ("one", "two", "three"):
        search._cannot_be_made(Candidate("coarser", name, "a", ground().plan), error)
    told = search.ladder()[0].not_tried
    assert told == (f"one: {error}", "coarser: 2 more changes that cannot be made.")
