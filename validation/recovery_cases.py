"""The simulations behind `recovery_rates`: one run of a case gives one number for each of its rows.

All noise levels and decoders of a run see the same people, questions and secrets: a row's mean is what it
would be otherwise, at a fraction of the time. Decoders are called one by one, without the arithmetic that an
attack tries first, because the reference figures are of single decoders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Counts
from dalenius.matrices.operators import SparseRows
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.reconstruction.attack.decoders import box, least_squares, lp, posterior
from dalenius.reconstruction.attack.system.build import build
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.reconstruction.attack.system.walsh import parities
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.boolean import named_function
from dalenius.statistics.counts.boolean_counts import counts_of
from dalenius.statistics.counts.subsets import random_subsets
from dalenius.statistics.estimates.regression import Regression
from dalenius.statistics.tables import tables_of
from dalenius.theory.reconstruction.gaussian_limits import any_attack_accuracy
from dalenius.theory.reconstruction.least_squares import inverse_gram_diagonal, least_squares_accuracy

SECRET = Column("s", Role.SECRET, Kind.BINARY, ("no", "yes"))
LS, LMMSE, BOX = "least squares", "LMMSE", "box"
RAW, WHITE = "least squares, raw", "least squares, whitened"

Key = tuple[str, str]
Run = Callable[[np.random.Generator], Iterator[tuple[Key, float]]]
Matrix = NDArray[np.float64]
Bits = NDArray[np.int64]


@dataclass(frozen=True)
class Case:
    """A simulation.

    Parameters
    ----------
    name
        As in the reference.
    runs
        How many make its acceptance narrow in a few minutes.
    run
        One run: pairs of (setting, decoder) and the share of secrets recovered.
    """

    name: str
    runs: int
    run: Run


def people(n: int, bits: Bits | None = None) -> Roster:
    """People with these public bits."""
    ids = np.array([f"p{i:04}" for i in range(n)])
    if bits is None:
        return Roster.of_names("id", ids)
    columns = tuple(Column(f"a{j}", Role.PUBLIC, Kind.BINARY, ("0", "1")) for j in range(bits.shape[1]))
    return Roster("id", ids, CodedColumns(columns, bits.astype(np.int32)))


def seen(statistic: Any, values: tuple[str, ...], answers: Matrix, mechanism: str, roster: Roster) -> View:
    """What the attacker gets, knowing that bits are fair."""
    release = Release("r", SECRET, (Block(statistic, values, answers),), mechanism)
    return View(release, Knowledge(roster, np.full((len(roster), 2), 0.5)))


def noisy(statistic: Any, roster: Roster, secrets: Bits, sigma: float, rng: np.random.Generator) -> View:
    """Count, and add Gaussian noise to every answer."""
    mechanism = parse_mechanism(f"gaussian:sigma={sigma!r}")
    if hasattr(statistic, "operator"):
        having = [1 - secrets, secrets] if statistic.counts_all_values else [secrets]
        matrix = statistic.operator(roster)
        exact = np.stack([np.rint(matrix.apply(column.astype(np.float64))) for column in having], axis=1)
        values = SECRET.levels[-len(having) :]
    else:
        exact, values = statistic.compute(roster, secrets.astype(np.float64))[:, None], ("estimate",)
    counts = Counts(exact.astype(np.int64), np.arange(len(exact)), statistic.sensitivity(len(values)))
    return seen(statistic, values, mechanism.protect(counts, rng=rng), str(mechanism), roster)


def system_of(rows: Matrix, target: NDArray[np.float64], sd: float) -> LinearSystem:
    """Equations about fair bits that are not of one statistic alone; ``sd`` not a number: of unknown size."""
    m, n = rows.shape
    ones, far = np.ones(n, np.int64), np.full(m, np.inf)
    shape = "unknown" if np.isnan(sd) else "gaussian"
    return LinearSystem(
        SparseRows(sparse.csr_array(rows)), target, -far, far, np.full(m, sd), shape, ones, 0 * ones, ones,
        np.full(n, 0.5), np.zeros(m, np.bool_),
    )  # fmt: skip


def right(solution: NDArray[np.float64], secrets: Bits) -> float:
    """The share guessed right."""
    return float(np.mean((solution >= 0.5) == secrets))


def decoded(decoder: str, system: LinearSystem, secrets: Bits) -> float:
    """The share that one decoder gets right."""
    if decoder == LMMSE:
        return right(posterior.State(system).gaussian()[0], secrets)
    decode = {LS: least_squares.decode, BOX: box.decode}[decoder]
    return right(decode(system, rng=np.random.default_rng(1)).share, secrets)


def theory(setting: str, system: LinearSystem) -> Iterator[tuple[Key, float]]:
    """What is predicted for least squares, and what no attack exceeds."""
    matrix = system.A.explicit().toarray() / system.sd[:, None]
    yield (setting, "predicted least squares"), least_squares_accuracy(1.0, inverse_gram_diagonal(matrix))
    yield (setting, "bound of any attack"), any_attack_accuracy(np.linalg.norm(matrix, axis=0), 1.0)


def subsets(n: int, m: int, noise: Sequence[float], decoders: Sequence[str], label: str = "") -> Run:
    """Random subsets, Gaussian noise of c sqrt(n)."""

    def run(rng: np.random.Generator) -> Iterator[tuple[Key, float]]:
        roster, secrets = people(n), rng.integers(0, 2, n)
        asked = random_subsets(roster.ids, m, rng=rng)
        for c in noise:
            setting = label or f"{c:g}"
            system = build(noisy(asked, roster, secrets, c * n**0.5, rng)).systems[0]
            for decoder in decoders:
                yield (setting, decoder), decoded(decoder, system, secrets)
            if len(decoders) > 1:
                yield from theory(setting, system)
                uniform = asked.members.apply(secrets.astype(float)) + rng.uniform(-c, c, m) * n**0.5
                view = seen(asked, ("yes",), uniform[:, None], "unknown", roster)
                yield (
                    (setting, "least squares, uniform noise"),
                    decoded(LS, build(view).systems[0], secrets),
                )

    return run


def more_queries(rng: np.random.Generator) -> Iterator[tuple[Key, float]]:
    """Noise of sqrt(n), more and more questions."""
    for ratio in (2, 4, 8, 16, 32):
        yield from subsets(64, 64 * ratio, (1.0,), (LS,), f"m/n={ratio}")(rng)


def tables(
    n: int, d: int, k: int, noise: Sequence[float], decoders: Sequence[str], *, ones: bool = False
) -> Run:
    """All cells of all tables of k of d fair bits, or only the cell where all are 1."""

    def run(rng: np.random.Generator) -> Iterator[tuple[Key, float]]:
        roster, secrets = people(n, rng.integers(0, 2, (n, d))), rng.integers(0, 2, n)
        columns = roster.attributes.columns
        asked = counts_of(columns, named_function("and", k)) if ones else tables_of(columns, k)
        for c in noise:
            system = build(noisy(asked, roster, secrets, c * n**0.5, rng)).systems[0]
            for decoder in decoders:
                yield (f"{c:g}", decoder), decoded(decoder, system, secrets)
            if not ones:
                yield from theory(f"{c:g}", system)
        values = np.linalg.svd(system.A.explicit().toarray(), compute_uv=False)
        both = 1.0 if ones else 2**0.5  # with the cells of the other value every row is there twice
        yield ("sigma_min", "least singular value"), float(both * values[-1])

    return run


def forms(fits: Sequence[Regression], answers: Sequence[NDArray[np.float64]], roster: Roster) -> Any:
    """The equations of fits as they are, and with the errors of the coefficients themselves."""
    raw, white = [], []
    for fit, published in zip(fits, answers, strict=True):
        form = fit.linear(roster, published)
        raw.append((form.rows, form.target))
        gain = np.asarray(form.gain)
        white.append((np.linalg.solve(gain, form.rows), np.linalg.solve(gain, form.target)))
    return [
        (np.concatenate([rows for rows, _ in parts]), np.concatenate([target for _, target in parts]))
        for parts in (raw, white)
    ]


def numeric(X: Matrix) -> Roster:
    """People with these numbers."""
    columns = tuple(Column(f"x{j}", Role.PUBLIC, Kind.NUMERIC, ("all",)) for j in range(X.shape[1]))
    coded = CodedColumns(columns, np.zeros(X.shape, np.int32))
    return Roster(
        "id", np.arange(len(X)).astype(np.str_), coded, {c.name: X[:, j] for j, c in enumerate(columns)}
    )


def _solved(parts: Any, secrets: Bits) -> float:
    return right(least_squares.solve(system_of(*parts, 1.0), np.ones(parts[1].size)), secrets)


def single_columns(
    model: str, noise: Sequence[float], *, signs: bool = False, decimals: Sequence[int] = ()
) -> Run:
    """400 fits of one column without intercept about 100 people; noise of c / sqrt(n), or rounding."""
    n, d = 100, 400

    def run(rng: np.random.Generator) -> Iterator[tuple[Key, float]]:
        secrets = rng.integers(0, 2, n)
        roster = numeric(rng.choice([-1.0, 1.0], (n, d)) if signs else rng.uniform(-1, 1, (n, d)))
        columns = roster.attributes.columns
        fits = [Regression((column,), (column.name,), model, intercept=False) for column in columns]
        exact = [fit.compute(roster, secrets.astype(np.float64)) for fit in fits]
        published = {f"{c:g}": [x + rng.normal(0, c / n**0.5, 1) for x in exact] for c in noise}
        published |= {_decimals(digits): [np.round(x, digits) for x in exact] for digits in decimals}
        for setting, answers in published.items():
            raw, white = forms(fits, answers, roster)
            yield (setting, RAW), _solved(raw, secrets)
            yield (setting, WHITE), _solved(white, secrets)

    return run


def _decimals(digits: int) -> str:
    return f"{digits} decimal{'s' * (digits != 1)}"


def several_columns(decimals: Sequence[int], *, standardise: bool = False) -> Run:
    """100 logistic fits with intercept on four normal columns of different means and scales, rounded.

    The reference does not say which means and scales. Of seven kinds tried these meet all its rows; others
    recover up to 0.1 more or less, so that these rows show what whitening does, not its last digit.
    """
    n, models = 100, 100

    def run(rng: np.random.Generator) -> Iterator[tuple[Key, float]]:
        secrets = rng.integers(0, 2, n)
        spread, centre = rng.uniform(0.5, 3, 4 * models), rng.uniform(-2, 2, 4 * models)
        roster = numeric(rng.normal(size=(n, 4 * models)) * spread + centre)
        columns = roster.attributes.columns
        fits = []
        for j in range(0, 4 * models, 4):
            four = columns[j : j + 4]
            fits.append(Regression(four, tuple(c.name for c in four), standardise=standardise))
        exact = [fit.compute(roster, secrets.astype(np.float64)) for fit in fits]
        for digits in decimals:
            raw, white = forms(fits, [np.round(x, digits) for x in exact], roster)
            setting, sd = _decimals(digits), 10.0**-digits / 12**0.5
            yield (setting, RAW), _solved(raw, secrets)
            yield (setting, WHITE), _solved(white, secrets)
            best = right(posterior.State(system_of(*white, sd)).gaussian()[0], secrets)
            yield (setting, "LMMSE, whitened"), best

    return run


def wild(m: int, fraction: float, how: str, setting: str, *, signs: bool = False) -> Run:
    """Counts about 80 people, wrong by at most 1, a fraction of them replaced; nothing is announced."""
    n = 80

    def run(rng: np.random.Generator) -> Iterator[tuple[Key, float]]:
        rows = rng.choice([-1, 1], (m, n)) if signs else rng.integers(0, 2, (m, n))
        secrets = rng.integers(0, 2, n)
        answers = rows @ secrets + rng.uniform(-1, 1, m)
        bad = rng.permutation(m)[: round(fraction * m)]
        drawn = rng.uniform(-n if signs else 0, n, bad.size)
        answers[bad] = {"uniform": drawn, "turned": rows[bad] @ (1 - secrets), "zero": 0 * drawn}[how]
        system = system_of(rows.astype(np.float64), answers, np.nan)
        yield (setting, LS), decoded(LS, system, secrets)
        yield (setting, "LP"), right(lp.solve(system, box=False)[0], secrets)
        if not signs:
            yield (setting, BOX), decoded(BOX, system, secrets)
            yield (setting, "LP in the box"), right(lp.solve(system)[0], secrets)

    return run


WILD = (
    wild(320, 0.1, "uniform", "10% uniform[0,n]"),
    wild(320, 0.1, "turned", "10% 1-s"),
    wild(320, 0.1, "zero", "10% 0"),
    wild(320, 0.2, "uniform", "20% uniform[0,n]"),
    wild(320, 0.3, "uniform", "30% uniform[0,n]"),
    wild(240, 0.1, "uniform", "10% uniform[0,n], m=240"),
    wild(320, 0.1, "uniform", "10% uniform[-n,n], +-1", signs=True),
)


def wild_answers(rng: np.random.Generator) -> Iterator[tuple[Key, float]]:
    """Every way of replacing answers."""
    for run in WILD:
        yield from run(rng)


MOVED = 0.7
"""Chance that a bit of the other secret is that of the attribute; the reference does not say it."""


def wrong_tables(rng: np.random.Generator) -> Iterator[tuple[Key, float]]:
    """Tables of all pairs of 24 bits about 144 people; some of them are computed on another secret.

    Either all tables of one attribute, or as many anywhere.
    """
    n, d = 144, 24
    roster, secrets = people(n, rng.integers(0, 2, (n, d))), rng.integers(0, 2, n)
    asked = tables_of(roster.attributes.columns, 2)
    cells = asked.operator(roster).explicit().toarray()
    first = np.array(["a0" in names for names in asked.sets])
    moved = np.where(rng.random(n) < MOVED, roster.attributes.codes[:, 0], secrets)
    for setting, wrong in (("one attribute", first), ("anywhere", rng.permutation(first))):
        counts = np.where(np.repeat(wrong, 4), cells @ moved, cells @ secrets)
        answers = np.stack([cells.sum(axis=1) - counts, counts], axis=1)
        view = seen(asked, SECRET.levels, answers, "unknown", roster)
        problem = build(view)
        system = problem.systems[0]
        turn = parities(view, problem.group)
        assert turn is not None
        for decoder, equations in (("(1,1)", ones_of(system)), ("all", system), ("parities", turn(system))):
            name = {"(1,1)": "LP, cells (1,1)", "all": "LP, cells", "parities": "LP, parities"}[decoder]
            shares = lp.solve(equations, box=False)[0] / system.sizes  # rarely two people have the same bits
            yield (setting, name), right(shares[problem.group], secrets)


def ones_of(system: LinearSystem) -> LinearSystem:
    """The last of the four cells of every table."""
    at = slice(3, None, 4)
    return replace(
        system,
        A=SparseRows(sparse.csr_array(system.A.explicit()[at])),
        centre=system.centre[at],
        low=system.low[at],
        high=system.high[at],
        sd=system.sd[at],
        counting=system.counting[at],
    )


LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 1.5, 2.0, 4.0)
WIDE, NARROW = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0), (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
CASES = (
    Case("random subsets, n=128, m=512", 500, subsets(128, 512, LEVELS, (LS, LMMSE, BOX))),
    Case("random subsets, n=256, m=1024", 400, subsets(256, 1024, (0.25, 0.5, 1.0, 2.0), (LS,))),
    Case("random subsets, n=64, c=1", 1000, more_queries),
    Case("two-way tables, n=100, d=200", 1000, tables(100, 200, 1, WIDE, (LS, LMMSE))),
    Case(
        "two-way tables, n=100, d=200, cell (1,1)",
        1000,
        tables(100, 200, 1, WIDE[:-1], (LS, LMMSE), ones=True),
    ),
    Case("two-way tables, n=100, d=400", 500, tables(100, 400, 1, WIDE, (LS,))),
    Case(
        "three-way tables, n=200, d=40",
        300,
        tables(200, 40, 2, (0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 8.0), (LS, LMMSE)),
    ),
    Case(
        "three-way tables, n=200, d=40, cell (1,1)", 500, tables(200, 40, 2, NARROW, (LS, LMMSE), ones=True)
    ),
    Case(
        "logistic, uniform columns, n=100, d=400",
        150,
        single_columns("logistic", (1.0, 2.0, 4.0, 8.0, 16.0, 32.0), decimals=(0, 1, 2)),
    ),
    Case(
        "logistic, +-1 columns, n=100, d=400",
        150,
        single_columns("logistic", (1.0, 2.0, 4.0, 8.0, 16.0), signs=True),
    ),
    Case(
        "linear, uniform columns, n=100, d=400",
        200,
        single_columns("linear", (0.25, 0.5, 1.0, 2.0, 4.0), decimals=(0, 1, 2)),
    ),
    Case("100 logistic, 4 columns, n=100", 200, several_columns((0, 1, 2, 3))),
    Case("100 logistic, 4 standardised columns, n=100", 200, several_columns((0, 1), standardise=True)),
    Case("wild answers, n=80, m=320", 250, wild_answers),
    Case("wrong tables, n=144, d=24", 60, wrong_tables),
)
