"""Figures of the house itself: how large, how many shapes, how much is loaded.

    python -m validation.house            # as a table
    python -m validation.house --names    # with what was counted

Counted over syntax trees, and the modules in a fresh interpreter, so that two commits can be compared.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dalenius"
MOST_PARAMETERS = 7
"""Of a function; one that needs more takes a frozen object with what belongs together.

`dalenius.audit` is the exception: its parameters are what people write in a notebook, each by name. Compiled
kernels are counted apart: they take arrays and numbers as they are. Taking an object apart costs microseconds
a call, where the smallest blocks of people are attacked in ten, and each shape of object is compiled anew.
"""

MOST_LINES = 400
"""Of a module: a longer one holds several things."""

SIGNATURE = re.compile(r"def \w+\((.*?)\)(?: ->[^\n]*)?:", re.DOTALL)
DECIDING = ("verdict", "outcome", "decision")

PLAN = """\
[data]
path = "people.csv"
[schema]
id = "id"
secret = "ill"
[[release]]
name = "tables"
statistics = ["tables:k=2"]
mechanism = "rounding:base=5"
"""

AUDIT = """
import contextlib, io, sys
from dalenius.cli.main import run
sys.argv = ["dalenius", "audit", "audit.toml"]
try:
    with contextlib.redirect_stdout(io.StringIO()):
        run()
except SystemExit as end:
    assert end.code in (0, 1), end.code  # a verdict, not bad input
print(*sorted(name for name in sys.modules if name.split(".")[0] == "dalenius"))
"""


@dataclass(frozen=True)
class Figure:
    """One row: what is counted, how many, and which."""

    what: str
    count: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Module:
    """One file of the package."""

    path: Path
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        """Its text, parsed when first looked at."""
        return ast.parse(self.text)

    @property
    def name(self) -> str:
        """The path from the package on, without its ending."""
        return str(self.path.relative_to(PACKAGE).with_suffix(""))

    def classes(self) -> Iterator[ast.ClassDef]:
        """Every class of the file."""
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef))

    def functions(self) -> Iterator[ast.FunctionDef]:
        """Every function and method of the file."""
        return (node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef))


def read_modules() -> list[Module]:
    """Every file of the package."""
    return [Module(path, path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))]


def sizes(modules: list[Module]) -> list[Figure]:
    """Lines, modules, and the folder with the most files."""
    folders = Counter(str(m.path.parent.relative_to(PACKAGE.parent)) for m in modules)
    folder, files = folders.most_common(1)[0]
    lines = sum(m.text.count("\n") for m in modules)
    wide = tuple(f"{name} {count}" for name, count in folders.most_common() if count > 12)
    return [
        Figure("lines", lines),
        Figure("modules", len(modules)),
        Figure(f"files in the largest folder ({folder})", files),
        Figure("folders of more than 12 files", len(wide), wide),
    ]


def public_names(modules: list[Module]) -> Figure:
    """Names that the package gives at the top: the keys of the lazy table."""
    top = next(m for m in modules if m.path == PACKAGE / "__init__.py")
    for node in top.tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            names = tuple(key.value for key in node.value.keys if isinstance(key, ast.Constant))
            return Figure("public names", len(names), tuple(map(str, names)))
    raise LookupError("the package no longer has a table of lazy names: count its __all__ instead")


def json_shapes(modules: list[Module]) -> Figure:
    """Classes that are written as a document of their own: they carry or write a version."""
    found = []
    for module in modules:
        for one in module.classes():
            text = ast.get_source_segment(module.text, one) or ""
            if "schema_version" in text or "dalenius_version" in text:
                found.append(f"{module.name}.{one.name}")
    return Figure("JSON shapes (classes written with a version)", len(found), tuple(found))


def literals(node: ast.AST) -> set[str]:
    """The words inside every Literal[...] below a node."""
    words: set[str] = set()
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript) and ast.unparse(part.value).endswith("Literal"):
            words |= {
                c.value
                for c in ast.walk(part.slice)
                if isinstance(c, ast.Constant) and isinstance(c.value, str)
            }
    return words


def verdict_words(modules: list[Module]) -> Figure:
    """Words that a type or field called verdict, outcome or decision may hold."""
    words: set[str] = set()
    for module in (one for one in modules if "Literal[" in one.text):
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if any(word in ast.unparse(t).lower() for t in targets for word in DECIDING):
                    words |= literals(node)
    return Figure("verdict words", len(words), tuple(sorted(words)))


def long_modules(modules: list[Module]) -> Figure:
    """Modules that hold more than one thing, by their length."""
    found = [(m.text.count("\n"), m.name) for m in modules if m.text.count("\n") > MOST_LINES]
    names = tuple(f"{name} {lines}" for lines, name in sorted(found, reverse=True))
    return Figure(f"modules of more than {MOST_LINES} lines", len(found), names)


def many_parameters(modules: list[Module]) -> list[Figure]:
    """Functions with more parameters than anybody keeps apart; those that are compiled counted apart."""
    plain, compiled = list[str](), list[str]()
    for module in modules:
        if not any(said.count(",") >= MOST_PARAMETERS for said in SIGNATURE.findall(module.text)):
            continue  # reading the trees of all files takes five seconds
        for one in module.functions():
            said = one.args
            count = len(said.posonlyargs) + len(said.args) + len(said.kwonlyargs)
            count -= bool(said.args and said.args[0].arg in ("self", "cls"))
            if count > MOST_PARAMETERS:
                made_here = "kernel" in map(ast.unparse, one.decorator_list)
                (compiled if made_here else plain).append(f"{module.name}.{one.name} {count}")
    what = f"with more than {MOST_PARAMETERS} parameters"
    return [
        Figure(f"functions {what}", len(plain), tuple(plain)),
        Figure(f"compiled kernels {what}", len(compiled), tuple(compiled)),
    ]


def shared_class_names(modules: list[Module]) -> Figure:
    """Class names that stand for several things."""
    homes = defaultdict(list)
    for module in modules:
        for one in module.classes():
            homes[one.name].append(module.name)
    twice = tuple(f"{name}: {', '.join(where)}" for name, where in sorted(homes.items()) if len(where) > 1)
    return Figure("class names that stand for several classes", len(twice), twice)


def loaded_by_an_audit() -> Figure:
    """Modules of the package that a command auditing one table has loaded at its end."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [f"p{i:02},{'fm'[i % 2]},{'abc'[i % 3]},{'yes' if i % 5 < 2 else 'no'}" for i in range(60)]
        Path(folder, "people.csv").write_text("\n".join(["id,sex,town,ill", *rows]) + "\n")
        Path(folder, "audit.toml").write_text(PLAN)
        path = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
        run = [sys.executable, "-W", "ignore", "-c", AUDIT]
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(run, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    names = tuple(done.stdout.split())
    return Figure("modules loaded by an audit of tables", len(names), names)


def figures() -> list[Figure]:
    """All figures, in the order of the table."""
    modules = read_modules()
    return [
        *sizes(modules),
        long_modules(modules),
        public_names(modules),
        json_shapes(modules),
        verdict_words(modules),
        loaded_by_an_audit(),
        *many_parameters(modules),
        shared_class_names(modules),
    ]


def main() -> None:
    """Print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--names", action="store_true", help="also print what was counted")
    options = parser.parse_args()
    for figure in figures():
        print(f"| {figure.what} | {figure.count:,} |")
        if options.names:
            for name in figure.names:
                print(f"    {name}")


if __name__ == "__main__":
    main()
