"""Do the proved tests keep their level, and does power follow its law?

Run: python -m validation.tracing_level [--releases 300000] [--trials 20000] [--out docs]

Level: independent populations, releases, references, and one outsider each; every proved calibration at 5%,
1% and 0.1%. One fails if the lower 99.9% limit of its rate is above the level. The same question is put to a
calibration that is off by a factor of 1.3, which must fail. Power: likelihood ratios with known means and
exact releases, against ``z_FPR + z_FNR = sqrt(d/n)`` (Sankararaman et al.). Writes tracing_power.csv and
tracing_power.svg. Exit code 1 if a claim does not hold.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from scipy.special import betaincinv, ndtr, ndtri
from validation.tracing_people import Draw, draw, person, total

from dalenius.people.traits.traits import RealTraits
from dalenius.random import stream
from dalenius.tracing.attack.calibrations import flips, thresholds
from dalenius.tracing.attack.tails import record_law, tails
from dalenius.tracing.attack.tails.outsider import Columns, Null
from dalenius.tracing.attack.tails.saddlepoint import tilt_all
from dalenius.tracing.attack.tails.tails import hoeffding_proxy, kearns_saul_proxy
from dalenius.tracing.attack.weights import WEIGHTS, Facts

Values = NDArray[np.float64]
LEVELS = (0.05, 0.01, 0.001)
CONFIDENCE = 0.999
N, D, M, ALPHA = 15, 60, 12, 0.2
BATCH = 10_000
RANKED = 100_000
"""References drawn at once."""


def lower_limit(hits: int, trials: int) -> float:
    """Return the lower end of Clopper and Pearson's one-sided interval."""
    return 0.0 if hits == 0 else float(betaincinv(hits, trials - hits + 1, 1 - CONFIDENCE))


def keeps(p: Values, level: float) -> bool:
    """Whether p-values of independent outsiders show no excess at a level."""
    return lower_limit(int((p <= level).sum()), p.size) <= level


def _pool(rng: np.random.Generator, w: Draw) -> tuple[record_law.Law, Values, Values]:
    """The law of an outsider given the totals of M references and the target, and both means."""
    plus = w.y + total(rng, w.p, M)
    return record_law.two_point(plus / (M + 1)), plus / (M + 1), plus / (M + 3)


