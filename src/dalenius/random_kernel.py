"""Random numbers inside compiled loops: splitmix64, whose state is one number that the caller draws.

NumPy's generators can be handed to a loop too, and make it longer to compile.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from dalenius.accelerate import kernel


@kernel
def uniform(state: Any) -> float:
    """Return a number in [0, 1) and move on; ``state`` is an array of one unsigned 64-bit number."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


def state_of(rng: np.random.Generator) -> Any:
    """Draw a state."""
    return rng.integers(0, 1 << 64, 1, dtype=np.uint64)
