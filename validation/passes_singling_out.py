"""What passes `dalenius single-out` and what does not: 40 seeds a line, people made anew for each.

Run: python -m validation.passes_singling_out [--share 1.0] [--only copies rows] [--kept FILE]

Files of the first table leak by construction and must never pass; those of the second do not, and may stop in
at most one seed of forty. Exit code 1 if a line is not as it should be. ``--share`` scales the seeds,
``--only`` takes lines whose name holds a word, ``--kept`` goes on where an interrupted run ended.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from validation.kept import asked
from validation.markdown import table
from validation.perturbed import (
    copula,
    measurements,
    microaggregated,
    noisy,
    people,
    rank_swapped,
    relabelled,
    with_copies,
)

from dalenius.auditing.decide import conclude, decide
from dalenius.findings.policy import Policy
from dalenius.findings.report import Data
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.released.to_finding import finding_of_triple
from dalenius.singling_out.released.triple import TripleSettings, single_out_triple
from dalenius.singling_out.rows.rows import single_out_rows
from dalenius.singling_out.rows.settings import RowsSettings
from dalenius.singling_out.rows.to_finding import finding_of_rows

SEEDS = 40
ROWS, SMALL = 8000, 2000

Verdict = Callable[[int], str]
Release = Callable[[Any, Any, np.random.Generator], Any]


class Case(NamedTuple):
    """A file, whether it leaks, and what is said of it for a seed."""

    name: str
    leaks: bool
    verdict: Verdict


def triple(
    release: Release,
    rows: int = SMALL,
    control: int | None = None,
    draw: Any = people,
    attacks: int = 1000,
    columns: int | None = None,
) -> Verdict:
    """Original, others and control drawn alike; the release is made from the original and the others."""

    def verdict(seed: int) -> str:
        rng = np.random.default_rng([11, seed])
        original, others, outside = (draw(size, rng) for size in (rows, rows, control or rows))
        files = (original, release(original, others, rng), outside)
        own, released, other = map(Rows.of_table, files)
        found = single_out_triple(
            own, released, other, how=TripleSettings(attacks=attacks, columns=columns, seed=seed)
        )
        return decide([finding_of_triple(found, "released")], Policy(max_advantage=TRIPLE))[0]

    return verdict


def copies(share: float) -> Release:
    """Other people, some of whom are replaced by originals."""
    return lambda original, others, rng: with_copies(others, original, round(share * original.num_rows))


def triples() -> list[Case]:
    """Synthetic and perturbed rows."""
    planted = [Case("copies of 0.1% of 8,000", True, triple(copies(0.001), ROWS))]
    planted += [Case(f"copies of {s:.0%} of 2,000", True, triple(copies(s))) for s in (0.01, 0.05, 0.1, 0.25)]
    changed: dict[str, Release] = {
        "noise of 1% of the deviation": lambda own, _, rng: noisy(own, 0.01, rng),
        "noise of 10%": lambda own, _, rng: noisy(own, 0.1, rng),
        "microaggregation, k = 3": lambda own, _, rng: microaggregated(own, 3),
        "rank swapping, 5%": lambda own, _, rng: rank_swapped(own, 0.05, rng),
    }
    perturbed = [Case(f"survey, {name}", True, triple(how)) for name, how in changed.items()]
    perturbed += [
        Case(f"numbers, {name}", True, triple(how, draw=measurements)) for name, how in changed.items()
    ]
    perturbed.append(
        Case("survey, PRAM, 80% stay", True, triple(lambda own, _, rng: relabelled(own, 0.8, rng)))
    )
    exact = triple(lambda own, others, rng: copula(own, own.num_rows, rng), ROWS)
    perturbed.append(Case("copula of the original, its exact amounts, 8,000", True, exact))
    honest: dict[str, Release] = {
        "other people as they are": lambda own, others, rng: others,
        "copula of other people": lambda own, others, rng: copula(others, others.num_rows, rng),
        "copula of the original, amounts of two digits": lambda own, others, rng: copula(
            own, own.num_rows, rng, between=True
        ),
    }
    fair = [Case(f"{name}, 8,000", False, triple(how, ROWS)) for name, how in honest.items()]
    as_they_are = honest["other people as they are"]
    fair += [
        Case(
            f"other people, 8,000, {size:,} of control", False, triple(as_they_are, ROWS, size, attacks=4000)
        )
        for size in (4000, 2000)
    ]
    five = triple(as_they_are, ROWS, 2000, attacks=4000, columns=5)
    fair.append(Case("the same, five columns", False, five))
    return [*planted, *perturbed, *fair]


def rows(release: Release, others: Callable[[Any, Any, np.random.Generator], dict[str, Any]]) -> Verdict:
    """Five hundred of 60,000 people, some columns recoded; the policy's usual limit of 5 points."""

    def verdict(seed: int) -> str:
        rng = np.random.default_rng([12, seed])
        everybody = numbered(EVERYBODY)
        original = everybody.take(rng.choice(EVERYBODY.num_rows, 500, replace=False))
        released = release(original, everybody, rng)
        known = {name: Rows.of_table(table) for name, table in others(original, everybody, rng).items()}
        quasi = [name for name in ("age", "sex", "schooling", "job") if name in released.column_names]
        found = single_out_rows(
            Rows.of_table(released),
            quasi,
            original=Rows.of_table(original),
            how=RowsSettings(seed=seed),
            **known,
        )
        finding = finding_of_rows(found, "release")
        return conclude([finding], Policy(), data=DATA, seed=seed).verdict

    return verdict


