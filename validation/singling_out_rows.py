"""Anonymised rows of several tools under attack: does success follow its law, and what does the tool say?

Run: python -m validation.singling_out_rows [--releases 10] [--folder DIR]

1,000 of 100,000 people of the example census are recoded at k = 2, 5, 10 and 20, several times each, by this
project's Mondrian and Datafly, by anonypyx's Mondrian and by anjana's recoding. Three files: three adults of
a household with nine columns each (cells are fine), one adult with nine columns, and age, sex and postal code
alone recoded as whole columns (cells are coarse). Everybody is known, so weights are exact.

Where rows differ, a hash that keeps one row in k is judged for every class at a weight limit of 0.1/n. The
law (Cohen and Nissim, Theorem 6.1): it succeeds with eta B(k, 1/k), eta the chance that the condition
is as light as the limit. Of a class with k rows of the data and M of the population that is the chance that a
hash of weight 1/k keeps fewer of the other M - k than the limit allows.

Then `single_out_rows` attacks the same releases with all it has, at its usual limit of 0.01/n, and at 1/n,
where luck is at its best. Prints Markdown; exit code 1 if a law does not hold within four standard errors, if
fine cells are not found out, or if coarse ones are not called "no advantage".
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv
from rich.console import Console
from scipy.special import bdtr
from validation.anonymisers import Jobs, anjana_recoding, anonypyx_mondrian

from dalenius.mechanisms.anonymise.hierarchy import Hierarchy
from dalenius.mechanisms.anonymise.parse import parse_anonymiser
from dalenius.people.examples.census import census
from dalenius.people.opening import read_rows
from dalenius.people.rows.columns import TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.random import stream
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.candidates import ClassMembers, Key
from dalenius.singling_out.attack.rows.released_values import hash_candidates
from dalenius.singling_out.referee.classes import OriginalRows
from dalenius.singling_out.rows.result import AtLimit, SingledOutRows
from dalenius.singling_out.rows.rows import single_out_rows
from dalenius.singling_out.rows.settings import Recoding, RowsSettings, WeightLimits

PEOPLE, N = 100_000, 1000
KS = (2, 5, 10, 20)
LAW_LIMIT, ERRORS = 0.1, 4.0
FEW = ("age", "sex", "zip")

Recode = Callable[[Jobs, int], bool]
"""Recodes files at a k; False if the tool is not to be had."""


@dataclass(frozen=True, eq=False)
class Case:
    """People, a tool, and what should come out."""

    cells: str
    tool: str
    people: Rows
    quasi: tuple[str, ...]
    recode: Recode
    fine: bool | None
    """Whether everybody must be found out, nobody must be, or either may happen."""


@dataclass(frozen=True)
class Law:
    """Hash conditions of all classes of all releases: what they did and what they should have."""

    trials: int
    light: float
    expected: float
    variance: float
    found: int

    @property
    def off(self) -> float:
        """How many standard errors lie between the two."""
        return abs(self.found - self.expected) / max(np.sqrt(self.variance), 1e-9)


def households(size: int, adults: int = 3) -> Any:
    """Three adults a line: twenty-seven columns."""
    drawn = [census(size, seed) for seed in range(adults)]
    return pa.table({f"{name}{i + 1}": one[name] for i, one in enumerate(drawn) for name in one.column_names})


def hierarchies(people: Rows) -> dict[str, Hierarchy]:
    """Bands of 5, 10 and 20 years, postal codes by their first digits."""
    ages, zips = (people.column(name) for name in ("age", "zip"))
    assert isinstance(zips, TextColumn)
    assert not isinstance(ages, TextColumn)
    bands = {
        str(int(age)): (str(int(age)), *(_band(int(age), width) for width in (5, 10, 20)), "*")
        for age in ages.different.tolist()
    }
    masks = {code: (*(code[: 5 - i] + "*" * i for i in range(5)), "*") for code in zips.levels}
    return {
        "age": Hierarchy(bands),
        "sex": Hierarchy({"f": ("f", "*"), "m": ("m", "*")}),
        "zip": Hierarchy(masks),
    }


def _band(age: int, width: int) -> str:
    low = age // width * width
    return f"[{low}, {low + width})"


def cases() -> Iterator[Case]:
    """All of them; the tools of one kind of cells see the same people."""
    homes, people = Rows.of_table(households(PEOPLE)), Rows.of_table(census(PEOPLE))
    few = people.select(FEW)
    ladders = hierarchies(few)
    for cells, rows, fine in (("27 columns", homes, True), ("9 columns", people, None)):
        yield Case(cells, "Mondrian", rows, rows.names, ours(rows.names, "mondrian:k={}"), fine)
        yield Case(cells, "anonypyx, Mondrian", rows, rows.names, anonypyx(rows), fine)
    coarse = "3 columns, coarse"
    yield Case(coarse, "Datafly", few, FEW, ours(FEW, "datafly:k={},suppress=0.05", ladders), False)
    yield Case(
        coarse, "anjana", few, FEW, lambda jobs, k: anjana_recoding(jobs, FEW, k, ladders, suppress=5), False
    )


def ours(quasi: Sequence[str], how: str, ladders: dict[str, Hierarchy] | None = None) -> Recode:
    """An anonymiser of this project, through the same files as the others."""

    def recode(jobs: Jobs, k: int) -> bool:
        anonymiser = parse_anonymiser(how.format(k), ladders)
        for source, out in jobs:
            codes = [name for name in quasi if name.startswith("zip")]
            anonymiser.recode(read_rows(source, codes), quasi).write(out)
        return True

    return recode


def anonypyx(people: Rows) -> Recode:
    """All columns, labels as labels."""
    labels = [column.name for column in people.columns if isinstance(column, TextColumn)]
    return lambda jobs, k: anonypyx_mondrian(jobs, people.names, labels, k)


def law(released: Rows, original: Rows, people: Rows, quasi: Sequence[str], rng: np.random.Generator) -> Law:
    """Judge a hash of every class, and say what should have come out."""
    classes = find_classes(released, quasi, known=people)
    truth = OriginalRows(original, classes)
    everybody = ClassMembers(people, classes.boxes, classes.released.names)
    key = Key(classes.released.names, rng.bytes(16).hex())
    allowed = int(len(people) * LAW_LIMIT / len(original))
    found, chances, light = 0, [np.empty(0)], [np.empty(0)]
    for hashes in hash_candidates(classes):
        alone = truth.judge(hashes, key).counts == 1
        found += int((alone & (everybody.matches(hashes, key).counts <= allowed)).sum())
        k = hashes.one_in.astype(np.float64)
        others = (everybody.counts - classes.sizes)[hashes.of_class]
        eta: NDArray[np.float64] = bdtr(np.minimum(allowed - 1, others), others, 1 / k)
        light.append(eta)
        chances.append(eta * hashes.success)
    p, eta = np.concatenate(chances), np.concatenate(light)
    return Law(p.size, float(eta.sum()), float(p.sum()), float((p * (1 - p)).sum()), found)


def pooled(laws: Sequence[Law]) -> Law:
    """All releases together."""
    return Law(*(sum(getattr(one, name) for one in laws) for name in Law.__dataclass_fields__))


def play(case: Case, k: int, releases: int, folder: Path) -> tuple[Law, list[SingledOutRows]] | None:
    """Draw, recode and attack; None without the tool."""
    jobs, drawn = [], []
    for j in range(releases):
        which = stream(j, "validation", "rows").choice(len(case.people), N, replace=False)
        drawn.append(case.people.take(which))
        source, out = (folder / f"{case.cells}-{k}-{j}-{name}.csv" for name in ("people", "released"))
        write(drawn[-1], source)
        jobs.append((source, out))
    if not case.recode(jobs, k):
        return None
    laws, results = [], []
    for j, (original, (_, out)) in enumerate(zip(drawn, jobs, strict=True)):
        released = read_rows(out, case.quasi)
        rng = stream(j, "validation", "rows", "key")
        if case.fine is not False:
            laws.append(law(released, original, case.people, case.quasi, rng))
        results.append(
            single_out_rows(
                released,
                case.quasi,
                original=original,
                population=case.people,
                how=RowsSettings(limits=WeightLimits(grid=(1.0, 0.01)), recoding=Recoding(dropped=True)),
            )
        )
    return pooled(laws), results


def write(rows: Rows, path: Path) -> None:
    """Write original rows for the tools to read."""
    columns = {
        column.name: [column.levels[code] for code in column.codes]
        if isinstance(column, TextColumn)
        else column.values.astype(np.int64)
        for column in rows.columns
    }
    csv.write_csv(pa.table(columns), path)


def line(case: Case, k: int, found: Law, results: Sequence[SingledOutRows]) -> str:
    """One row of the table."""
    usual, best = [one.deciding for one in results], [one.limits[0] for one in results]
    lower = [one.lower_end for one in usual if one.lower_end is not None]
    hash_cells = ["", "", ""]
    if found.trials:
        spread = np.sqrt(found.variance) / found.trials
        hash_cells = [f"{x / found.trials:.3f}" for x in (found.light, found.expected, found.found)]
        hash_cells[2] += f" ± {spread:.3f}"
    cells = [
        case.cells, case.tool, str(k), f"{np.median([one.ratios[1] for one in results]):.2g}", *hash_cells,
        *success(usual), f"{min(lower):.3f}" if lower else "", *success(best)[:2], evidence(results),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def success(at: Sequence[AtLimit]) -> tuple[str, str, str]:
    """Of all releases at one limit: how often, of how many classes; luck; and the difference."""
    hits, trials = sum(one.hits or 0 for one in at), sum(one.trials for one in at)
    luck = f"{at[0].baseline:.3f}"
    if not trials:
        return "none light enough", luck, ""
    return f"{hits / trials:.3f} of {trials:,}", luck, f"{hits / trials - at[0].baseline:.3f}"


def evidence(results: Sequence[SingledOutRows]) -> str:
    """What was said, and how often if not always."""
    said = [one.evidence for one in results]
    different = dict.fromkeys(said)
    if len(different) == 1:
        return said[0]
    return ", ".join(f"{name} {said.count(name)}" for name in different)


def wrong(case: Case, found: Law, results: Sequence[SingledOutRows]) -> str | None:
    """Say what did not come out as it should."""
    if found.off > ERRORS:
        return f"{found.off:.1f} standard errors off the law"
    shown = {one.evidence for one in results}
    if case.fine and shown != {"demonstrated"}:
        return f"fine cells, yet {shown}"
    if case.fine is False and shown != {"no advantage"}:
        return f"coarse cells, yet {shown}"
    return None


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--releases", type=int, default=10)
    parser.add_argument("--folder", type=Path, help="keep the files here")
    options, console = parser.parse_args(), Console(width=400)
    faults = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for case in cases():
            for k in KS:
                played = play(case, k, options.releases, folder)
                if played is None:
                    console.print(f"{case.tool} cannot be installed here")
                    break
                console.print(line(case, k, *played), markup=False)
                fault = wrong(case, *played)
                faults += [f"{case.tool}, {case.cells}, k = {k}: {fault}"] if fault else []
    for fault in faults:
        console.print(fault)
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
