"""From a release to claims, step by step: what a publisher does, and what an attacker does with it.

Run it with: python examples/published_counts.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import dalenius
from dalenius.reconstruction import Knowledge, View, read_release, reconstruct, roster_of, write_release

with tempfile.TemporaryDirectory() as place, dalenius.example("fair") as people:
    folder = Path(place, "published")
    tables = dalenius.tables(k=3, attributes=["age", "yrs_married", "children", "educ", "occupation"])
    release = dalenius.publish(people, tables, dalenius.rounding(5), rng=np.random.default_rng(1))
    write_release(release, folder)
    print("published:", ", ".join(sorted(path.name for path in folder.iterdir())))

    view = View(read_release(folder), Knowledge(roster_of(people)))
    claims = reconstruct(view, rng=np.random.default_rng(2))
    print(f"{claims.certain.sum()} of {people.n} people are certain, by {claims.method}")
