"""Rates of tracing tests in simulated populations, beside those of a reference that shares no code with this.

Run: python -m validation.tracing_rows [--share 1.0] [--only E1 E2]

Each row draws populations, releases and references anew, asks about one member and one outsider, and counts
who is accused. A row agrees when its rates differ from the reference's by at most four standard errors of
both together. Exit code 1 if one does not. ``--share`` scales the numbers of trials.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

from validation.markdown import asked, table
from validation.tracing_settings import (
    Rates,
    Run,
    drifted,
    gaussian,
    gaussian_known,
    homer,
    known,
    linked,
    one_reference,
    oracle,
    pooled,
    pooled_genotypes,
    ranked,
    relative,
    same_pool_twice,
)

from dalenius.random import stream


@dataclass(frozen=True)
class Row:
    """A setting, the reference's rates with their standard errors, and how many trials to run."""

    name: str
    what: str
    run: Run
    trials: int
    tpr: float | None
    fpr: float | None
    tpr_se: float = 0.0
    fpr_se: float = 0.0


def rows() -> list[Row]:
    """Every row, with the rates that the reference has for it."""
    e, one = 0.0025, 20_000
    listed = [
        Row(
            "E1",
            "llr, means known, normal; n=100 d=300",
            known("llr", "normal", 100, 300),
            40_000,
            0.5255,
            0.0503,
            e,
            0.0011,
        ),
        Row(
            "E2",
            "the same; n=100 d=1000",
            known("llr", "normal", 100, 1000),
            40_000,
            0.9395,
            0.0474,
            0.0012,
            0.0011,
        ),
        Row(
            "E3",
            "the same; n=50 d=500",
            known("llr", "normal", 50, 500),
            40_000,
            0.9408,
            0.0476,
            0.0012,
            0.0011,
        ),
        Row(
            "E4",
            "llr, means known, Hoeffding; n=100 d=1000",
            known("llr", "hoeffding", 100, 1000),
            40_000,
            0.4663,
            0.0007,
            e,
            0.0001,
        ),
        Row(
            "E5",
            "corr, means known, normal; n=100 d=1000",
            known("corr", "normal", 100, 1000),
            40_000,
            0.9152,
            0.0490,
            0.0014,
            0.0011,
        ),
        Row(
            "E6", "Homer, means known; n=100 d=1000", homer(100, 1000), 40_000, 0.8601, 0.0493, 0.0017, 0.0011
        ),
        Row(
            "E7",
            "opt, pooled normal; m=100",
            pooled("opt", "normal", 100),
            40_000,
            0.7210,
            0.0521,
            0.0022,
            0.0011,
        ),
        Row(
            "E8",
            "llr, pooled normal; m=100",
            pooled("llr", "normal", 100),
            40_000,
            0.7395,
            0.0511,
            0.0022,
            0.0011,
        ),
        Row(
            "E9",
            "corr, pooled normal; m=100",
            pooled("corr", "normal", 100),
            40_000,
            0.6894,
            0.0509,
            0.0023,
            0.0011,
        ),
        Row(
            "E10",
            "opt, pooled normal; m=400",
            pooled("opt", "normal", 400),
            20_000,
            0.8789,
            0.0500,
            0.0023,
            0.0015,
        ),
        Row(
            "E11",
            "opt, pooled Kearns-Saul; m=100",
            pooled("opt", "kearns-saul", 100),
            40_000,
            0.2413,
            0.0020,
            0.0021,
            0.0002,
        ),
        Row("E12", "corr, conformal full; m=99", ranked(None), 3_000, 0.6763, 0.0507, 0.0085, 0.0040),
        Row("E13", "corr, conformal held-out, 50 and 49", ranked(50), 3_000, 0.4627, 0.0437, 0.0091, 0.0037),
        Row(
            "E14",
            "genotypes, llr, means known; n=100 d=1000",
            known("llr", "normal", 100, 1000, 2),
            20_000,
            0.9377,
            0.0484,
            0.0017,
            0.0015,
        ),
        Row(
            "E15",
            "genotypes, opt, pooled; n=100 m=100 d=1000",
            pooled_genotypes(100, 100, 1000),
            4_000,
            0.7288,
            0.0473,
            0.0070,
            0.0034,
        ),
        Row("C1", "fault: one pool twice; m=100", same_pool_twice(100), 4_000, 0.9965, 0.7420, 0.001, 0.0069),
        Row("C1b", "the same; m=400", same_pool_twice(400), 4_000, None, 0.1810, 0, 0.0061),
        Row(
            "C2",
            "fault: ranked in-sample; m=99",
            ranked(None, fault=True),
            3_000,
            0.9937,
            0.6817,
            0.0015,
            0.0085,
        ),
        Row("R1", "relative, half by descent; means known", relative(), 20_000, 0.4679, None, 0.0035),
        Row(
            "L1",
            "10 identical columns a block, signs by column",
            linked(False),
            20_000,
            None,
            0.3031,
            0,
            0.0032,
        ),
        Row("L1b", "the same, signs by block", linked(True), 20_000, None, 0.0514, 0, 0.0016),
        Row("L2", "the same data, conformal; m=99", ranked(None, copies=10), 2_000, None, 0.0498, 0, 0.0034),
    ]
    for sd, fpr in ((0.0, 0.0515), (0.02, 0.0526), (0.05, 0.0763), (0.1, 0.2020)):
        listed.append(
            Row(f"D1 {sd:g}", "drift, one reference, signs", drifted(sd, None), 10_000, None, fpr, 0, 0.0040)
        )
    for sd, fpr in ((0.0, 0.0532), (0.02, 0.0573), (0.05, 0.1419), (0.1, 0.6434)):
        listed.append(
            Row(f"D2 {sd:g}", "the same, centred by 200", drifted(sd, 200), 10_000, None, fpr, 0, 0.0048)
        )
    table = {
        ("exact", 1.0): (0.0016, 0.3452, 0.8509, 0.9099, 0.9681, 0.0001, 0.0070, 0.0151, 0.0493),
        ("round", 1.0): (0.0037, 0.3255, 0.8261, 0.8954, 0.9614, 0.0002, 0.0078, 0.0163, 0.0511),
        ("noise", 1.0): (0.0027, 0.2495, 0.6539, 0.7566, 0.8882, 0.0001, 0.0085, 0.0166, 0.0514),
        ("sign", 1.0): (0.2521, 0.2726, 0.4933, 0.6047, 0.7795, 0.0014, 0.0066, 0.0161, 0.0526),
        ("column samples", 1.0): (0.0091, 0.2391, 0.6328, 0.7385, 0.8722, 0.0002, 0.0069, 0.0167, 0.0497),
        ("population", 1.0): (0.0, 0.0001, 0.0071, 0.0170, 0.0528, 0.0001, 0.0087, 0.0166, 0.0514),
        ("half sign", "two-point"): (0.0, 0.0085, 0.0240, 0.0455, 0.1178, 0.0026, 0.0077, 0.0164, 0.0506),
        ("exact", "two-point"): (0.0155, 0.6642, 0.8230, 0.8905, 0.9576, 0.0021, 0.0072, 0.0169, 0.0523),
    }
    for (mechanism, spread), rates in table.items():
        for tail, tpr, fpr in zip(
            ("proof", "norm", "hoeffding", "bd", "normal"), rates[:5], (None, *rates[5:]), strict=True
        ):
            name = f"A3 {mechanism}{'' if spread == 1.0 else ' two-point'}"
            listed.append(
                Row(name, tail, one_reference(mechanism, spread, tail), one // 4, tpr, fpr, 0.0036, 0.0016)
            )
    listed.append(
        Row(
            "A3 shared sample",
            "bd; of 5 people with the target in place of TPR, without in place of FPR",
            one_reference("exact", 1.0, "bd", n=5),
            5_000,
            1.0,
            0.0168,
            0.0036,
            0.0016,
        )
    )
    listed.append(
        Row(
            "A3 genotypes",
            "bd",
            one_reference("exact", 1.0, "bd", alleles=2),
            5_000,
            0.6463,
            0.0150,
            0.0048,
            0.0016,
        )
    )
    for sd, rates5 in ((1.0, (0.1496, 0.9203, 0.7301, 0.8170)), (0.5, (0.0051, 0.4994, 0.2084, 0.3042))):
        fprs = {"known-sd": 0.0506 if sd == 1 else 0.0477, "bd": 0.0165 if sd == 1 else 0.0148}
        for tail, tpr in zip(("fig3", "known-sd", "hoeffding", "bd"), rates5, strict=True):
            listed.append(
                Row(f"A5 sd {sd:g}", tail, gaussian(sd, tail), 5_000, tpr, fprs.get(tail), 0.0036, 0.0016)
            )
    for weights, tpr, fpr in (("llr", 0.9386, 0.0466), ("corr", 0.9385, 0.0474)):
        what = f"{weights}, real values, means known; n=100 d=1000"
        listed.append(Row("A5 known", what, gaussian_known(weights), one, tpr, fpr, 0.0017, 0.0015))
    for name, rho, tpr, fpr, se in (
        ("G1", 0.01, 0.0664, 0.0500, 0.0006),
        ("G1b", 0.1, 0.1165, 0.0499, 0.0007),
        ("G1c", 0.5, 0.2592, 0.0504, 0.0010),
    ):
        what = f"Gaussian noise, both records known; rho={rho:g}"
        listed.append(Row(name, what, oracle(rho), 200_000, tpr, fpr, se, 0.0005))
    for name, d, sigma, trials, tpr, fpr, se in (
        ("G2", 500, 0.1, 20_000, 0.7731, 0.0503, 0.0030),
        ("G3", 500, 0.5, 20_000, 0.1855, 0.0519, 0.0027),
        ("G4", 2000, 0.5, 10_000, 0.4329, 0.0509, 0.0035),
        ("G5", 8000, 1.0, 4_000, 0.4488, 0.0508, 0.0035),
    ):
        what = f"Gaussian noise, opt, means known; n=50 d={d} sigma={sigma:g}"
        run = known("opt", "normal", 50, d, sigma=sigma)
        listed.append(Row(name, what, run, trials, tpr, fpr, se, 0.0016))
    return listed


def allowed(want: float, error: float, trials: int) -> float:
    """How far a rate may be from the reference's: four standard errors of both.

    A rate of nothing has no spread to estimate: at least that of one hit in all trials is taken.
    """
    spread = max(want * (1 - want), 1 / trials) / trials
    return 4 * math.sqrt(error**2 + spread)


def agrees(row: Row, found: Rates, trials: int) -> bool:
    """Whether both rates are as the reference has them."""
    pairs = ((row.tpr, row.tpr_se, found[0]), (row.fpr, row.fpr_se, found[1]))
    return all(
        want is None or abs(hits / trials - want) <= allowed(want, se, trials) for want, se, hits in pairs
    )


def main() -> int:
    """Run the rows and print them as a table in Markdown."""
    given, wrong = asked(), 0
    show_line = table("row", "test", "trials", "TPR, reference", "TPR", "FPR, reference", "FPR", "agrees")
    for row in rows():
        if given.only and row.name not in given.only:
            continue
        trials = max(100, int(row.trials * given.share))
        found = row.run(stream(1, row.name, row.what), trials)
        good = agrees(row, found, trials)
        wrong += not good
        show = [
            ("" if want is None else f"{want:.4f}", "" if want is None else f"{hits / trials:.4f}")
            for want, hits in ((row.tpr, found[0]), (row.fpr, found[1]))
        ]
        cells = [row.name, row.what, f"{trials:,}", *show[0], *show[1], "yes" if good else "NO"]
        show_line(cells)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
