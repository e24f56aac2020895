"""Read a report back from its file, every finding in the shape of its family."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter

from dalenius.auditing import families
from dalenius.findings.report import Report


def read_report(text: str) -> Report:
    """Read what ``Report.to_json`` wrote.

    Examples
    --------
    >>> from dalenius.auditing.decide import conclude
    >>> from dalenius.findings.policy import Policy
    >>> from dalenius.findings.report import Data
    >>> data = Data(source="people.csv", people=3, public=("age",), secret="ill")
    >>> read_report(conclude([], Policy(), data=data, seed=1).to_json()).verdict
    'undecided'
    """
    plain = json.loads(text)
    found = [families.family_of(each["goal"]).finding.model_validate(each) for each in plain["findings"]]
    return Report.model_validate(plain | {"findings": found})


def findings_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``findings.json``, with the shape of every family's findings.

    Examples
    --------
    >>> sorted(findings_schema()["properties"])[:3]
    ['dalenius_version', 'data', 'findings']
    """
    schema = Report.model_json_schema(mode="serialization")
    shapes = {}
    for goal in families.FAMILIES:
        made = TypeAdapter(families.family_of(goal).finding).json_schema(
            mode="serialization", ref_template="#/$defs/{model}"
        )
        schema["$defs"] |= made.pop("$defs", {})
        schema["$defs"][made["title"]] = made
        shapes[goal] = {"$ref": f"#/$defs/{made['title']}"}
    schema["properties"]["findings"]["items"] = {"oneOf": list(shapes.values())}
    return schema
