"""The decoders against their peers and against the number of people, four random queries a person.

Peers in the same run: SciPy's dense least squares (LAPACK gelsy), and LP decoding as it is usually written,
with two constraints per answer, solved by the same HiGHS. Run with ``python -m benchmarks.decoders``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy import sparse
from scipy.linalg import lstsq
from scipy.optimize import linprog
from threadpoolctl import threadpool_limits

from benchmarks.common import Cost, best_by_turns, exponent, peak_megabytes
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import Column, Kind, Role, Roster
from dalenius.reconstruction.attack.choose import DECODERS
from dalenius.reconstruction.attack.system.build import build
from dalenius.reconstruction.attack.system.system import LinearSystem
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.subsets import random_subsets

NOISE = 0.2
"""Standard deviation of the noise, in units of sqrt(n): most secrets come out, with some work."""

SIZES = {
    "least-squares": (500, 1000, 2000, 4000),
    "box": (500, 1000, 2000, 4000),
    "posterior": (500, 1000, 2000),
    "lp": (250, 500, 1000, 2000),
}
PEER_LIMIT = {"least-squares": 1000, "lp": 250}
"""Sizes up to which a peer runs along: at 4,000 people gelsy takes a minute, HiGHS many."""

Peer = Callable[[LinearSystem], NDArray[np.float64]]


def make_system(people: int) -> tuple[LinearSystem, NDArray[np.bool_]]:
    """Noisy counts of random subsets, as the decoders get them, and the secrets behind them."""
    rng = np.random.default_rng(people)
    roster = Roster.of_names("person", np.array([f"p{i:05}" for i in range(people)]))
    asked = random_subsets(roster.ids, 4 * people, rng=rng)
    sigma = NOISE * people**0.5
    secrets = rng.random(people) < 0.5
    answers = asked.members.apply(secrets.astype(np.float64)) + rng.normal(0, sigma, asked.rows)
    secret = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    release = Release("bench", secret, (Block(asked, ("yes",), answers[:, None]),), f"gaussian:sigma={sigma}")
    (system,) = build(View(release, Knowledge(roster, np.full((people, 2), 0.5)))).systems
    return system, secrets


def gelsy(system: LinearSystem) -> NDArray[np.float64]:
    """Solve least squares with LAPACK on the dense matrix."""
    solution: NDArray[np.float64] = lstsq(
        system.A.explicit().toarray(), system.centre, lapack_driver="gelsy", check_finite=False
    )[0]
    return solution


def primal(system: LinearSystem) -> NDArray[np.float64]:
    """Minimise the absolute misses by linear programming with a slack and two constraints per answer."""
    matrix, (m, n) = system.A.explicit(), system.A.shape
    eye = sparse.eye_array(m, format="csr")
    rows = sparse.vstack([sparse.hstack([matrix, -eye]), sparse.hstack([-matrix, -eye])], format="csr")
    solved = linprog(
        np.concatenate([np.zeros(n), np.ones(m)]),
        A_ub=rows,
        b_ub=np.concatenate([system.centre, -system.centre]),
        bounds=[(0, 1)] * n + [(0, None)] * m,
        method="highs-ipm",
    )
    return np.asarray(solved.x[:n])


PEERS: dict[str, tuple[str, Peer]] = {"least-squares": ("gelsy", gelsy), "lp": ("primal LP", primal)}


def measure(decoder: str, people: int) -> tuple[Cost, Cost | None, float]:
    """Return the cost of a decoder and of its peer, and the decoder's peak memory in megabytes."""
    system, secrets = make_system(people)
    own = partial(DECODERS[decoder], system, rng=np.random.default_rng(1))
    calls: dict[str, Callable[[], object]] = {"own": own}
    if people <= PEER_LIMIT.get(decoder, 0):
        peer = PEERS[decoder][1]
        calls["peer"] = partial(peer, system)
        gap = np.mean((own().share >= 0.5) == secrets) - np.mean((peer(system) >= 0.5) == secrets)
        assert abs(gap) <= 0.01, f"{decoder} is right about {gap:+.1%} of the people more than its peer"
    own()
    costs = best_by_turns(calls, 2 if people <= 1000 else 1)
    return costs["own"], costs.get("peer"), peak_megabytes(own)


def run() -> None:
    """Print one row per decoder and size, and how each grows."""
    table = Table(title=f"Decoders, m = 4n random subsets, noise {NOISE:g} sqrt(n); seconds")
    for heading in ("decoder", "n", "wall", "CPU", "MB", "peer", "its CPU", "ratio"):
        table.add_column(heading, justify="left" if heading in ("decoder", "peer") else "right", no_wrap=True)
    growth = []
    with threadpool_limits(1):
        for decoder, sizes in SIZES.items():
            rows = [measure(decoder, people) for people in sizes]
            for people, (own, peer, peak) in zip(sizes, rows, strict=True):
                times = f"{own.wall:.3g}", f"{own.cpu:.3g}", f"{peak:.0f}"
                beside = (
                    ()
                    if peer is None
                    else (PEERS[decoder][0], f"{peer.cpu:.3g}", f"{peer.cpu / own.cpu:.1f}")
                )
                table.add_row(decoder, f"{people:,}", *times, *beside)
            table.add_section()
            growth.append(f"{decoder} n^{exponent(sizes, [own for own, _, _ in rows]):.1f}")
            peers = [(n, peer) for n, (_, peer, _) in zip(sizes, rows, strict=True) if peer is not None]
            if len(peers) > 1:
                growth.append(
                    f"{PEERS[decoder][0]} n^{exponent([n for n, _ in peers], [c for _, c in peers]):.1f}"
                )
    console = Console()
    console.print(table)
    console.print("MB: the most that Python and NumPy held at once; ratio: of CPU seconds")
    console.print("least-squares computes exact variances up to 2,000 people here, none above")
    console.print(f"growth in CPU seconds: {', '.join(growth)}")


if __name__ == "__main__":
    run()
