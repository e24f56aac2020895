"""What a promise is worth: levels that came from the data, and noise that can be drawn again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dalenius.errors import InputError
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.schema import MISSING
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned
from dalenius.reconstruction.words import bound_of
from dalenius.release.desk.open_desk import open_desk
from dalenius.release.desk.terms import Budget
from dalenius.release.files import read_release, write_release
from dalenius.release.publish import publish
from dalenius.report.text import summary

LEVELS = {"ill": ["no", "yes", "rare"], "town": ["a", "b", "c"]}


def people(*, rare: bool = True, **options) -> Dataset:
    rng = np.random.default_rng(1)
    ill = [str(x) for x in rng.choice(["no", "yes"], 60)]
    if rare:
        ill[7] = "rare"
    towns = [str(x) for x in rng.choice(["a", "b"], 60)]
    return read(pa.table({"town": towns, "ill": ill}), secret="ill", how=ReadSettings(**options))


def noisy(data: Dataset, **options):
    return publish(data, "tables:k=1", "gaussian:rho=0.001", rng=np.random.default_rng(1), **options)


def test_levels_that_came_from_the_data_are_what_a_promise_rests_on():
    """One person with a value of their own adds a column, whatever the noise."""
    with people() as with_, people(rare=False) as without:
        assert len(noisy(with_).blocks[0].values) == 3
        assert noisy(without).blocks[0].values == ("yes",) or len(noisy(without).blocks[0].values) == 2
        promise = noisy(with_).promise
    assert "given that the list of levels is public: that of 'ill' and 1 more was taken from" in promise.said


def test_stated_levels_are_published_whether_or_not_anybody_has_them():
    with people(levels=LEVELS) as with_, people(rare=False, levels=LEVELS) as without:
        releases = [noisy(with_), noisy(without)]
        exact = publish(without, "tables:k=1", "exact", rng=np.random.default_rng(1)).blocks[0]
    assert releases[0].blocks[0].values == releases[1].blocks[0].values == ("no", "yes", "rare")
    assert releases[0].blocks[0].answers.shape == releases[1].blocks[0].answers.shape == (3, 3)
    assert exact.answers[2].tolist() == [0, 0, 0]  # nobody lives in c
    assert exact.answers[:, 2].tolist() == [0, 0, 0]  # and nobody is that ill
    assert not any("levels" in release.promise.said for release in releases)


def test_only_the_columns_of_a_release_count():
    with people(levels={"ill": LEVELS["ill"]}) as data:
        whole = publish(data, "histogram", "laplace:epsilon=1", rng=np.random.default_rng(1))
        assert "levels" not in whole.promise.said
        assert "'town' was taken" in noisy(data).promise.said


def test_cut_points_that_were_given_are_stated_and_others_are_not():
    pay = pa.table({"pay": np.arange(200.0), "ill": ["no", "yes"] * 100})
    for bins, stated in (({"pay": [50, 90]}, True), (None, False)):
        with read(pay, secret="ill", bins=bins, how=ReadSettings(levels={"ill": ["no", "yes"]})) as data:
            assert data.schema.public[0].stated is stated


def test_numbers_booleans_and_missing_values_as_levels():
    table = pa.table(
        {
            "age": [1, 2, None, 2],
            "share": [0.5, 0.25, 0.5, 0.5],
            "smokes": [True, False, True, True],
            "ill": ["no", "yes", "no", "no"],
        }
    )
    levels = {"age": [1, 2, 3, MISSING], "share": ["0.25", 0.5, 1], "smokes": ["false", "true"]}
    with read(table, secret="ill", how=ReadSettings(levels=levels, missing="value")) as data:
        age, share, smokes = data.schema.public
        assert age.levels == ("1", "2", "3", MISSING)
        assert share.levels == ("0.25", "0.5", "1")
        assert smokes.levels == ("false", "true")
        assert data.attributes().codes.tolist() == [[0, 1, 1], [1, 0, 0], [3, 1, 1], [1, 1, 1]]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"ill": ["no", "yes"]}, "'ill' must hold only the stated levels; got 1 other values"),
        ({"town": ["a"]}, "'town' must hold only the stated levels"),
        ({"ill": []}, "must be different, at least one"),
        ({"ill": ["no", "no", "yes", "rare"]}, "must be different"),
        ({"twon": ["a"]}, "Did you mean 'town'"),
        ({"town": [str(i) for i in range(2000)]}, "at most 1000"),
    ],
)
def test_bad_levels_are_refused_and_show_nobody(levels, message):
    with pytest.raises(InputError, match=message) as caught:
        people(levels=levels)
    assert "rare" not in str(caught.value)


def test_levels_of_numbers_must_be_numbers_and_missing_ones_stated():
    table = pa.table({"age": [1, None, 2], "ill": ["no", "yes", "no"]})
    with pytest.raises(InputError, match="must be numbers, as the column holds numbers"):
        read(table, secret="ill", how=ReadSettings(levels={"age": ["young"]}, missing="value"))
    with pytest.raises(InputError, match="1 missing values"):
        read(table, secret="ill", how=ReadSettings(levels={"age": [1, 2]}, missing="value"))
    with pytest.raises(InputError, match="must not be given with bins"):
        read(
            table, secret="ill", bins={"age": [2]}, how=ReadSettings(levels={"age": [1, 2]}, missing="value")
        )


# seeds


def test_a_seeded_release_is_marked_and_its_file_promises_nothing(tmp_path: Path):
    with people(levels=LEVELS) as data:
        release = noisy(data)
    assert release.seeded
    assert "the noise here is seeded" in release.promise.said
    write_release(release, tmp_path / "r")
    head = json.loads((tmp_path / "r/release.json").read_text())
    assert (head["seeded"], head["promise"]) == (True, None)
    back = read_release(tmp_path / "r")
    assert back.seeded
    assert back.promise is None
    assert bound_of(back) is None


def test_a_release_for_the_world_keeps_its_promise(tmp_path: Path):
    pytest.importorskip("opendp")
    with people() as data:
        release = noisy(data, for_the_world=True)
    assert not release.seeded
    assert "seeded" not in release.promise.said
    write_release(release, tmp_path / "r")
    back = read_release(tmp_path / "r")
    assert not back.seeded
    assert back.promise == release.promise
    assert "levels" in back.promise.said


@pytest.mark.parametrize("said", [True, None, "no", 0])
def test_a_promise_counts_only_where_the_file_says_that_nothing_was_seeded(said, tmp_path: Path):
    pytest.importorskip("opendp")
    with people() as data:
        write_release(noisy(data, for_the_world=True), tmp_path / "r")
    path = tmp_path / "r/release.json"
    head = json.loads(path.read_text())
    del head["seeded"]
    path.write_text(json.dumps(head if said is None else head | {"seeded": said}))
    assert read_release(tmp_path / "r").promise is None


def test_what_is_not_drawn_is_not_seeded(tmp_path: Path):
    with people() as data:
        for mechanism, seeded in (
            ("exact", False),
            ("rounding:base=5", False),
            ("suppression:below=3 | rounding:base=5", False),
            ("rounding:base=5,how=random", True),
            ("subsample:rate=0.5", True),
        ):
            release = publish(data, "tables:k=1", mechanism, rng=np.random.default_rng(1))
            assert release.seeded is seeded, mechanism
            assert release.promise is None


def test_findings_and_their_text_say_what_the_promise_rests_on():
    with people() as data:
        report = audit(data, Planned("tables:k=1", "gaussian:rho=0.1")).report
    (finding,) = report.findings
    for words in ("the noise here is seeded", "given that the list of levels is public"):
        assert words in finding.promise
        assert words in " ".join(summary(report).split())


def test_the_transcript_of_a_desk_is_marked_too():
    with people(levels=LEVELS) as data:
        from dalenius.conditions.predicate import And

        desk = open_desk(data, "laplace:scale=3", rng=np.random.default_rng(1), budget=Budget(queries=3))
        desk.ask([And(())])
        release = desk.transcript
    assert release.seeded
    assert "seeded" in release.promise.said
