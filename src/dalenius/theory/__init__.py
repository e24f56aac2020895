"""The theorems: numbers in, number out.

Takes sizes, error bounds, noise levels, privacy parameters and small arrays; gives what a theorem
promises for them: how many secrets an attack must recover, how many it may at most, how much noise
stops it. Each docstring names the statement, its assumptions and where we depart from the print; the
statements themselves are in `dalenius.papers`. `reconstruction` and `tracing` have a folder each;
`isolation` and `singling_out` are about conditions that match one row, `inference` about related people.
`privacy` alone converts between rho, epsilon, delta and mu, composes them and knows sensitivities.

Knows nobody but `dalenius.errors`.
"""

from __future__ import annotations

BLATANT_ERROR = 0.1
"""Largest fraction of wrong bits that still counts as blatantly non-private (Exposed!, Def. 3)."""
