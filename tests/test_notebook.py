"""What a data scientist does: a frame in, a report out, in a notebook that is saved with nobody in it."""

from __future__ import annotations

import os
import re
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient

import dalenius
from dalenius.errors import InputError

CANARY = "ZQ7x"
SETUP = f"""
import dalenius, numpy as np, pandas as pd
from dalenius.console import progress
progress.PATIENCE = progress.BETWEEN = 0.0
rng = np.random.default_rng(4)
n = 80
df = pd.DataFrame({{
    "who": ["{CANARY[:2]}" + "{CANARY[2:]}" + str(i) for i in range(n)],
    "age": rng.integers(2, 7, n) * 10,
    "sex": rng.choice(["f", "m"], n),
    "region": rng.choice(["north", "south"], n),
    "hiv": rng.choice(["no", "yes"], n),
}})
"""
AUDIT = 'result = dalenius.audit(df, secret="hiv", id="who", tables=["age*sex", ("region", "sex")])\nresult'


def frame() -> pd.DataFrame:
    rng = np.random.default_rng(4)
    n = 40
    return pd.DataFrame(
        {"age": rng.integers(2, 5, n), "sex": rng.choice(["f", "m"], n), "ill": rng.choice(["no", "yes"], n)}
    )


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Any:
    cells = [SETUP, AUDIT, "print(result.summary())", "result.frame()", "result.plot()", "result.claims"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    place = tmp_path_factory.mktemp("notebook")
    os.environ["IPYTHONDIR"] = str(place / "ipython")
    client = NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(place)}}
    )
    return client.execute()


def outputs(book: Any, cell: int) -> list[Any]:
    return list(book.cells[cell].outputs)


def test_the_report_appears_and_nobody_is_in_the_file(book: Any) -> None:
    shown = [each for each in outputs(book, 1) if each.output_type == "execute_result"]
    assert re.search("STOP|UNDECIDED", shown[0].data["text/html"])
    assert CANARY not in nbformat.writes(book)


def test_the_bar_was_there_and_is_gone(book: Any) -> None:
    drawn = [each for each in outputs(book, 1) if each.output_type == "display_data"]
    assert len(drawn) == 1
    assert drawn[0].data["text/html"] == ""


def test_a_summary_is_one_text(book: Any) -> None:
    (only,) = outputs(book, 2)
    assert only.output_type == "stream"
    assert re.search("^(STOP|UNDECIDED): ", only.text, re.MULTILINE)


def test_frame_and_figure(book: Any) -> None:
    assert "<table" in outputs(book, 3)[0].data["text/html"]
    assert len(outputs(book, 4)[0].data["image/png"]) > 1_000


def test_tables_are_what_statistics_say() -> None:
    by_name = dalenius.audit(frame(), secret="ill", tables=["age*sex", ["sex"]])
    by_text = dalenius.audit(
        frame(), secret="ill", statistics=["tables:k=2,attributes=age+sex", "tables:k=1,attributes=sex"]
    )
    assert by_name.to_json() == by_text.to_json()


def test_a_purpose_and_rules_by_name_are_policies() -> None:
    by_name = dalenius.audit(frame(), secret="ill", tables=["sex"], policy="open-data")
    by_rules = dalenius.audit(frame(), secret="ill", tables=["sex"], policy={"rules": "open-data"})
    made = dalenius.Policy(rules="open-data")
    whole = dalenius.audit(frame(), secret="ill", tables=["sex"], policy=made)
    assert by_name.to_json() == by_rules.to_json() == whole.to_json()
    assert made != dalenius.Policy()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"statistics": [("age", "sex")]},
            r"statistics must be texts .*; got tuple\. .*tables=\[\"age\*sex\"\]",
        ),
        ({"statistics": {"a": "tables:k=1"}}, "statistics must be a text or a list of texts; got dict"),
        ({"tables": "age*sex"}, "tables must be a list; got str"),
        ({"tables": [5]}, "tables must each be columns joined by .*; got int"),
        ({"tables": ["age*"]}, "tables must each be columns"),
        ({"tables": ["age*age"]}, r"tables must each name columns, each once; got age\*age"),
        ({"tables": [()]}, "tables must each name columns, each once; got none"),
        ({"tables": ["age+sex"]}, "must be by columns without the signs"),
        ({"tables": ["age*sxe"]}, "sxe"),
        ({"tables": ["age"], "policy": 5}, "policy must be a purpose, rules by name or a Policy; got int"),
        ({"tables": ["age"], "policy": {"max_advantage": 5}}, "0.05 is 5 points"),
        ({"tables": ["age"], "policy": "opn-data"}, "open-data"),
        ({"tables": ["age"], "mechanism": 5}, "mechanism must be a text; got int"),
        ({"tables": ["age"], "known": "age"}, "known must be a list of columns; got str"),
        ({"releases": [("tables:k=1", "exact")]}, "releases must be releases by name; got list"),
        ({"releases": {"a": ("tables:k=1", 5)}}, "release 'a' must be"),
        ({"releases": {"a": ("tables:k=1", "exact")}, "tables": ["age"]}, "releases must not be given with"),
    ],
)
def test_what_is_of_the_wrong_kind(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        dalenius.audit(frame(), secret="ill", **given)


def test_what_the_reader_refuses_can_be_said_from_python() -> None:
    """The ways out that a refusal names are keys of a plan: they are words of `dalenius.read` too."""
    gap = frame().astype({"sex": object})
    gap.loc[3, "sex"] = None
    with pytest.raises(
        InputError, match=r"From Python: dalenius.audit\(dalenius.read\(\.\.\., ignored=\[\.\.\.\]"
    ):
        dalenius.audit(gap, secret="ill", tables=["age"])
    with dalenius.read(gap, secret="ill", ignored=["sex"], how={"missing": "value"}) as people:
        assert dalenius.audit(people, tables=["age"]).verdict
    with pytest.raises(InputError, match="secret column 'il'") as caught:
        dalenius.audit(gap, secret="il", tables=["age"])
    assert "From Python" not in str(caught.value)


def test_an_index_with_a_name_may_be_the_id() -> None:
    named = frame().assign(who=[f"{CANARY}{j}" for j in range(40)])
    asked = {"secret": "ill", "id": "who", "tables": ["age"]}
    claims = dalenius.audit(named.set_index("who"), **asked).claims["reconstruction", "release"]
    assert claims.to_csv() == dalenius.audit(named, **asked).claims["reconstruction", "release"].to_csv()
    assert CANARY in claims.to_csv()


@pytest.mark.parametrize(
    ("people", "message"),
    [
        (frame()["age"], r"source must be a path, .* or a frame; got pandas.*Give a frame with one row"),
        ("audit.toml", "people must be people; got a plan. Run a plan by: dalenius audit"),
    ],
)
def test_what_holds_no_people(people: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        dalenius.audit(people, secret="ill", tables=["age"])


def test_a_table_by_the_secret_says_what_it_is() -> None:
    with pytest.raises(
        InputError, match=r"column .ill. must be one of the public columns.*The secret, the id"
    ):
        dalenius.audit(frame(), secret="ill", tables=["age*ill"])
