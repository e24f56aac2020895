"""People split into blocks: any number of blocks, one verdict, and no block that is not attacked passes."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dalenius.auditing.plan import check_plan
from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.truth import secret_codes
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.split import attack as split_attack
from dalenius.reconstruction.attack.split import bundles as cutting
from dalenius.reconstruction.attack.split.attack import BundleAttack, attack_blocks
from dalenius.reconstruction.attack.split.bundles import cut_view, joining_tables
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.release.publish import publish, roster_of

SPLIT = ReadSettings(split="block")
COARSE = "rounding:base=100000"
"""So coarse that it passes: what does not pass then is for another reason."""


def made(blocks: int, size: int, *, plain: int | None = None, seed: int = 1) -> pa.Table:
    """Blocks of people of whom half are ill, exactly; in one of them nobody is."""
    rng = np.random.default_rng(seed)
    block = np.repeat(np.arange(blocks), size)
    ill = np.tile(np.arange(size) % 2, blocks)
    ill[block == plain] = 0
    return pa.table(
        {
            "block": [f"b{number:05}" for number in block],
            "sex": rng.choice(["f", "m"], block.size),
            "age": rng.integers(0, 3, block.size),
            "ill": np.where(ill, "yes", "no"),
        }
    )


def opened(table: pa.Table, how: ReadSettings = SPLIT) -> Dataset:
    return read(table, secret="ill", how=how)


def view_of(people: Dataset, mechanism: str, *statistics: str) -> View:
    release = publish(people, list(statistics), mechanism, rng=stream(1, "test"))
    return View(release, Knowledge(roster_of(people)))


def test_more_blocks_than_a_public_column_may_have_are_read() -> None:
    table = made(1_200, 2)
    with opened(table) as people:
        assert len(people.schema.column("block").levels) == 1_200
        assert people.attributes().codes[:, 0].tolist() == np.repeat(np.arange(1_200), 2).tolist()
    with pytest.raises(InputError, match="at most 1000 different"):
        read(table, secret="ill")


@pytest.mark.parametrize("mechanism", ["exact", "rounding:base=3"])
def test_apart_finds_what_joined_finds(monkeypatch: pytest.MonkeyPatch, mechanism: str) -> None:
    """The same people are certain, rightly, whether blocks are attacked in bundles or all at once."""
    monkeypatch.setattr(cutting, "BUNDLE", 40)
    with opened(made(15, 9)) as people:
        view = view_of(
            people, mechanism, "tables:k=2,attributes=block+sex", "tables:k=2,attributes=block+age"
        )
        assert len(cut_view(view, "block")) == 4
        apart = attack_blocks(view, "block", BundleAttack("r", ComputeBudget()))
        joined = reconstruct(view, rng=np.random.default_rng(1))
        assert np.array_equal(apart.certain, joined.certain)
        truth = secret_codes(people)
    assert (apart.guess == truth)[apart.certain].all()
    assert (mechanism != "exact") or apart.certain.sum() > 10


def test_a_bundle_depends_on_itself_alone_and_names_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "BUNDLE", 40)
    table = made(15, 9).append_column("who", pa.array([f"person-{i}" for i in range(135)]))
    with read(table, secret="ill", id="who", how=SPLIT) as people:
        view = view_of(people, "exact", "tables:k=2,attributes=block+sex")
        attack, bundles = BundleAttack("r", ComputeBudget()), cut_view(view, "block")
        whole = attack_blocks(view, "block", attack)
        for number in reversed(range(len(bundles))):
            found = attack.arrays(bundles[number])
            assert np.array_equal(found["probability"], whole.probability[bundles.people(number)])
        assert b"person-" not in pickle.dumps(bundles[1])
        assert not {"secret", "truth"} & {*vars(bundles[1][1].knowledge)}
    with pytest.raises(IndexError):
        bundles[len(bundles)]


def test_one_block_that_leaks_among_many_stops() -> None:
    """By the share of people it gains nothing that could be measured."""
    planned = Planned("tables:k=1,attributes=block", "exact")
    for plain, verdict, certain in ((None, "pass", 0), (17, "stop", 8)):
        with opened(made(60, 8, plain=plain)) as people:
            result = audit(people, planned, Scenario(seed=1, split="block", resamples=0, why=False))
        finding = result.report.findings[0]
        assert finding.certain == certain
        assert (result.verdict == "stop") == (verdict == "stop")
        blocks = finding.details.blocks
        assert (blocks.blocks, blocks.with_certain) == (60, certain // 8)
        assert blocks.all_at_risk == certain // 8
        assert "b00017" not in result.to_json()
        files = result.people_files()
        assert files["blocks.csv"].splitlines()[1].startswith("b00017,8,8,8" if certain else "b00000,8,0,0")


def test_a_block_that_could_not_be_attacked_makes_a_pass_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "BUNDLE", 100)
    planned, scenario = Planned("tables:k=1,attributes=block", COARSE), Scenario(split="block", resamples=1)
    with opened(made(30, 10)) as people:
        assert audit(people, planned, scenario).verdict == "pass"
        usual = BundleAttack.arrays

        def lost(self: BundleAttack, bundle: tuple[int, View]) -> object:
            return {"failed": np.array("out of memory")} if bundle[0] == 1 else usual(self, bundle)

        monkeypatch.setattr(split_attack.BundleAttack, "arrays", lost)
        result = audit(people, planned, scenario)
    blocks = result.report.findings[0].details.blocks
    assert (blocks.not_attacked, blocks.people_not_attacked) == (10, 100)
    assert result.verdict == "undecided"
    assert any("could not be run in 10 blocks of 30" in reason for reason in result.report.reasons)


def test_a_sample_with_a_block_that_could_not_be_attacked_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "BUNDLE", 100)
    usual = BundleAttack.arrays

    def lost(self: BundleAttack, bundle: tuple[int, View]) -> object:
        sample = len(bundle[1].knowledge.roster) % 10 > 0  # all blocks have ten people
        return {"failed": np.array("out of memory")} if sample else usual(self, bundle)

    monkeypatch.setattr(split_attack.BundleAttack, "arrays", lost)
    with opened(made(30, 10)) as people:
        planned = Planned("tables:k=1,attributes=block", COARSE)
        result = audit(people, planned, Scenario(split="block", resamples=1))
    assert result.verdict == "undecided"
    assert "must be attacked in every block" in result.report.not_run[0].reason


def test_tables_that_join_blocks_are_named_and_a_pass_becomes_undecided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned = Planned(["tables:k=1,attributes=block", "tables:k=2,attributes=sex+age"], COARSE)
    scenario = Scenario(split="block", resamples=1)
    with opened(made(30, 10)) as people:
        joined = audit(people, planned, scenario)
        monkeypatch.setattr(cutting, "JOINED", 0)
        monkeypatch.setattr("dalenius.reconstruction.blocks.JOINED", 0)
        apart = audit(people, planned, scenario)
    assert (joined.verdict, apart.verdict) == ("pass", "undecided")
    assert joined.report.findings[0].details.blocks.left_out == ()
    assert apart.report.findings[0].details.blocks.left_out == ("sex*age",)
    assert any("join all blocks and were left out" in reason for reason in apart.report.reasons)


def test_few_people_are_attacked_with_the_tables_that_join_them() -> None:
    """Where block totals and sexes by age give somebody away only together, all is one problem."""
    with opened(made(12, 9)) as people:
        view = view_of(people, "exact", "tables:k=2,attributes=block+sex", "tables:k=2,attributes=sex+age")
        assert joining_tables(view.release, "block") == ("sex*age",)
        assert len(cut_view(view, "block")) == 1
        apart = attack_blocks(view, "block", BundleAttack("r", ComputeBudget(), calibrated=False))
        whole = reconstruct(view, rng=np.random.default_rng(1), calibrated=False)
    assert np.array_equal(apart.certain, whole.certain)


def test_a_block_without_people_is_counted_apart() -> None:
    levels = [f"b{number:05}" for number in range(31)]
    with opened(made(30, 10), ReadSettings(split="block", levels={"block": levels})) as people:
        planned = Planned("tables:k=1,attributes=block", COARSE)
        found = audit(people, planned, Scenario(split="block", resamples=0)).report.findings[0]
    assert (found.details.blocks.blocks, found.details.blocks.empty) == (30, 1)
    with pytest.raises(InputError, match="only the stated levels") as error:
        opened(made(30, 10), ReadSettings(split="block", levels={"block": levels[:-2]}))
    assert "b00029" not in str(error.value)


@pytest.mark.parametrize(
    ("schema", "knowledge", "told"),
    [
        ({"split": "ill"}, {}, "must be a public column; got schema.secret"),
        ({"split": "who", "id": "who"}, {}, "must be a public column; got schema.id"),
        ({"split": "block", "ignored": ["block"]}, {}, "must be a public column; got schema.ignored"),
        ({"split": "block", "public": ["sex"]}, {}, "must be in schema.public"),
        ({"split": "block"}, {"public": ["sex"]}, "must be in knowledge.public"),
        ({"split": "block"}, {"roster": False}, "without a roster"),
        ({"split": "age", "bins": {"age": [1]}}, {}, "must have no bins"),
    ],
)
def test_a_plan_that_cannot_be_split_is_refused(schema: dict, knowledge: dict, told: str) -> None:
    release = {"name": "r", "statistics": ["tables:k=1"], "mechanism": "exact"}
    plan = {"data": {"example": "fair"}, "schema": {"secret": "ill"} | schema, "release": [release]}
    with pytest.raises(InputError, match=told):
        check_plan(plan | {"knowledge": knowledge}, Path())


def test_kinds_that_cannot_be_split_are_refused() -> None:
    means = {"name": "r", "kind": "counts", "queries": 5}
    plan = {"data": {"example": "fair"}, "schema": {"secret": "ill", "split": "block"}, "release": [means]}
    with pytest.raises(InputError, match="only planned tables about a secret"):
        check_plan(plan, Path())
    with opened(made(10, 4)) as people, pytest.raises(InputError, match="must be made of tables"):
        audit(people, Planned("random-subsets:m=10", "exact"), Scenario(split="block"))


def test_a_column_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="split column 'blok' must be in the data"):
        opened(made(3, 4), ReadSettings(split="blok"))
    with pytest.raises(InputError, match="must be public"):
        opened(made(3, 4), ReadSettings(split="ill"))
