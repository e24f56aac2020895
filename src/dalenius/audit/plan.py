"""The plan of an audit: what ``audit.toml`` says, checked whole before any data is opened."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from dalenius.errors import InputError, nearest
from dalenius.findings.policy import Policy
from dalenius.mechanisms.means import parse_means
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.records.files import check_exists
from dalenius.statistics.ask import check
from dalenius.statistics.means import check_means, is_means


def _checked(read: Callable[[str], object]) -> AfterValidator:
    """Let the reader of a grammar judge a text, and keep the text."""

    def validate(text: str) -> str:
        try:
            read(text)
        except InputError as error:
            raise ValueError(str(error)) from None
        return text

    return AfterValidator(validate)


def _check_statistic(text: str) -> object:
    return check_means(text) if is_means(text) else check(text)


StatisticText = Annotated[str, _checked(_check_statistic)]
Name = Annotated[str, Field(pattern=r"^[\w][\w .-]*$", max_length=60)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DataPlan(_Part):
    """``[data]``: where the people are."""

    path: Path | None = None
    url: str | None = None
    table: str | None = None
    example: str | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if [self.path, self.url, self.example].count(None) != 2:
            raise ValueError("must have exactly one of path, url and example")
        if self.url is not None and self.table is None:
            raise ValueError("must have a table beside its url")
        return self


class SchemaPlan(_Part):
    """``[schema]``: what the columns are."""

    secret: str | None = None
    id: str | None = None
    public: list[str] | None = None
    ignored: list[str] = []
    bins: dict[str, list[float]] = {}
    missing: Literal["refuse", "value"] = "refuse"


class ReleasePlan(_Part):
    """``[[release]]``: what is to be published, or where it was published."""

    name: Name
    statistics: list[StatisticText] = []
    mechanism: str | None = None
    path: Path | None = None

    @field_validator("statistics")
    @classmethod
    def _means_alone(cls, texts: list[str]) -> list[str]:
        if len(texts) > 1 and any(is_means(text) for text in texts):
            raise ValueError("must be one alone if it is means or frequencies: make two releases")
        return texts

    @field_validator("mechanism")
    @classmethod
    def _mechanism_fits(cls, text: str | None, info: ValidationInfo) -> str | None:
        means = any(is_means(asked) for asked in info.data.get("statistics", ()))
        try:
            if text is not None:
                (parse_means if means else parse_mechanism)(text)
        except InputError as error:
            raise ValueError(str(error)) from None
        return text

    @model_validator(mode="after")
    def _planned_or_published(self) -> Self:
        planned = bool(self.statistics) and self.mechanism is not None
        told = bool(self.statistics) or self.mechanism is not None
        if self.path is None and not planned:
            raise ValueError("must have statistics and a mechanism, or the path of a published release")
        if self.path is not None and told:
            raise ValueError("must have either a path or statistics and a mechanism, not both")
        return self


class KnowledgePlan(_Part):
    """``[knowledge]``: what the attacker has besides the release."""

    public: list[str] | None = None
    reference: Path | None = None


class BudgetPlan(_Part):
    """``[budget]``: what the audit may use."""

    memory: str = "2GB"
    seconds: float = Field(default=120.0, gt=0)


class Plan(_Part):
    """A whole ``audit.toml``."""

    data: DataPlan
    columns: SchemaPlan = Field(default=SchemaPlan(), alias="schema")
    release: list[ReleasePlan] = Field(min_length=1)
    knowledge: KnowledgePlan = KnowledgePlan()
    policy: Policy = Policy()
    budget: BudgetPlan = BudgetPlan()
    seed: int = Field(default=1, ge=0)


_TABLES: dict[str, type[BaseModel]] = {
    "data": DataPlan,
    "schema": SchemaPlan,
    "release": ReleasePlan,
    "knowledge": KnowledgePlan,
    "policy": Policy,
    "budget": BudgetPlan,
}


def read_plan(path: str | Path) -> Plan:
    """Read an ``audit.toml``; paths in it are relative to its folder.

    Raises
    ------
    InputError
        With all problems of the plan at once, each with its place.
    """
    path = Path(path)
    check_exists(path)
    try:
        text = path.read_text(encoding="utf-8")
        raw = tomllib.loads(text)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(str(path), "must be TOML", str(error)) from None
    return check_plan(raw, path.parent, str(path))


def check_plan(raw: dict[str, Any], folder: Path, name: str = "plan") -> Plan:
    """Make a plan of plain values, or name everything that is wrong with them.

    Examples
    --------
    >>> check_plan({"data": {"example": "fair"}, "release": [
    ...     {"name": "a", "statistics": ["tables:k=2"], "mechanism": "roundin:base=5"}]}, Path("."))
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: plan must be a plan that can be run; got 1 problem.
      release[0].mechanism: mechanism 'roundin' must be one it knows; ... Did you mean 'rounding'?
    """
    raw = _beside(raw, folder)
    problems: list[str] = []
    plan = None
    try:
        plan = Plan.model_validate(raw)
    except ValidationError as error:
        problems += [_explain(one) for one in error.errors()]
    problems += _check_together(raw)
    if problems or plan is None:
        many = f"{len(problems)} problem{'s' * (len(problems) > 1)}"
        raise InputError(name, "must be a plan that can be run", many, "\n  " + "\n  ".join(problems))
    return plan


def _beside(value: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Make the paths of a plan relative to its folder; what has the wrong type is left to the checks."""
    plan = dict(value)
    for table, key in (("data", "path"), ("knowledge", "reference")):
        if isinstance(plan.get(table), dict) and isinstance(plan[table].get(key), str):
            plan[table] = plan[table] | {key: str(folder / plan[table][key])}
    if isinstance(plan.get("release"), list):
        plan["release"] = [_release_beside(r, folder) if isinstance(r, dict) else r for r in plan["release"]]
    return plan


