"""Answers of a production query system, attacked: all of them, and samples of 200, 400 and 800.

Cohen and Nissim (2020, "Linear Program Reconstruction in Practice") asked Aircloak's Diffix thousands of
noisy counts about a banking table and recovered every client's bit by linear programming. Their answers, a
few CSV files a range of clients, are converted to the files that ``dalenius reconstruct counts`` takes and
attacked through the same code, which is told nothing about the noise.

Run: python validation/diffix.py DATA_FOLDER [--draws 20] [--out DIR]

For every range of clients ``DATA_FOLDER`` holds ``queries_RANGE.csv`` (``power,mult,offset,answer``),
``clients_RANGE.csv`` (``client_id``) and ``truth_RANGE.csv`` (``client_id`` and the secret bit). Exit code 1
if a claim at the end does not hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv, parquet
from rich.console import Console
from rich.progress import track
from rich.table import Table

from dalenius.findings.explanation import calibration_error
from dalenius.knowledge.view import View
from dalenius.matrices.operators import BitRows
from dalenius.people.truth_file import read_truth, secret_name
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.published.counts import read_counts
from dalenius.reconstruction.referee.baseline import majority
from dalenius.release.release import Block
from dalenius.statistics.counts.subsets import Subsets

ID = "client_id"
SIZES = (200, 400, 800)
DECODERS = ("posterior", "lp", "box", "least-squares")
MOST_CALIBRATION_ERROR = 0.05


@dataclass(frozen=True)
class Line:
    """What one decoder got from ``queries`` answers about one range, pooled over the draws.

    ``gain`` is its accuracy less that of LP decoding on the same draws, ``gain_error`` the standard error of
    the mean gain; 0 where all answers are used and there is one draw.
    """

    range: str
    people: int
    queries: int
    draws: int
    decoder: str
    majority: float
    accuracy: float
    gain: float
    gain_error: float
    calibration_error: float


def ranges(source: Path) -> list[str]:
    """Name the ranges of clients in a folder."""
    found = sorted(path.stem.removeprefix("queries_") for path in source.glob("queries_*.csv"))
    if not found:
        sys.exit(f"{source} has no queries_RANGE.csv")
    return found


def convert(source: Path, name: str, out: Path) -> None:
    """Write one range as people.csv, queries.parquet, answers.csv and truth.csv.

    A query counts the clients whose id satisfies floor(x + 1/2) = floor(x), x = offset (id mult)^power: the
    condition that was put into SQL, in the same floating-point arithmetic.
    """
    asked = csv.read_csv(source / f"queries_{name}.csv")
    clients = csv.read_csv(source / f"clients_{name}.csv")
    ids = clients[ID].to_numpy()
    power, mult, offset = (
        asked[key].to_numpy().astype(np.float64)[:, None] for key in ("power", "mult", "offset")
    )
    x = offset * (ids[None, :] * mult) ** power
    query, person = np.nonzero(np.floor(x + 0.5) == np.floor(x))
    labels = np.array([f"q{j:05}" for j in range(len(asked))])
    out.mkdir(parents=True, exist_ok=True)
    csv.write_csv(clients.select([ID]), out / "people.csv")
    parquet.write_table(pa.table({"query": labels[query], ID: ids[person]}), out / "queries.parquet")
    csv.write_csv(pa.table({"query": labels, "answer": asked["answer"]}), out / "answers.csv")
    csv.write_csv(csv.read_csv(source / f"truth_{name}.csv"), out / "truth.csv")


def load(folder: Path) -> tuple[View, NDArray[np.int32]]:
    """Read converted files the way ``dalenius reconstruct counts`` does; the truth apart."""
    secret = secret_name(folder / "truth.csv", ID)
    view = read_counts(
        folder / "people.csv", folder / "answers.csv", folder / "queries.parquet", id=ID, secret=secret
    )
    return view, read_truth(folder / "truth.csv", view.knowledge.roster.ids, ID)


def sample(view: View, rows: NDArray[np.intp]) -> View:
    """Keep only some of the queries of a view."""
    (block,) = view.release.blocks
    asked = block.statistic
    assert isinstance(asked, Subsets)
    members = BitRows(asked.members.packed[rows], asked.members.shape[1])
    fewer = replace(asked, members=members, names=tuple(asked.names[j] for j in rows))
    kept = Block(fewer, block.values, block.answers[rows])
    return replace(view, release=replace(view.release, blocks=(kept,)))


def attack(name: str, view: View, truth: NDArray[np.int32], queries: int, draws: int) -> list[Line]:
    """Attack random draws of queries with every decoder, and pool what was right."""
    total = view.release.size
    right = {decoder: np.zeros((draws, truth.size), np.bool_) for decoder in DECODERS}
    stated = {decoder: np.zeros((draws, truth.size)) for decoder in DECODERS}
    doing = f"{name}: {queries} of {total} queries"
    for draw in track(range(draws), doing, transient=True, disable=not sys.stdout.isatty()):
        rows = stream(1, "diffix", name, queries, draw).choice(total, queries, replace=False)
        seen = sample(view, np.sort(rows))
        for decoder in DECODERS:
            claims = reconstruct(seen, decoder=decoder, rng=stream(1, "attack", name, queries, draw))
            right[decoder][draw] = claims.guess == truth
            stated[decoder][draw] = claims.confidence
    rates = {decoder: right[decoder].mean(axis=1) for decoder in DECODERS}
    lines = []
    for decoder in DECODERS:
        gains = rates[decoder] - rates["lp"]
        lines.append(
            Line(
                range=name,
                people=truth.size,
                queries=queries,
                draws=draws,
                decoder=decoder,
                majority=float(np.mean(truth == majority(truth))),
                accuracy=float(rates[decoder].mean()),
                gain=float(gains.mean()),
                gain_error=float(gains.std(ddof=1) / draws**0.5) if draws > 1 else 0.0,
                calibration_error=calibration_error(stated[decoder].ravel(), right[decoder].ravel()),
            )
        )
    return lines


def claims_that_hold(lines: list[Line], all_of: dict[str, int]) -> dict[str, bool]:
    """Check what the lines must show; ``all_of`` says how many queries each range has."""
    full = [line for line in lines if line.queries == all_of[line.range]]
    few = [line for line in lines if line.queries < all_of[line.range] and line.decoder == "posterior"]
    return {
        "every decoder recovers every bit from all queries": all(line.accuracy == 1 for line in full),
        "the posterior is at least as accurate as LP decoding": all(line.gain >= 0 for line in few),
        f"its calibration error is below {MOST_CALIBRATION_ERROR}": all(
            line.calibration_error < MOST_CALIBRATION_ERROR for line in few
        ),
    }


def show(lines: list[Line], holds: dict[str, bool], console: Console) -> None:
    """Print the lines, a block for each number of queries, and what holds."""
    table = Table(title="Diffix answers, noise unknown to the attack")
    table.add_column("clients")
    table.add_column("queries", justify="right")
    table.add_column("decoder", no_wrap=True)
    for heading in ("right", "over LP", "calibration"):
        table.add_column(heading, justify="right", no_wrap=True)
    for before, line in zip([None, *lines], lines, strict=False):
        if before is None or before.queries != line.queries:
            table.add_section()
            table.add_row(line.range, str(line.queries), "majority guess", f"{line.majority:.1%}")
        gain = f"{100 * line.gain:+.1f} ± {100 * line.gain_error:.1f}"
        table.add_row(
            "",
            "",
            line.decoder,
            f"{line.accuracy:.1%}",
            "" if line.decoder == "lp" or line.draws == 1 else gain,
            f"{line.calibration_error:.3f}",
        )
    console.print(table)
    console.print(
        f"Random queries: mean of {max(line.draws for line in lines)} draws; ± is one standard error"
    )
    console.print("of the mean paired difference, in points. Calibration: expected error, pooled over draws.")
    for claim, held in holds.items():
        console.print(f"{'holds' if held else 'FAILS'}: {claim}")


def main() -> None:
    """Convert, attack, print, and write validation.json where asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path, metavar="DATA_FOLDER")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="keeps the converted files and validation.json"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        out = options.out or Path(scratch)
        lines: list[Line] = []
        all_of = {}
        for name in ranges(options.data):
            convert(options.data, name, out / name)
            view, truth = load(out / name)
            all_of[name] = view.release.size
            for queries in [*(size for size in SIZES if size < all_of[name]), all_of[name]]:
                lines += attack(name, view, truth, queries, options.draws if queries < all_of[name] else 1)
        holds = claims_that_hold(lines, all_of)
        show(lines, holds, Console())
        if options.out:
            result = {"lines": [asdict(line) for line in lines], "holds": holds}
            (out / "validation.json").write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    sys.exit(0 if all(holds.values()) else 1)


if __name__ == "__main__":
    main()
