"""From a release to claims, step by step: what a publisher does, and what an attacker does with it.

Run it with: python examples/published_counts.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import dalenius

with tempfile.TemporaryDirectory() as place, dalenius.example("fair") as people:
    folder = Path(place, "published")
    tables = ["tables:k=3,attributes=age+yrs_married+children+educ+occupation"]
    release = dalenius.publish(people, tables, "rounding:base=5", rng=dalenius.stream(1, "noise"))
    dalenius.write_release(release, folder)
    print("published:", ", ".join(sorted(path.name for path in folder.iterdir())))

    view = dalenius.View(dalenius.read_release(folder), dalenius.Knowledge(dalenius.roster_of(people)))
    claims = dalenius.reconstruct(view, rng=dalenius.stream(1, "attack"))
    print(f"{claims.certain.sum()} of {people.n} people are certain, by {claims.method}")
