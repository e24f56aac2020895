"""What every table of a plan is made of: names, dates, and texts that the reader of a grammar judges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from dalenius.errors import InputError


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
