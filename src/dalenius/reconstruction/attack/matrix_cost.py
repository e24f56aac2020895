"""What a product with a matrix takes, and what it keeps meanwhile, by the kind of matrix."""

from __future__ import annotations

from math import log2, prod, sqrt

from dalenius.matrices.operators import BitRows, HadamardRows, Operator, SingleBitRows, SparseRows, Stacked
from dalenius.matrices.tables import CHUNK, TableRows
from dalenius.reconstruction.attack.cost import BITS, CALL, PARTS_OF_TABLES, SPARSE, TABLES, TRANSFORM


def bulk(A: Operator) -> float:
    """Root of the condition of the bulk of the spectrum."""
    equations, people = sqrt(independent(A)), sqrt(max(A.shape[1], 1))
    return (equations + people) / max(abs(equations - people), 1e-3)


def independent(A: Operator) -> float:
    """Equations that can be independent: all, but of tables only one contrast of levels in each column."""
    if isinstance(A, Stacked):
        return sum(independent(part) for part in A.parts)
    if isinstance(A, TableRows):
        levels: list[int] = A.levels.tolist()
        own = sum(prod(levels[c] - 1 for c in columns) for columns in A.sets)
        return float(max(1, min(A.shape[0], own + 1 + sum(levels) - len(levels))))
    return max(1.0, A.shape[0])


def product_seconds(A: Operator) -> float:
    """Seconds of one product with the matrix or its transpose."""
    if isinstance(A, Stacked):
        return sum(product_seconds(part) for part in A.parts)
    if isinstance(A, BitRows | SingleBitRows):
        return CALL + A.shape[0] * A.shape[1] / BITS
    if isinstance(A, HadamardRows):
        return CALL + A.size * log2(A.size + 1) / TRANSFORM
    if isinstance(A, TableRows):
        whole, parts = A.multiplications
        return CALL + whole / TABLES + parts / PARTS_OF_TABLES
    return CALL + A.entries / SPARSE


def scratch(A: Operator) -> float:
    """Bytes that products need beside vectors."""
    if isinstance(A, Stacked):
        return sum(scratch(part) for part in A.parts)
    if isinstance(A, BitRows):
        return A.shape[0] * A.shape[1] / 8
    if isinstance(A, TableRows):
        kept = float(A.levels.sum() - A.levels.size + 1)
        return 9.0 * min(CHUNK, A.shape[1]) * kept + 60 * kept * kept
    return 0.0


def written_out(A: Operator) -> float:
    """Bytes of the matrix with its entries, where it does not have them yet, while it is made."""
    if isinstance(A, Stacked):
        return sum(written_out(part) for part in A.parts) + 12.0 * A.entries
    if isinstance(A, SparseRows):
        return 0.0
    if isinstance(A, TableRows):
        return 48.0 * A.entries
    return 9.0 * A.shape[0] * A.shape[1] + 12 * A.entries
