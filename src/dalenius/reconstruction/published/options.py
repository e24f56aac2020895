"""What may be said of published answers and asked of an attack on them, declared once for all commands.

Each class holds what belongs together; `dalenius.console.options.grouped` makes every field an option.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, place
from dalenius.console.policies import SecretRules
from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENT

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from dalenius.knowledge.view import View

Diagnose = Annotated[bool, typer.Option("--diagnose", help="Print a forecast before the attack.")]
Id = Annotated[str, typer.Option(metavar="COLUMN", help="Column with person ids.")]
Secret = Annotated[str | None, typer.Option(metavar="NAME", help="What the tables call the secret.")]
ShowPeople = Annotated[
    bool, typer.Option("--show-people", help="Print whom a few numbers give away, and how.")
]
Truth = Annotated[
    Place, typer.Option(parser=place, metavar="FILE", help="True secrets, read by the referee only.")
]


@dataclass(frozen=True)
class ListedPeople:
    """Whom the answers are about, and their true secrets where the referee is to count."""

    people: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Table of people: ids and public columns.")
    ]
    id: Id
    truth: Truth = None

    @property
    def secret(self) -> str:
        """What the file of truth calls the secret."""
        from dalenius.people.truth_file import secret_name

        return "secret" if self.truth is None else secret_name(self.truth, self.id)

    def codes(self, view: View) -> NDArray[np.int32] | None:
        """The true secrets in the order of a view's people, for the referee."""
        from dalenius.people.truth_file import read_truth

        return None if self.truth is None else read_truth(self.truth, view.knowledge.roster.ids, self.id)


@dataclass(frozen=True)
class AttackOptions:
    """How to attack, and where what follows is written."""

    decoder: Annotated[
        str,
        typer.Option(
            help="Decoder: auto, exhaustive, hadamard (of counts), least-squares, box, lp or posterior."
        ),
    ] = "auto"
    confidence: Annotated[
        float, typer.Option(min=0.5, max=1.0, help="Count a person as exposed from this probability upwards.")
    ] = CONFIDENT
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same claims.")] = 1
    tolerated: SecretRules = field(default_factory=SecretRules)
    outputs: Outputs = OUTPUTS


@dataclass(frozen=True)
class PrintedNumbers:
    """How far published numbers may be from what was computed: by their digits, or by a mechanism."""

    digits: Annotated[
        int | None, typer.Option(min=0, help="Decimals of the published numbers (default: as printed).")
    ] = None
    noise: Annotated[
        str | None,
        typer.Option(metavar="MECHANISM", help="Mechanism behind the numbers, instead of rounding."),
    ] = None

    def __post_init__(self) -> None:
        given = {f"--{option.name}": getattr(self, option.name) for option in fields(self)}
        named = [name for name, said in given.items() if said is not None]
        if len(named) > 1:
            got = str(given[named[1]])
            raise InputError(named[0], f"must not be given with {named[1]}", got, "Give one of them.")

    @property
    def mechanism(self) -> str | None:
        """What was done to the numbers, in the grammar of mechanisms; None if that is only their digits."""
        return self.noise if self.digits is None else f"rounding:digits={self.digits}"


@dataclass(frozen=True)
class PrintedCoefficients(PrintedNumbers):
    """The same, of numbers that may have been cut to so many significant digits."""

    significant: Annotated[
        int | None, typer.Option(min=1, help="Significant digits they were printed with, as by %.3g.")
    ] = None

    def __post_init__(self) -> None:
        from dalenius.mechanisms.stages.rounding import MOST_DIGITS

        super().__post_init__()
        if self.significant is not None and not 1 <= self.significant <= MOST_DIGITS:
            raise InputError("--significant", f"must be from 1 to {MOST_DIGITS}", str(self.significant))


@dataclass(frozen=True)
class PrintedCells:
    """What the numbers of printed tables are."""

    numbers: Annotated[
        str | None,
        typer.Option(metavar="UNIT", help="Plain numbers are counts, percent, fraction or per:1000."),
    ] = None
    digits: Annotated[
        str | None,
        typer.Option(metavar="HOW", help="Last digits are rounded or truncated; else they may be either."),
    ] = None
    of: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT", help="Percentages are of a row, a column (all with that value), or all."
        ),
    ] = None
