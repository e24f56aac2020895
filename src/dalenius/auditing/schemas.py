"""The shapes of ``audit.toml`` and ``findings.json`` as JSON Schema, and words for their fields.

Words for fields of plans and findings that their shapes do not describe themselves.

The shapes of ``audit.toml`` and ``findings.json`` as JSON Schema, with words for every field.
"""

from __future__ import annotations

import re
from typing import Any

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
    "ignored": "Columns that are left out.",
    "bins": "Cut points of numeric columns, each bin with its left end.",
    "levels": "All values that columns can take.",
    "merged": "Words of columns that are read as one, by what that one is called.",
    "missing": "Whether a missing value is refused or a value of its own.",
    "reference": "Other people, whose secrets the attacker knows.",
    "population": "Everybody, from whom the people come.",
    "roster": "Whether the attacker knows who is in the data; if not, tables are asked for whole records.",
    "holdout": "Other people of the same kind, who are not in the data.",
    "prior": "Who is related to whom, and how often they agree.",
    "statistics": "What is published, such as tables:k=2.",
    "mechanism": "What is done to it before it is published, such as rounding:base=5.",
    "date": "Of when it is, if it is older than the data.",
    "fixed": "It is out already: attacked along with the others, never changed.",
    "quasi": "The columns that were made coarser.",
    "hierarchies": "Files that say how values of a column were made coarser.",
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
