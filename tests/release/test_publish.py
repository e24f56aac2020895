"""What is published is what a plain count over the rows gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dalenius.errors import InputError, UnsupportedError
from dalenius.people.dataset import Dataset, read
from dalenius.people.schema import Column
from dalenius.release.publish import publish, roster_of
from dalenius.statistics.tables import Tables, tables_of

N = 300


def rows() -> dict[str, list[str]]:
    rng = np.random.default_rng(3)
    pick = lambda levels: [str(x) for x in rng.choice(levels, N)]  # noqa: E731
    return {
        "id": [f"p{i:03}" for i in range(N)],
        "sex": pick(["f", "m"]),
        "age": pick(["young", "old", "very old"]),
        "town": pick(["a", "b"]),
        "ill": pick(["mild", "no", "sore"]),
    }


@pytest.fixture
def people() -> Dataset:
    return read(pa.table(rows()), secret="ill", id="id")


def stream(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_tables(people: Dataset) -> None:
    release = publish(people, ["tables:k=2", "histogram"], "exact", rng=stream())
    data = rows()
    block = release.blocks[0]
    for label, answers in zip(block.statistic.labels(), block.answers, strict=True):
        wanted = dict(part.split("=") for part in label.split(" & "))
        ill = Counter(
            data["ill"][i] for i in range(N) if all(data[name][i] == v for name, v in wanted.items())
        )
        assert answers.tolist() == [ill[value] for value in block.values]
    overall = Counter(data["ill"])
    assert release.blocks[1].answers.tolist() == [[overall[v] for v in ("mild", "no", "sore")]]
    assert release.mechanism == "exact"
    assert release.promise is None
    assert release.size == 16 * 3 + 3


def test_levels_in_another_order_are_counted_right(people: Dataset) -> None:
    """A statistic that was read from a file may list levels as its author did."""
    ours = people.schema.column("age")
    turned = Column(ours.name, ours.role, ours.kind, ours.levels[::-1])
    a = publish(people, Tables((turned,), (("age",),)), "exact", rng=stream()).blocks[0]
    b = publish(people, "histogram:column=age", "exact", rng=stream()).blocks[0]
    np.testing.assert_array_equal(a.answers, b.answers[::-1])


def test_conditions_and_named_people(people: Dataset, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("query,condition\na,sex = f and not town = b\nb,age in (young)\n")
    (tmp_path / "m.csv").write_text("query,id\nx,p000\nx,p007\ny,p007\n")
    asked = [f"queries:path={tmp_path / 'c.csv'}", f"queries:path={tmp_path / 'm.csv'}"]
    release = publish(people, asked, "exact", rng=stream())
    data = rows()
    met = [i for i in range(N) if data["sex"][i] == "f" and data["town"][i] == "a"]
    ill = Counter(data["ill"][i] for i in met)
    assert release.blocks[0].answers[0].tolist() == [ill[v] for v in ("mild", "no", "sore")]
    assert release.blocks[1].answers.sum(axis=1).tolist() == [2, 1]


def test_a_sample_counts_only_its_people(people: Dataset) -> None:
    release = publish(people, ["tables:k=1", "hadamard"], "subsample:rate=0.5", rng=stream())
    by_table = {tuple(release.blocks[0].answers[part].sum(axis=0)) for part in ([0, 1], [2, 3, 4], [5, 6])}
    sampled = release.blocks[1].answers[0]
    assert by_table == {tuple(sampled)}
    assert 100 < sampled.sum() < 200


def test_the_promise_is_for_the_whole_release(people: Dataset) -> None:
    """Three tables and a histogram: one person moves two cells of each."""
    release = publish(people, ["tables:k=1", "histogram"], "gaussian:rho=0.5", rng=stream())
    assert release.promise is not None
    assert release.promise.rho == pytest.approx(0.5)
    assert release.mechanism == f"gaussian:sigma={np.sqrt(8 / (2 * 0.5)):.10g}"


def test_the_same_stream_publishes_the_same(people: Dataset) -> None:
    asked = ["random-subsets:m=20", "tables:k=1"]
    one, two, three = (publish(people, asked, "gaussian:sigma=2", rng=stream(s)) for s in (1, 1, 2))
    for j in (0, 1):
        np.testing.assert_array_equal(one.blocks[j].answers, two.blocks[j].answers)
        assert not np.array_equal(one.blocks[j].answers, three.blocks[j].answers)


def test_noise_for_the_world_has_no_seed(people: Dataset) -> None:
    one, two = (
        publish(people, "tables:k=1", "gaussian:rho=0.1", rng=stream(), for_the_world=True) for _ in range(2)
    )
    assert one.mechanism == two.mechanism
    assert not np.array_equal(one.blocks[0].answers, two.blocks[0].answers)
    with pytest.raises(UnsupportedError, match="OpenDP draws"):
        publish(people, "tables:k=1", "rounding:base=5", rng=stream(), for_the_world=True)


def test_nothing_asked_is_refused(people: Dataset) -> None:
    with pytest.raises(InputError, match="statistics must name at least one"):
        publish(people, [], "exact", rng=stream())


def test_the_roster_has_no_secret(people: Dataset) -> None:
    roster = roster_of(people)
    assert roster.id_name == "id"
    assert [c.name for c in roster.attributes.columns] == ["sex", "age", "town"]
    assert tables_of(roster.attributes.columns, 3).rows == 12
