"""How much each decoder recovers at which noise, rounding and corruption, against a reference.

`recovery_reference.csv` holds figures of simulations that share no code with this package: the mean over so
many runs, and the standard deviation of one run (where it is empty, that of independent people). Here the
same simulations run on the decoders of this package. A row is accepted when

    |own mean - mean| <= 4 sd / sqrt(own runs) + 2 sd / sqrt(runs) + 0.005 .

Least squares under Gaussian noise has an exact prediction, and must meet it within 4 standard errors of its
own.

Run: python -m validation.recovery_rates [--out docs] [--share 0.1] [--case wild ...]

Writes recovery_rates.csv into the folder, where the rows of cases that were not run stay; half an hour on one
core for everything. Ends with 1 if a row is off.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits
from validation.recovery_cases import CASES, LS, Case, Key

from dalenius.random import stream

REFERENCE = Path(__file__).with_name("recovery_reference.csv")
PREDICTED, MET = "predicted least squares", "least squares against its prediction"
ROUNDED = 0.005
"""What is allowed for the digits of the reference."""

FORMULA = 0.002
"""What is allowed for the scatter of the prediction itself between runs."""


@dataclass(frozen=True)
class Reference:
    """One row of the reference."""

    mean: float
    sd: float
    runs: int


@dataclass(frozen=True)
class Verdict:
    """A row: what was measured, what was expected, and whether the two agree."""

    case: str
    setting: str
    decoder: str
    runs: int
    measured: float
    standard_error: float
    reference: float
    reference_sd: float
    reference_runs: int
    allowed: float
    agrees: bool


def read_reference() -> dict[str, dict[Key, Reference]]:
    """The rows of the reference, by case."""
    found: dict[str, dict[Key, Reference]] = defaultdict(dict)
    with REFERENCE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            mean = float(row["mean"])
            people = int(row["case"].split("n=")[1].split(",")[0])
            sd = float(row["sd"]) if row["sd"] else (mean * (1 - mean) / people) ** 0.5
            found[row["case"]][row["setting"], row["decoder"]] = Reference(mean, sd, int(row["runs"]))
    return dict(found)


def measure(case: Case, runs: int) -> dict[Key, np.ndarray]:
    """Run a case; the same runs whatever else is run."""
    found: dict[Key, list[float]] = defaultdict(list)
    for run in range(runs):
        for key, share in case.run(stream(1, "recovery rates", case.name, run)):
            found[key].append(share)
    return {key: np.array(shares) for key, shares in found.items()}


def judge(case: str, own: dict[Key, np.ndarray], expected: dict[Key, Reference]) -> list[Verdict]:
    """Hold every row of the reference against own runs."""
    verdicts = []
    for key, reference in expected.items():
        shares = own[key]
        allowed = reference.sd * (4 / shares.size**0.5 + 2 / reference.runs**0.5) + ROUNDED
        verdicts.append(_verdict(case, key, shares, reference, allowed))
    for setting, decoder in own:
        if decoder == PREDICTED:
            shares, formula = own[setting, LS], float(own[setting, PREDICTED].mean())
            allowed = 4 * _error(shares) + FORMULA
            verdicts.append(
                _verdict(case, (setting, MET), shares, Reference(formula, 0.0, shares.size), allowed)
            )
    return verdicts


def _verdict(case: str, key: Key, shares: np.ndarray, reference: Reference, allowed: float) -> Verdict:
    measured = float(shares.mean())
    return Verdict(
        case,
        *key,
        shares.size,
        round(measured, 4),
        round(_error(shares), 5),
        round(reference.mean, 4),
        round(reference.sd, 4),
        reference.runs,
        round(allowed, 4),
        abs(measured - reference.mean) <= allowed,
    )


def _error(shares: np.ndarray) -> float:
    return float(shares.std(ddof=1) / shares.size**0.5)


def write(verdicts: list[Verdict], path: Path) -> None:
    """Write the rows as CSV, beside those of other cases that are there already."""
    rows = [{**asdict(v), "agrees": "yes" if v.agrees else "NO"} for v in verdicts]
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            new = {v.case for v in verdicts}
            rows += [row for row in csv.DictReader(file) if row["case"] not in new]
    order = [case.name for case in CASES]
    rows.sort(key=lambda row: order.index(row["case"]))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Verdict)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def show(verdicts: list[Verdict], console: Console) -> None:
    """Print a line a case, and every row that is off."""
    table = Table(title="Recovered, against the reference")
    for heading in ("case", "rows", "runs", "widest allowed", "largest difference", "off"):
        table.add_column(heading, justify="left" if heading == "case" else "right")
    for case in dict.fromkeys(v.case for v in verdicts):
        own = [v for v in verdicts if v.case == case]
        shares = [v for v in own if v.setting != "sigma_min"]
        table.add_row(
            case,
            str(len(own)),
            str(own[0].runs),
            f"{max(v.allowed for v in shares):.3f}",
            f"{max(abs(v.measured - v.reference) for v in shares):.3f}",
            str(sum(not v.agrees for v in own)),
        )
    console.print(table)
    for v in verdicts:
        if not v.agrees:
            console.print(
                f"OFF: {v.case}, {v.setting}, {v.decoder}: {v.measured} against {v.reference} "
                f"(allowed {v.allowed})"
            )


def main() -> int:
    """Measure, judge, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("docs/explanation"), metavar="DIR")
    parser.add_argument("--share", type=float, default=1.0, help="of the usual runs of each case")
    parser.add_argument("--case", nargs="+", default=[""], help="only cases whose names begin so")
    options = parser.parse_args()
    console, expected, verdicts = Console(), read_reference(), []
    options.out.mkdir(parents=True, exist_ok=True)
    with threadpool_limits(1):
        for case in CASES:
            if not case.name.startswith(tuple(options.case)):
                continue
            start, runs = time.process_time(), max(2, round(options.share * case.runs))
            verdicts += judge(case.name, measure(case, runs), expected[case.name])
            write(verdicts, options.out / "recovery_rates.csv")
            console.print(f"{case.name}: {runs} runs, {time.process_time() - start:.0f} CPU seconds")
    show(verdicts, console)
    return int(not all(v.agrees for v in verdicts))


if __name__ == "__main__":
    sys.exit(main())
