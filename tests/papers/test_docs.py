"""The page about theorems lists what every statement takes; its examples run with those of all pages."""

import re
from pathlib import Path

from dalenius.papers.registry import HEADINGS, statement

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "theorems.md").read_text(encoding="utf-8")


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
