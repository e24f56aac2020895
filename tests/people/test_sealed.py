"""The people behind a release are sealed, and nothing that holds people prints them."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InputError
from dalenius.knowledge.tracing import TracingView
from dalenius.people.opening import open_sheet, read_rows
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.people.sealed import SealedRows, SealedTraits, sealed_rows, sealed_traits
from dalenius.people.traits.traits import RealTraits, Traits, coded_from_values
from dalenius.people.truth import open_rows, open_traits
from dalenius.release.means_publish import publish_means
from dalenius.singling_out.rows.rows import single_out_rows
from dalenius.tracing.case import MembersSettings
from dalenius.tracing.questions.members import trace_members

TABLE = pa.table({"name": ["Zoltan", "Quirin"], "age": [7183, 9461]})
SEEN = ("Zoltan", "Quirin", "7183", "9461")


def people(n: int = 60, d: int = 80, seed: int = 1) -> Traits:
    values = np.random.default_rng(seed).choice([-1, 1], (n, d))
    ids = np.array([f"Zoltan{seed}-{i}" for i in range(n)])
    return coded_from_values("id", ids, np.array([f"x{j}" for j in range(d)]), values, "binary")


def held() -> list[object]:
    rows = read_rows(TABLE)
    column = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("7183", "9461"))
    coded = CodedColumns((column,), np.array([[0], [1]], np.int32))
    real = RealTraits("id", np.array(["Zoltan"]), np.array(["age"]), np.array([[7183.0]]))
    return [
        *(rows, *rows.columns, SealedRows(rows), open_sheet(TABLE)),
        *(
            people(),
            SealedTraits(people()),
            real,
            coded,
            Roster("name", np.array(["Zoltan", "Quirin"]), coded),
        ),
    ]


@pytest.mark.parametrize("one", held(), ids=lambda one: type(one).__name__)
def test_no_repr_shows_anybody(one: object) -> None:
    for text in (repr(one), str(one), f"{[one]}"):
        assert not [word for word in SEEN if word in text]
        assert len(text) < 200


def test_what_is_open_of_sealed_people() -> None:
    rows, traits = sealed_rows(read_rows(TABLE)), sealed_traits(people())
    assert (len(rows), rows.names, rows.kind("age"), rows.kind("name")) == (
        2,
        ("name", "age"),
        "integer",
        "text",
    )
    assert rows.select(["age"]).names == ("age",)
    with pytest.raises(InputError, match="Did you mean 'age'"):
        rows.select(["agee"])
    assert (traits.n, traits.d, traits.kind, traits.id_name) == (60, 80, "binary", "id")
    assert traits.take(np.array([1, 2])).n == 2
    assert sealed_rows(rows) is rows
    assert sealed_traits(traits) is traits
    for sealed in (rows, traits):
        public = {name for name in dir(sealed) if not name.startswith("_")}
        assert public <= {"names", "kind", "select", "n", "d", "id_name", "take"}


def breaks_seals(text: str) -> bool:
    """Whether code goes around the one key."""
    if "_under_seal" not in text:
        return False
    tree = ast.parse(text)
    return any(
        (isinstance(node, ast.Attribute) and node.attr == "_under_seal")
        or (isinstance(node, ast.Constant) and node.value == "_under_seal")
        for node in ast.walk(tree)
    )


def test_nobody_goes_around_the_one_key() -> None:
    house = Path(dalenius.__file__).parent
    broken = {str(path.relative_to(house)) for path in house.rglob("*.py") if breaks_seals(path.read_text())}
    assert broken == {"people/sealed.py", "people/truth.py"}
    assert breaks_seals("def attack(rows):\n    return rows._under_seal.column('age')\n")
    assert breaks_seals("def attack(rows):\n    return getattr(rows, '_under_seal')\n")


def test_the_publisher_and_the_referee_open_them() -> None:
    traits = people()
    said = publish_means(SealedTraits(traits), "exact", rng=np.random.default_rng(1))
    assert np.array_equal(said.means, publish_means(traits, "exact", rng=np.random.default_rng(1)).means)
    assert open_traits(SealedTraits(traits)) is traits
    rows = read_rows(TABLE)
    assert open_rows(SealedRows(rows)) is rows


def test_an_audit_hands_sealed_members_on() -> None:
    """What reaches the attack are targets and a release; sealed or not, the finding is the same."""
    seen: list[TracingView] = []

    def spy(view: TracingView, rng: np.random.Generator) -> object:
        from dalenius.tracing.attack.attack import trace

        seen.append(view)
        return trace(view, rng=rng)

    members, reference = people(60), people(100, seed=2)
    plain = trace_members(members, reference, "exact", how=MembersSettings(attack=spy, rounds=2))
    sealed = trace_members(
        SealedTraits(members), reference, "exact", how=MembersSettings(attack=spy, rounds=2)
    )
    assert plain.finding == sealed.finding
    assert not any(isinstance(part, SealedTraits) for view in seen for part in vars(view).values())


def test_sealed_rows_are_judged_like_others() -> None:
    rng = np.random.default_rng(3)
    table = {"age": rng.integers(20, 60, 80), "sex": rng.choice(["f", "m"], 80)}
    original = read_rows(pa.table(table))
    released = read_rows(
        pa.table({"age": [f"{a // 10 * 10}-{a // 10 * 10 + 9}" for a in table["age"]], "sex": table["sex"]})
    )
    plain, sealed = (
        single_out_rows(released, ["age"], original=rows) for rows in (original, SealedRows(original))
    )
    assert plain.to_json() == sealed.to_json()
