"""Planning an attack on released rows loads nothing that could open the truth."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
import numpy as np
import pyarrow as pa
from dalenius.singling_out.attack.weights.certified import Certifier
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.planner import plan
from dalenius.singling_out.attack.weights.sources import PopulationSource
from dalenius.people.rows.rows import Rows

known = Rows.of_table(pa.table({"age": [21, 25, 31, 39], "ill": ["no", "yes", "no", "no"]}))
released = Rows.of_table(pa.table({"age": ["20-29", "20-29"], "ill": ["no", "yes"]}))
made = plan(find_classes(released, ["age"], known=known), known=known, rng=np.random.default_rng(1))
where = made.choose(0.5)
assert where is not None
Certifier(PopulationSource(known), made.known).bounds(made.attacks[where[0]], made.key)
rooms = ("people.dataset", "people.truth", "people.engine", "people.opening",
         "referee", "findings", "audit", "report", "release.publish")
loaded = [name for name in sys.modules if name.startswith(tuple(f"dalenius.{room}" for room in rooms))]
print([*loaded, *(name for name in ("duckdb", "ibis") if name in sys.modules)])
"""


def test_no_way_to_the_truth_is_loaded():
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
