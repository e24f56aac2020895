"""The plan of an audit: what ``audit.toml`` says, checked whole before any data is opened."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from dalenius.auditing.plan_parts import (
    PRIOR_FILES,
    BudgetPlan,
    DataPlan,
    KnowledgePlan,
    PlanTable,
    PriorPlan,
    SchemaPlan,
    beside,
    missing_tables,
    prior_beside,
    tables_beside,
)
from dalenius.auditing.plan_releases import (
    BY_KIND,
    CLASSES,
    MEANS,
    SINGLING_OUT,
    STATISTICS,
    TABLES,
    AnyReleasePlan,
    ReleasePlan,
    kind_of,
)
from dalenius.errors import InputError, nearest
from dalenius.findings.policy import Policy
from dalenius.people.files.read_file import ARROW, CSV, DATABASE, PARQUET, STATISTICAL, XLSX
from dalenius.people.files.reading import read_toml
from dalenius.people.opening import check_place
from dalenius.statistics.parse import is_means


class Plan(PlanTable):
    """A whole ``audit.toml``."""

    data: DataPlan
    columns: SchemaPlan = Field(default=SchemaPlan(), alias="schema")
    release: list[AnyReleasePlan] = Field(min_length=1)
    knowledge: KnowledgePlan = KnowledgePlan()
    policy: Policy = Policy()
    budget: BudgetPlan = BudgetPlan()
    seed: int = Field(default=1, ge=0)

    @property
    def kinds(self) -> frozenset[str]:
        """What the plan has to ask about: the kinds of its releases, and ``prior`` if it names one.

        Rows that hold a secret are asked two things: whether somebody is singled out, and what follows about
        the secret of everybody. Without a roster the attacker does not know who is in the data: tables are
        then asked for records.
        """
        asked = {kind_of(release) for release in self.release}
        if not self.knowledge.roster:
            asked = {"records" if kind in (STATISTICS, TABLES) else kind for kind in asked}
        elif "anonymised-rows" in asked and self.columns.secret is not None:
            asked.add(CLASSES)
        return frozenset(asked | ({"prior"} if self.knowledge.prior is not None else set()))


KNOWN = ("reference", "population", "holdout")
"""The files of other people that ``[knowledge]`` may name."""

_TABLES: dict[str, type[BaseModel]] = {
    "data": DataPlan,
    "schema": SchemaPlan,
    "knowledge": KnowledgePlan,
    "knowledge.prior": PriorPlan,
    "policy": Policy,
    "budget": BudgetPlan,
}


ATTACKED_AS_ONE = {STATISTICS: "secrets", TABLES: "secrets", MEANS: "means", "amounts": "amounts"}
"""Kinds of release that are attacked together as well, by what they are asked."""

PEOPLE = tuple({*CSV, *PARQUET, *ARROW, *XLSX, *STATISTICAL, *DATABASE} - {".txt"})
"""Endings of files that hold people, not a plan about them."""


def read_plan(path: str | Path) -> Plan:
    """Read an ``audit.toml``; paths in it are relative to its folder.

    Raises
    ------
    InputError
        With all problems of the plan at once, each with its place.
    """
    path = Path(path)
    if path.name.lower().endswith(PEOPLE):
        raise InputError(
            str(path),
            "must be a plan in TOML",
            "a table of people",
            f"Write one first: dalenius init {path} --secret COLUMN",
        )
    if path.suffix.lower() == ".json":
        fix = "Findings are shown by dalenius report, and decided under other rules by dalenius decide."
        raise InputError(str(path), "must be a plan in TOML", "a file of JSON", fix)
    return check_plan(read_toml(path), path.parent, str(path))


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
        told = "\n  " + "\n  ".join(problems)
        raise InputError(name, "must be a plan that can be run", _many(problems), told)
    return plan


def check_policy(raw: dict[str, Any], name: str = "policy") -> Policy:
    """Make a policy of plain values, or name everything that is wrong with them.

    Examples
    --------
    >>> check_policy({"max_advantage": 5})
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: policy must be one that can be kept; got 1 problem.
      policy.max_advantage: must be a share from 0 to 1, where 0.05 is 5 points; got 5
    """
    try:
        return Policy.model_validate(raw)
    except ValidationError as error:
        problems = [_explain({**one, "loc": ("policy", *one["loc"])}) for one in error.errors()]
        raise InputError(
            name, "must be one that can be kept", _many(problems), "\n  " + "\n  ".join(problems)
        ) from None


def _many(problems: Sequence[str]) -> str:
    return f"{len(problems)} problem{'s' * (len(problems) > 1)}"


def _beside(value: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Make the paths of a plan relative to its folder; what has the wrong type is left to the checks."""
    plan = dict(value)
    for table, keys in (("data", ("path",)), ("schema", ("labels",)), ("knowledge", KNOWN)):
        if isinstance(plan.get(table), dict):
            files = {key: plan[table][key] for key in keys if isinstance(plan[table].get(key), str)}
            plan[table] = plan[table] | {key: beside(name, folder) for key, name in files.items()}
    if isinstance(plan.get("knowledge"), dict) and "prior" in plan["knowledge"]:
        prior = prior_beside(plan["knowledge"]["prior"], folder)
        plan["knowledge"] = plan["knowledge"] | {"prior": prior}
    if isinstance(plan.get("release"), list):
        plan["release"] = [_release_beside(r, folder) if isinstance(r, dict) else r for r in plan["release"]]
    return plan


