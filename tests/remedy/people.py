"""Made people for remedies: few columns, some rare levels, a secret of two values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

POLICY = "[policy]\nmax_advantage = 0.2\nmax_recovered = 1.0\n"
"""The interval of so few people is wide: what decides is who is certain or as good as known."""

PLAN = """# what we plan
seed = 1

[data]
path = "people.csv"  # made

[schema]
secret = "ill"

[[release]]
name = "planned"
statistics = ["tables:k=2"]
mechanism = "exact"

"""


def made(people: int = 96, seed: int = 1) -> pa.Table:
    rng = np.random.default_rng(seed)
    sex, town = rng.integers(0, 2, people), rng.choice(4, people, p=[0.6, 0.25, 0.12, 0.03])
    house = rng.choice(2, people, p=[0.7, 0.3])
    ill = rng.random(people) < 0.25 + 0.1 * sex
    columns = {"sex": np.array(["f", "m"])[sex], "town": np.array(list("abcd"))[town]}
    columns["house"] = np.array(["own", "rent"])[house]
    return pa.table({**columns, "ill": np.where(ill, "yes", "no")})


def write(folder: Path, *, plan: str = PLAN + POLICY, people: int = 96) -> Path:
    csv.write_csv(made(people), folder / "people.csv")
    (folder / "audit.toml").write_text(plan)
    return folder / "audit.toml"
