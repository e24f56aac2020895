"""The figures of the house count what they say, and notice what is planted."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from validation import house

PLANTED = """
Outcome = Literal["fine", "not fine"]


class Twice:
    schema_version: Literal[7]

    def method(self, a, b, c, d, e, f, g): ...


def wide(a, b, c, d, /, e, f, *, g, h): ...


@kernel
def deep(a, b, c, d, e, f, g, h, i): ...
"""


@pytest.fixture
def planted() -> list[house.Module]:
    paths = [house.PACKAGE / "one.py", house.PACKAGE / "room" / "other.py"]
    return [house.Module(path, PLANTED) for path in paths]


def test_planted_shapes_are_counted(planted: list[house.Module]) -> None:
    assert house.json_shapes(planted).names == ("one.Twice", "room/other.Twice")
    assert house.verdict_words(planted).names == ("fine", "not fine")
    plain, compiled = house.many_parameters(planted)
    assert plain.names == ("one.wide 8", "room/other.wide 8")
    assert compiled.names == ("one.deep 9", "room/other.deep 9")
    long = house.Module(house.PACKAGE / "long.py", "\n" * (house.MOST_LINES + 1))
    assert house.long_modules([*planted, long]).names == ("long 401",)
    assert house.shared_class_names(planted).names == ("Twice: one, room/other",)


def test_folders_stay_small_and_a_class_name_stands_for_one_class() -> None:
    modules = house.read_modules()
    figures = {figure.what: figure for figure in house.sizes(modules)}
    assert figures["folders of more than 12 files"].names == ()
    names = Counter(name for one in modules for name in re.findall(r"^class (\w+)", one.text, re.MULTILINE))
    assert [name for name, count in names.items() if count > 1] == []
    assert house.long_modules(modules).names == ()


def test_functions_take_few_parameters() -> None:
    """All but the one that people call by name, and compiled kernels, which become no more."""
    plain, compiled = house.many_parameters(house.read_modules())
    assert plain.names == ("_api.audit 13",)
    assert compiled.count <= 17


@pytest.fixture(scope="module")
def loaded() -> house.Figure:
    return house.loaded_by_an_audit()


def test_the_package_is_counted(loaded: house.Figure) -> None:
    modules = house.read_modules()
    assert len(modules) > 100
    assert house.public_names(modules).count > 0
    assert "stop" in house.verdict_words(modules).names
    assert "dalenius.cli.audit" in loaded.names
    assert loaded.count < len(modules)


def test_an_audit_of_tables_loads_little_of_what_it_does_not_use(loaded: house.Figure) -> None:
    """More is another family, decoder or search loaded by mistake."""
    assert loaded.count <= 109, loaded.names
    others = ("tracing", "singling_out", "inference", "papers", "genomes", "printed", "conditions")
    unused = (
        "people.rows",
        "people.traits",
        "statistics.classifiers",
        "statistics.estimates",
        "release.desk",
    )
    for room in (*others, *unused):
        assert not [name for name in loaded.names if name.startswith(f"dalenius.{room}")], room
    decoders = {name for name in loaded.names if ".decoders." in name}
    assert not {name for name in decoders if name.endswith((".lp", ".box", ".least_squares", ".posterior"))}
