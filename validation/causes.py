"""How long the search for causes takes, and what it names: simulated survey people and 21 two-way tables.

Run ``python validation/causes.py [people] [mechanism]``: prints processor seconds of the attack and of the
search, and the parts that it names first.
"""

from __future__ import annotations

import sys
import time

import numpy as np
import pyarrow as pa

from dalenius.people.dataset import read
from dalenius.progress import silent
from dalenius.reconstruction.opened import Planned, Scenario, SecretsOpened
from dalenius.reconstruction.why.leave_one_out import look_for_causes
from dalenius.reconstruction.why.parts import tables_in

LEVELS = {"age": 10, "sex": 2, "origin": 8, "family": 6, "school": 12, "home": 3, "work": 16}
"""Columns as a survey has them, and how many levels each takes."""


def survey(n: int, seed: int = 1) -> pa.Table:
    """People whose levels are as unequal as in surveys, and a rare secret that depends on age and work."""
    rng = np.random.default_rng(seed)
    codes = {
        name: rng.choice(size, n, p=(weights := 1 / np.arange(1, size + 1) ** 1.2) / weights.sum())
        for name, size in LEVELS.items()
    }
    chance = 0.02 + 0.03 * codes["age"] + 0.1 * (codes["work"] > 12)
    secret = np.where(rng.random(n) < chance, "yes", np.where(codes["age"] == 9, "not asked", "no"))
    return pa.table({**{name: [f"{name}{c}" for c in own] for name, own in codes.items()}, "ill": secret})


def main(n: int, mechanism: str) -> None:
    """Attack once, then look for the cause."""
    clock = time.process_time
    with (
        read(survey(n), secret="ill") as people,  # noqa: S106 -- the name of a column
        SecretsOpened(people, {"tables": Planned("tables:k=2", mechanism)}, Scenario()) as opened,
    ):
        start = clock()
        claims = opened.guess(opened.cases[0].publish(silent))
        attacked = clock()
        why = look_for_causes(opened, "tables", claims)
        done = clock()
        tables = len(tables_in([opened.published["tables"]]))
    print(f"{n:,} people, {tables} tables, {mechanism}")
    print(f"attack {attacked - start:.1f} s, causes {done - attacked:.1f} s")
    if why is None:
        print("nobody is at risk")
        return
    print(f"{why.whole:,.0f} {why.counted}; not tried: {why.left_out}")
    for cause in why.causes[:8]:
        print(f"  without {cause.kind} {cause.name}: {cause.without}, alone: {cause.alone}")
    print(*why.examples, sep="\n")


if __name__ == "__main__":
    asked = sys.argv[1:]
    done_to_it = asked[1] if len(asked) > 1 else "suppression:below=10 | rounding:base=5"
    main(int(asked[0]) if asked else 7_600, done_to_it)
