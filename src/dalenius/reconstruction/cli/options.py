"""Options that every ``dalenius reconstruct`` command has, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

People = Annotated[Path, typer.Option(metavar="FILE", help="Table of people: ids and public columns.")]
Id = Annotated[str, typer.Option(metavar="COLUMN", help="Column with person ids.")]
Digits = Annotated[
    int | None, typer.Option(min=0, help="Decimals of the published numbers (default: as printed).")
]
Noise = Annotated[
    str | None, typer.Option(metavar="MECHANISM", help="Mechanism behind the numbers, instead of rounding.")
]
Decoder = Annotated[str, typer.Option(help="Decoder: auto, exhaustive, least-squares, box, lp or posterior.")]
Truth = Annotated[Path | None, typer.Option(metavar="FILE", help="True secrets, read by the referee only.")]
Confidence = Annotated[
    float, typer.Option(min=0.5, max=1.0, help="Count a person as exposed from this probability upwards.")
]
Diagnose = Annotated[bool, typer.Option("--diagnose", help="Print a forecast before the attack.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same claims.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")]

REPORT = Path("dalenius-report")