def _release_beside(release: dict[str, Any], folder: Path) -> dict[str, Any]:
    release = tables_beside(release, folder) if "tables" in release else dict(release)
    if isinstance(release.get("path"), str):
        release["path"] = str(folder / release["path"])
    if isinstance(release.get("hierarchies"), dict):
        release["hierarchies"] = {
            column: str(folder / name) if isinstance(name, str) else name
            for column, name in release["hierarchies"].items()
        }
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
    releases = releases if isinstance(releases, list) else []
    means = [_of_means(release) for release in releases]
    kinds = [kind_of(release) for release in releases]
    unlisted = isinstance(knowledge, dict) and knowledge.get("roster") is False
    no_secret = [
        unlisted or mean or kind not in (STATISTICS, TABLES) for mean, kind in zip(means, kinds, strict=True)
    ]
    if isinstance(data, dict) and isinstance(schema, dict):
        if "example" not in data and "secret" not in schema and not (no_secret and all(no_secret)):
            yield "schema.secret: must name the column an attacker must not learn"
        if "released-rows" in kinds and "secret" not in schema:
            yield "schema.secret: must name the column that released rows must not tell"
        if schema.get("merged") and (unlisted or not {*kinds} <= {STATISTICS, TABLES, "amounts"}):
            yield "schema.merged: must be left out: only tables about a secret or an amount read words as one"
        yield from _check_split(schema, knowledge, kinds)
        yield from _missing_file("data.path", data.get("path"))
        yield from _missing_file("schema.labels", schema.get("labels"))
    if isinstance(knowledge, dict):
        for key in KNOWN:
            yield from _missing_file(f"knowledge.{key}", knowledge.get(key))
        prior = knowledge.get("prior")
        prior = prior if isinstance(prior, dict) else {}
        for key in PRIOR_FILES:
            yield from _missing_file(f"knowledge.prior.{key}", prior.get(key))
        if any(means) and "reference" not in knowledge:
            yield "knowledge.reference: must name other people, whom a release of means is compared with"
        if "released-rows" in kinds and "holdout" not in knowledge:
            yield "knowledge.holdout: must name other people, whom released rows are compared with"
        if "released-rows" not in kinds and {"population", "holdout"} <= knowledge.keys():
            yield "knowledge: must have either a population or a holdout, not both"
        if "counts" in kinds and "population" not in knowledge:
            yield "knowledge.population: must name everybody, from whom the people behind counts are drawn"
    seen: set[str] = set()
    for j, release in enumerate(r for r in releases if isinstance(r, dict)):
        name = str(release.get("name"))
        if name.casefold() in seen:
            yield f"release[{j}].name: must differ between releases; got {name!r} twice"
        seen.add(name.casefold())
        yield from _check_release(f"release[{j}]", release)
        yield from _check_alternative(f"release[{j}].alternative_to", release, releases)


def _check_alternative(place: str, release: dict[str, Any], releases: Sequence[Any]) -> Iterator[str]:
    """Check that one of two releases can be published instead of the other: both planned, one question."""
    named = release.get("alternative_to")
    if not isinstance(named, str):
        return
    others = {str(each["name"]): each for each in releases if isinstance(each, dict) and "name" in each}
    other = others.get(named)
    if other is None or other is release:
        names = [name for name, each in others.items() if each is not release]
        yield f"{place}: must be another release of the plan; got {named!r}. {nearest(named, names)}"
    elif release.get("fixed") or other.get("fixed"):
        yield f"{place}: must not be said of what is out: it is published whatever else is"
    elif ATTACKED_AS_ONE.get(kind_of(release)) != ATTACKED_AS_ONE.get(kind_of(other)):
        yield f"{place}: must be a release of the same kind: others are not attacked together anyway"


