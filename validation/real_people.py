"""Attack what is usually published about real people, four ways, on two real surveys.

``python validation/real_people.py [--survey fair|anes96] [--out FILE.json]``

Both surveys ship inside statsmodels: ``fair`` (6,366 women, whether they had an affair) and ``anes96`` (944
voters, whom they voted for). Published are (a) all tables of the secret with two and with three public
columns, counts under 10 suppressed; (b) the same tables rounded to base 5; (c) thirty logistic regressions
of the secret on three columns, coefficients with three digits; (d) the error rates of 200 small trees, three
digits. For each: how many secrets are recovered, how many are certain, the guess without the release, and
the control.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import dalenius
from dalenius.auditing.run import Audit
from dalenius.people.dataset import Dataset, read
from dalenius.people.examples.examples import fair
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario

REGRESSIONS, COLUMNS = 30, 3


def anes96() -> Dataset:
    """944 voters of 1996: seven public columns; the secret is the vote."""
    import statsmodels.api as sm

    frame = sm.datasets.anes96.load_pandas().data
    public = ["popul", "TVnews", "selfLR", "PID", "age", "educ", "income"]
    frame["vote"] = np.where(frame["vote"] == 1, "Dole", "Clinton")
    shuffled = frame.sample(frac=1, random_state=1)  # the file is sorted by the vote
    return read(
        shuffled[[*public, "vote"]].reset_index(drop=True),
        secret="vote",  # noqa: S106  (a column)
        bins={"age": [25, 35, 45, 55, 65, 75], "popul": [5, 20, 50, 200, 1000]},
    )


HIDDEN = "tables, under 10 suppressed"

SURVEYS = {"fair": fair, "anes96": anes96}


def releases(people: Dataset) -> dict[str, Planned]:
    """The four releases, by name."""
    tables = ["tables:k=2", "tables:k=3"]
    names = [column.name for column in people.schema.public]
    sets = list(itertools.combinations(names, COLUMNS))[:REGRESSIONS]
    regressions = [f"logistic-regression:terms={'+'.join(terms)}" for terms in sets]
    trees = ["classifier-score:score=error-rate,trees=200,depth=3,seed=1"]
    return {
        HIDDEN: Planned(tables, "suppression:below=10"),
        "tables, rounded to base 5": Planned(tables, "rounding:base=5", alternative_to=HIDDEN),
        f"{len(regressions)} logistic regressions": Planned(regressions, "rounding:digits=3"),
        "error rates of 200 trees": Planned(trees, "rounding:digits=3"),
    }


def run(name: str) -> tuple[Audit, float]:
    """Audit one survey and time it."""
    start = time.process_time()
    with SURVEYS[name]() as people:
        done = audit(people, releases(people), Scenario(seed=1))
    return done, time.process_time() - start


def show(name: str, done: Audit, seconds: float, console: Console) -> None:
    """Print one line per release."""
    table = Table(
        title=f"{name}: {done.report.data.people:,} people, {seconds:.0f} CPU s", title_justify="left"
    )
    for heading in ("release", "numbers", "recovered", "certain", "guess without it", "advantage", "control"):
        table.add_column(heading, justify="left" if heading == "release" else "right")
    for f in done.report.findings:
        control = (
            ""
            if f.decisive.control is None
            else f"{f.decisive.control.low:+.3f} to {f.decisive.control.high:+.3f}"
        )
        table.add_row(
            f.release,
            f"{f.numbers:,}",
            f"{f.decisive.attack.hits:,} ({f.decisive.attack.rate:.1%})",
            f"{f.certain:,}",
            f"{f.decisive.baseline.rate:.1%}",
            f"{f.advantage.value:+.3f} ({f.advantage.low:+.3f} to {f.advantage.high:+.3f})",
            control,
        )
    console.print(table)
    for skipped in done.report.not_run:
        console.print(f"not run: {skipped.release}: {skipped.reason}")


def main() -> int:
    """Run the surveys that are asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--survey", choices=sorted(SURVEYS), action="append", help="one of them; both by default"
    )
    parser.add_argument("--out", type=Path, help="write the findings here, as JSON")
    options = parser.parse_args()
    console, found = Console(width=160), {}
    for name in options.survey or sorted(SURVEYS):
        done, seconds = run(name)
        show(name, done, seconds, console)
        found[name] = json.loads(done.report.to_json())
    if options.out:
        options.out.write_text(json.dumps({"version": dalenius.__version__, "surveys": found}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
