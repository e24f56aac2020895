"""What passes `dalenius rows` and what does not: 40 seeds a line, people made anew for each.

Run: python -m validation.passes_rows [--share 1.0] [--only copies control] [--kept FILE]

Files of the first table leak by construction and must never pass; those of the second do not, and may stop in
at most one seed of forty. The columns S, L and I count the seeds in which singling out (or copies), linking
and inferring break a rule by themselves. The third table holds the advantages of one release under controls
of different sizes: means over the seeds, which must not drift, and how they spread. Exit code 1 if a line is
not as it should be.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable
from statistics import mean, median, stdev
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from validation.kept import Kept, asked
from validation.markdown import table

from dalenius.auditing.decide import decide
from dalenius.findings.policy import Policy
from dalenius.findings.report import Finding
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows
from dalenius.singling_out.family import FAMILY
from dalenius.singling_out.released.files import TripleRows
from dalenius.singling_out.released.questions import Halves, Questions, QuestionsAsked, run_questions
from dalenius.singling_out.released.questions_finding import finding_of_questions
from dalenius.singling_out.released.triple import TripleSettings
from validation import perturbed

SEEDS = 40
PEOPLE, MANY = 2000, 8000
LIMIT = 0.1
"""The advantage that is tolerated here, `--max-advantage 0.1`."""

SIZES = (4000, 2000, 500, 125)

SURVEY = ("pay", "age,work,job,country/schooling,hours,kin,origin")
NUMBERS = ("x7", "x0,x1,x2/x3,x4,x5")

Release = Callable[[Any, Any, np.random.Generator], Any]


class Line(NamedTuple):
    """A file, whether it leaks, and whom it is about."""

    name: str
    leaks: bool
    release: Release
    people: int = PEOPLE
    numbers: bool = False


def questions(line: Line, seed: int, control: int | None = None) -> Questions:
    """Ask the three questions of one file."""
    rng = np.random.default_rng([17, seed])
    draw = perturbed.measurements if line.numbers else perturbed.people
    original, others, outside = (draw(size, rng) for size in (line.people, line.people, max(SIZES[0], MANY)))
    released = line.release(original, others, rng)
    column, link = NUMBERS if line.numbers else SURVEY
    own, rows, apart = map(Rows.of_table, (original, released, outside.slice(0, control or line.people)))
    how = TripleSettings(attacks=1000, seed=seed)
    asks = QuestionsAsked(column, Halves.parse(link), conditions=how)
    return run_questions(TripleRows(SealedRows(own), rows, apart), asks)


def judged(line: Line, seed: int) -> tuple[str, str, float]:
    """The verdict for a seed, the questions that break a rule by themselves, and the CPU seconds."""
    start = time.process_time()
    finding = finding_of_questions(questions(line, seed), "released")
    said = decide([finding], Policy(max_advantage=LIMIT))[0]
    return said, broken(finding), time.process_time() - start


def broken(finding: Finding) -> str:
    """S, L and I for the questions with a rule that is broken."""
    rules = [r.rule for r in FAMILY.rulings(finding, Policy(max_advantage=LIMIT)) if r.verdict == "stop"]
    words = {"L": "linkability", "I": "inference"}
    found = {letter for letter, word in words.items() if any(word in rule for rule in rules)}
    if any(not any(word in rule for word in words.values()) for rule in rules):
        found.add("S")
    return "".join(sorted(found))


def copies(share: float) -> Release:
    """Other people, some of whom are replaced by originals."""
    return lambda own, others, rng: perturbed.with_copies(others, own, round(share * own.num_rows))


def halves(own: Any, others: Any, rng: np.random.Generator) -> Any:
    """The columns that are linked as they are, all others those of somebody else."""
    true = NUMBERS[1].replace("/", ",").split(",")
    return pa.table({name: (own if name in true else others)[name] for name in own.column_names})


def secret(own: Any, others: Any, rng: np.random.Generator) -> Any:
    """The secret as it is, all else with noise of half a standard deviation."""
    made = perturbed.noisy(own, 0.5, rng)
    return made.set_column(made.column_names.index(NUMBERS[0]), NUMBERS[0], own[NUMBERS[0]])


QUASI = ("age", "country", "job", "pay")


def real_in_part(share: float) -> Release:
    """Other people's rows, some of which have age, country, job and the secret of somebody."""
    return lambda own, others, rng: real_of(rng.random(own.num_rows) < share, own, others, rng)


def real_of(some: Any, own: Any, others: Any, rng: np.random.Generator) -> Any:
    """Other people's rows, some of which have four columns of somebody, shuffled: their order would tell."""
    made = {}
    for name in own.column_names:
        mine, rest = (one[name].to_numpy(zero_copy_only=False) for one in (own, others))
        made[name] = np.where(some & (name in QUASI), mine, rest)
    return pa.table(made).take(rng.permutation(own.num_rows))


def one_job(own: Any, others: Any, rng: np.random.Generator) -> Any:
    """The same for the people of one job alone."""
    return real_of(own["job"].to_numpy(zero_copy_only=False) == "job 5", own, others, rng)


