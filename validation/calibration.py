"""Do the probabilities that the attack states come true? By kind of release, in bins of what is stated.

``python -m validation.calibration [--only WORD ...] [--share S] [--kept FILE]``

Three hundred people a release, tables of every two public columns, and as prior the predictions from three
hundred other people. Made-up people with a yes/no secret and with five values; and the survey ``fair`` inside
statsmodels, with its secret (an affair) and with the occupation as one of six values. Bins are of the
probability of the likeliest value; certain people, who follow by arithmetic, are left out. Fails if a bin of
at least a hundred people is off by more than 0.02 beyond its sampling error: people of one release share its
noise, so the error is taken between releases.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from validation.kept import Kept, asked

from dalenius.knowledge.view import Knowledge, Reference, View
from dalenius.matrices.answers import Counts
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.examples.examples import example_frame
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.population_prior import predict_population
from dalenius.release.release import Block, Release
from dalenius.statistics.tables import tables_of

PEOPLE, RELEASES = 300, 16
MECHANISMS = (
    "rounding:base=5",
    "rounding:base=10",
    "rounding:base=20",
    "suppression:below=10",
    "suppression:below=20",
    "gaussian:sigma=1",
    "gaussian:sigma=2",
    "gaussian:sigma=4",
    "laplace:scale=0.8",
    "laplace:scale=1.5",
    "laplace:scale=3",
)
EDGES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
MANY = 100
"""People from which on a bin is judged."""

WITHIN = 0.02
SURE = 3.0
"""Standard errors beyond which a bin's gap is no accident; over two hundred bins are judged in one run."""

BUDGET = ComputeBudget(20.0)

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class People:
    """Public columns and secrets of the people in a release, and of as many others."""

    columns: tuple[Column, ...]
    codes: Codes
    secrets: Codes
    values: tuple[str, ...]


def made(rng: np.random.Generator, values: int) -> People:
    """People whose public columns and secret hang together through two hidden traits."""
    traits = rng.standard_normal((2 * PEOPLE, 2))
    columns, codes = [], []
    for number, size in enumerate((2, 3, 4, 5, 7, 9)):
        score = traits @ rng.standard_normal(2) + rng.standard_normal(2 * PEOPLE)
        codes.append(np.searchsorted(np.quantile(score, np.arange(1, size) / size), score))
        columns.append(Column(f"c{number}", Role.PUBLIC, Kind.CATEGORICAL, tuple(map(str, range(size)))))
    likely = traits @ rng.standard_normal((2, values)) - 0.4 * np.arange(values)
    secrets = (likely + rng.gumbel(size=likely.shape)).argmax(axis=1)
    return People(
        tuple(columns),
        np.stack(codes, axis=1).astype(np.int32),
        secrets.astype(np.int32),
        tuple(map(str, range(values))),
    )


def surveyed(rng: np.random.Generator, secret: str) -> People:
    """Women of the survey, with one of its columns as the secret."""
    frame = example_frame("fair").sample(2 * PEOPLE, random_state=rng)
    columns, codes = [], []
    for name in frame.columns:
        levels, of = np.unique(frame[name].to_numpy(), return_inverse=True)
        codes.append(of)
        columns.append(Column(name, Role.PUBLIC, Kind.CATEGORICAL, tuple(map(str, levels))))
    at = list(frame.columns).index(secret)
    public = [j for j in range(len(columns)) if j != at]
    return People(
        tuple(columns[j] for j in public),
        np.stack([codes[j] for j in public], axis=1).astype(np.int32),
        codes[at].astype(np.int32),
        columns[at].levels,
    )


KINDS: dict[str, Callable[[np.random.Generator], People]] = {
    "made, yes or no": lambda rng: made(rng, 2),
    "made, five values": lambda rng: made(rng, 5),
    "fair, affair": lambda rng: surveyed(rng, "affair"),
    "fair, occupation": lambda rng: surveyed(rng, "occupation"),
}


