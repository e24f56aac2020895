"""The prior in a plan: ``prior = "edges.csv"`` or a table ``[knowledge.prior]``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, model_validator

from dalenius.people.opening import as_place, is_address


def _place(given: Any) -> Any:
    return as_place(given) if isinstance(given, str) else given


Place = Annotated[Path | str, BeforeValidator(_place)]
"""A file, or the address of a database; a table of a database follows after ``#``."""

PRIOR_FILES = ("edges", "households", "pedigree", "people")


class PriorPlan(BaseModel):
    """``[knowledge.prior]``: who is related, and how often related people have the same secret."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    edges: Place | None = None
    households: Place | None = None
    pedigree: Place | None = None
    people: Place | None = None
    agreement: float | dict[str, float] | None = None
    identical: bool = False
    fit: bool = True

    @model_validator(mode="after")
    def _somebody_is_related(self) -> Self:
        if self.edges is None and self.households is None and self.pedigree is None:
            raise ValueError("must have edges, households or a pedigree")
        return self


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
