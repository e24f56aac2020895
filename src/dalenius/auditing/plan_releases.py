"""The releases of a plan, and where the people of a plan are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    field_validator,
    model_validator,
)

from dalenius.auditing.plan_parts import Date, Name, PlanTable, TablesPlan, checked
from dalenius.errors import InputError, nearest_column
from dalenius.mechanisms.parse import check_counts_to_come, parse_mechanism
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet, place_of
from dalenius.statistics.parse import check, check_means, is_means

if TYPE_CHECKING:
    from dalenius.auditing.plan import Plan


def _check_statistic(text: str) -> object:
    return check_means(text) if is_means(text) else check(text)


StatisticText = Annotated[str, checked(_check_statistic)]


class ReleasePlan(PlanTable):
    """``[[release]]``: what is to be published, or where it was published."""

    name: Name
    statistics: list[StatisticText] = Field(default=[])
    mechanism: str | None = None
    path: Path | None = None
    date: Date | None = None
    fixed: bool = False
    alternative_to: Name | None = None

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
                parse_mechanism(text, "means" if means else "counts")
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
        if self.path is None and self.date is not None:
            raise ValueError("must have a date only with a path: what is planned is of the date of the data")
        return self


class AnonymisedPlan(PlanTable):
    """``[[release]]`` with ``kind = "anonymised-rows"``: one row per person, some columns made coarser."""

    name: Name
    kind: Literal["anonymised-rows"]
    path: Path
    quasi: list[str] = Field(min_length=1)
    hierarchies: dict[str, Path] = Field(default={})
    tight: list[str] | None = None
    dropped: bool = False
    count: str | None = None
    limit: float = Field(default=0.01, gt=0, le=1)


class ReleasedRowsPlan(PlanTable):
    """``[[release]]`` with ``kind = "released-rows"``: synthetic or perturbed rows, asked three questions.

    ``link`` are the columns of two files of the same people; ``within`` is how near a guess of a secret
    number is right. The people behind the rows are in ``[data]``, others in ``[knowledge] holdout``.
    """

    name: Name
    kind: Literal["released-rows"]
    path: Path
    link: list[Annotated[list[str], Field(min_length=1)]] = Field(min_length=2, max_length=2)
    within: float | None = Field(default=None, ge=0, allow_inf_nan=False)


class CountsPlan(PlanTable):
    """``[[release]]`` with ``kind = "counts"``: so many counts, of conditions that others choose."""

    name: Name
    kind: Literal["counts"]
    queries: int = Field(ge=2)
    mechanism: Annotated[str, checked(check_counts_to_come)] = "exact"
    trials: int = Field(default=200, ge=1)
    limit: float | None = Field(default=None, gt=0, le=1)


def _statistic_of_amounts(text: str) -> str:
    from dalenius.release.amounts import check_statistic  # most plans have none

    try:
        return check_statistic(text)
    except InputError as error:
        raise ValueError(str(error)) from None


def _check_weights(text: str) -> object:
    from dalenius.knowledge.weights import parse_weights  # most plans have none

    return parse_weights(text)


class AmountsPlan(PlanTable):
    """``[[release]]`` with ``kind = "amounts"``: sums, means and the like of a number, by groups of people.

    ``groups`` are columns joined by ``*``; with ``margins`` everything coarser is printed too. An amount
    counts as known ``within`` this part of itself; amounts lie between ``least`` and ``most`` for sure. What
    noise promises is said of amounts up to ``apart``, by default of all between these ends.
    ``hide_more`` also hides groups from which a hidden one could be subtracted. If ``weighted``, everybody
    counts by ``[schema] weight``, and ``weights`` says how far the attacker knows these: ``known``,
    ``unknown``, or ends as ``5-20``. Of this and the release it is ``alternative_to``, one is published.
    """

    name: Name
    kind: Literal["amounts"]
    amount: str
    groups: list[str] = Field(min_length=1)
    statistics: list[Annotated[str, AfterValidator(_statistic_of_amounts)]] = Field(
        default=["count", "sum"], min_length=1
    )
    mechanism: Annotated[str, checked(lambda text: parse_mechanism(text, "amounts"))] = "exact"
    margins: bool = True
    hide_below: int = Field(default=0, ge=0)
    hide_p: float = Field(default=0.0, ge=0, le=1)
    hide_more: bool = False
    within: float = Field(default=0.1, gt=0, lt=1)
    least: float = Field(default=0.0, allow_inf_nan=False)
    most: float | None = Field(default=None, allow_inf_nan=False)
    apart: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    weighted: bool = False
    weights: Annotated[str, checked(_check_weights)] = "known"
    alternative_to: Name | None = None

    @model_validator(mode="after")
    def _weights_count(self) -> Self:
        if self.weights != "known" and not self.weighted:
            raise ValueError("must say weights only of what is weighted: add weighted = true")
        return self


STATISTICS, MEANS, TABLES = "statistics", "means", "tables"
"""The kinds of a release that names none: about a secret, about who is in the data, or printed."""

CLASSES = "classes of rows"
"""What a plan asks besides of rows that are released, where it names what must not be learned."""

BY_KIND: dict[str, type[PlanTable]] = {TABLES: TablesPlan, "amounts": AmountsPlan}
"""The shapes of releases that are about a secret, besides statistics."""

SINGLING_OUT: dict[str, type[PlanTable]] = {
    "anonymised-rows": AnonymisedPlan,
    "released-rows": ReleasedRowsPlan,
    "counts": CountsPlan,
}
"""The kinds of release that are attacked by singling out."""


def kind_of(release: Any) -> str:
    """Return the kind of a release, as read or as checked."""
    said = release if isinstance(release, dict) else vars(release) if isinstance(release, PlanTable) else {}
    if said.get("kind") is not None:
        return str(said["kind"])
    if "tables" in said:
        return TABLES
    asked = said.get("statistics")
    means = isinstance(asked, list) and any(isinstance(text, str) and is_means(text) for text in asked)
    return MEANS if means else STATISTICS


AnyReleasePlan = Annotated[
    Annotated[ReleasePlan, Tag(STATISTICS)]
    | Annotated[ReleasePlan, Tag(MEANS)]
    | Annotated[TablesPlan, Tag(TABLES)]
    | Annotated[AnonymisedPlan, Tag("anonymised-rows")]
    | Annotated[ReleasedRowsPlan, Tag("released-rows")]
    | Annotated[CountsPlan, Tag("counts")]
    | Annotated[AmountsPlan, Tag("amounts")],
    Discriminator(kind_of),
]

ENVIRONMENT = "env:"
"""What an address begins with that stands in a variable of the environment."""


def source_of(plan: Plan) -> tuple[Any, str | None]:
    """Return what holds the people of a plan, and the table if it is a database."""
    if plan.data.example is not None:
        from dalenius.people.examples.examples import example_frame

        return example_frame(plan.data.example), None
    return _address(plan) or plan.data.path, plan.data.table


def name_of(plan: Plan) -> str:
    """Return what the data of a plan are called: a path, an example, or a database without its password."""
    if plan.data.example is not None:
        return f"example {plan.data.example}"
    if plan.data.path is not None:
        return str(plan.data.path)
    place, table = place_of(_address(plan) or ""), plan.data.table
    return place if table is None else f"{place}, table {table}"


def _address(plan: Plan) -> str | None:
    """The address of the database, from the environment if the plan says so: passwords stay out of plans."""
    url = plan.data.url
    if url is None or not url.startswith(ENVIRONMENT):
        return url
    name = url.removeprefix(ENVIRONMENT)
    found = os.environ.get(name)
    if not found:
        raise InputError(
            f"data.url: the environment variable {name!r}",
            "must hold the address of a database",
            "nothing",
            f"Set it before the run, as {name}=postgres://user:password@host/database.",
        )
    return found


def open_data(plan: Plan) -> Sheet:
    """Hold the people of a plan in memory."""
    source, table = source_of(plan)
    sheet = open_sheet(source, table=table, id=plan.columns.id, columns=plan.data.columns)
    if plan.data.example is not None:
        sheet.name = name_of(plan)
    _check_named(plan, sheet)
    return sheet


def _check_named(plan: Plan, sheet: Sheet) -> None:
    """Refuse a column that is to be left out and is not there: under another name it would be attacked."""
    columns = plan.columns
    apart = [("ignored", name) for name in columns.ignored]
    for role, name in [*apart, ("weight", columns.weight), ("household", columns.household)]:
        if name is not None and name not in sheet.names:
            what, fix = f"schema.{role}: column {name!r}", nearest_column(name, sheet.names)
            raise InputError(what, "must be in the data", "no such column", fix)
