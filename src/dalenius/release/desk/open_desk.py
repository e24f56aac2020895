"""The publisher's side of a desk: answers counted from people in an engine, and protected one by one."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.conditions.predicate import Predicate, to_json
from dalenius.errors import InputError, UnsupportedError
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.chain import Mechanism
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.samples import Subsample
from dalenius.people.dataset import Dataset
from dalenius.people.engine.count_predicates import count_predicates
from dalenius.random import stream
from dalenius.release.desk.desk import OpenDesk, Source
from dalenius.release.desk.terms import Budget, Terms
from dalenius.release.publish import noise_stream


def open_desk(
    dataset: Dataset,
    mechanism: Mechanism | str,
    *,
    rng: np.random.Generator,
    budget: Budget | None = None,
    sticky: bool = False,
    smallest: int = 0,
) -> OpenDesk:
    """Open a desk that answers questions about the people of a dataset.

    Parameters
    ----------
    dataset
        The people; it must stay open as long as the desk.
    mechanism
        What is done to every answer, such as ``gaussian:sigma=3``. Noise given by its promise, such as
        ``gaussian:rho=0.1``, keeps that promise for all queries of the budget together.
    rng
        Draws the noise, together with the people's secrets, so that nobody without these can draw it again.
    budget
        How much may be asked; by default without limit.
    sticky
        Answer the same question in the same way each time, at no further cost. The noise then depends on
        the question alone, not on what was asked before.
    smallest
        Give no answer about fewer people than this.

    Raises
    ------
    InputError
        If noise is given by its promise and the number of queries is not limited.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> from dalenius.conditions.predicate import Equals
    >>> with read(pa.table({"age": [32, 47, 32], "ill": ["no", "yes", "yes"]}), secret="ill") as people:
    ...     desk = open_desk(people, "exact", rng=np.random.default_rng(1), budget=Budget(queries=10))
    ...     desk.ask([Equals("age", "32")]), desk.left
    (array([[1.]]), 9)
    """
    chain = parse_mechanism(mechanism) if isinstance(mechanism, str) else mechanism
    if any(isinstance(stage, Subsample) for stage in chain.stages):
        raise UnsupportedError("a desk answers about everybody: subsample is not supported")
    chain, schema = chain.applied(), dataset.schema
    terms = Terms(schema.secret, schema.public, str(chain), budget or Budget(), smallest)
    chain = _resolve(chain, terms)
    terms = replace(terms, mechanism=str(chain), seeded=chain.draws)
    noise = noise_stream(dataset, chain, rng)
    return OpenDesk(_source(dataset, chain, terms, sticky, noise), terms, sticky=sticky)


@dataclass(frozen=True)
class PlannedDesk:
    """A desk that has not been opened yet.

    Parameters
    ----------
    mechanism, budget, smallest, sticky
        As in `open_desk`.
    """

    mechanism: str = "exact"
    budget: Budget = field(default_factory=Budget)
    smallest: int = 0
    sticky: bool = False

    def open(self, dataset: Dataset, *, rng: np.random.Generator) -> OpenDesk:
        """Open it."""
        return open_desk(
            dataset,
            self.mechanism,
            rng=rng,
            budget=self.budget,
            sticky=self.sticky,
            smallest=self.smallest,
        )


def _resolve(chain: Mechanism, terms: Terms) -> Mechanism:
    queries = terms.budget.queries
    moved = float(min(2, len(terms.values)) * (queries or 1))
    resolved = chain.resolve(Sensitivity(moved, moved))
    if queries is None and str(resolved) != str(chain):
        raise InputError(
            f"mechanism {chain}",
            "needs to know how many queries its promise is for",
            "a budget without a number of queries",
            "Give queries, or the size of the noise.",
        )
    return resolved


def _source(
    dataset: Dataset, chain: Mechanism, terms: Terms, sticky: bool, rng: np.random.Generator
) -> Source:
    columns = [terms.secret.levels.index(value) for value in terms.values]
    key = int(rng.integers(1 << 62))

    def answer(predicates: tuple[Predicate, ...]) -> list[list[float | None]]:
        everything = count_predicates(dataset, predicates)
        counts = everything[:, columns]
        if sticky:
            rows = [
                _protect(chain, row[None], rng=stream(key, repr(to_json(predicate))))
                for predicate, row in zip(predicates, counts, strict=True)
            ]
            told = np.concatenate(rows)
        else:
            told = _protect(chain, counts, rng=rng)
        told[everything.sum(axis=1) < terms.smallest] = np.nan
        return [[None if np.isnan(x) else float(x) for x in row] for row in told]

    return answer


def _protect(chain: Mechanism, counts: NDArray[np.int64], *, rng: np.random.Generator) -> NDArray[np.float64]:
    """Protect answers of which each stands alone."""
    moved = float(min(2, counts.shape[1]) * len(counts))
    held = Counts(counts, np.arange(len(counts)), Sensitivity(moved, moved))
    return chain.protect(held, rng=rng)
