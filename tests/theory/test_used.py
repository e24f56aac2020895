"""Every function of the theory is reached: by the product, by the statement of a paper, or from a page."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import dalenius

ROOT = Path(dalenius.__file__).parent
PAGE = ROOT.parents[1] / "docs" / "explanation" / "theorems.md"


def names_used(tree: ast.AST) -> Iterator[str]:
    """Names that are read, attributes and imports; not what docstrings mention."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def test_every_function_is_used() -> None:
    home = ROOT / "theory"
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in home.rglob("*.py")}
    functions = {
        node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.FunctionDef)
    }
    assert len(functions) > 150
    for path in ROOT.rglob("*.py"):
        if path.name == "__init__.py":  # a name that is only handed on is not used
            continue
        text = path.read_text(encoding="utf-8")
        if home in path.parents or "dalenius.theory" in text:  # nobody else can have one
            functions -= set(names_used(trees.get(path) or ast.parse(text)))
    shown = re.findall(r"^>>> .*", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    functions -= set(re.findall(r"\w+", " ".join(shown)))  # the page's examples are run
    assert functions == set()
