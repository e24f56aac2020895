"""Every statement, by id: the papers' contents, and what each statement takes.

A new paper is one folder and one line here. Nothing heavy is loaded before a statement is asked for.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING

from dalenius.errors import InputError, nearest
from dalenius.papers import exposed, inferential_privacy, linear_reconstruction, singling_out, traceability
from dalenius.papers.settings import Parameter, Settings
from dalenius.papers.statement import Heading, Statement

if TYPE_CHECKING:
    from dalenius.papers.experiment import Result

PAPERS = (exposed, linear_reconstruction, traceability, singling_out, inferential_privacy)

HEADINGS: dict[str, Heading] = {heading.id: heading for paper in PAPERS for heading in paper.CONTENTS}


def heading(id: str) -> Heading:
    """Return the heading of the statement with this id.

    Raises
    ------
    InputError
        If there is none; the message proposes the nearest.

    Examples
    --------
    >>> heading("krs-2.1").number
    'Theorem 2.1'
    """
    if id not in HEADINGS:
        raise InputError("id", "must name a statement", repr(id), nearest(id, HEADINGS))
    return HEADINGS[id]


def statement(id: str) -> Statement:
    """Return what a statement says, assumes and takes.

    Examples
    --------
    >>> [parameter.name for parameter in statement("pso-4.6").parameters]
    ['n', 'm', 'regions']
    """
    found: Statement = _module(id).STATEMENT
    return found


def experiment(id: str) -> Callable[[Settings], Result]:
    """Return how a statement is run."""
    found: Callable[[Settings], Result] = _module(id).run
    return found


def _module(id: str) -> ModuleType:
    return importlib.import_module(heading(id).module)


def parameters(id: str) -> tuple[Parameter, ...]:
    """Return everything that can be set in a statement, the number of runs and the seed included."""
    found = statement(id)
    runs = Parameter("runs", "number of simulations", found.runs, 1, 10_000, whole=True)
    seed = Parameter("seed", "seed of all random numbers", 1, 0, math.inf, whole=True)
    return (*found.parameters, runs, seed)


def check(id: str, given: Mapping[str, float]) -> dict[str, float]:
    """Return the value of everything that can be set in a statement.

    Examples
    --------
    >>> check("exposed-9", {"n": 8})
    {'n': 8, 'm': 32, 'alpha': 0.06, 'beta': 0.25, 'runs': 20, 'seed': 1}
    """
    known = {parameter.name: parameter for parameter in parameters(id)}
    for name in given:
        known_parameter(id, name)
    values: dict[str, float] = {}
    for name, parameter in known.items():
        default = parameter.default * (values["n"] if parameter.per_person else 1)
        value = parameter.check(given.get(name, default))
        values[name] = int(value) if parameter.whole else value
    return values


def read(id: str, given: Iterable[tuple[str, str]], *, also: Iterable[str] = ()) -> dict[str, float]:
    """Read parameters that were given as text; whether they lie in their range is seen by `check`.

    Parameters
    ----------
    given
        Names and values.
    also
        Other words that may have been meant by a name that the statement does not know.

    Examples
    --------
    >>> read("exposed-7", [("n", "64"), ("alpha", "0.017")])
    {'n': 64, 'alpha': 0.017}
    """
    values: dict[str, float] = {}
    for name, text in given:
        parameter = known_parameter(id, name, also)
        if name in values:
            raise InputError(f"--{name}", "must be given once", "it twice")
        values[name] = parameter.read(text)
    return values


def known_parameter(id: str, name: str, also: Iterable[str] = ()) -> Parameter:
    """Return a parameter of a statement by its name.

    Raises
    ------
    InputError
        If the statement does not take it; the message proposes the nearest and lists all.
    """
    known = {parameter.name: parameter for parameter in parameters(id)}
    if name not in known:
        close = nearest(name, [*known, *also])
        takes = f"It takes {', '.join(known)}."
        fix = f"{close} {takes}" if close.startswith("Did") else takes
        raise InputError(f"--{name}", f"must be a parameter of {id}", name, fix)
    return known[name]
