"""Options that every ``dalenius reconstruct`` command has, declared once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

People = Annotated[Path, typer.Option(metavar="FILE", help="The people.")]
Id = Annotated[str, typer.Option(metavar="COLUMN", help="The column that names people.")]
Digits = Annotated[
    int | None, typer.Option(min=0, help="Decimals they were rounded to; as printed if not given.")
]
Noise = Annotated[str | None, typer.Option(metavar="MECHANISM", help="What is said of their error instead.")]
Decoder = Annotated[str, typer.Option(help="auto, exhaustive, least-squares, box, lp or posterior.")]
Truth = Annotated[Path | None, typer.Option(metavar="FILE", help="The true secrets.")]
Confidence = Annotated[
    float, typer.Option(min=0.5, max=1.0, help="From which probability on somebody is exposed.")
]
Diagnose = Annotated[bool, typer.Option("--diagnose", help="Say first what can be expected.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same claims.")]
Out = Annotated[Path, typer.Option(metavar="DIR", help="Where to write.")]

REPORT = Path("dalenius-report")
