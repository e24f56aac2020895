"""Does "certain" hold for tables that other tools print?

People are drawn at random; pandas, numpy and openpyxl count, protect and print, see `printed_by_others`; and
``reconstruct tables`` reads the files. Under a true statement of what was done nobody may be called certain
wrongly, no interval of a cell may miss its count, and nothing may be refused. The same tables are read under
false statements too: those should be refused, and where they are not, may lead to wrong certainties.

    python -m validation.certain_tables --cases 4000
"""

from __future__ import annotations

import argparse
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from validation.printed_by_others import ILL, Printed, draw_people, make, misstate

from dalenius.errors import InputError, SaysNothingError, UnsupportedError
from dalenius.knowledge.view import View
from dalenius.printed.tables import Said
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.certain.cells import derive_cells
from dalenius.reconstruction.attack.certain.differencing import find_disclosures
from dalenius.reconstruction.published.tables import read_tables

MISSTATED = 0.3
"""Share of the tables that are read under a false statement as well."""

ASKED = "must say whether it is about the secret or about"
"""What is asked where the numbers are by chance those of a public column with the same values."""


@dataclass(frozen=True)
class Outcome:
    """What came of one reading: refused and why, or how many certainties and how many of them wrong."""

    kind: str
    true: bool
    refused: str = ""
    asked: bool = False
    nothing: bool = False
    certain: int = 0
    wrong: int = 0


@dataclass
class Tally:
    """What came of many readings."""

    cases: int = 0
    refused: int = 0
    asked: int = 0
    nothing: int = 0
    with_certain: int = 0
    certain: int = 0
    wrong: int = 0
    wrong_cases: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome) -> None:
        """Count one."""
        self.cases += 1
        self.refused += bool(outcome.refused)
        self.asked += outcome.asked
        self.nothing += outcome.nothing
        self.with_certain += outcome.certain > 0
        self.certain += outcome.certain
        self.wrong += outcome.wrong
        self.wrong_cases += outcome.wrong > 0
        if outcome.refused:
            self.reasons[outcome.refused] += 1

    def row(self, name: str) -> str:
        """A row of a Markdown table."""
        read = self.cases - self.refused - self.asked - self.nothing
        ends = (self.certain, self.wrong, self.wrong_cases)
        numbers = (self.cases, self.refused, self.asked, self.nothing, read, *ends)
        return f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |"


def run_case(seed: int, folder: Path) -> Iterator[Outcome]:
    """Print a table about some people, and read it as it was made and, sometimes, as it was not."""
    rng = np.random.default_rng([seed, 20])
    people = draw_people(rng)
    people.drop(columns=ILL).to_csv(folder / "people.csv", index=False)
    printed = make(people, folder, rng)
    yield read(printed, people, folder)
    if rng.random() < MISSTATED:
        yield read(misstate(printed, rng), people, folder)


def read(printed: Printed, people: pd.DataFrame, folder: Path) -> Outcome:
    """Read what was printed, and hold what follows by arithmetic against the truth."""
    options = dict(printed.options)
    secret, values = options.pop("secret", ILL), options.pop("values", None)
    result = Outcome(printed.kind, printed.true)
    try:
        said = Said(**options)
        view = read_tables(
            folder / "people.csv", printed.files, id="id", said=said, secret=secret, values=values
        )
        return replace(result, **certainties(view, people))
    except SaysNothingError:
        return replace(result, nothing=True)
    except (InputError, UnsupportedError) as error:
        if ASKED in str(error):
            return replace(result, asked=True)
        return replace(result, refused=str(error))


def certainties(view: View, people: pd.DataFrame) -> dict[str, int]:
    """How many things are said to follow by arithmetic, and how many of them are not so."""
    levels = view.release.secret.levels
    values = people[ILL].to_numpy()
    truth = np.array([value if value in levels else levels[0] for value in values])
    disclosures = find_disclosures(view)
    derived = derive_cells(view)
    claims = reconstruct(replace(view, release=derived.release), rng=np.random.default_rng(1))
    guesses = np.array(levels)[claims.guess]
    certain = int(claims.certain.sum())
    wrong = int((guesses != truth)[claims.certain].sum())
    place = {person: j for j, person in enumerate(view.knowledge.roster.ids.tolist())}
    for found in disclosures.found:
        said = found.text.rpartition("=")[2]
        certain += len(found.people)
        wrong += sum(truth[place[person]] != said for person in found.people)
    for block in derived.release.blocks:
        matrix = block.statistic.operator(view.knowledge.roster)
        for column, value in enumerate(block.values):
            counts = matrix.apply((truth == value).astype(np.float64))
            if block.low is not None and block.high is not None:
                missed = (counts < block.low[:, column]) | (counts > block.high[:, column])
                wrong += int(missed.sum())
    return {"certain": certain, "wrong": wrong}


def run(cases: int, seed: int) -> tuple[dict[str, Tally], list[tuple[int, Outcome]]]:
    """Run many cases; also those under true statements that were refused or wrong."""
    tallies: dict[str, Tally] = {}
    bad = []
    with TemporaryDirectory() as place:
        for j in range(cases):
            folder = Path(place, "case")
            folder.mkdir()
            for outcome in run_case(seed + j, folder):
                tallies.setdefault(outcome.kind, Tally()).add(outcome)
                tallies.setdefault("true statements" if outcome.true else "false statements", Tally()).add(
                    outcome
                )
                if outcome.true and (outcome.refused or outcome.wrong):
                    bad.append((seed + j, outcome))
            shutil.rmtree(folder)
    return tallies, bad


def main() -> None:
    """Print the table, and what went wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", action="store_true", help="Print every kind of table.")
    asked = parser.parse_args()
    tallies, bad = run(asked.cases, asked.seed)
    print("| tables | read | refused | asked | say nothing | attacked | certainties | wrong | in tables |")
    print("|---|---|---|---|---|---|---|---|---|")
    totals = ("true statements", "false statements")
    kinds = sorted(kind for kind in tallies if kind not in totals) if asked.kinds else []
    for kind in [*totals, *kinds]:
        if kind in tallies:
            print(tallies[kind].row(kind))
    for seed, outcome in bad:
        print(f"seed {seed}: {outcome.kind}: {outcome.wrong} wrong; {outcome.refused}")


if __name__ == "__main__":
    main()
