"""The shapes of ``audit.toml`` and ``findings.json`` as JSON Schema, with words for every field."""

from __future__ import annotations

import re
from typing import Any

from dalenius.auditing.field_words import WORDS

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