TRIPLE = 0.1
"""The advantage over luck that is tolerated of synthetic and perturbed rows here, `--limit 0.1`."""

DATA = Data(source="survey", people=500, public=(), secret=None)
EVERYBODY = people(60_000, np.random.default_rng(13))


def numbered(table: Any) -> Any:
    """People with a number of their own."""
    return table.append_column("number", pa.array([f"N{i:06}" for i in range(table.num_rows)]))


def coarse(*kept: str, ages: int = 40, schooling: int = 0) -> Release:
    """Bands of age and schooling; some columns as they are."""

    def release(original: Any, everybody: Any, rng: np.random.Generator) -> Any:
        made = {"age": bands(original["age"].to_numpy(), ages), "sex": original["sex"]}
        if schooling:
            made["schooling"] = bands(original["schooling"].to_numpy(), schooling)
        return pa.table(made | {name: original[name] for name in kept})

    return release


def bands(values: Any, width: int) -> list[str]:
    """Numbers as ranges of one width."""
    low = (values // width * width).astype(int)
    return [f"{a}-{a + width - 1}" for a in low.tolist()]


def whole(original: Any, everybody: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Everybody is known."""
    return {"population": everybody}


def register(original: Any, everybody: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Everybody is known, but not by number."""
    return {"population": everybody.drop_columns(["number"])}


def sample(original: Any, everybody: Any, rng: np.random.Generator) -> dict[str, Any]:
    """A thousand other people."""
    members = set(original["number"].to_pylist())
    free = np.array([number not in members for number in everybody["number"].to_pylist()])
    return {"holdout": everybody.take(rng.choice(np.flatnonzero(free), 1000, replace=False))}


def nobody(original: Any, everybody: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Nobody else is known."""
    return {}


def generalised() -> list[Case]:
    """Rows with recoded columns."""
    fine = coarse("marital", "job", ages=10, schooling=2)
    return [
        Case("rows, number released, everybody known", True, rows(coarse("number"), whole)),
        Case("rows, number released, not in the register", True, rows(coarse("number"), register)),
        Case("rows, number released, 1,000 others", True, rows(coarse("number"), sample)),
        Case("rows, number released, nobody known", True, rows(coarse("number"), nobody)),
        Case("rows, fine bands, two columns as they are", True, rows(fine, whole)),
        Case("rows, the same, 1,000 others", True, rows(fine, sample)),
        Case("rows, bands of 60 years, sex", False, rows(coarse(ages=60), whole)),
        Case("rows, bands of 60 years, sex, pay as it is", False, rows(coarse("pay", ages=60), whole)),
        Case("rows, bands of 40 years, sex, pay as it is", False, rows(coarse("pay"), whole)),
    ]


def main() -> int:
    """Play every line; say which is not as it should be."""
    kept = asked(SEEDS)
    wrong = 0
    for leaks, title in ((True, "leaks by construction"), (False, "does not leak")):
        line = table(title, "pass", "stop", "undecided", "CPU s")
        for case in (*triples(), *generalised()):
            if case.leaks is not leaks or not kept.wants(case.name):
                continue
            found = list(kept.results(case.name, partial(timed, case.verdict)))
            said = Counter(verdict for verdict, _ in found)
            cost = median(seconds for _, seconds in found)
            line([case.name, *(str(said[word]) for word in ("pass", "stop", "undecided")), f"{cost:.1f}"])
            wrong += said["pass"] > 0 if leaks else said["stop"] > max(1, kept.seeds // 40)
    return int(wrong > 0)


def timed(verdict: Verdict, seed: int) -> tuple[str, float]:
    """Return what is said for a seed, and the CPU seconds it took."""
    start = time.process_time()
    return verdict(seed), time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
