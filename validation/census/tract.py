"""The integer program of a real tract, as the published attack wrote it down: what does it leave open?

``python -m validation.census.tract MODEL.lp.gz SOLUTION.sol.gz`` reads both, from files that are no part
of this project, settles the rows, and compares with the solution that was published beside them. Every
binary is a person of a block, sex and band of ages who has an age, races and origin.
"""

from __future__ import annotations

import gzip
import re
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

from dalenius.records.attack.certain.settle import RecordBounds, settle
from dalenius.records.attack.system import CellSystem
from dalenius.records.cells.cell import NO_LIMIT
from dalenius.records.cells.columns import RecordColumns

ROW = re.compile(r"(?P<name>\S+):\s*(?P<terms>.*?)\s*(?P<sense><=|>=|=)\s*(?P<end>-?\d+)(?:\.0)?\s*")


def read_program(path: Path) -> tuple[list[str], CellSystem]:
    """Read rows of binaries that are added up: names, and the system over them."""
    text = gzip.decompress(path.read_bytes()).decode()
    body = text.split("Subject To", 1)[1]
    rows_text, binaries = body.split("Bounds", 1)[0], body.split("Binaries", 1)[1].split("End", 1)[0]
    names = [name for name in binaries.split() if name.startswith("C_")]
    at = {name: column for column, name in enumerate(names)}
    row, column, low, high = [], [], [], []
    for line in rows_text.strip().splitlines():
        found = ROW.fullmatch(line.strip())
        if found is None:
            sys.exit(f"no row: {line[:60]}")
        terms = [term.strip() for term in found["terms"].split("+")]
        if terms == ["__dummy"]:
            continue
        row += [len(low)] * len(terms)
        column += [at[term] for term in terms]
        end = int(found["end"])
        low.append(-NO_LIMIT if found["sense"] == "<=" else end)
        high.append(NO_LIMIT if found["sense"] == ">=" else end)
    matrix = sparse.csr_array(
        (np.ones(len(row), np.int64), (row, column)), shape=(len(low), len(names)), dtype=np.int64
    )
    matrix.sort_indices()
    columns = RecordColumns.of({"person": names})
    records = np.arange(len(names), dtype=np.int32)[:, None]
    return names, CellSystem(columns, records, matrix, np.array(low), np.array(high), ())


def read_solution(path: Path) -> set[str]:
    """The binaries that are 1."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    return {line.split()[0] for line in lines if line.startswith("C_") and line.split()[1] == "1"}


def person(name: str) -> str:
    """A binary in words: block, sex, age, and the letters of six races and of Hispanic origin."""
    _, block, _, _, _, sex, age, *flags = name.split("_")
    return f"{block[-4:]} {sex} {age} {''.join(flags)}"


def main(model: Path, solution: Path) -> None:
    """Settle the program and compare."""
    begun = time.process_time()
    names, system = read_program(model)
    read = time.process_time()
    found: RecordBounds = settle(system)
    took = time.process_time() - read
    certain = {names[at] for at in np.flatnonzero(found.lo)}
    held = "held" if found.data_sets == 1 and certain == read_solution(solution) else "NOT HELD"
    print(f"{len(names):,} binaries, {len(system.low):,} rows, read in {read - begun:.2f} CPU s")
    print(f"{found.data_sets} data set, {len(certain)} people, as published: {held}; {took:.2f} CPU s")
    for name in sorted(certain):
        print(f"   {person(name)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