def _check_split(schema: dict[str, Any], knowledge: Any, kinds: Sequence[str]) -> Iterator[str]:
    """Check the column that people are split by, as far as the plan alone tells."""
    split, place = schema.get("split"), "schema.split"
    if split is None:
        return
    knowledge = knowledge if isinstance(knowledge, dict) else {}
    if not {*kinds} <= {STATISTICS}:
        yield f"{place}: must be left out: only planned tables about a secret are attacked block by block"
    if knowledge.get("roster") is False:
        yield f"{place}: must be left out: without a roster, tables are attacked in parts by themselves"
    roles = {"secret": [schema.get("secret")], "id": [schema.get("id")], "ignored": schema.get("ignored")}
    for role, names in roles.items():
        if isinstance(names, list) and split in names:
            yield f"{place}: must be a public column; got schema.{role}"
    for where, names in (("schema", schema.get("public")), ("knowledge", knowledge.get("public"))):
        if isinstance(names, list) and split not in names:
            yield f"{place}: must be in {where}.public: the attacker knows everybody's block"
    if isinstance(schema.get("bins"), dict) and split in schema["bins"]:
        yield f"{place}: must have no bins: each value is a block of its own"


def _check_release(place: str, release: dict[str, Any]) -> Iterator[str]:
    """Check the files that one release names."""
    if kind_of(release) in ("anonymised-rows", "released-rows"):
        yield from _missing_file(f"{place}.path", release.get("path"))
    if "tables" in release:
        yield from missing_tables(place, release)
        yield from _missing_file(f"{place}.people", release.get("people"))
    hierarchies = release.get("hierarchies")
    for column, path in hierarchies.items() if isinstance(hierarchies, dict) else ():
        yield from _missing_file(f"{place}.hierarchies.{column}", path)
    asked = release.get("statistics")
    for text in asked if isinstance(asked, list) else ():
        if isinstance(text, str) and text.startswith("queries:path="):
            yield from _missing_file(f"{place}.statistics", text.removeprefix("queries:path="))


def _of_means(release: Any) -> bool:
    asked = release.get("statistics") if isinstance(release, dict) else None
    return isinstance(asked, list) and any(isinstance(text, str) and is_means(text) for text in asked)


def _missing_file(place: str, path: Any) -> Iterator[str]:
    if isinstance(path, str):
        try:
            check_place(path)
        except InputError as error:
            yield f"{place}: {error}"


def _explain(error: Any) -> str:
    """One problem as a line: its place, what is wrong, and for an unknown key the nearest known one."""
    parts, model = _where(error["loc"])
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).lstrip(".")
    message = str(error["msg"]).removeprefix("Value error, ")
    if error["type"] == "extra_forbidden":
        known = [field.alias or name for name, field in model.model_fields.items()]
        message = f"is not a known key. {nearest(str(parts[-1]), known)}"
    elif error["type"] == "union_tag_invalid":
        got, named = str(error["ctx"]["tag"]), [*SINGLING_OUT, "amounts"]
        kinds = " or ".join(map(repr, named))
        message = f"must be {kinds}, or left out; got {got!r}. {nearest(got, named)}"
        place += ".kind"
    elif error["type"] == "missing":
        message = "must be given"
    elif error["type"] == "string_pattern_mismatch" and parts[-1] == "name":
        message = (
            "must begin with a letter or a digit and go on with letters, digits, blanks, '.', '_' or '-': "
            f"files are named after it; got {error['input']!r}"
        )
    elif error["type"] == "string_pattern_mismatch":
        message = f"must be a year, a month or a day, such as '2023-05'; got {error['input']!r}"
    elif error["type"] == "less_than_equal" and parts[0] == "policy":
        message = f"must be a share from 0 to 1, where 0.05 is 5 points; got {error['input']!r}"
    elif error["type"] == "string_type" and place == "schema.secret":
        message = f"must be one column: write a plan for each secret; got {error['input']!r}"
    elif place.startswith("schema.bins.") and isinstance(error["input"], list):
        message = (
            f"must be one list of cut points; got {error['input']!r} in it. For other cut points in another "
            'table read the column again under another name, as in again = { age_wide = "age" }'
        )
    elif error["type"] != "value_error":
        message = f"{message[:1].lower()}{message[1:]}; got {error['input']!r}"
    if error["type"] == "literal_error" and isinstance(error["input"], str):
        fix = nearest(error["input"], re.findall(r"'([^']*)'", error["ctx"]["expected"]))
        message += f". {fix}" if fix else ""
    return f"{place}: {message}"


def _where(parts: tuple[str | int, ...]) -> tuple[tuple[str | int, ...], type[BaseModel]]:
    """Return the place of a problem, without the kind that pydantic adds, and the model whose keys it has."""
    if parts[0] == "release":
        return parts[:2] + parts[3:], (SINGLING_OUT | BY_KIND).get("".join(map(str, parts[2:3])), ReleasePlan)
    inner = ".".join(map(str, parts[:-1]))
    return parts, _TABLES.get(inner, _TABLES[str(parts[0])]) if len(parts) > 1 else Plan
