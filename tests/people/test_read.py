"""Reading: levels, labels, roles, bins, missing values, the order of people; every refusal by its words."""

from __future__ import annotations

import datetime
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError, TooLargeError
from dalenius.people.dataset import Dataset, ReadSettings, read
from dalenius.people.schema import MISSING, Kind, Role
from dalenius.people.truth import replace_secrets, secret_codes

PEOPLE = {
    "key": ["p10", "p9", "p1"],
    "age": [47, 9, 32],
    "height": [1.5, 2.0, 1.5],
    "urban": [True, False, True],
    "seen": [datetime.date(2024, 2, 1), datetime.date(2023, 12, 31), datetime.date(2024, 2, 1)],
    "ill": ["yes", "no", "no"],
}


def people(**changes: object) -> Dataset:
    return read(pa.table(PEOPLE), **({"secret": "ill", "id": "key"} | changes))


def refusal(columns: dict[str, object], **options: object) -> str:
    how = {name: options.pop(name) for name in ("levels", "missing", "table", "memory") if name in options}
    with pytest.raises(InputError) as caught:
        read(pa.table(columns), **({"secret": "ill"} | options), how=ReadSettings(**how))
    return str(caught.value)


def test_levels_are_sorted_natively_and_labelled_shortly() -> None:
    with people() as data:
        levels = {column.name: column.levels for column in data.schema.public}
    assert levels == {
        "age": ("9", "32", "47"),
        "height": ("1.5", "2"),
        "urban": ("false", "true"),
        "seen": ("2023-12-31", "2024-02-01"),
    }


