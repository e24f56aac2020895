"""Anonymisers: tiny tables by hand, what every release must keep, planted faults, bad input."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.mechanisms.anonymise.hierarchy import Hierarchy, automatic
from dalenius.mechanisms.anonymise.parse import anonymise, parse_anonymiser
from dalenius.mechanisms.anonymise.released import AnonymisedRows
from dalenius.people.opening import read_rows
from dalenius.people.rows.columns import NumberColumn, number
from dalenius.people.rows.equivalence import anonymity
from dalenius.people.rows.rows import Rows


def table(**columns: object) -> Rows:
    return Rows.of_table(pa.table(columns))


def recode(rows: Rows, quasi: list[str], how: str, **more: dict[str, Hierarchy]) -> AnonymisedRows:
    return parse_anonymiser(how, more.get("hierarchies")).recode(rows, quasi)


def cells(released: AnonymisedRows, name: str) -> list[str]:
    column = released.rows.column(name)
    return [column.text(i) for i in range(len(column))]


# ------------------------------------------------------------------------------------- by hand


def test_mondrian_cuts_at_the_median_of_the_widest_column() -> None:
    people = table(age=[20, 25, 30, 60, 70, 80], zip=[1, 2, 1, 2, 1, 2], ill=list("abcdef"))
    assert cells(recode(people, ["age", "zip"], "mondrian:k=3"), "age") == ["[20, 30]"] * 3 + ["[60, 80]"] * 3
    regions = recode(people, ["age", "zip"], "mondrian:k=3,cells=regions")
    assert cells(regions, "age") == ["(-inf, 30]"] * 3 + ["(30, inf)"] * 3
    assert cells(regions, "zip") == ["*"] * 6
    assert cells(regions, "ill") == list("abcdef")
    assert (regions.quasi, regions.verbatim) == (("age", "zip"), ("ill",))


def test_mondrian_never_tears_equal_values_apart() -> None:
    assert set(cells(recode(table(age=[30, 30, 30, 30, 41]), ["age"], "mondrian:k=2"), "age")) == {"[30, 41]"}
    tied = recode(table(age=[30, 30, 30, 40, 41]), ["age"], "mondrian:k=2")
    assert cells(tied, "age") == ["30"] * 3 + ["[40, 41]"] * 2


def test_sets_of_labels_and_missing_values() -> None:
    people = table(town=["Zug", "Bern", "Chur", "Basel"], age=[1, 2, None, None])
    assert cells(recode(people, ["town"], "mondrian:k=2"), "town") == ["{Chur, Zug}", "{Basel, Bern}"] * 2
    assert cells(recode(people, ["age"], "mondrian:k=2"), "age") == ["[1, 2]"] * 2 + ["(missing)"] * 2
    assert cells(recode(people, ["age"], "mondrian:k=3"), "age") == ["*"] * 4
    by_region = recode(people, ["age"], "mondrian:k=2,cells=regions")
    assert cells(by_region, "age") == ["(-inf, inf)"] * 2 + ["(missing)"] * 2


def test_diversity_forbids_a_cut_that_k_allows() -> None:
    people = table(age=[20, 25, 60, 70], ill=["flu", "flu", "flu", "cold"])
    assert (
        anonymity(recode(people, ["age"], "mondrian:k=2").rows, ["age"], ["ill"]).sensitive[0].distinct == 1
    )
    held = recode(people, ["age"], "mondrian:k=2,l=2,sensitive=ill")
    assert cells(held, "age") == ["[20, 70]"] * 4


def test_datafly_climbs_the_widest_column_and_suppresses_the_rest() -> None:
    zips = ["47811", "47812", "47813", "47999", "10001"]
    released = recode(table(zip=zips, sex=list("ffffm")), ["zip", "sex"], "datafly:k=3,suppress=0.4")
    assert cells(released, "zip") == ["4781*"] * 3 + ["*"] * 2
    assert cells(released, "sex") == ["f"] * 3 + ["*"] * 2
    found = anonymity(released.rows, released.quasi)
    assert (found.k, found.suppressed) == (3, 2)
    strict = recode(table(zip=zips, sex=list("ffffm")), ["zip", "sex"], "datafly:k=3")
    assert anonymity(strict.rows, strict.quasi).suppressed in (0, 5)


def test_a_hierarchy_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "town.csv"
    path.write_text("Bern;west;*\nBasel;west;*\nChur;east;*\n")
    people = table(town=["Bern", "Basel", "Chur", "Chur"])
    given = {"town": Hierarchy.read(path)}
    assert (
        cells(recode(people, ["town"], "datafly:k=2", hierarchies=given), "town")
        == ["west"] * 2 + ["east"] * 2
    )
    path.write_text("Bern;west\nChur;east\n")
    with pytest.raises(InputError, match=r"hierarchy of 'town' must hold every value .*got 1 that it lacks"):
        recode(people, ["town"], "datafly:k=2", hierarchies={"town": Hierarchy.read(path)})
    top = Hierarchy.read(path)
    assert (
        cells(
            recode(people.take(np.array([0, 2])), ["town"], "datafly:k=2", hierarchies={"town": top}), "town"
        )
        == ["*"] * 2
    )


def test_buckets_and_bit_suppression() -> None:
    people = table(age=[50, 20, 30, 40, 60], a=[0, 1, 1, 1, 1], b=[1, 1, 0, 0, 0])
    assert cells(recode(people, ["age"], "buckets:k=2"), "age") == [
        "[40, 60]", "[20, 30]", "[20, 30]", "[40, 60]", "[40, 60]",
    ]  # fmt: skip
    bits = recode(people, ["a", "b"], "bit-suppression:k=2")
    assert cells(bits, "a") == ["*", "*", "1", "1", "1"]
    assert cells(bits, "b") == ["1", "1", "0", "0", "0"]


# ----------------------------------------------------------------------------------- invariants

PEOPLE = st.lists(
    st.tuples(
        st.one_of(st.none(), st.integers(0, 9)),
        st.one_of(st.none(), st.sampled_from(["Bern", "Basel", "Chur", "Zug"])),
        st.floats(-1, 1),
        st.sampled_from(["flu", "cold", "ache"]),
        st.integers(0, 4),
    ),
    min_size=6,
    max_size=30,
)


def people_of(raw: list[tuple[object, ...]]) -> Rows:
    age, town, score, ill, pay = map(list, zip(*raw, strict=True))
    return table(
        age=pa.array(age, pa.int64()), town=pa.array(town, pa.string()), score=score, ill=ill, pay=pay
    )


def accepts(cell: str, value: str) -> bool:
    """Read a cell on our own: the test does not trust the parser of the attacks."""
    if cell in (value, "*") or number(cell) == number(value):
        return True
    if cell.startswith("{"):
        return value in cell[1:-1].split(", ")
    if found := re.fullmatch(r"([\[(])(.+), (.+)([\])])", cell):
        x, low, high = number(value), float(found[2]), float(found[3])
        return (low < x < high) or (x == low and found[1] == "[") or (x == high and found[4] == "]")
    return len(cell) == len(value) and all(a in ("*", b) for a, b in zip(cell, value, strict=True))


@settings(max_examples=40, deadline=None)
@given(
    PEOPLE,
    st.sampled_from(
        [
            "mondrian:k=2",
            "mondrian:k=3,cells=regions",
            "mondrian:k=2,l=2,sensitive=ill",
            "mondrian:k=2,l=1.5,diversity=entropy,sensitive=ill",
            "mondrian:k=2,t=0.3,sensitive=pay",
            "mondrian:k=2,t=0.4,distance=equal,sensitive=pay",
            "datafly:k=3,suppress=0.2",
            "datafly:k=2,l=2,t=0.5,sensitive=ill,suppress=0.1",
        ]
    ),
)
def test_every_release_is_what_it_promises_and_generalises_every_row(
    raw: list[tuple[object, ...]], how: str
) -> None:
    people, quasi = people_of(raw), ["age", "town", "score"]
    anonymiser = parse_anonymiser(how)
    options = dict(pair.split("=") for pair in how.split(":")[1].split(","))
    shares = np.unique([row[3] for row in raw], return_counts=True)[1] / len(raw)
    if "l" in options and np.exp(-(shares * np.log(shares)).sum()) < float(options["l"]):
        return  # too few values for l: bad input, tested below
    released = anonymiser.recode(people, quasi)
    sensitive = options.get("sensitive", "ill")
    found = anonymity(released.rows, quasi, [sensitive])
    if found.classes:
        own = found.sensitive[0]
        assert found.k >= int(options["k"])
        if "l" in options:
            least = own.entropy if "diversity" in options else own.distinct
            assert least >= float(options["l"]) - 1e-6
        if "t" in options and options.get("distance") != "equal" and sensitive == "pay":
            numbers = measured_by_number(released, people, quasi)
            assert numbers <= float(options["t"]) + 1e-6
        elif "t" in options:
            assert own.equal <= float(options["t"]) + 1e-6
    if found.classes and "suppress" in options:  # without classes, all columns were recoded to the top
        assert found.suppressed <= float(options["suppress"]) * len(people)
    for name in quasi:
        column, given = people.column(name), cells(released, name)
        assert all(accepts(cell, column.text(i)) for i, cell in enumerate(given))


def measured_by_number(released: AnonymisedRows, people: Rows, quasi: list[str]) -> float:
    """Released columns are text: put the numbers back, which the order needs."""
    columns = (*released.rows.select(quasi).columns, people.column("pay"))
    ordered = anonymity(Rows(columns), quasi, ["pay"]).sensitive[0].ordered
    assert ordered is not None
    return ordered


def test_classes_of_mondrian_regions_hold_exactly_their_rows() -> None:
    rng = np.random.default_rng(5)
    people = table(x=rng.integers(0, 50, 400), y=rng.normal(size=400))
    released = recode(people, ["x", "y"], "mondrian:k=5,cells=regions")
    texts = [tuple(cells(released, name)[i] for name in ("x", "y")) for i in range(400)]
    for text in set(texts):
        inside = [
            all(
                accepts(cell, people.column(name).text(i))
                for cell, name in zip(text, ("x", "y"), strict=True)
            )
            for i in range(400)
        ]
        assert sum(inside) == texts.count(text) >= 5


def test_a_planted_fault_is_found() -> None:
    """The invariant of k would notice one cell that is finer than its class."""
    rng = np.random.default_rng(6)
    people = table(x=rng.integers(0, 50, 100))
    released = recode(people, ["x"], "mondrian:k=5")
    spoiled = [*cells(released, "x")[:-1], people.column("x").text(99)]
    assert anonymity(released.rows, ["x"]).k >= 5
    assert anonymity(table(x=spoiled), ["x"]).k < 5


def test_rows_come_in_random_order_and_as_a_file(tmp_path: Path) -> None:
    people = table(age=list(range(40)), name=[f"p{i}" for i in range(40)], town=["Zug", None] * 20)
    released = anonymise(people, ["age"], "mondrian:k=4", np.random.default_rng(1))
    names = cells(released, "name")
    assert sorted(names) == sorted(cells(recode(people, ["age"], "mondrian:k=4"), "name"))
    assert names != sorted(names, key=lambda name: int(name[1:]))
    released.write(tmp_path / "out.csv")
    back = read_rows(tmp_path / "out.csv")
    assert [back.row_text(i) for i in range(40)] == [released.rows.row_text(i) for i in range(40)]


def test_dates_have_months_and_years() -> None:
    born = table(born=pa.array([0, 40, 800], pa.date32())).column("born")
    assert automatic(born).labels["1970-02-10"] == ("1970-02-10", "1970-02-**", "1970-**-**", "*")
    assert isinstance(born, NumberColumn)


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("mondrian:k=1", "mondrian: k must be at least 2; got 1"),
        ("mondrian", "mondrian: k must be given"),
        ("mondrain:k=2", r"must be one it knows; .* Did you mean 'mondrian'"),
        ("mondrian:k=2,l=2", "mondrian: sensitive must be given with l or t"),
        ("mondrian:k=2,l=9,sensitive=ill", "l must be at most what 'ill' has; got 9 for 2 different values"),
        ("mondrian:k=2,l=2,diversity=entropy,sensitive=ill", "got 2 for an effective number of values of"),
        ("mondrian:k=9", "k must be at most the 5 rows; got 9"),
        ("mondrian:k=2,t=2,sensitive=ill", "t must be at most 1"),
        ("mondrian:k=2,t=0.1,sensitive=ill,distance=ordered", "must be numeric for distance=ordered"),
        ("mondrian:k=2,t=0.1,sensitive=age", "must not be a quasi-identifier"),
        ("mondrian:k=2,l=2,sensitive=il", "Did you mean 'ill'"),
        ("datafly:k=2,supress=0.1", "Did you mean 'suppress'"),
        ("datafly:k=2,suppress=2", "suppress must be at most 1"),
        ("buckets:k=2", "buckets must be of one column of numbers; got 2 columns"),
        ("bit-suppression:k=6", "k must be at most the 5 rows"),
    ],
)
def test_bad_options(how: str, message: str) -> None:
    people = table(age=[1, 2, 3, 4, 5], zip=["a", "b", "c", "d", "e"], ill=["x", "x", "x", "x", "y"])
    with pytest.raises(InputError, match=message):
        recode(people, ["age", "zip"], how)


def test_bad_columns() -> None:
    people = table(age=[1, 2, 3], town=["a, b", "c", "d"], gap=[1, None, 3])
    with pytest.raises(InputError, match=r"column 'aeg' must be one of the columns; .* mean 'age'"):
        recode(people, ["aeg"], "mondrian:k=2")
    with pytest.raises(InputError, match="must name at least one column"):
        recode(people, [], "datafly:k=2")
    with pytest.raises(InputError, match="must be named once"):
        recode(people, ["age", "age"], "mondrian:k=2")
    with pytest.raises(InputError, match="must have labels without comma"):
        recode(people, ["town"], "mondrian:k=2")
    with pytest.raises(InputError, match="must have every value for buckets; got 1 missing"):
        recode(people, ["gap"], "buckets:k=2")
    with pytest.raises(InputError, match="hierarchies must come with datafly"):
        recode(people, ["age"], "mondrian:k=2", hierarchies={"age": automatic(people.column("age"))})
    with pytest.raises(InputError, match="must be of a quasi-identifier"):
        recode(people, ["age"], "datafly:k=2", hierarchies={"gap": automatic(people.column("gap"))})
    with pytest.raises(InputError, match="must each lie below one label"):
        Hierarchy({"a": ("a", "x", "*"), "b": ("b", "x", "y")})
    with pytest.raises(InputError, match="same number of levels"):
        Hierarchy({"a": ("a", "*"), "b": ("b", "x", "y")})
