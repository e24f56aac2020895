"""The tables of a plan besides ``[policy]`` and most of ``[[release]]``, and what all of them are made of.

Names, dates, and texts that the reader of a grammar judges; ``[data]``, ``[schema]``, ``[knowledge]`` with
its prior (``prior = "edges.csv"`` or a table of its own) and ``[budget]``; and printed tables (``tables`` of
a ``[[release]]``), as files that are published or about to be.
"""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from dalenius.atomic_write import was_address
from dalenius.errors import InputError
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.opening import as_place, is_address


def checked(read: Callable[[str], object]) -> AfterValidator:
    """Let the reader of a grammar judge a text, and keep the text."""

    def validate(text: str) -> str:
        try:
            read(text)
        except InputError as error:
            raise ValueError(str(error)) from None
        return text

    return AfterValidator(validate)


Name = Annotated[str, Field(pattern=r"^[\w][\w .-]*$", max_length=60)]
"""What a release is called: files are named after it."""

Date = Annotated[str, Field(pattern=r"^\d{4}(-\d{2}){0,2}$")]
"""A year, a month or a day, so that the order of texts is that of time."""


class PlanTable(BaseModel):
    """A table of a plan: frozen, and an unknown key is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _place(given: Any) -> Any:
    return as_place(given) if isinstance(given, str) else given


Place = Annotated[Path | str, BeforeValidator(_place)]
"""A file, or the address of a database; a table of a database follows after ``#``."""

RESAMPLES = 5
"""Samples of the people on which a pass is tried again, if nothing else is said."""

PRIOR_FILES = ("edges", "households", "pedigree", "people", "transitions", "states")


class PriorPlan(BaseModel):
    """``[knowledge.prior]``: who is related, and how often related people have the same secret."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    edges: Place | None = None
    households: Place | None = None
    pedigree: Place | None = None
    people: Place | None = None
    agreement: float | str | dict[str, float | str] | None = None
    identical: bool = False
    fit: bool = True
    columns: dict[str, str] = {}
    law: Literal["agreement", "mendel", "mendel-genotypes"] = "agreement"
    frequency: float | None = None
    transitions: Place | None = None
    states: Place | None = None
    length: int | None = None
    start: str | None = None

    @property
    def over_time(self) -> bool:
        """Whether it is about a person's values over time, not about who is related."""
        return self.transitions is not None or self.states is not None or self.length is not None

    @property
    def agreement_text(self) -> str | None:
        """Agreement as it is written on the command line, ranges too; None if nothing was said."""
        if not isinstance(self.agreement, dict):
            return None if self.agreement is None else str(self.agreement)
        return ",".join(f"{kind}={value}" for kind, value in self.agreement.items())

    @model_validator(mode="after")
    def _somebody_is_related(self) -> Self:
        files = (self.edges, self.households, self.pedigree)
        if self.over_time:
            if any(each is not None for each in (*files, self.people)):
                raise ValueError("must be about people (edges, households, pedigree) or about time, not both")
        elif all(each is None for each in files):
            raise ValueError("must have edges, households or a pedigree, or the transitions of a series")
        if self.start is not None and not self.over_time:
            raise ValueError("must have a start only beside transitions, states or a length")
        if self.law != "agreement" and (self.pedigree is None or self.over_time):
            raise ValueError("must have a pedigree for Mendel's law")
        return self


class DataPlan(PlanTable):
    """``[data]``: where the people are."""

    path: Path | None = None
    url: str | None = None
    table: str | None = None
    example: str | None = None
    columns: list[str] = Field(default=[])
    roster: Literal["people", "records"] | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if [self.path, self.url, self.example].count(None) != 2:
            raise ValueError("must have exactly one of path, url and example")
        if self.path is not None and was_address(self.path):
            raise ValueError("must have an address as its url, not as its path")
        if self.url is not None and self.table is None and not self.url.lower().endswith((".parquet", ".pq")):
            raise ValueError("must have a table beside its url")
        return self


