"""What is given to `dalenius.audit`, checked for its kind before anything is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dalenius.errors import InputError
from dalenius.findings.policy import Policy


def with_tables(statistics: Any, tables: Any) -> Any:
    """Add tables, by their columns, to what is asked.

    Raises
    ------
    InputError
        For what is no list of tables.

    Examples
    --------
    >>> with_tables((), ["age*sex", ("region",)])
    ['tables:k=2,attributes=age+sex', 'tables:k=1,attributes=region']
    """
    if isinstance(tables, str) or not isinstance(tables, Sequence):
        fix = 'Write for example tables=["age*sex", "region*sex"].'
        raise InputError("tables", "must be a list", type(tables).__name__, fix)
    if not tables:
        return statistics
    before = (
        [statistics] if isinstance(statistics, str) or not isinstance(statistics, Sequence) else statistics
    )
    return [*before, *map(_table, tables)]


def _table(one: Any) -> str:
    names = one.split("*") if isinstance(one, str) else one
    if not isinstance(names, Sequence) or not all(isinstance(name, str) and name.strip() for name in names):
        fix = 'Write for example "age*sex" or ("age", "sex").'
        raise InputError("tables", "must each be columns joined by * or listed", type(one).__name__, fix)
    columns = [name.strip() for name in names]
    if not columns or len(set(columns)) < len(columns):
        raise InputError("tables", "must each name columns, each once", "*".join(columns) or "none")
    if any(mark in name for name in columns for mark in "+,=|"):
        fix = "Rename the column."
        raise InputError("tables", "must be by columns without the signs + , = and |", "such a column", fix)
    return f"tables:k={len(columns)},attributes={'+'.join(columns)}"


def check_kinds(*, statistics: Any, mechanism: Any, releases: Any, known: Any, policy: Any) -> None:
    """Refuse what is of the wrong kind, with what to write instead."""
    listed = isinstance(statistics, Sequence) and not isinstance(statistics, str)
    for each in statistics if listed else ():
        if isinstance(each, Sequence) and not isinstance(each, str):
            fix = 'For tables by columns write tables=["age*sex"].'
            raise InputError("statistics", "must be texts such as 'tables:k=2'", type(each).__name__, fix)
    if isinstance(statistics, Mapping):
        raise InputError(
            "statistics", "must be a text or a list of texts", "dict", "Use releases= for several."
        )
    if not isinstance(mechanism, str):
        fix = 'Write for example mechanism="rounding:base=5".'
        raise InputError("mechanism", "must be a text", type(mechanism).__name__, fix)
    if releases is not None and not isinstance(releases, Mapping):
        fix = 'Write for example releases={"planned": ("tables:k=2", "rounding:base=5")}.'
        raise InputError("releases", "must be releases by name", type(releases).__name__, fix)
    if isinstance(known, str) or not (known is None or isinstance(known, Sequence)):
        raise InputError("known", "must be a list of columns", type(known).__name__, 'Write known=["age"].')
    if policy is not None and not isinstance(policy, Policy):
        fix = "Write for example policy=dalenius.Policy(max_advantage=0.05)."
        raise InputError("policy", "must be a Policy", type(policy).__name__, fix)
