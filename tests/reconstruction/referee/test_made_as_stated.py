"""Numbers that are not what is stated of them: the data tell that noise was not drawn, or drawn once only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.dataset import Dataset
from dalenius.people.truth import secret_codes
from dalenius.reconstruction.published.attack_one import attack_one
from dalenius.reconstruction.published.options import AttackOptions
from dalenius.reconstruction.referee.made_as_stated import look_at_noise, try_again
from dalenius.release.publish import publish, roster_of
from dalenius.release.release import Release

STATED = "gaussian:sigma=5"


@pytest.fixture(scope="module")
def people() -> Iterator[Dataset]:
    rng = np.random.default_rng(1)
    ages = [str(age) for age in rng.integers(0, 12, 80)]
    sex = ["x", *rng.choice(["f", "m"], 79)]
    table = pa.table({"age": ages, "sex": sex, "ill": ["ny"[i] for i in rng.integers(0, 2, 80)]})
    with dalenius.read(table, secret="ill") as dataset:
        yield dataset


def made(people: Dataset, asked: list[str], mechanism: str, stated: str = STATED, seed: int = 1) -> Release:
    printed = publish(people, asked, mechanism, rng=np.random.default_rng(seed))
    return replace(printed, mechanism=stated, promise=None)


@pytest.mark.parametrize(
    ("mechanism", "wrong"),
    [("exact", True), ("gaussian:sigma=0.5", True), (STATED, False), ("gaussian:sigma=40", True)],
)
def test_noise_that_is_said_to_be_larger_or_smaller_than_it_is(people, mechanism: str, wrong: bool) -> None:
    """An exact table passed if it was said to have noise of 5."""
    said = made(people, ["tables:k=1,attributes=age"], mechanism)
    assert bool(try_again(people, said, rng=np.random.default_rng(2)).wrong) is wrong


def test_six_exact_numbers_are_enough_and_do_not_hide_behind_noisy_ones(people) -> None:
    """Fewer than ten numbers were not looked at, and one exact table among noisy ones was not seen."""
    exact = made(people, ["tables:k=1,attributes=sex"], "exact")
    noisy = made(people, ["tables:k=1,attributes=age", "tables:k=2,attributes=age+sex"], STATED)
    both = replace(noisy, blocks=(*noisy.blocks, *exact.blocks))
    rng = np.random.default_rng(3)
    assert try_again(people, exact, rng=rng).wrong == 6
    assert try_again(people, both, rng=rng).wrong == 6
    assert try_again(people, noisy, rng=rng).reason(noisy) is None


def test_the_noise_of_last_month_is_seen_if_somebody_came(people) -> None:
    """Their difference is exact, and each of them passed."""
    asked = ["tables:k=1,attributes=sex"]
    exact, noise = made(people, asked, "exact"), np.random.default_rng(4).normal(0, 5, (3, 2))
    with dalenius.read(pa.table(_without_one(people)), secret="ill") as fewer:
        before = made(fewer, asked, "exact")
    last, this = (
        replace(
            each, blocks=tuple(replace(b, answers=b.answers + noise[: len(b.answers)]) for b in each.blocks)
        )
        for each in (before, exact)
    )
    assert last.blocks[0].answers.shape == this.blocks[0].answers.shape
    roster, secrets = roster_of(people), np.array(["n", "y"])[secret_codes(people)]
    first = replace(last, blocks=tuple(replace(b, statistic=_Without(b.statistic)) for b in last.blocks))
    found = look_at_noise([this, first], roster, secrets, rng=np.random.default_rng(5))
    assert found.reused
    assert "the same noise" in str(found.reason(this))
    again = look_at_noise([this, this], roster, secrets, rng=np.random.default_rng(5))
    assert not again.reused  # the same question, answered as before


def _without_one(people: Dataset) -> dict[str, list[str]]:
    roster, codes = roster_of(people), secret_codes(people)
    kept = range(1, people.n - 1)
    columns = {
        column.name: [column.levels[roster.attributes.codes[i, j]] for i in (0, *kept)]
        for j, column in enumerate(roster.attributes.columns)
    }
    return columns | {"ill": ["ny"[codes[i]] for i in (0, *kept)]}


class _Without:
    """The questions of a statistic, the last person not counted."""

    counts_all_values = True

    def __init__(self, asked):
        self.asked = asked

    def __getattr__(self, name):
        return getattr(self.asked, name)

    def operator(self, roster):
        from dalenius.matrices.operators import SparseRows

        rows = self.asked.operator(roster).explicit().tolil()
        rows[:, len(roster) - 1] = 0
        return SparseRows(rows.tocsr())


@pytest.mark.parametrize(("mechanism", "ruled"), [("exact", "undecided"), (STATED, "pass or undecided")])
def test_an_attack_that_was_told_of_noise_that_is_not_there_shows_nothing(people, mechanism, ruled) -> None:
    """With the truth given it passed: nobody is found if exact numbers are read as noisy ones."""
    release = made(people, ["tables:k=1,attributes=sex"], mechanism)
    view = View(release, Knowledge(roster_of(people)))
    report, _ = attack_one(view, secret_codes(people), AttackOptions())
    assert report.verdict in ruled
    assert bool(report.not_run) is (mechanism == "exact")