class SchemaPlan(PlanTable):
    """``[schema]``: what the columns are."""

    secret: str | None = None
    id: str | None = None
    public: list[str] | None = None
    ignored: list[str] = Field(default=[])
    bins: dict[str, list[float]] = Field(default={})
    levels: dict[str, list[str | float]] = Field(default={})
    merged: dict[str, dict[str, list[str]]] = Field(default={})
    missing: Literal["refuse", "value"] = "refuse"
    missing_codes: dict[str, list[str | float]] = Field(default={})
    by_year: list[str] = Field(default=[])
    again: dict[str, str] = Field(default={})
    letters: dict[str, Annotated[int, Field(ge=1)]] = Field(default={})
    labels: Path | None = None
    weight: str | None = None
    household: str | None = None
    split: str | None = None


class KnowledgePlan(PlanTable):
    """``[knowledge]``: what the attacker has besides the release."""

    public: list[str] | None = None
    reference: Place | None = None
    population: Place | None = None
    holdout: Place | None = None
    prior: PriorPlan | None = None
    roster: bool = True


class BudgetPlan(PlanTable):
    """``[budget]``: what the audit may use."""

    memory: str = "2GB"
    seconds: float = Field(default=120.0, gt=0)
    resamples: int = Field(default=RESAMPLES, ge=0, le=100)
    why: bool = True
    workers: int = Field(default=1, ge=1)
    cluster: str | None = None


def prior_beside(prior: Any, folder: Path) -> Any:
    """Make the files of a prior relative to a folder; a text alone names the edges.

    Examples
    --------
    >>> prior_beside({"edges": "e.csv", "agreement": 0.8}, Path("plans")) == {
    ...     "edges": str(Path("plans", "e.csv")), "agreement": 0.8}
    True
    """
    given = {"edges": prior} if isinstance(prior, str) else prior
    if not isinstance(given, dict):
        return given
    files = {key: given[key] for key in PRIOR_FILES if isinstance(given.get(key), str)}
    return given | {key: beside(name, folder) for key, name in files.items()}


def beside(place: str, folder: Path) -> str:
    """Make a path relative to a folder; the address of a database stays as it is."""
    return place if is_address(place) else str(folder / place)


ENDINGS = (".csv", ".xlsx", ".xlsm")
"""Files that a pattern takes for tables."""

NOT_ATTACKED: dict[str, str] = {
    "sums": "sums of a number of people or firms, such as turnover",
    "means": "means of a number of people or firms",
    "weighted": "counts by survey weights",
    "households": "counts of households, several people each",
}
"""What numbers of a table may be that no attack here reads, in words."""

UNITS = "counts, percent, fraction, per:1000, weighted; or what is not attacked yet: sums, means, households"


def _ends_of_weights(text: str) -> object:
    from dalenius.knowledge.weights import parse_weights  # most plans have none

    return parse_weights(text)


def _margins(text: str) -> object:
    return None if text == "none" else parse_mechanism(text)