def by_signs(tail: str, weights: str = "raw") -> Callable[[np.random.Generator, Draw], Values]:
    """Thresholds and sign flips against one reference."""

    def p_values(rng: np.random.Generator, w: Draw) -> Values:
        others = total(rng, w.p, M)
        v = WEIGHTS[weights](w.q_out, others / M, others / (M + 2), Facts(N, alpha=ALPHA))
        a = (w.y - person(rng, w.p)) * v
        score, squares = a.sum(axis=1), (v**2).sum(axis=1)
        if tail == "norm":
            return np.exp(thresholds.log_p(score, 2 * squares))
        if tail in {"fig1", "proof", "fig2"}:
            return np.exp(thresholds.log_p(score, thresholds.figure_spread(tail, D, alpha=ALPHA)))
        if tail == "monte-carlo":
            return np.exp(flips.monte_carlo(a, draws=1_999, rng=rng))
        if tail == "exact":
            return np.exp([flips.exact(row, step=2 / N) for row in a])
        if tail == "blocks":
            a = flips.block_sums(a, np.arange(D) // 5)
            return np.exp(flips.log_bd(a.sum(axis=1), np.sqrt((a**2).sum(axis=1))))
        return np.exp(flips.MOMENTS[tail](score, np.sqrt((a**2).sum(axis=1))))

    return p_values


def by_law(
    tail: str, weights: str = "llr", *, means_known: bool = False
) -> Callable[[np.random.Generator, Draw], Values]:
    """Tails given the column totals, or with known means."""

    def p_values(rng: np.random.Generator, w: Draw) -> Values:
        law, mean, smooth = (record_law.two_point(w.p), w.p, w.p) if means_known else _pool(rng, w)
        v = WEIGHTS[weights](w.q_out, mean, smooth, Facts(N))
        if tail == "exact":
            each = zip(w.y, v, mean, strict=True)
            return np.exp([tails.exact(float(y @ u), record_law.two_point(c), u) for y, u, c in each])
        if tail == "chernoff":
            names = np.arange(w.y.shape[1]).astype(str)
            traits = RealTraits("id", np.arange(len(w.y)).astype(str), names, w.y)

            def at(x: Values, part: Columns) -> tuple[record_law.Law, Values]:
                rows = slice(0, len(x))  # one population per record
                return record_law.Law(law.values, law.chance[:, rows, part]), v[rows, part]

            return np.exp(tilt_all(traits, Null(at)).chernoff)
        proxy = kearns_saul_proxy(law) if tail == "kearns-saul" else hoeffding_proxy(law)
        return np.exp(thresholds.log_p(((w.y - mean) * v).sum(axis=1), (v**2 * proxy).sum(axis=1)))

    return p_values


def by_rank(m: int, *, full: bool) -> Callable[[np.random.Generator, Draw], Values]:
    """Ranks among m references; as many more centre where they are held apart."""

    def p_values(rng: np.random.Generator, w: Draw) -> Values:
        parts = [slice(start, start + RANKED // m) for start in range(0, len(w.y), RANKED // m)]
        return np.concatenate([some(rng, w.p[part], w.y[part], w.q_out[part]) for part in parts])

    def some(rng: np.random.Generator, p: Values, y: Values, q: Values) -> Values:
        pool = np.stack([y, *(person(rng, p) for _ in range(m))])
        mean = (pool.sum(axis=0) - pool) / m if full else total(rng, p, m) / m
        scores = ((pool - mean) * (q - mean)).sum(axis=2)
        return (1 + (scores[1:] >= scores[0] - 1e-9).sum(axis=0)) / (m + 1)

    return p_values


def exact_but_inflated(rng: np.random.Generator, w: Draw) -> Values:
    """The planted fault: p-values that are uniform but for a factor of 1.3."""
    return rng.random(len(w.y)) / 1.3


CALIBRATIONS: dict[str, Callable[[np.random.Generator, Draw], Values]] = {
    "raw x paper:rule=fig1": by_signs("fig1"),
    "raw x paper:rule=proof": by_signs("proof"),
    "clip x paper:rule=fig2": by_signs("fig2", "clip"),
    "raw x norm": by_signs("norm"),
    "llr x norm": by_signs("norm", "llr"),
    "raw x flip:tail=hoeffding": by_signs("hoeffding"),
    "raw x flip:tail=bd": by_signs("bd"),
    "opt x flip:tail=bd": by_signs("bd", "opt"),
    "raw x flip:tail=monte-carlo": by_signs("monte-carlo"),
    "raw x flip:tail=exact": by_signs("exact"),
    "raw x flip:tail=bd,blocks=5": by_signs("blocks"),
    "llr x pooled:tail=exact": by_law("exact"),
    "llr x pooled:tail=chernoff": by_law("chernoff"),
    "llr x pooled:tail=kearns-saul": by_law("kearns-saul"),
    "corr x pooled:tail=hoeffding": by_law("hoeffding", "corr"),
    "llr x known-p:tail=chernoff": by_law("chernoff", means_known=True),
    "llr x known-p:tail=kearns-saul": by_law("kearns-saul", means_known=True),
    "corr x conformal:how=full, 19 references": by_rank(19, full=True),
    "corr x conformal:how=held-out, 19 references": by_rank(19, full=False),
    "corr x conformal:how=full, 999 references": by_rank(999, full=True),
    "corr x conformal:how=held-out, 999 references": by_rank(999, full=False),
}


def p_values(name: str, releases: int, seed: int = 1) -> Values:
    """P-values of one outsider to each of many independent releases."""
    rng = stream(seed, "level", name)
    test = exact_but_inflated if name == "inflated" else CALIBRATIONS[name]
    found = []
    for start in range(0, releases, BATCH):
        found.append(test(rng, draw(rng, min(BATCH, releases - start), D, N)))
    return np.concatenate(found)


def check_levels(releases: int, console: Console) -> bool:
    """Print each calibration's rates; whether all keep their level and the inflated one does not."""
    console.print("| calibration | at 5% | at 1% | at 0.1% | keeps its level |\n|---|---|---|---|---|")
    good = True
    for name in (*CALIBRATIONS, "inflated"):
        # signs drawn two thousand times, a thousand references, sums and curves of every record: fewer
        slow = any(word in name for word in ("monte", "chernoff", "exact", "999"))
        count = releases // 30 if slow else releases
        p = p_values(name, count)
        kept = [keeps(p, level) for level in LEVELS]
        good &= all(kept) if name != "inflated" else not any(kept)
        shown = " | ".join(f"{np.mean(p <= level):.5f}" for level in LEVELS)
        console.print(f"| {name} | {shown} | {'yes' if all(kept) else 'no'} |", highlight=False, markup=False)
    return good


GRID = tuple((n, ratio) for n in (50, 100, 200) for ratio in (0.5, 1, 2, 4, 8, 12))
POWER_LEVELS = (0.1, 0.05, 0.01)
LARGE = 100
"""People from which power is held against its law."""


def power(n: int, d: int, level: float, trials: int) -> float:
    """The share of members that likelihood ratios with known means accuse."""
    rng, hits = stream(1, "power", n, d, str(level)), 0
    size = max(1, 4_000_000 // d)
    for start in range(0, trials, size):
        w = draw(rng, min(size, trials - start), d, n)
        v = WEIGHTS["llr"](w.q_in, w.p, w.p, Facts(n))
        sd = np.sqrt((v**2 * (1 - w.p**2)).sum(axis=1))
        hits += int((flips.log_normal(((w.y - w.p) * v).sum(axis=1), sd) <= math.log(level)).sum())
    return hits / trials


def law(n: int, d: int, level: float) -> float:
    """The power that the law predicts."""
    return float(ndtr(math.sqrt(d / n) + ndtri(level)))


def measure_power(trials: int) -> list[dict[str, float]]:
    """Measure power over the grid."""
    return [
        {"n": n, "d": int(n * r), "level": a, "trials": trials, "power": power(n, int(n * r), a, trials),
         "law": law(n, int(n * r), a)}
        for n, r in GRID for a in POWER_LEVELS
    ]  # fmt: skip


def follows(point: dict[str, float]) -> bool:
    """Within four standard errors of the law."""
    error = math.sqrt(point["law"] * (1 - point["law"]) / point["trials"])
    return abs(point["power"] - point["law"]) <= 4 * error


def plot(points: list[dict[str, float]], path: Path) -> None:
    """Draw the law and the measurements."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "dalenius", "svg.fonttype": "none", "font.size": 10})
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8.0, 4.6), layout="constrained")
    x = np.linspace(0, 3.7, 200)
    for level, colour in zip(POWER_LEVELS, ("#2c5f2c", "#0b559f", "#b8420f"), strict=True):
        axes.plot(x, ndtr(x + ndtri(level)), color=colour, lw=1.2)
        for n, marker in ((50, "o"), (100, "s"), (200, "D")):
            own = [p for p in points if p["n"] == n and p["level"] == level]
            axes.plot(
                [math.sqrt(p["d"] / p["n"]) for p in own],
                [p["power"] for p in own],
                marker,
                ms=5,
                mfc="none",
                color=colour,
                label=f"n = {n}, level {level:g}",
            )
    axes.set_xlabel("√(attributes / people)")
    axes.set_ylabel("members accused")
    axes.set_ylim(0, 1.02)
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.savefig(path, format="svg", metadata={"Date": None})
    plt.close(figure)


def main() -> int:
    """Check levels and power; write the points and the picture."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=300_000)
    parser.add_argument("--trials", type=int, default=20_000)
    parser.add_argument("--out", type=Path, default=Path("docs/explanation"))
    asked = parser.parse_args()
    console = Console(width=160)
    good = check_levels(asked.releases, console)
    points = measure_power(asked.trials)
    with (asked.out / "tracing_power.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(points[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(points)
    plot(points, asked.out / "tracing_power.svg")
    far = max(abs(p["power"] - p["law"]) for p in points)
    console.print(f"power: {len(points)} points, at most {far:.4f} from the law")
    # the law is a limit: with 50 people and few attributes power is below it; drawn, not claimed
    return 0 if good and all(follows(p) for p in points if p["n"] >= LARGE) else 1


if __name__ == "__main__":
    sys.exit(main())
