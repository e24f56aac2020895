"""Read a report back from its file, every finding in the shape of its family."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dalenius.auditing import families
from dalenius.auditing.schemas import described
from dalenius.errors import InputError
from dalenius.findings.measure import SCHEMA_VERSION
from dalenius.findings.report import Report

AGAIN = "Give the findings.json that an audit or another command has written."


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


def read_findings(path: Path) -> Report:
    """Read a ``findings.json`` from its file.

    Raises
    ------
    InputError
        If it is no such file, or one of another version; it quotes nothing from it.
    """
    rule = "must be findings that dalenius wrote"
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        got = (error.strerror or "nothing that can be read").lower()
        raise InputError(str(path), "must be a file that can be read", got, AGAIN) from None
    except (ValueError, RecursionError):
        raise InputError(str(path), rule, "no JSON", AGAIN) from None
    if not isinstance(plain, dict) or not isinstance(plain.get("findings"), list):
        raise InputError(str(path), rule, "JSON of another kind", AGAIN)
    if plain.get("schema_version") != SCHEMA_VERSION:
        raise InputError(
            str(path),
            f"must have schema_version {SCHEMA_VERSION}",
            "another version",
            "Run the audit again with this version of dalenius.",
        )
    try:
        return read_report(json.dumps(plain))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(str(path), rule, f"{first['msg'].lower()} at {place}", AGAIN) from None
    except (KeyError, TypeError, AttributeError):
        raise InputError(str(path), rule, "a finding of another shape", AGAIN) from None


def findings_schema() -> dict[str, Any]:
    """Return the JSON Schema of ``findings.json``, with the shape of every family's findings.

    Examples
    --------
    >>> sorted(findings_schema()["properties"])[:3]
    ['command', 'dalenius_version', 'data']
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
    return described(schema, f"urn:dalenius:findings:{SCHEMA_VERSION}", "dalenius findings (findings.json)")