def _release_beside(release: dict[str, Any], folder: Path) -> dict[str, Any]:
    release = dict(release)
    if isinstance(release.get("path"), str):
        release["path"] = str(folder / release["path"])
    if isinstance(release.get("statistics"), list):
        release["statistics"] = [
            f"queries:path={folder / text.removeprefix('queries:path=')}"
            if isinstance(text, str) and text.startswith("queries:path=")
            else text
            for text in release["statistics"]
        ]
    return release


def _check_together(raw: dict[str, Any]) -> Iterator[str]:
    """Check what no single table shows: missing files, names used twice, a secret that nobody named."""
    data, schema = raw.get("data"), raw.get("schema", {})
    knowledge, releases = raw.get("knowledge", {}), raw.get("release", [])
    means = [_of_means(release) for release in releases] if isinstance(releases, list) else []
    if isinstance(data, dict) and isinstance(schema, dict):
        if "example" not in data and "secret" not in schema and not (means and all(means)):
            yield "schema.secret: must name the column an attacker must not learn"
        yield from _missing_file("data.path", data.get("path"))
    if isinstance(knowledge, dict):
        yield from _missing_file("knowledge.reference", knowledge.get("reference"))
        if any(means) and "reference" not in knowledge:
            yield "knowledge.reference: must name other people, whom a release of means is compared with"
    seen: set[str] = set()
    for j, release in enumerate(r for r in releases if isinstance(r, dict)):
        name = str(release.get("name"))
        if name.casefold() in seen:
            yield f"release[{j}].name: must differ between releases; got {name!r} twice"
        seen.add(name.casefold())
        for text in release.get("statistics", []):
            if isinstance(text, str) and text.startswith("queries:path="):
                yield from _missing_file(f"release[{j}].statistics", text.removeprefix("queries:path="))


def _of_means(release: Any) -> bool:
    asked = release.get("statistics") if isinstance(release, dict) else None
    return isinstance(asked, list) and any(isinstance(text, str) and is_means(text) for text in asked)


def _missing_file(place: str, path: Any) -> Iterator[str]:
    if isinstance(path, str):
        try:
            check_exists(Path(path))
        except InputError as error:
            yield f"{place}: {error}"


def _explain(error: Any) -> str:
    """One problem as a line: its place, what is wrong, and for an unknown key the nearest known one."""
    parts = error["loc"]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        model = _TABLES[str(parts[0])] if len(parts) > 1 else Plan
        known = [field.alias or name for name, field in model.model_fields.items()]
        message = f"is not a known key. {nearest(str(parts[-1]), known)}"
    elif error["type"] == "missing":
        message = "must be given"
    elif error["type"] != "value_error":
        message = f"{message[:1].lower()}{message[1:]}; got {error['input']!r}"
    return f"{place}: {message}"