class TablesPlan(PlanTable):
    """``[[release]]`` with ``tables``: files of printed tables, CSV or xlsx."""

    name: Name = Field(description="What the release is called; by default after its folder or first file.")
    tables: list[Path] = Field(
        min_length=1, description="The files; * stands for any name, paths are relative to the plan."
    )
    mechanism: Annotated[str, checked(parse_mechanism)] = Field(
        default="exact", description="What was done to the counts, such as 'rounding:base=5'; or 'unknown'."
    )
    margins: Annotated[str, checked(_margins)] | None = Field(
        default=None, description="What was done to the margins instead; 'none' if they are sums."
    )
    numbers: str | None = Field(default=None, description=f"What plain numbers are: {UNITS}.")
    digits: Literal["rounded", "truncated"] | None = Field(
        default=None, description="What was done to the digits after the last; either if not given."
    )
    weights: Annotated[str, checked(_ends_of_weights)] | None = Field(
        default=None,
        description="How far the attacker knows the survey weights of weighted numbers: 'known' (the default "
        "where [schema] weight names their column), 'unknown', or ends as '5-20'.",
    )
    of: Literal["row", "column", "all"] | None = Field(
        default=None, description="What percentages are of: a row, everybody with that value, or all people."
    )
    people: Place | None = Field(
        default=None,
        description="Who was counted, with ids and public columns of then, or ids alone, with the columns of "
        "[data]; everybody in [data] if not given.",
    )
    date: Date | None = Field(
        default=None, description="Of when the tables are, if they are older than [data]."
    )
    unchanged: bool = Field(
        default=False,
        description="Nobody's secret has changed since the date, as with what people are born with.",
    )

    fixed: bool = Field(
        default=False,
        description="The tables are out already: attacked along with the others, never changed.",
    )
    alternative_to: Name | None = Field(
        default=None, description="Another release, if one of both is published: not attacked together."
    )

    @field_validator("numbers")
    @classmethod
    def _unit(cls, text: str | None) -> str | None:
        from dalenius.printed.units import parse_numbers

        if text is not None and text not in NOT_ATTACKED:
            try:
                parse_numbers(text)
            except InputError:
                raise ValueError(f"must be {UNITS}; got {text!r}") from None
        return text

    @model_validator(mode="after")
    def _weights_count(self) -> Self:
        if self.weights is not None and self.numbers != "weighted":
            raise ValueError("must say weights only of what is weighted: add numbers = 'weighted'")
        return self

    @model_validator(mode="after")
    def _dated(self) -> Self:
        if self.unchanged and self.date is None:
            raise ValueError(
                "must have unchanged only with a date: without one it is of the date of the data"
            )
        return self


def tables_beside(release: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Find the files that the patterns of a release mean, relative to a folder, and name it if nobody did.

    A pattern that no file fits stays as it is: `missing_tables` tells of it.
    """
    given = release["tables"]
    patterns = [given] if isinstance(given, str) else given
    if not isinstance(patterns, list) or not all(isinstance(text, str) for text in patterns):
        return release
    made = dict(release)
    if isinstance(made.get("people"), str):
        made["people"] = beside(made["people"], folder)
    found = [path for text in patterns for path in _matching(text, folder, made.get("people"))]
    made["tables"] = list(dict.fromkeys(found))
    if "name" not in made and patterns:
        made["name"] = _named(Path(patterns[0]))
    return made


def missing_tables(place: str, release: dict[str, Any]) -> Iterator[str]:
    """Name the patterns that no file fits."""
    files = release.get("tables")
    for path in files if isinstance(files, list) else ():
        if isinstance(path, str) and not Path(path).is_file():
            yield f"{place}.tables: {path!r} must be a file, or a pattern that files fit; got none"


def _matching(pattern: str, folder: Path, people: Any) -> list[str]:
    whole = str(folder / pattern)
    if not glob.has_magic(pattern) or Path(whole).is_file():
        return [whole]
    names = sorted(glob.glob(pattern, root_dir=folder, recursive=True))  # noqa: PTH207  (absolute ones too)
    found = [
        str(folder / name)
        for name in names
        if name.lower().endswith(ENDINGS) and Path(name).name[0] != "~" and str(folder / name) != people
    ]
    return found or [whole]


def _named(pattern: Path) -> str:
    """A name for tables: that of their folder, or of the file.

    Examples
    --------
    >>> _named(Path("2019-01/*.xlsx")), _named(Path("out/age by sex (final).csv"))
    ('2019-01', 'age by sex -final-')
    """
    text = pattern.parent.name if glob.has_magic(pattern.name) else pattern.stem
    return re.sub(r"[^\w .-]", "-", text).lstrip(" .-")[:60] or "tables"
