"""Other people are other people: members among them are found, strangers are not taken for members."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from dalenius.errors import InputError
from dalenius.people.dataset import Dataset, read
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.reconstruction.referee.court import reference_of
from dalenius.release.publish import roster_of


def table(n: int, seed: int, levels: int = 6, columns: int = 5) -> pa.Table:
    rng = np.random.default_rng(seed)
    drawn = {f"x{j}": [f"l{v}" for v in rng.integers(0, levels, n)] for j in range(columns)}
    return pa.table({"id": [str(i) for i in range(n)], **drawn, "ill": rng.choice(["no", "yes"], n)})


def open_(rows: pa.Table, **options: str) -> Dataset:
    return read(rows, secret="ill", **({"id": "id"} | options))


def refused(members: pa.Table, others: pa.Table, match: str, **options) -> None:
    with (
        open_(members) as people,
        read(others, secret="ill", **options) as reference,
        pytest.raises(InputError, match=match),
    ):
        audit(people, Planned("histogram"), Scenario(reference=reference))


def test_a_reference_that_is_the_data_is_refused() -> None:
    rows = table(120, 1)
    refused(rows, rows, "120 people with the id, the columns and the secret of a member", id="id")
    refused(rows, rows, "people with the columns and the secret of one member", ignored=["id"])


def test_a_third_of_the_members_among_other_people_is_found() -> None:
    rows = table(120, 1)
    mixed = pa.concat_tables([rows.slice(0, 40), table(200, 2)])
    refused(rows, mixed.drop_columns(["id"]), "must be other people")


BESIDE = pytest.mark.slow(beside="test_strangers_are_not_refused_though_their_ids_are_the_same_numbers")


@pytest.mark.parametrize(
    ("levels", "columns"), [pytest.param(2, 3, marks=BESIDE), (3, 4), pytest.param(6, 5, marks=BESIDE)]
)
def test_strangers_are_not_refused_though_their_ids_are_the_same_numbers(levels: int, columns: int) -> None:
    for seed in range(5):
        with (
            open_(table(120, 10 + seed, levels, columns)) as people,
            open_(table(300, 20 + seed, levels, columns)) as others,
        ):
            assert reference_of(others, people, roster_of(people))[1] == 0


def test_levels_that_no_member_has_are_no_error() -> None:
    members, others = table(120, 1, 3, 2), table(300, 2, 5, 2)
    grave = pa.table(
        {**{n: others[n] for n in others.column_names if n != "ill"}, "ill": ["no", "yes", "grave"] * 100}
    )
    with open_(members) as people, open_(grave) as reference:
        finding = audit(people, Planned("tables:k=1"), Scenario(reference=reference)).report.findings[0]
    assert finding.details.judged.population_source == "reference"
    assert any(
        "100 of the reference people have a secret that no member has" in s for s in finding.assumptions
    )


def test_a_reference_with_no_secret_of_theirs_is_refused() -> None:
    others = table(60, 2)
    strange = pa.table({**{n: others[n] for n in others.column_names if n != "ill"}, "ill": ["a", "b"] * 30})
    refused(table(60, 1), strange, "must have values of 'ill' that members have", id="id")