def test_values_asked_for_together_and_one_by_one_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few rows all columns are asked at once; numbers, missing ones, words, truth and dates alike."""
    rng = np.random.default_rng(3)
    columns = {
        "many": [float("nan"), *rng.normal(size=199)],
        "few": pa.array([None, *rng.integers(0, 5, 199).tolist()]),
        "word": rng.choice(["", "a", "B", "é"], 200),
        "truth": rng.random(200) < 0.5,
        "ill": rng.choice(["no", "yes"], 200),
    }

    def found() -> tuple[object, list[list[int]]]:
        with read(pa.table(columns), secret="ill", how=ReadSettings(missing="value")) as dataset:
            return dataset.schema, dataset.attributes().codes.tolist()

    together = found()
    monkeypatch.setattr("dalenius.people.dataset.FEW_ROWS", 0)
    assert found() == together


def test_people_stand_by_id_shorter_first_and_all_arrays_agree() -> None:
    with people() as data:
        assert data.ids().tolist() == ["p1", "p9", "p10"]
        assert data.attributes().codes.tolist() == [[1, 0, 1, 1], [0, 1, 0, 0], [2, 0, 1, 1]]
        assert secret_codes(data).tolist() == [0, 0, 1]


def test_without_an_id_people_are_row_numbers_in_file_order() -> None:
    n = 250_000
    table = pa.table({"a": np.arange(n) % 7, "s": (np.arange(n) % 11) % 2})
    with read(table, secret="s") as data:
        assert data.ids()[:3].tolist() == ["0", "1", "2"]
        assert (data.attributes().codes[:, 0] == np.arange(n) % 7).all()
        assert (secret_codes(data) == (np.arange(n) % 11) % 2).all()


@settings(deadline=None, max_examples=15)
@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=20, unique=True))
def test_every_number_finds_its_own_code(numbers: list[float]) -> None:
    with read(pa.table({"a": numbers, "s": [i % 2 for i in range(len(numbers))]}), secret="s") as data:
        codes = data.attributes().codes.ravel()
    assert (np.sort(numbers)[codes] == numbers).all()


@settings(deadline=None, max_examples=15)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_a_cut_point_belongs_to_the_bin_above(edge: float) -> None:
    table = pa.table({"a": [np.nextafter(edge, -np.inf), edge], "s": [0, 1]})
    with read(table, secret="s", bins={"a": [edge]}) as data:
        assert data.attributes().codes.ravel().tolist() == [0, 1]


def test_single_precision_means_the_number_that_was_written() -> None:
    table = pa.table({"a": np.array([0.7, 0.1, np.nan], np.float32), "s": [0, 1, 0]})
    with read(table, secret="s", how=ReadSettings(missing="value")) as data:
        assert data.schema.column("a").levels == ("0.1", "0.7", MISSING)
    with read(table, secret="s", bins={"a": [0.7]}, how=ReadSettings(missing="value")) as data:
        assert data.attributes().codes.ravel().tolist() == [1, 0, 2]


def test_too_little_memory_is_said_in_words() -> None:
    wide = pa.table({"key": np.arange(300_000).astype(str), "s": np.arange(300_000) % 2})
    with pytest.raises(
        TooLargeError, match=r"memory must hold the work of the engine; got too little. Give more"
    ):
        read(wide, secret="s", id="key", how=ReadSettings(memory="1MB"))


def test_kinds_and_roles() -> None:
    with people(ignored=["seen"]) as data:
        kinds = {column.name: (column.role, column.kind) for column in data.schema.columns}
    assert kinds["key"][0] is Role.ID
    assert kinds["seen"][0] is Role.IGNORED
    assert kinds["age"] == (Role.PUBLIC, Kind.CATEGORICAL)
    assert kinds["ill"] == (Role.SECRET, Kind.BINARY)


def test_listed_public_columns_leave_the_rest_ignored() -> None:
    with people(public=["age"]) as data:
        assert [column.name for column in data.schema.public] == ["age"]
        assert data.schema.column("height").role is Role.IGNORED


def test_given_bins_hold_their_left_end() -> None:
    table = pa.table({"age": [19, 20, 29.5, 30, math.inf], "ill": ["a", "b", "a", "b", "a"]})
    with read(table, secret="ill", bins={"age": [20, 30]}) as data:
        age = data.schema.column("age")
        assert age.levels == ("below 20", "20 to under 30", "30 or more")
        assert age.edges == (20.0, 30.0)
        assert age.kind is Kind.NUMERIC
        assert data.attributes().codes.ravel().tolist() == [0, 1, 1, 2, 2]


def test_a_wide_numeric_column_is_cut_near_its_quintiles_at_round_numbers() -> None:
    table = pa.table({"income": np.arange(1000) * 37.3, "ill": np.arange(1000) % 2})
    with read(table, secret="ill") as data:
        income = data.schema.column("income")
        assert income.edges == (8000.0, 14000.0, 22000.0, 30000.0)
        sizes = np.bincount(data.attributes().codes.ravel())
    assert sizes.min() > 150


def test_a_numeric_column_that_is_mostly_its_smallest_value_is_cut_above_it() -> None:
    values = np.concatenate([np.zeros(900), np.arange(1, 101)])
    with read(pa.table({"visits": values, "ill": np.arange(1000) % 2}), secret="ill") as data:
        assert data.schema.column("visits").levels == ("below 1", "1 or more")


def test_missing_is_the_last_level_and_nan_is_missing() -> None:
    table = pa.table(
        {"age": [1.0, None, math.nan], "b": ["x", None, "y"], "c": [5, 6, None], "ill": ["no", "yes", None]}
    )
    with read(table, secret="ill", bins={"c": [6]}, how=ReadSettings(missing="value")) as data:
        levels = {column.name: column.levels for column in data.schema.columns}
        assert levels["age"] == ("1", MISSING)
        assert levels["c"] == ("below 6", "6 or more", MISSING)
        assert data.attributes().codes.tolist() == [[0, 0, 0], [1, 2, 1], [1, 1, 2]]
        assert secret_codes(data).tolist() == [0, 1, 2]


def test_a_text_that_spells_missing_joins_the_missing() -> None:
    table = pa.table({"b": [MISSING, None, "y"], "ill": [0, 1, 0]})
    with read(table, secret="ill", how=ReadSettings(missing="value")) as data:
        assert data.schema.column("b").levels == ("y", MISSING)
        assert data.attributes().codes.ravel().tolist() == [1, 1, 0]


def test_the_repr_names_columns_and_sizes_only() -> None:
    with people() as data:
        assert repr(data) == "Dataset(3 people; public: age, height, urban, seen; secret: ill)"
    assert repr(data) == "Dataset(closed; public: age, height, urban, seen; secret: ill)"


def test_a_closed_dataset_says_so() -> None:
    data = people()
    data.close()
    data.close()
    with pytest.raises(InputError, match="dataset must be open; got a closed one"):
        data.attributes()


def test_other_secrets_for_the_same_people() -> None:
    with people() as data:
        others = replace_secrets(data, np.array([1, 1, 0], np.int32))
        before = data.attributes().codes
    with others:
        assert secret_codes(others).tolist() == [1, 1, 0]
        assert others.ids().tolist() == ["p1", "p9", "p10"]
        assert (others.attributes().codes == before).all()
        assert others.schema == data.schema


@pytest.mark.parametrize("codes", [[0, 1], [0, 1, 2], [0, 1, -1]])
def test_other_secrets_must_fit(codes: list[int]) -> None:
    with people() as data, pytest.raises(InputError, match="codes must be"):
        replace_secrets(data, np.array(codes, np.int32))


TWO = {"age": [1, 2], "ill": ["no", "yes"]}
MANY = 1001


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        (
            TWO,
            {"secret": "il"},
            "secret column 'il' must be in the data; got no such column. Did you mean 'ill'?",
        ),
        (
            TWO,
            {"public": ["agee"]},
            "public column 'agee' must be in the data; got no such column. Did you mean 'age'?",
        ),
        (TWO, {"public": ["ill"]}, "column 'ill' must have one role; got secret and public."),
        (
            TWO,
            {"ignored": ["age"], "public": ["age"]},
            "column 'age' must have one role; got public and ignored.",
        ),
        (TWO, {"public": ["age", "age"]}, "column 'age' must be listed once; got twice as public."),
        (
            TWO,
            {"bins": {"agee": [1]}},
            "bins for 'agee' must be for a column of the data; got no such column.",
        ),
        (
            TWO,
            {"bins": {"age": [1]}, "ignored": ["age"]},
            "bins for 'age' must be for a public column or the secret",
        ),
        (TWO, {"bins": {"ill": [1]}}, "bins for 'ill' must be for a numeric column; got a text column."),
        (
            TWO,
            {"bins": {"age": [2, 1]}},
            "bins for 'age' must rise from one cut point to the next; got 2, 1.",
        ),
        (
            TWO,
            {"bins": {"age": [1, 1]}},
            "bins for 'age' must rise from one cut point to the next; got 1, 1.",
        ),
        (TWO, {"bins": {"age": [1, math.nan]}}, "bins for 'age' must be finite numbers; got 1, nan."),
        (TWO, {"bins": {"age": []}}, "bins for 'age' must have at least one cut point; got none."),
        (TWO, {"bins": {"age": ["x"]}}, "bins for 'age' must be a list of numbers; got ['x']."),
        (TWO, {"memory": "lots"}, "memory must be a size with a unit; got 'lots'. Write for example 2GB."),
        (TWO, {"missing": "drop"}, "missing must be 'refuse' or 'value'; got 'drop'."),
        (TWO, {"table": "t"}, "table must only be given for a database or a workbook; got 't'."),
        (
            {"ill": ["no", "no"]},
            {},
            "secret column 'ill' must take at least two values; got the same for everybody.",
        ),
        (
            {"ill": [1, 2]},
            {"bins": {"ill": [5]}},
            "secret column 'ill' must take at least two values; got the same for everybody. Choose",
        ),
        (
            {"ill": list(range(65))},
            {},
            "secret column 'ill' must have at most 64 different values; got more. Give bins",
        ),
        ({"ill": [f"w{i}" for i in range(65)]}, {}, "got more. Group its values first."),
        (
            {"name": [f"w{i}" for i in range(MANY)], "ill": [i % 2 for i in range(MANY)]},
            {},
            "column 'name' must have at most 1000 different values to be public; got more. List it",
        ),
        ({"ill": pa.array([], pa.string())}, {}, "a table in memory must have at least one row; got none."),
        (
            {"a": [1, None], "b": [math.nan, 1.0], "ill": ["x", "y"]},
            {},
            "columns must have no missing values; got 1 in 'a', 1 in 'b' (of 2 rows).",
        ),
        (
            TWO | {"key": ["k", "k"]},
            {"id": "key"},
            "id column 'key' must name each person once; got 1 repeated (of 2 rows).",
        ),
        (
            TWO | {"key": ["k", None]},
            {"id": "key"},
            "id column 'key' must have no missing values; got 1 missing (of 2 rows).",
        ),
        (
            TWO | {"key": [0.5, 1.5]},
            {"id": "key"},
            "id column 'key' must be text or whole numbers; got float64.",
        ),
        (
            TWO | {"l": [[1], [2]]},
            {},
            "column 'l' must hold numbers, text, booleans or dates; got array<int64>.",
        ),
        (TWO | {"Age": [1, 2]}, {}, "the table must have each column name once"),
    ],
)
def test_refusals_say_what_the_rule_and_the_way_out(
    columns: dict[str, object], options: dict[str, object], words: str
) -> None:
    assert words in refusal(columns, **options)


@pytest.mark.parametrize(("column", "count"), [("age", 1100), ("ill", 70)])
def test_numbers_with_a_word_for_missing_are_recognised(column: str, count: int) -> None:
    columns = {"age": ["1"] * count, "ill": ["0", "1"] * (count // 2)}
    columns[column] = ["NA", "-1.5", *map(str, range(count - 2))]
    said = refusal(columns)
    assert "Most of its values are numbers: leave the others empty" in said
    assert "under missing_codes" in said


def test_bins_are_proposed_of_the_size_that_most_numbers_have() -> None:
    """A few large ones would have everybody else in one bin."""
    pay = [*range(20_000, 90_000, 1_000), 4_000_000]
    assert "bins = { ill = [10000, 20000] }" in refusal({"age": pay, "ill": pay})


def test_more_days_than_a_column_may_have_are_to_be_read_by_their_year() -> None:
    first = datetime.date(1950, 1, 1)
    born = [first + datetime.timedelta(days=j) for j in range(1_100)]
    assert "list it under by_year" in refusal({"born": born, "ill": [0, 1] * 550})


def test_settings_may_be_given_by_name() -> None:
    columns = {"rooms": ["N", "2", "3"], "ill": ["no", None, "yes"]}
    how = {"missing": "value", "missing_codes": {"rooms": ["N"]}}
    with read(pa.table(columns), secret="ill", how=how) as people:
        assert people.schema.public[0].levels == ("2", "3", "(missing)")
        assert people.how == ReadSettings(**how)
    with pytest.raises(
        InputError, match=r"how: 'mising' must be a setting of a reader.*Did you mean 'missing'"
    ):
        read(pa.table(columns), secret="ill", how={"mising": "value"})
    with pytest.raises(InputError, match="how must be settings by name; got list"):
        read(pa.table(columns), secret="ill", how=["value"])  # type: ignore[arg-type]


def test_refusals_never_show_an_id_or_a_secret() -> None:
    columns = {"key": ["Quirrel", "Quirrel"], "ill": ["plague", "plague"]}
    assert "Quirrel" not in refusal(columns, id="key")
    assert "plague" not in refusal({"ill": columns["ill"]})


def test_other_people_need_not_have_the_code_for_missing_values(tmp_path: Path) -> None:
    """Of the people N stands for a missing number; in a file of others all numbers may be there."""
    (tmp_path / "people.csv").write_text("rooms,ill\nN,no\n2,yes\n3,no\n")
    (tmp_path / "others.csv").write_text("rooms,ill\n1,no\n2,yes\n3,no\n")
    how = ReadSettings(missing="value", missing_codes={"rooms": ["N"]})
    with read(tmp_path / "people.csv", secret="ill", how=how) as people:
        theirs = people.how.among(["rooms", "ill"])
    with read(tmp_path / "others.csv", secret="ill", how=theirs) as others:
        assert others.schema.public[0].levels == ("1", "2", "3")
    with pytest.raises(InputError, match="must be numbers"):
        read(tmp_path / "others.csv", secret="ill", how=how)
