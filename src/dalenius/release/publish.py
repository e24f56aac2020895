"""From people to a release, and the same release once more of other secrets or of some of the people.

From people to a release: the one place where secrets become published numbers.

Tables and conditions are counted inside the engine. Sets of named people, and every count of a subsample, are
counted in memory, by the same matrix that an attacker would use.

Make a release once more, of the same people with other secrets, or of some of them.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, UnsupportedError
from dalenius.grammar import parse_options
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.base import SEEDED, open_levels
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.dataset import Dataset
from dalenius.people.engine.tabulate import tabulate
from dalenius.people.schema import CodedColumns, Roster
from dalenius.people.truth import line_people, secret_codes
from dalenius.progress import Progress, silent, within
from dalenius.random import sealed
from dalenius.release.release import Block, Release
from dalenius.statistics.parse import ask
from dalenius.statistics.statistic import (
    Among,
    ByCondition,
    ByName,
    Counting,
    Estimate,
    Limited,
    Statistic,
    counted_values,
)
from dalenius.statistics.tables import Tables


def roster_of(dataset: Dataset) -> Roster:
    """List the people of a dataset and their public columns.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> with read(pa.table({"age": [32, 47], "ill": ["no", "yes"]}), secret="ill") as people:
    ...     roster_of(people).ids
    array(['0', '1'], dtype='<U...')
    """
    if dataset.by_record:
        ids, people = dataset.ids(), line_people(dataset)
        return Roster("record", ids, dataset.attributes(), {}, people).merged()
    return Roster(_id_name(dataset), dataset.ids(), dataset.attributes(), dataset.numbers())


def publish(
    dataset: Dataset,
    statistics: Statistic | str | Sequence[Statistic | str],
    mechanism: Mechanism | str,
    *,
    rng: np.random.Generator,
    name: str = "release",
    for_the_world: bool = False,
    progress: Progress = silent,
) -> Release:
    """Compute, protect, and return what is published.

    Parameters
    ----------
    dataset
        The people.
    statistics
        What is asked: statistics, or their names in the grammar of a plan such as ``tables:k=2``.
    mechanism
        What is done to the counts, such as ``rounding:base=5``.
    rng
        Draws random queries; the sample and the noise are drawn from it and the people's secrets, so that
        nobody without these can draw them again.
    name
        What the release is called.
    for_the_world
        Draw the noise with OpenDP, which takes no seed: noise that can be drawn again can be taken off again.
    progress
        Told which tables were counted.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> with read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "no"]}), secret="ill") as people:
    ...     publish(people, "tables:k=1", "exact", rng=np.random.default_rng(1)).blocks[0].answers
    array([[2., 0.],
           [0., 1.]])
    """
    asked = ask_all(dataset, statistics, rng=rng)
    chain = parse_mechanism(mechanism) if isinstance(mechanism, str) else mechanism
    levels = dataset.schema.secret.levels
    values = [counted_values(statistic, levels) for statistic in asked]
    sensitivity = sensitivity_of(asked, levels)
    promise = chain.promise(sensitivity)
    if promise is not None:
        columns = (c for statistic in asked for c in getattr(statistic, "columns", ()))
        promise = promise.resting_on(*open_levels((dataset.schema.secret, *columns)))
        promise = promise if for_the_world else promise.resting_on(SEEDED)
    seeded = chain.draws and not for_the_world
    chain = chain.applied().resolve(sensitivity)
    rng = noise_stream(dataset, chain, rng)
    if dataset.by_record:
        _check_by_record(asked, chain)
    sample = chain.sample_rows(dataset.n, rng=rng)
    blocks = []
    for j, (statistic, counted) in enumerate(zip(asked, values, strict=True)):
        own = within(progress, j / len(asked), (j + 1) / len(asked))
        truth = _true_answers(dataset, statistic, counted, sample, sensitivity, own)
        blocks.append(Block(statistic, counted, _protect(chain, truth, rng, for_the_world)))
    return Release(name, dataset.schema.secret, tuple(blocks), str(chain), promise, seeded)


def _check_by_record(asked: Sequence[Statistic], chain: Mechanism) -> None:
    """Refuse questions about single people, and samples of them, where people are told by record."""
    others = [statistic.kind for statistic in asked if not isinstance(statistic, Tables)]
    if others or chain.samples:
        got = others[0] if others else "a sample of people"
        fix = 'Use tables, or [data] roster = "people".'
        raise InputError("statistics", "must be tables where people are told by record", got, fix)


def noise_stream(dataset: Dataset, chain: Mechanism, rng: np.random.Generator) -> np.random.Generator:
    """Return what noise about these people is drawn from: sealed with everybody's secret.

    Sorted by id, so that the order of a file does not matter; people without ids are their places.
    """
    if not chain.draws:
        return rng
    codes = secret_codes(dataset)
    if dataset.by_record:
        lines = dataset.attributes().codes.tobytes() + line_people(dataset).tobytes()
        return sealed(rng, hashlib.sha256(lines).digest() + codes.tobytes())
    if dataset.schema.id is None:
        return sealed(rng, codes.tobytes())
    ids = dataset.ids()
    order = np.argsort(ids)
    return sealed(rng, hashlib.sha256("\x1f".join(ids[order]).encode()).digest() + codes[order].tobytes())


def sensitivity_of(statistics: Sequence[Statistic], levels: tuple[str, ...]) -> Sensitivity:
    """How far one person moves all answers together; without limit where a statistic sets none."""
    parts = [
        statistic.sensitivity(len(counted_values(statistic, levels)))
        if isinstance(statistic, Limited)
        else Sensitivity(math.inf, math.inf)
        for statistic in statistics
    ]
    return reduce(add, parts)


def _true_answers(
    dataset: Dataset,
    statistic: Statistic,
    counted: tuple[str, ...],
    sample: NDArray[np.bool_] | None,
    sensitivity: Sensitivity,
    progress: Progress,
) -> Counts:
    levels = dataset.schema.secret.levels
    if isinstance(statistic, Counting):
        columns = [levels.index(value) for value in counted]
        return Counts(_count(dataset, statistic, sample, progress)[:, columns], statistic.table, sensitivity)
    if not isinstance(statistic, Estimate) or len(levels) != 2:
        raise UnsupportedError(
            f"{statistic.kind} needs a secret of two values, and this one has {len(levels)}"
        )
    if sample is not None:
        raise UnsupportedError(f"{statistic.kind} of a subsample is not supported")
    secret = (secret_codes(dataset) == 1).astype(np.float64)
    answers = statistic.compute(roster_of(dataset), secret)
    return Counts(answers[:, None], np.arange(answers.size), sensitivity)


def ask_all(
    dataset: Dataset,
    statistics: Statistic | str | Sequence[Statistic | str],
    *,
    rng: np.random.Generator,
) -> tuple[Statistic, ...]:
    """Turn the names of statistics into statistics about the people of a dataset."""
    if isinstance(statistics, str) or not isinstance(statistics, Sequence):
        statistics = [statistics]
    if not statistics:
        raise InputError("statistics", "must name at least one", "none", 'Write for example ["tables:k=2"].')
    texts = [s for s in statistics if isinstance(s, str)]
    by_name = any(parse_options(text).name not in ("tables", "histogram") for text in texts)
    roster = roster_of(dataset) if by_name else _nobody(dataset)
    return tuple(ask(s, roster, rng=rng) if isinstance(s, str) else s for s in statistics)


def _id_name(dataset: Dataset) -> str:
    return dataset.schema.id.name if dataset.schema.id else "row"


def _nobody(dataset: Dataset) -> Roster:
    """The columns without the people: all that tables need, and small however many people there are."""
    columns = dataset.schema.public
    codes = np.zeros((0, len(columns)), np.int32)
    return Roster(_id_name(dataset), np.zeros(0, np.str_), CodedColumns(columns, codes))


def _count(
    dataset: Dataset, statistic: Counting, sample: NDArray[np.bool_] | None, progress: Progress
) -> NDArray[np.int64]:
    """Count every value of the secret: one row per question, one column per level."""
    levels = len(dataset.schema.secret.levels)
    if sample is None and _same_columns(dataset, statistic):
        if isinstance(statistic, Tables):
            tables = tabulate(dataset, statistic.sets, progress)
            return np.concatenate([table.reshape(-1, levels) for table in tables])
        if isinstance(statistic, ByCondition):
            from dalenius.people.engine.count_predicates import count_predicates

            return count_predicates(dataset, statistic.predicates)
    roster = roster_of(dataset)
    if isinstance(statistic, ByName):
        statistic.refuse_strangers(roster)
    operator = statistic.operator(roster)
    codes = secret_codes(dataset)
    counted = np.ones(dataset.n, np.bool_) if sample is None else sample
    columns = [operator.apply(((codes == level) & counted).astype(np.float64)) for level in range(levels)]
    return np.rint(np.stack(columns, axis=1)).astype(np.int64)


def _same_columns(dataset: Dataset, statistic: Statistic) -> bool:
    """Whether the statistic lists levels as the engine does; one that was read from a file may not."""
    ours = {column.name: column for column in dataset.schema.public}
    return all(ours.get(column.name) == column for column in getattr(statistic, "columns", ()))


def _protect(
    chain: Mechanism, counts: Counts, rng: np.random.Generator, for_the_world: bool
) -> NDArray[np.float64]:
    if not for_the_world:
        return chain.protect(counts, rng=rng)
    from dalenius.mechanisms.stages.opendp import draw_with_opendp

    return draw_with_opendp(chain, counts)


def publish_again(people: Dataset, release: Release, *, rng: np.random.Generator) -> Release:
    """Publish the same statistics under the same mechanisms about other secrets, or about fewer people."""
    if all(block.mechanism is None and block.low is None for block in release.blocks):
        statistics = [block.statistic for block in release.blocks]
        made = publish(people, statistics, release.mechanism, rng=rng, name=release.name)
        return replace(made, date=release.date)
    blocks = tuple(block_again(people, release, block, rng) for block in release.blocks)
    return replace(release, blocks=blocks)


def publish_some(people: Dataset, release: Release, roster: Roster, *, rng: np.random.Generator) -> Release:
    """Publish a release of some of its people; ``roster`` calls them as the whole list does."""
    theirs = [
        replace(block, statistic=block.statistic.called(roster, people.ids()))
        if isinstance(block.statistic, Among)
        else block
        for block in release.blocks
    ]
    made = publish_again(people, replace(release, blocks=tuple(theirs)), rng=rng)
    pairs = zip(made.blocks, release.blocks, strict=True)
    return replace(made, blocks=tuple(replace(new, statistic=old.statistic) for new, old in pairs))


def block_again(people: Dataset, release: Release, block: Block, rng: np.random.Generator) -> Block:
    """Publish one block of a release once more."""
    mechanism = release.mechanism_of(block)
    made = publish(people, [block.statistic], mechanism, rng=rng).blocks[0]
    columns = [made.values.index(value) for value in block.values]
    return Block(block.statistic, block.values, made.answers[:, columns], block.mechanism)
