"""The statements of all papers, by id."""

from __future__ import annotations

from dalenius.errors import InputError, nearest
from dalenius.theory.statements import exposed, inference, reconstruction, singling_out, traceability
from dalenius.theory.statements.statement import Statement

STATEMENTS: tuple[Statement, ...] = (
    *exposed.STATEMENTS,
    *reconstruction.STATEMENTS,
    *traceability.STATEMENTS,
    *singling_out.STATEMENTS,
    *inference.STATEMENTS,
)


def statement(id: str) -> Statement:
    """Return the statement with this id.

    Raises
    ------
    InputError
        If there is none; the message proposes the nearest.

    Examples
    --------
    >>> statement("krs-2.1").number
    'Theorem 2.1'
    """
    known = {entry.id: entry for entry in STATEMENTS}
    if id not in known:
        raise InputError("id", "must name a statement", repr(id), nearest(id, known))
    return known[id]
