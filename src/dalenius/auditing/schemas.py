"""Reports and plans as JSON: read back in the shape of their family, and schemas with words for fields."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from dalenius.auditing import families
from dalenius.errors import InputError
from dalenius.findings.measure import SCHEMA_VERSION
from dalenius.findings.report import Report

WORDS = {
    "name": "What it is called; files are named after it.",
    "kind": "What kind it is.",
    "path": "The file or folder, relative to the plan.",
    "url": "Address of a database; env:NAME takes it from that environment variable.",
    "table": "Table of a database, or sheet of a workbook.",
    "example": "A data set that comes with dalenius, instead of a file.",
    "secret": "The column an attacker must not learn.",
    "id": "The column that names people.",
    "public": "The columns an attacker may know.",
    "ignored": "Columns that are left out, unless rows that are released have them.",
    "bins": "Cut points of numeric columns, each bin with its left end.",
    "levels": "All values that columns can take.",
    "split": "The public column, such as a block, by which people are attacked part by part.",
    "merged": "Words of columns that are read as one, by what that one is called.",
    "missing": "Whether a missing value is refused or a value of its own.",
    "reference": "Other people, whose secrets the attacker knows.",
    "population": "Everybody, from whom the people come.",
    "roster": "Whether the attacker knows who is in the data (if not, tables are asked for whole records); "
    "in [data], whether people are told one by one or by record.",
    "holdout": "Other people of the same kind, who are not in the data.",
    "prior": "Who is related to whom, and how often they agree.",
    "statistics": "What is published, such as tables:k=2.",
    "mechanism": "What is done to it before it is published, such as rounding:base=5.",
    "date": "Of when it is, if it is older than the data.",
    "fixed": "It is out already: attacked along with the others, never changed.",
    "quasi": "The columns that were made coarser.",
    "hierarchies": "Files that say how values of a column were made coarser.",
    "count": "The column that says for how many people a released row stands.",
    "queries": "How many counts others may choose.",
    "trials": "How often it was tried.",
    "hits": "How often it was right.",
    "limit": "The weight limit that a pass must be about.",
    "memory": "How much memory the counting may use.",
    "seconds": "How long one attack may be predicted to take.",
    "resamples": "On how many samples of the people a pass is tried again.",
    "seed": "What the randomness starts from: the same seed gives the same findings.",
    "data": "Where the people are, or what was audited.",
    "schema": "What the columns are.",
    "release": "What is published, or what the release is called.",
    "knowledge": "What the attacker has besides the release.",
    "policy": "What is tolerated.",
    "budget": "What the audit may use.",
    "rate": "Hits as a share of trials.",
    "value": "The value itself.",
    "low": "Lower end of the interval.",
    "high": "Upper end of the interval.",
    "method": "How the interval was made.",
    "people": "How many people.",
    "numbers": "How many numbers are published.",
    "promise": "What the mechanism promises, such as an epsilon; null: nothing.",
    "attack_method": "Which attack was run.",
    "bound": "What a theorem says about this release; null: nothing.",
    "severity": "How grave it is.",
    "severity_reason": "Why it is as grave.",
    "sentence": "The finding in a sentence.",
    "notes": "What the attack has to say besides.",
    "warnings": "What a reader must know before believing it.",
    "assumptions": "What the finding rests on.",
    "details": "What only this family can say.",
    "reason": "Why.",
    "reasons": "Why, one sentence for each rule that decides.",
    "rule": "The rule of the policy, or what every pass needs besides.",
    "rules": "What every rule says; or, in a policy, the purpose that sets what is not given.",
    "verdict": "pass, stop or undecided.",
    "verdicts": "What the policy says of every release.",
    "findings": "What each attack got out of each release.",
    "command": "What was typed, without folders and without where results go; null if nothing was.",
    "not_run": "Attacks that could not be run, and why.",
    "schema_version": "The version of this shape.",
    "dalenius_version": "Which dalenius wrote it.",
    "source": "Where the people come from; no password.",
    "text": "The same in words.",
    "statement": "Which theorem.",
}
"""By the name of the field."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def plan_schema() -> dict[str, Any]:
    """Return the JSON Schema of a plan, for editors and for those who write plans by program.

    Examples
    --------
    >>> schema = plan_schema()
    >>> schema["$id"], sorted(schema["properties"])[:3]
    ('urn:dalenius:plan:1', ['budget', 'data', 'knowledge'])
    """
    from dalenius.auditing.plan import Plan

    return described(
        Plan.model_json_schema(by_alias=True), "urn:dalenius:plan:1", "dalenius plan (audit.toml)"
    )


def described(schema: dict[str, Any], id: str, title: str) -> dict[str, Any]:
    """Name a schema, and give every field words: its own, or what the text of its shape says of it."""
    for shape in (schema, *schema.get("$defs", {}).values()):
        text = shape.get("description", "")
        for name, field in shape.get("properties", {}).items():
            field.setdefault("description", _words(name, text, shape.get("title", "")))
    return {"$schema": DIALECT, "$id": id, **schema, "title": title}


def _words(name: str, text: str, shape: str) -> str:
    """The sentence that speaks of a field; where none does, its name in words and what it is a part of.

    Examples
    --------
    >>> _words("held", "People known. ``held`` are those that the attack holds.", "Known")
    'held are those that the attack holds.'
    >>> _words("by_luck", "", "Known")
    'By luck, of Known.'
    """
    flat = " ".join(text.split())
    for sentence in re.split(r"(?<=[.:])\s+(?=``|[A-Z])", flat):
        if f"``{name}``" in sentence:
            return sentence.replace("``", "")
    if name in WORDS:
        return WORDS[name]
    return f"{name.replace('_', ' ').capitalize()}, of {shape}."


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
    found = [families.read_as_found(each["goal"], each) for each in plain["findings"]]
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