def oldest(own: Any, others: Any, rng: np.random.Generator) -> Any:
    """The same for the oldest 2%, all of one age drawn alike."""
    age = own["age"].to_numpy(zero_copy_only=False)
    some = np.zeros(own.num_rows, np.bool_)
    some[np.lexsort((rng.random(age.size), age))[-own.num_rows // 50 :]] = True
    return real_of(some, own, others, rng)


def in_order(own: Any, others: Any, rng: np.random.Generator) -> Any:
    """Every column drawn by itself, but the secret in the order of the people."""
    made = {name: rng.permutation(others[name].to_numpy(zero_copy_only=False)) for name in own.column_names}
    return pa.table(made | {"pay": own["pay"]})


def lines() -> list[Line]:
    """All files."""
    planted = [Line(f"copies of {s:.0%} of 2,000", True, copies(s)) for s in (0.01, 0.05, 0.1, 0.25)]
    changed: dict[str, Release] = {
        "noise of 1% of the deviation": lambda own, _, rng: perturbed.noisy(own, 0.01, rng),
        "noise of 10%": lambda own, _, rng: perturbed.noisy(own, 0.1, rng),
        "microaggregation, k = 3": lambda own, _, rng: perturbed.microaggregated(own, 3),
        "rank swapping, 5%": lambda own, _, rng: perturbed.rank_swapped(own, 0.05, rng),
        "PRAM, 80% stay": lambda own, _, rng: perturbed.relabelled(own, 0.8, rng),
    }
    altered = [Line(f"survey, {name}", True, how) for name, how in changed.items()]
    partly = [
        Line("numbers, true halves, all else of others", True, halves, numbers=True),
        Line("numbers, true secret, all else with noise of 50%", True, secret, numbers=True),
    ]
    partly += [
        Line(f"four real columns in {share:.0%} of the rows", True, real_in_part(share))
        for share in (0.1, 0.25, 0.5, 1.0)
    ]
    partly += [
        Line("four real columns of the people of one job", True, one_job),
        Line("four real columns of the oldest 2%", True, oldest),
        Line("secret in the order of the people, all else by itself", True, in_order),
    ]
    fair = [
        Line("other people as they are, 2,000", False, lambda own, others, rng: others),
        Line(
            "copula of other people, 2,000",
            False,
            lambda own, others, rng: perturbed.copula(others, others.num_rows, rng),
        ),
    ]
    many = [
        Line("copies of 0.1% of 8,000", True, copies(0.001), MANY),
        Line("other people as they are, 8,000", False, lambda own, others, rng: others, MANY),
        Line(
            "copula of other people, 8,000",
            False,
            lambda own, others, rng: perturbed.copula(others, others.num_rows, rng),
            MANY,
        ),
    ]
    return [*planted, *altered, *partly, *fair, *many]


def advantages(seed: int, control: int) -> tuple[float, float]:
    """What linking and inferring gain from a quarter of copies, under a control of some size."""
    found = questions(Line("copies", True, copies(0.25)), seed, control)
    return found.links[1].success.advantage.value, found.inferred[0].success.advantage.value


def verdicts(kept: Kept) -> int:
    """Write both tables of verdicts; return how many lines are not as they should be."""
    wrong = 0
    for leaks, title in ((True, "leaks by construction"), (False, "does not leak")):
        row = table(title, "pass", "stop", "undecided", "S", "L", "I", "CPU s")
        for line in lines():
            if line.leaks is not leaks or not kept.wants(line.name):
                continue
            found = list(kept.results(line.name, lambda seed, line=line: judged(line, seed)))
            said = Counter(verdict for verdict, _, _ in found)
            by = [str(sum(letter in letters for _, letters, _ in found)) for letter in "SLI"]
            cost = f"{median(seconds for _, _, seconds in found):.1f}"
            row([line.name, *(str(said[word]) for word in ("pass", "stop", "undecided")), *by, cost])
            wrong += said["pass"] > 0 if leaks else said["stop"] > max(1, kept.seeds // 40)
    return wrong


def sizes(kept: Kept) -> int:
    """Write the table of controls; return how many sizes drift from the largest by 4 standard errors."""
    row, first, wrong = table("control", "linking", "spread", "inferring", "spread"), None, 0
    for size in SIZES:
        name = f"control of {size:,}"
        if not kept.wants(name):
            continue
        found = list(zip(*kept.results(name, lambda seed, size=size: advantages(seed, size)), strict=True))
        means, wide = [mean(x) for x in found], [stdev(x) if len(x) > 1 else 1.0 for x in found]
        row([f"{size:,}", *(f"{100 * x:.1f}" for pair in zip(means, wide, strict=True) for x in pair)])
        first = first or means
        error = [4 * w / len(found[0]) ** 0.5 + 0.002 for w in wide]
        wrong += any(abs(m - f) > e for m, f, e in zip(means, first, error, strict=True))
    return wrong


def main() -> int:
    """Play every line; say which is not as it should be."""
    kept = asked(SEEDS)
    return int(verdicts(kept) + sizes(kept) > 0)


if __name__ == "__main__":
    sys.exit(main())
