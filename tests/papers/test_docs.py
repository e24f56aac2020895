"""The page about theorems says what the command does."""

import doctest
import re
from pathlib import Path

from typer.testing import CliRunner

from dalenius.cli.main import app
from dalenius.papers.registry import HEADINGS, statement

PAGE = (Path(__file__).parents[2] / "docs" / "theorems.md").read_text(encoding="utf-8")


def test_the_example_is_what_is_printed() -> None:
    found = re.search(r"```text\n\$ dalenius (.*)\n([\s\S]*?)```", PAGE)
    assert found
    result = CliRunner().invoke(app, found[1].split())
    assert result.stdout == found[2]


def test_every_parameter_and_default_is_there() -> None:
    for id in HEADINGS:
        experiment = statement(id)
        (line,) = re.findall(
            rf"^\| `{re.escape(id)}` \| (?:Claim|Theorem|Definition|Proposition|Remark|Lemma|Example).*$",
            PAGE,
            re.MULTILINE,
        )
        for parameter in experiment.parameters:
            default = f"`--{parameter.name}` {parameter.default:g}" + (" n" if parameter.per_person else "")
            assert default in line
        assert f"`--runs` {experiment.runs}" in line


def test_the_numbers_are_those_of_the_theory() -> None:
    (block,) = re.findall(r"```python\n([\s\S]*?)```", PAGE)
    test = doctest.DocTestParser().get_doctest(block, {}, "theorems.md", None, None)
    assert len(test.examples) > 8
    assert doctest.DocTestRunner().run(test).failed == 0
