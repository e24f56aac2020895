"""The secrets, rows and attributes themselves. Only the publisher and the referee may import this module."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.dataset import Dataset
from dalenius.people.engine.coded_table import SECRET, CodedTable
from dalenius.people.schema import CodedColumns, Schema

if TYPE_CHECKING:
    from dalenius.people.rows.rows import Rows
    from dalenius.people.sealed import SealedRows, SealedTraits
    from dalenius.people.traits.traits import Traits


def secret_codes(dataset: Dataset) -> NDArray[np.int32]:
    """Return everybody's secret as a code, in the order of people.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> people = read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill")
    >>> secret_codes(people)
    array([0, 1, 0], dtype=int32)
    >>> people.close()
    """
    return dataset.rows.fetch_codes([SECRET])[:, 0]


def some_people(dataset: Dataset, which: NDArray[np.intp]) -> Dataset:
    """Return some of the people, in this order, with their secrets: the referee tries a release on them.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> people = read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill")
    >>> some = some_people(people, np.array([1, 2]))
    >>> some.n, secret_codes(some)
    (2, array([1, 0], dtype=int32))
    >>> people.close(); some.close()
    """
    return _copy(dataset, secret_codes(dataset)[which], which)


def replace_secrets(dataset: Dataset, codes: NDArray[np.int32]) -> Dataset:
    """Return the same people with other secrets, for the referee's control.

    The coded rows are copied into a private DuckDB, whatever engine the originals are in: the user's database
    is only ever read, and the two datasets are closed apart.

    Parameters
    ----------
    dataset
        The people.
    codes
        The code of everybody's new secret, in the order of people.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> people = read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill")
    >>> others = replace_secrets(people, np.array([1, 1, 0], np.int32))
    >>> secret_codes(others)
    array([1, 1, 0], dtype=int32)
    >>> people.close(); others.close()
    """
    levels = len(dataset.schema.secret.levels)
    if codes.shape != (dataset.n,):
        raise InputError("codes", f"must be one for each of {dataset.n} people", f"shape {codes.shape}")
    if codes.min() < 0 or codes.max() >= levels:
        raise InputError("codes", f"must be from 0 to {levels - 1}", f"{codes.min()} to {codes.max()}")
    return _copy(dataset, codes, np.arange(dataset.n))


def line_people(dataset: Dataset) -> NDArray[np.int64]:
    """Return how many people each line of a dataset is: one, unless people are told by record."""
    return dataset.rows.fetch_people()


def other_counts(
    dataset: Dataset, records: CodedColumns, secrets: NDArray[np.int32], people: NDArray[np.int64]
) -> Dataset:
    """Return records with other numbers of people who have each secret, for the referee's control.

    Parameters
    ----------
    dataset
        Whose secret it is.
    records, secrets, people
        For each line its public columns, the code of the secret, and how many people.
    """
    columns = {f"c{j}": records.codes[:, j] for j in range(len(records.columns))} | {SECRET: secrets}
    copied = CodedTable.copy(columns, None, dataset.rows.engine.beside(), people=people)
    schema = Schema((*records.columns, dataset.schema.secret))
    return Dataset(schema, dataset.source, copied)


def open_rows(rows: Rows | SealedRows) -> Rows:
    """Return original rows that were sealed.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.rows.rows import Rows
    >>> from dalenius.people.sealed import SealedRows
    >>> open_rows(SealedRows(Rows.of_table(pa.table({"age": [32, 47]})))).column("age").values
    array([32., 47.])
    """
    from dalenius.people.sealed import SealedRows

    return rows._under_seal if isinstance(rows, SealedRows) else rows


def open_traits(traits: Traits | SealedTraits) -> Traits:
    """Return attributes of members that were sealed."""
    from dalenius.people.sealed import SealedTraits

    return traits._under_seal if isinstance(traits, SealedTraits) else traits


def _copy(dataset: Dataset, secrets: NDArray[np.int32], which: NDArray[np.intp]) -> Dataset:
    """Copy some of the people, with these secrets, into tables of their own."""
    rows = dataset.rows
    codes = rows.fetch_codes(rows.public)[which]
    columns = dict(zip(rows.public, codes.T, strict=True)) | {SECRET: secrets}
    raw = {name: rows.fetch_numbers(name) for name in rows.public}
    numbers = {name: values[which] for name, values in raw.items() if values is not None}
    ids = rows.fetch_ids()[which] if rows.has_id else None
    copied = CodedTable.copy(columns, ids, rows.engine.beside(), numbers)
    return Dataset(dataset.schema, dataset.source, copied)
