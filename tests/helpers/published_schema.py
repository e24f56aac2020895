"""Fixtures for folders whose tests run commands: whatever they write as findings.json fits the schema."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from dalenius.auditing.schemas import findings_schema
from dalenius.findings.report import Report


@pytest.fixture(scope="session")
def schema() -> Draft202012Validator:
    return Draft202012Validator(findings_schema())


@pytest.fixture(autouse=True)
def every_report_fits_the_schema(schema: Draft202012Validator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a command writes as findings.json is held against the published schema."""
    write = Report.to_json

    def checked(self: Report) -> str:
        text = write(self)
        schema.validate(json.loads(text))
        return text

    monkeypatch.setattr(Report, "to_json", checked)
