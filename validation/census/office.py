"""Tables as an office prints them: a workbook for every two columns, crossed, with totals.

``python -m validation.census.office FOLDER [PEOPLE]`` draws people of the survey ``fair`` inside statsmodels,
writes a workbook for every two of its columns and the true records, and runs ``reconstruct records`` on them.
"""

from __future__ import annotations

import csv
import itertools
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
from openpyxl import Workbook
from typer.testing import CliRunner
from validation.census.wide import read_areas

from dalenius.cli.main import app


def write_crossed(path: Path, rows: list[dict[str, str]], down: str, across: str) -> None:
    """One table: a column down, another across with its name alone in the line above, totals at both ends."""
    levels = {name: sorted({row[name] for row in rows}) for name in (down, across)}
    cells = Counter((row[down], row[across]) for row in rows)
    book = Workbook()
    sheet = book.active
    sheet.append([None, across])
    sheet.append([down, *levels[across], "Total"])
    for level in levels[down]:
        own = [cells[level, other] for other in levels[across]]
        sheet.append([level, *own, sum(own)])
    sums = [sum(cells[level, other] for level in levels[down]) for other in levels[across]]
    sheet.append(["Total", *sums, sum(sums)])
    book.save(path)


def main(folder: Path, people: int) -> None:
    """Write, attack, print."""
    folder.mkdir(parents=True, exist_ok=True)
    (every,) = read_areas(None)
    chosen = [every[at] for at in np.random.default_rng(people).permutation(len(every))[:people]]
    rows = [{name: f"{name[:2]} {level}" for name, level in row.items()} for row in chosen]
    words = ["reconstruct", "records"]
    for down, across in itertools.combinations(rows[0], 2):
        path = folder / f"{down} by {across}.xlsx"
        write_crossed(path, rows, down, across)
        words += ["--table", str(path)]
    with (folder / "records.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    begun = time.process_time()
    done = CliRunner().invoke(
        app, [*words, "--truth", str(folder / "records.csv"), "--out", str(folder / "out")]
    )
    print(done.output)
    print(
        f"{len(list(folder.glob('*.xlsx')))} workbooks, {time.process_time() - begun:.1f} CPU s, "
        f"exit code {done.exit_code}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50)
