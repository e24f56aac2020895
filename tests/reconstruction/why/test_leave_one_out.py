"""Leave one out: what is the cause by construction is named, and what has nothing to do with it is not."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import TooLargeError
from dalenius.findings.explanation import Cause, Why
from dalenius.findings.policy import Policy
from dalenius.knowledge.view import View
from dalenius.people.dataset import read
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack import attack as attempts
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario, SecretsOpened
from dalenius.reconstruction.why import leave_one_out
from dalenius.reconstruction.why.leave_one_out import look_for_causes
from dalenius.reconstruction.why.parts import only, portions, tables_in
from dalenius.release.release import Block, Release
from dalenius.statistics.cells import CellCounts
from dalenius.statistics.statistic import Among

QUICK = Scenario(resamples=0)


def why_of(table: pa.Table, planned: dict[str, Planned], scenario: Scenario = QUICK, name: str = "") -> Why:
    with read(table, secret="ill") as people, SecretsOpened(people, planned, scenario) as opened:
        case = next(one for one in opened.cases if one.release == (name or next(iter(planned))))
        view = case.publish(lambda share, doing: None)
        found = look_for_causes(opened, case.release, opened.guess(view))
    assert found is not None
    return found


def by_name(why: Why) -> dict[str, Cause]:
    return {cause.name: cause for cause in why.causes}


def balanced(n: int = 80) -> dict[str, list[str]]:
    """Two columns that tell nothing apart, and a secret that half of the people have in each cell."""
    return {
        "sex": [("f", "m")[i // 2 % 2] for i in range(n)],
        "town": [("a", "b")[i // 4 % 2] for i in range(n)],
        "ill": [("no", "yes")[i % 2] for i in range(n)],
    }


def histograms(*names: str) -> Planned:
    return Planned([f"histogram:column={name}" for name in names], "exact")


def test_the_table_that_gives_everybody_away_is_named_and_the_others_are_not() -> None:
    people = balanced()
    badge = [f"{ill}{i // 20}" for i, ill in enumerate(people["ill"])]
    why = why_of(pa.table({"badge": badge, **people}), {"r": histograms("sex", "badge", "town")})
    assert why.whole == 80
    assert why.causes[0] == Cause(kind="table", name="badge", alone=80, without=0)
    for harmless in ("sex", "town"):
        assert by_name(why)[harmless] == Cause(kind="table", name=harmless, alone=0, without=80)
    assert why.left_out is None


def test_tables_that_are_harmless_one_by_one_are_both_named_with_the_subtraction() -> None:
    people = balanced()
    inside, less = (["in" if i < size else "out" for i in range(80)] for size in (12, 11))
    planned = {"r": histograms("sex", "wide", "narrow", "town")}
    why = why_of(pa.table({"wide": inside, "narrow": less, **people}), planned)
    assert why.whole == 1
    assert [(c.name, c.alone, c.without) for c in why.causes[:2]] == [("wide", 0, 0), ("narrow", 0, 0)]
    assert all(by_name(why)[name].without == 1 for name in ("sex", "town"))
    assert "6 - 5 = 1" in why.examples[0]
    assert "wide and narrow" in why.examples[0]
    assert "one person" in why.examples[0]


def test_columns_are_left_out_with_all_their_tables() -> None:
    people = balanced()
    badge = [f"{ill}{i // 20}" for i, ill in enumerate(people["ill"])]
    why = why_of(pa.table({"badge": badge, **people}), {"r": Planned("tables:k=2", "exact")})
    found = {(cause.kind, cause.name): cause.without for cause in why.causes}
    assert found["column", "badge"] == 0
    assert found["table", "badge*sex"] == found["table", "badge*town"] == 80
    assert "column" in {cause.kind for cause in why.causes[:1]}


def test_releases_of_a_plan_are_left_out_whole() -> None:
    people = balanced()
    inside, less = (["in" if i < size else "out" for i in range(80)] for size in (12, 11))
    planned = {"january": histograms("sex", "wide"), "february": histograms("narrow")}
    why = why_of(pa.table({"wide": inside, "narrow": less, **people}), planned, name="all together")
    found = {(cause.kind, cause.name): cause.without for cause in why.causes}
    assert found["release", "january"] == found["release", "february"] == 0
    assert found["table", "january: sex"] == 1
    assert found["table", "january: wide"] == found["table", "february: narrow"] == 0


def test_nobody_and_no_level_of_a_small_cell_is_in_the_words() -> None:
    people = balanced()
    where = ["canary-level" if i == 7 else "elsewhere" for i in range(80)]
    table = pa.table({"name": [f"canary-{i}" for i in range(80)], "where": where, **people})
    with read(table, secret="ill", id="name") as data:
        finding = audit(data, histograms("where", "sex"), QUICK).report.findings[0]
    assert finding.explanation.why is not None
    assert finding.explanation.why.whole == 1
    assert finding.explanation.why.examples
    assert "canary" not in finding.model_dump_json()
    assert "Without the table where it would be 0 instead of 1" in " ".join(finding.facts)


def test_where_nobody_is_at_risk_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []
    monkeypatch.setattr(leave_one_out, "succeed_or_give_up", tried.append)
    with read(pa.table(balanced()), secret="ill") as people:
        finding = audit(people, Planned("tables:k=1", "gaussian:rho=0.01"), QUICK).report.findings[0]
    assert finding.explanation.why is None
    assert finding.explanation.groups == ()
    assert not tried


def test_it_can_be_switched_off() -> None:
    people = balanced()
    with read(pa.table({"badge": people["ill"], **people}), secret="ill") as data:
        finding = audit(data, histograms("badge"), Scenario(why=False)).report.findings[0]
    assert finding.certain == 80
    assert finding.explanation.why is None
    assert finding.explanation.learned[0].sure == 80


def test_only_values_that_must_not_be_learnt_count() -> None:
    people = balanced()
    badge = [ill if i < 40 else "rest" for i, ill in enumerate(people["ill"])]
    table = pa.table({"badge": badge, **people})
    why = why_of(table, {"r": histograms("badge", "sex")}, Scenario(policy=Policy(sensitive=("yes",))))
    assert why.whole == 20
    assert why.counted.endswith("to have ill = yes")


def test_many_tables_are_left_out_by_column_and_work_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    people = balanced()
    badge = [f"{ill}{i // 20}" for i, ill in enumerate(people["ill"])]
    table = pa.table({"badge": badge, **people})
    monkeypatch.setattr("dalenius.reconstruction.why.parts.MOST_TABLES", 2)
    why = why_of(table, {"r": Planned("tables:k=2", "exact")})
    assert {cause.kind for cause in why.causes} == {"column"}
    assert why.causes[0].name == "badge"
    assert why.left_out is not None
    assert "left out by column" in why.left_out
    monkeypatch.setattr(leave_one_out, "MOST_WORK", 1)
    assert "1 of 3 parts" in (why_of(table, {"r": Planned("tables:k=2", "exact")}).left_out or "")


def test_where_attacks_are_slow_columns_come_first_and_then_the_tables_of_those_that_matter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = balanced()
    badge = [f"{ill}{i // 20}" for i, ill in enumerate(people["ill"])]
    attack = attempts.reconstruct

    def slow(view: View, *, budget: ComputeBudget, **rest: Any) -> Guesses:
        if budget.seconds < 8:
            raise TooLargeError("attack", "must fit", "too slow")
        return attack(view, budget=budget, **rest)

    monkeypatch.setattr(attempts, "reconstruct", slow)
    why = why_of(pa.table({"badge": badge, **people}), {"r": Planned("tables:k=2", "exact")})
    assert [(cause.kind, cause.name, cause.without) for cause in why.causes[:1]] == [("column", "badge", 0)]
    assert {cause.name for cause in why.causes} == {"badge", "sex", "town", "badge*sex", "badge*town"}
    assert why.left_out == "1 of 6 parts: they would take too long"
    monkeypatch.setattr(leave_one_out, "SECONDS", 1.0)
    nothing = why_of(pa.table({"badge": badge, **people}), {"r": Planned("tables:k=2", "exact")})
    assert (nothing.whole, nothing.causes) == (80, ())
    assert nothing.left_out == "all parts: an attack takes too long"


def certain_by_trying(codes: np.ndarray, secret: np.ndarray, columns: Sequence[int]) -> np.ndarray:
    """Whose secret is the same in every vector that has the same counts by each of these columns."""
    n = secret.size
    every = np.array(list(itertools.product((0, 1), repeat=n)))
    fits = np.ones(len(every), np.bool_)
    for j in columns:
        for level in np.unique(codes[:, j]):
            inside = codes[:, j] == level
            fits &= every[:, inside].sum(axis=1) == secret[inside].sum()
    kept = every[fits]
    return np.asarray(kept.min(axis=0) == kept.max(axis=0))


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10_000))
def test_counts_are_those_of_trying_every_secret(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 9
    codes = np.stack([rng.integers(0, k, n) for k in (2, 3, 4)], axis=1)
    secret = rng.integers(0, 2, n)
    secret[:2] = (0, 1)
    table = pa.table(
        {**{c: [f"l{v}" for v in codes[:, j]] for j, c in enumerate("abc")}, "ill": ["ny"[s] for s in secret]}
    )
    whole = certain_by_trying(codes, secret, (0, 1, 2))
    policy = Policy().model_copy(update={"known_at": 0.999999})  # only who follows by arithmetic counts
    with read(table, secret="ill") as people:
        planned = {"r": histograms("a", "b", "c")}
        with SecretsOpened(people, planned, Scenario(policy=policy)) as opened:
            claims = opened.guess(opened.cases[0].publish(lambda share, doing: None))
            why = look_for_causes(opened, "r", claims)
    if not whole.any():
        assert why is None or why.counted.startswith("people guessed right")
        return
    assert why is not None
    assert why.whole == whole.sum()
    for j, name in enumerate("abc"):
        rest = [k for k in range(3) if k != j]
        cause = by_name(why)[name]
        assert cause.without == certain_by_trying(codes, secret, rest).sum()
        assert cause.alone == certain_by_trying(codes, secret, [j]).sum()


def test_a_release_taken_apart_and_put_together_is_the_same() -> None:
    people = balanced()
    with (
        read(pa.table(people), secret="ill") as data,
        SecretsOpened(data, {"r": Planned("tables:k=1", "gaussian:rho=0.5")}, QUICK) as opened,
    ):
        release = opened.published["r"]
        tables = tables_in([release])
    assert [one.name for one in tables] == ["sex", "town"]
    numbers = np.concatenate([one.block.answers for one in tables])
    np.testing.assert_array_equal(numbers, release.blocks[0].answers)
    assert {one.block.statistic.columns[0].name for one in tables} == {"sex", "town"}
    assert [one.name for one in portions(tables, [release])[0]] == ["sex", "town"]
    whole, half = only(release, tables), only(release, tables[1:])
    assert whole.blocks[0].statistic == release.blocks[0].statistic
    np.testing.assert_array_equal(whole.blocks[0].answers, release.blocks[0].answers)
    np.testing.assert_array_equal(half.blocks[0].answers, release.blocks[0].answers[2:])
    assert (whole.mechanism, whole.promise) == (release.mechanism, None)


def test_printed_tables_are_told_apart_by_their_columns() -> None:
    sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    town = Column("town", Role.PUBLIC, Kind.BINARY, ("a", "b"))
    cells = ((("sex", ("f",)),), (), (("town", ("a",)), ("sex", ("m",))), (("town", ("b",)),))
    rows = CellCounts((sex, town), cells, ("women", "all", "men of a", "b"))
    codes = CodedColumns((sex, town), np.array([[0, 0], [1, 1]], np.int32))
    people = Roster("id", np.array(["x", "y"]), codes)
    block = Block(Among(rows, people, "May"), ("yes",), np.arange(4.0)[:, None])
    apart = CellCounts((sex, town), (cells[0], cells[3], ()), ("f", "b", "all"))
    secret = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    release = Release("r", secret, (block, Block(apart, ("yes",), np.ones((3, 1)))), "exact")
    tables = tables_in([release])
    assert [one.name for one in tables] == ["sex*town", "sex", "town"], "margins are of a table, not tables"
    assert [one.block.statistic.rows for one in tables] == [4, 2, 1]
    whole = only(release, tables)
    assert [each.answers[:, 0].tolist() for each in whole.blocks] == [[0, 1, 2, 3], [1, 1, 1]]
    assert whole.blocks[0].statistic == block.statistic
    assert whole.blocks[1].statistic.rows == 3, "tables of one file stay together"
    rest = only(release, tables[2:])
    assert rest.blocks[0].statistic == CellCounts((town,), (cells[3],), ("b",))
