"""No parameter of an attack can carry a dataset, and a release carries nothing but what is published."""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import inspect
import pkgutil
import typing
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from dalenius.auditing import families
from dalenius.knowledge.view import View
from dalenius.people.dataset import Dataset, read
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows, SealedTraits
from dalenius.people.traits.traits import Traits
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.choose import DECODERS
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.simulated import Shift
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.release.files import read_release, write_release
from dalenius.release.publish import publish
from dalenius.release.release import Release

TRUTH = (
    "dalenius.people.dataset",
    "dalenius.people.sealed",
    "dalenius.people.truth",
    "dalenius.people.engine",
    "dalenius.people.opening",
    "dalenius.reconstruction.referee",
    "dalenius.tracing.referee",
    "dalenius.singling_out.referee",
    "dalenius.inference.referee",
    "ibis",
    "duckdb",
)


@functools.cache
def imported_for_types(module: str) -> dict[str, object]:
    """What a module imports for its type hints alone: loaded here, so that the hints can be read."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    only = [
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    imports = [node for block in only for node in block.body if isinstance(node, ast.ImportFrom)]
    return {
        name.asname or name.name: getattr(importlib.import_module(str(node.module)), name.name)
        for node in imports
        for name in node.names
    }


def hints_of(thing: typing.Any) -> dict[str, typing.Any]:
    return typing.get_type_hints(thing, localns=imported_for_types(thing.__module__))


def types_in(hint: object, seen: set[object]) -> set[type]:
    """Every class that a type hint names, and through the fields of dataclasses every one behind them."""
    if hint in seen:
        return set()
    seen.add(hint)
    found: set[type] = set()
    for part in typing.get_args(hint):
        if not isinstance(part, list):
            found |= types_in(part, seen)
    if isinstance(hint, type):
        found.add(hint)
        if dataclasses.is_dataclass(hint):
            for field in hints_of(hint).values():
                found |= types_in(field, seen)
    return found


def reaches_truth(function: typing.Any) -> list[str]:
    hints = hints_of(function)
    found = set().union(*(types_in(hint, set()) for hint in hints.values()), set())
    return [t.__qualname__ for t in found if t.__module__.startswith(TRUTH)]


def functions_of_attacks() -> list[typing.Any]:
    functions = []
    for family in (goal.replace("-", "_") for goal in families.FAMILIES):
        package = importlib.import_module(f"dalenius.{family}.attack")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            loaded = importlib.import_module(module.name)
            for _, found in inspect.getmembers(loaded, inspect.isfunction):
                if found.__module__ == module.name:
                    functions.append(found)
    return functions


def test_no_parameter_of_any_attack_can_carry_a_dataset():
    functions = functions_of_attacks()
    assert reconstruct in functions
    for function in functions:
        assert reaches_truth(function) == [], function.__qualname__


def test_a_parameter_that_could_is_noticed():
    @dataclasses.dataclass
    class Box:
        inside: tuple[Dataset, ...]

    def honest(view: View, rng: np.random.Generator) -> None: ...
    def greedy(view: View, data: Dataset | None) -> None: ...

    def sly(box: list[Box]) -> None: ...
    def nosy(rows: Rows, original: SealedRows) -> None: ...
    def hungry(members: Traits | SealedTraits) -> None: ...

    sly.__annotations__ = {"box": list[Box]}
    Box.__annotations__ = {"inside": tuple[Dataset, ...]}
    assert reaches_truth(honest) == []
    assert reaches_truth(greedy) == ["Dataset"]
    assert reaches_truth(sly) == ["Dataset"]
    assert reaches_truth(nosy) == ["SealedRows"]
    assert reaches_truth(hungry) == ["SealedTraits"]


def test_the_attack_takes_a_view_and_plain_options():
    parameters = inspect.signature(reconstruct).parameters
    assert list(parameters) == ["view", "decoder", "budget", "rng", "progress", "announce", "calibrated"]
    hints = hints_of(reconstruct)
    assert hints["budget"] == ComputeBudget | None
    assert typing.get_type_hints(ComputeBudget) == {"seconds": float, "bytes": float}
    assert hints["announce"] == Callable[[str], None]
    assert hints["calibrated"] == bool | Shift
    assert typing.get_type_hints(Shift) == {"by": NDArray[np.float64], "by_chains": bool}
    assert hints["view"] is View
    assert hints["decoder"] is str
    assert hints["rng"] is np.random.Generator
    with pytest.raises(TypeError):
        reconstruct(None, people=None)
    for decoder in DECODERS.values():
        assert list(inspect.signature(decoder).parameters) == ["system", "rng", "progress"]
        assert typing.get_type_hints(decoder)["system"] is LinearSystem


def arrays_in(value: object) -> list[np.ndarray]:
    """Every array that can be reached from a release through fields, containers and bases."""
    found, queue, seen = [], [value], set()
    while queue:
        item = queue.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, np.ndarray):
            found.append(item)
            queue.append(item.base)
        elif isinstance(item, dict):
            queue.extend(item.values())
        elif isinstance(item, list | tuple | set | frozenset):
            queue.extend(item)
        elif hasattr(item, "__dict__") and not isinstance(item, type):
            queue.extend(vars(item).values())
    return found


def people_with_secrets() -> tuple[pa.Table, np.ndarray]:
    rng = np.random.default_rng(4)
    secrets = rng.integers(0, 2, 60)
    columns = {
        "id": [f"p{i}" for i in range(60)],
        "sex": [str(x) for x in rng.choice(["f", "m"], 60)],
        "town": [str(x) for x in rng.choice(["a", "b", "c"], 60)],
        "ill": ["yes" if s else "no" for s in secrets],
    }
    return pa.table(columns), secrets


ASKED = ["tables:k=2", "random-subsets:m=40", "hadamard"]


@pytest.fixture(scope="module")
def made() -> tuple[Release, Release, np.ndarray]:
    """The exact answers and what is published of them."""
    table, secrets = people_with_secrets()
    with read(table, secret="ill", id="id") as dataset:
        exact = publish(dataset, ASKED, "exact", rng=np.random.default_rng(1))
        rounded = publish(dataset, ASKED, "rounding:base=5", rng=np.random.default_rng(1))
    return exact, rounded, secrets


def test_published_numbers_own_their_memory(made, tmp_path: Path):
    """A view into the exact counts would carry them along."""
    _, rounded, _ = made
    write_release(rounded, tmp_path / "release")
    back = read_release(tmp_path / "release")
    for release in (rounded, back):
        for block in release.blocks:
            assert block.answers.base is None
            assert block.answers.flags.owndata
    assert all(
        np.array_equal(a.answers, b.answers, equal_nan=True)
        for a, b in zip(rounded.blocks, back.blocks, strict=True)
    )


def test_neither_secrets_nor_exact_answers_hang_on_a_release(made, tmp_path: Path):
    exact, rounded, secrets = made
    write_release(rounded, tmp_path / "release")
    hidden = [secrets.astype(float), *(block.answers.ravel() for block in exact.blocks)]
    for release in (rounded, read_release(tmp_path / "release")):
        reachable = [a for a in arrays_in(release) if a.dtype.kind in "iufb"]
        assert reachable
        for held in reachable:
            flat = held.ravel().astype(float)
            for secret in hidden:
                assert flat.size != secret.size or not np.array_equal(flat, secret)
    # the walk does find what it looks for
    assert any(a.size == hidden[1].size and np.array_equal(a.ravel(), hidden[1]) for a in arrays_in(exact))


def test_a_view_of_the_exact_answers_is_noticed(made):
    exact, _, _ = made
    block = exact.blocks[0]
    sliced = dataclasses.replace(block, answers=np.concatenate([block.answers] * 2)[: len(block.answers)])
    assert sliced.answers.base is not None
    reachable = arrays_in(dataclasses.replace(exact, blocks=(sliced,)))
    assert any(a.size == 2 * block.answers.size for a in reachable)


def test_attack_and_noise_draw_from_separate_roots():
    """A spawned generator carries its parent's entropy; streams have nothing in common that one could see."""
    noise, attack = stream(1, "noise", "release"), stream(1, "attack", "release")
    assert noise.bit_generator.seed_seq.entropy != attack.bit_generator.seed_seq.entropy
    assert noise.bit_generator.seed_seq.spawn_key == attack.bit_generator.seed_seq.spawn_key == ()
    drawn, replayed = noise.normal(size=200), attack.normal(size=200)
    assert abs(np.corrcoef(drawn, replayed)[0, 1]) < 0.3
    assert np.array_equal(stream(1, "noise", "release").normal(size=200), drawn)
