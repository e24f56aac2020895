"""People to try things on: a survey that comes inside a package, and a census of people who never were."""

from __future__ import annotations

from typing import Any

from dalenius.errors import InputError, MissingExtraError, nearest
from dalenius.people.dataset import Dataset, read
from dalenius.random import stream

EXAMPLES = {"census": "well_paid", "fair": "affair"}
"""The examples that can be named in a plan, and the secret of each."""


def fair() -> Dataset:
    """Read the survey of Fair (1978): 6,366 married women, and whether they had an affair.

    Examples
    --------
    >>> people = fair()
    >>> people.n, people.schema.secret.levels, len(people.schema.public)
    (6366, ('no', 'yes'), 8)
    >>> people.close()
    """
    return example("fair")


def example(name: str) -> Dataset:
    """Read one of the examples by its name.

    Examples
    --------
    >>> with example("fair") as people:
    ...     print(people.schema.secret.name)
    affair
    """
    people = read(example_frame(name), secret=EXAMPLES[name])
    people.source = f"example {name}"
    return people


def example_frame(name: str) -> Any:
    """Return an example as a frame, with the secret as a column of its own.

    Raises
    ------
    InputError
        For a name that is not known.
    MissingExtraError
        Without the package that carries the survey, or frames.
    """
    if name not in EXAMPLES:
        raise InputError(
            f"example {name!r}", "must be one we have", "no such example", nearest(name, EXAMPLES)
        )
    return _census() if name == "census" else _fair()


def _census() -> Any:
    try:
        import pandas  # noqa: F401 (Arrow makes the frame)
    except ImportError:
        raise MissingExtraError("the census as a frame", "pandas", "demo") from None
    from dalenius.people.examples.census import census

    return census().to_pandas()


def _fair() -> Any:
    try:
        from statsmodels.datasets import fair as survey
    except ImportError:
        raise MissingExtraError("the demo survey", "statsmodels", "demo") from None
    frame = survey.load_pandas().data
    # The file lists those who had an affair first: its row numbers would give the secret away.
    frame = frame.iloc[stream(1978, "example", "fair").permutation(len(frame))].reset_index(drop=True)
    frame["affair"] = (frame.pop("affairs") > 0).map({False: "no", True: "yes"})
    return frame
