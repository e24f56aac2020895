"""A column may be read again under another name: other bins in another table, nested levels of codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dalenius.auditing.plan import read_plan
from dalenius.auditing.run import run_plan
from dalenius.errors import InputError
from dalenius.people.dataset import ReadSettings, read

CODES = ["DE111", "DE112", "DE121", "DE211", "DE211", None]
FRAME = pa.table(
    {
        "id": [f"p{j}" for j in range(6)],
        "age": [20, 31, 40, 41, 64, 80],
        "nuts3": CODES,
        "zip": [10115, 10117, 20095, 80331, 80333, 80335],
        "ill": ["no", "yes", "no", "no", "yes", "no"],
    }
)


def people(bins: dict[str, list[float]] | None = None, **how: Any) -> Any:
    settings = ReadSettings(missing="value", **how)
    return read(FRAME, secret="ill", id="id", bins=bins, how=settings)


def words(found: Any, name: str) -> list[str]:
    """Everybody's level of a column."""
    attributes = found.attributes()
    at = attributes.position(name)
    return [attributes.columns[at].levels[code] for code in attributes.codes[:, at]]


def test_other_bins_under_another_name() -> None:
    with people({"age": [30, 60], "age_wide": [41]}, again={"age_wide": "age"}) as found:
        assert words(found, "age") == ["below 30", *["30 to under 60"] * 3, *["60 or more"] * 2]
        assert words(found, "age_wide") == ["below 41"] * 3 + ["41 or more"] * 3


def test_levels_of_codes_are_nested_by_their_letters() -> None:
    again = {"nuts1": "nuts3", "nuts2": "nuts3", "area": "zip"}
    with people(again=again, letters={"nuts1": 3, "nuts2": 4, "area": 1}) as found:
        assert words(found, "nuts1") == ["DE1", "DE1", "DE1", "DE2", "DE2", "(missing)"]
        assert words(found, "nuts2") == ["DE11", "DE11", "DE12", "DE21", "DE21", "(missing)"]
        assert words(found, "nuts3")[:2] == ["DE111", "DE112"]
        assert words(found, "area") == ["1", "1", "2", "8", "8", "8"]


def test_codes_for_missing_values_hold_for_both_readings() -> None:
    frame = FRAME.set_column(2, "nuts3", pa.array(["XX", *CODES[:5]]))
    how = ReadSettings(missing="value", missing_codes={"nuts3": ["XX"]}, again={"nuts1": "nuts3"},
                       letters={"nuts1": 3})  # fmt: skip
    with read(frame, secret="ill", id="id", how=how) as found:
        assert words(found, "nuts1")[0] == "(missing)"


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"again": {"known": "ill"}}, "must be neither the id nor the secret again"),
        ({"again": {"known": "id"}}, "must be neither the id nor the secret again"),
        ({"again": {"zip": "age"}}, "must be a new name"),
        ({"again": {"wide": "agee"}}, "must be a column of the data, read again; got no such column"),
        ({"letters": {"age": 0}}, "letters of 'age' must be at least 1"),
        ({"letters": {"nuts9": 2}}, "letters for 'nuts9' must be for a column of the data"),
    ],
)
def test_what_is_refused(how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        people(**how)
    assert message in str(caught.value)


def test_a_zero_in_front_that_was_lost_is_not_guessed() -> None:
    frame = FRAME.set_column(3, "zip", pa.array([1067, 10117, 20095, 80331, 80333, 80335]))
    with pytest.raises(InputError, match="must be of codes of equally many digits"):
        read(frame, secret="ill", id="id", how=ReadSettings(missing="value", letters={"zip": 1}))


PLAN = """
[data]
path = "people.csv"
[schema]
secret = "ill"
id = "id"
again = {{ age_wide = "age" }}
bins = {{ age = [40], age_wide = [{cut}] }}
[[release]]
name = "planned"
statistics = ["tables:k=1,attributes=age", "tables:k=1,attributes=age_wide"]
mechanism = "exact"
[budget]
resamples = 0
why = false
"""


@pytest.mark.parametrize(("cut", "certain"), [(41, 1), (60, 0)])
def test_tables_by_other_classes_are_attacked_together(tmp_path: Path, cut: int, certain: int) -> None:
    """Between those under 40 and those under 41 there is one person, who is ill."""
    rng = np.random.default_rng(2)
    ages = [40, *rng.choice([*range(20, 40), *range(41, 90)], 59).tolist()]
    ill = ["yes", *rng.choice(["no", "yes"], 59).tolist()]
    rows = (f"p{j},{age},{word}\n" for j, (age, word) in enumerate(zip(ages, ill, strict=True)))
    (tmp_path / "people.csv").write_text("id,age,ill\n" + "".join(rows))
    (tmp_path / "audit.toml").write_text(PLAN.format(cut=cut))
    found = run_plan(read_plan(tmp_path / "audit.toml"))
    assert found.report.findings[0].certain == certain


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("k=1,attributes=age\"", "k=1,attributes=age,bins=30+60\"", "read it again under another name"),
        ("age = [40]", "age = [[40], [60]]", "again = { age_wide = \"age\" }"),
    ],
)  # fmt: skip
def test_what_people_write_first_is_told_how(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = PLAN.format(cut=41)
    assert old in text
    (tmp_path / "audit.toml").write_text(text.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_plan(tmp_path / "audit.toml")
    assert message in str(caught.value)