def published(people: People, mechanism: str, rng: np.random.Generator) -> tuple[View, Codes]:
    """What an attacker gets of the first half of the people, knowing the second, and the secrets."""
    public = CodedColumns(people.columns, people.codes[:PEOPLE])
    others = Reference(CodedColumns(people.columns, people.codes[PEOPLE:]), people.secrets[PEOPLE:])
    roster = Roster("id", np.array([f"p{i:03}" for i in range(PEOPLE)]), public)
    secrets, values = people.secrets[:PEOPLE], people.values
    tables = tables_of(people.columns, 2)
    counts = tables.operator(roster).explicit() @ np.eye(len(values))[secrets]
    part = tables.sensitivity(len(values))
    chain = parse_mechanism(mechanism).applied().resolve(part)
    printed = chain.protect(Counts(counts.astype(np.int64), tables.table, part), rng=rng)
    secret = Column("secret", Role.SECRET, Kind.CATEGORICAL, values)
    release = Release("r", secret, (Block(tables, values, printed),), str(chain))
    prior = predict_population(others, public, values, rng=rng)
    return View(release, Knowledge(roster, prior)), secrets


def attacked(kind: str, mechanism: str, seed: int) -> list[list[float]]:
    """What is stated of everybody who is not certain, and whether it is right."""
    rng = np.random.default_rng([seed, 20])
    view, secrets = published(KINDS[kind](rng), mechanism, rng)
    got = reconstruct(view, budget=BUDGET, rng=np.random.default_rng(seed))
    left = ~got.certain
    right = (got.guess == secrets)[left]
    return [got.confidence[left].round(5).tolist(), right.astype(int).tolist()]


@dataclass(frozen=True)
class Bin:
    """What was stated of some people on average, the share right, its standard error, and how many."""

    stated: float
    right: float
    error: float
    people: int

    @property
    def off(self) -> bool:
        """Whether enough people show that it is wrong by more than `WITHIN`."""
        return self.people >= MANY and abs(self.stated - self.right) > WITHIN + SURE * self.error

    def __str__(self) -> str:
        mark = "!" if self.off else ""
        return f"{self.stated:.3f} -> {self.right:.3f} +- {self.error:.3f} ({self.people:,}){mark}"


def bins(found: list[list[list[float]]]) -> Iterator[Bin]:
    """The people of some releases by what is stated of them."""
    parts = [np.array(one) for one in found]
    for low, high in itertools.pairwise(EDGES):
        held = [(p >= low) & ((p < high) | (high == 1.0)) for p, _ in parts]
        n = np.array([some.sum() for some in held], float)
        stated = np.array([p[some].sum() for (p, _), some in zip(parts, held, strict=True)])
        gaps = np.array([(r - p)[some].sum() for (p, r), some in zip(parts, held, strict=True)])
        people, gap = int(n.sum()), gaps.sum() / max(n.sum(), 1)
        mean = stated.sum() / max(people, 1)
        binomial = mean * (1 - mean) / max(people, 1)
        between = ((gaps - gap * n) ** 2).sum() / max(people, 1) ** 2
        yield Bin(mean, mean + gap, float(max(binomial, between)) ** 0.5, people)


def expected_error(rows: list[Bin]) -> float:
    """By how much what is stated of a person is off on average: the gaps of the bins, by their people."""
    people = sum(one.people for one in rows)
    return sum(one.people * abs(one.stated - one.right) for one in rows) / max(people, 1)


def run(kept: Kept, console: Console) -> int:
    """Print the bins of every kind of release; how many are off."""
    off = 0
    for kind in KINDS:
        table = Table(title=kind, title_justify="left")
        table.add_column("published")
        table.add_column("stated -> right +- standard error (people)")
        for mechanism in MECHANISMS:
            case = f"{kind}, {mechanism}"
            if not kept.wants(case):
                continue
            found = list(kept.results(case, lambda seed, m=mechanism, k=kind: attacked(k, m, seed)))
            rows = [one for one in bins(found) if one.people]
            off += sum(one.off for one in rows)
            right = np.concatenate([np.array(one[1]) for one in found])
            table.add_row(mechanism, "\n".join(map(str, rows)))
            off_by = f"off by {expected_error(rows):.3f} on average"
            table.add_row("", f"right in all {right.mean():.3f} ({right.size:,}), {off_by}", end_section=True)
        if table.row_count:
            console.print(table)
    console.print(f"{off} bins of at least {MANY} people are off by more than {WITHIN} beyond sampling error")
    return off


def main() -> int:
    """Run what is asked for."""
    return 1 if run(asked(RELEASES), Console(width=110)) else 0


if __name__ == "__main__":
    sys.exit(main())
