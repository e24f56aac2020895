"""Random subsets of simulated people, counted; people with public bits, no two alike; and the decoder."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.findings.tally import Tally
from dalenius.matrices.answers import Vector
from dalenius.papers.settings import Settings
from dalenius.papers.simulated.people import UNANNOUNCED, Bits, attack, people, view_of, wrong
from dalenius.people.schema import CodedColumns, Column, Kind, Role, Roster
from dalenius.random import stream
from dalenius.statistics.counts.subsets import Subsets, random_subsets


@dataclass(frozen=True, eq=False)
class CountedSubsets:
    """Random subset counts about simulated people, and the decoder that reads them."""

    roster: Roster
    queries: Subsets
    matrix: NDArray[np.float64]
    sigma_min: float
    decoder: str

    def mistakes(self, secret: Bits, errors: Vector, attacker: np.random.Generator) -> Tally:
        """Publish with these errors, attack, count who is guessed wrong."""
        view = view_of(self.roster, self.queries, self.matrix @ secret + errors, UNANNOUNCED)
        return wrong(attack(view, self.decoder, attacker), self.roster, secret)


def counted_subsets(settings: Settings, decoder: str) -> CountedSubsets:
    """Draw as many subsets as set; they must determine everybody's secret where all counts are exact."""
    n, m = settings.whole("n"), settings.whole("m")
    if m < n:
        raise InputError("m", f"must be at least n = {n}", str(m), "With fewer answers A has no rank n.")
    roster = people(n)
    queries = random_subsets(roster.ids, m, rng=stream(settings.seed, settings.id, "queries"))
    matrix = queries.members.rows(0, m).astype(np.float64)
    sigma_min = float(np.linalg.svd(matrix, compute_uv=False)[-1])
    if sigma_min < 1e-9 * m:
        raise InputError("m", "must give a matrix of rank n", f"{m} rows of lower rank", f"Use {2 * n}.")
    return CountedSubsets(roster, queries, matrix, sigma_min, decoder)


K = 2


def public_bits(n: int, d: int, rng: np.random.Generator) -> Roster:
    """Make people with fair public bits, no two alike.

    Examples
    --------
    >>> public_bits(4, 3, np.random.default_rng(1)).attributes.codes.shape
    (4, 3)
    """
    columns = tuple(Column(f"a{j}", Role.PUBLIC, Kind.BINARY, ("0", "1")) for j in range(d))
    for _ in range(100):
        codes = rng.integers(0, 2, (n, d), np.int32)
        if np.unique(codes, axis=0).shape[0] == n:
            return Roster("person", people(n).ids, CodedColumns(columns, codes))
    rule = f"must be large enough to tell {n} people apart"
    raise InputError("d", rule, str(d), f"Use at least {2 * math.ceil(math.log2(n)) + 2}.")
