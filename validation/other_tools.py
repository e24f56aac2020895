"""Attack what other tools wrote: statsmodels summaries, a crossed table of pandas, a histogram of OpenDP.

``python validation/other_tools.py [--out FOLDER]``

The people are voters of the survey ``anes96`` inside statsmodels; the secret is whom they voted for. Each
tool is used as its documentation shows; its output goes, as a file, to the commands of ``dalenius
reconstruct``.
"""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

VOTERS = 60
COLUMNS = ["TVnews", "selfLR", "PID", "age", "educ", "income", "popul", "ClinLR", "DoleLR"]
SMALL = 10


def voters(count: int | None = None) -> Any:
    """Voters in random order, with a name each."""
    import statsmodels.api as sm

    frame = sm.datasets.anes96.load_pandas().data.sample(frac=1, random_state=1)
    frame = frame.iloc[:count].reset_index(drop=True)
    frame.insert(0, "id", [f"v{i}" for i in range(len(frame))])
    return frame


def write_people(frame: Any, folder: Path, columns: list[str]) -> list[str]:
    """The attacker's list and the referee's truth; returns the options that name them."""
    frame[["id", *columns]].to_csv(folder / "people.csv", index=False)
    frame[["id", "vote"]].astype({"vote": int}).to_csv(folder / "truth.csv", index=False)
    return ["--people", "people.csv", "--id", "id", "--truth", "truth.csv"]


def statsmodels_summaries(folder: Path) -> list[str]:
    """Linear regressions of the vote on every two columns, each as the text that statsmodels prints."""
    import statsmodels.api as sm

    frame, words = voters(VOTERS), []
    given = write_people(frame, folder, COLUMNS)
    for a, b in itertools.combinations(COLUMNS, 2):
        fit = sm.OLS(frame["vote"], sm.add_constant(frame[[a, b]])).fit()
        path = folder / f"{a}-{b}.txt"
        path.write_text(str(fit.summary()))
        words += ["--coefficients", path.name]
    return ["regression", *given, "--model", "linear", *words]


def pandas_crossings(folder: Path) -> list[str]:
    """Tables of the vote by every two columns, with margins; cells of 1 to 9 hidden by an x."""
    import pandas as pd

    columns = ["selfLR", "PID", "educ", "TVnews"]
    frame, words = voters().astype(dict.fromkeys(columns, int)), []
    given = write_people(frame, folder, columns)
    for a, b in itertools.combinations(columns, 2):
        table = pd.crosstab(
            [frame[a], frame[b]], frame["vote"].astype(int), margins=True, margins_name="Total"
        )
        hidden = table.mask((table > 0) & (table < SMALL)).astype("Int64").astype(str).replace("<NA>", "x")
        path = folder / f"{a}-{b}.csv"
        hidden.reset_index().to_csv(path, index=False)
        words += ["--table", path.name]
    return ["tables", *given, "--secret", "vote", "--mechanism", f"suppression:below={SMALL}", *words]


def opendp_histogram(folder: Path, scale: float = 2.0) -> list[str]:
    """The vote by two columns, each count with OpenDP's discrete Laplace noise."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    columns = ["selfLR", "PID"]
    frame = voters().astype(dict.fromkeys(columns, int))
    given = write_people(frame, folder, columns)
    counts = frame.astype({"vote": int}).groupby([*columns, "vote"]).size().unstack(fill_value=0).stack()
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    noisy = dp.m.make_laplace(*space, scale=scale)(counts.tolist())
    counts.reset_index(name="count").assign(count=noisy).to_csv(folder / "histogram.csv", index=False)
    words = ["--table", "histogram.csv", "--secret", "vote", "--mechanism", f"geometric:scale={scale:g}"]
    return ["tables", *given, *words]


TOOLS = {
    "statsmodels: OLS summaries": statsmodels_summaries,
    "pandas: crossed tables, small cells hidden": pandas_crossings,
    "OpenDP: histogram": opendp_histogram,
}


def main() -> int:
    """Let each tool write, and attack what it wrote."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, help="keep the files here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for number, (name, write) in enumerate(TOOLS.items()):
            folder = (options.out or Path(temporary)) / str(number)
            folder.mkdir(parents=True)
            command = [str(Path(sys.executable).parent / "dalenius"), "reconstruct", *write(folder)]
            print(f"== {name}", flush=True)
            subprocess.run([*command, "--out", "found"], cwd=folder, check=True)
            guesses = np.genfromtxt(folder / "found" / "claims.csv", delimiter=",", skip_header=1, dtype=str)
            print(f"{len(guesses)} claims in {folder / 'found' / 'claims.csv'}\n" if options.out else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
