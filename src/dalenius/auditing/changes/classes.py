"""Fewer classes of public columns: neighbouring classes of numbers as one, and rare words as one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.plan import Plan
from dalenius.people.dataset import is_number

NOTE = "The attacker is taken to know these classes only."

OTHER = "other"
"""What rare words are called when they are one."""

FEWEST = 3
"""Words that a column must have for some of them to become one."""


@dataclass(frozen=True)
class PublicClasses:
    """The classes of public columns that may become fewer.

    Parameters
    ----------
    edges
        The cut points of all columns of numbers.
    words
        How many people have each word of columns of words, as the words are written.
    may
        The columns that may be changed.
    """

    edges: Mapping[str, Sequence[float]]
    words: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    may: frozenset[str] = frozenset()

    @property
    def numbers(self) -> dict[str, list[float]]:
        """Columns of fractions that have no cut points: each number but the least, as one.

        Examples
        --------
        >>> PublicClasses({}, {"age": {"17.5": 2, "9": 1, "22": 5}, "code": {"1": 1, "2": 3}}).numbers
        {'age': [17.5, 22.0]}
        """
        found = {}
        for name, counts in self.words.items():
            numbers = [float(word) for word in counts if is_number(word)]
            finite = len(numbers) == len(counts) and all(map(math.isfinite, numbers))
            if finite and not all(number.is_integer() for number in numbers):
                found[name] = sorted(numbers)[1:]
        return found


def coarser(plan: Plan, classes: PublicClasses, called: str) -> Iterator[Candidate]:
    """Propose fewer classes: every second cut point of numbers goes; the rarer half of words is one word."""
    known = {**classes.edges, **classes.numbers}
    halves = {name: list(cuts)[1::2] for name, cuts in known.items() if name in classes.may and len(cuts) > 1}
    chosen = [{name: cuts} for name, cuts in halves.items()]
    if len(halves) > 1:
        chosen.append(halves)
    for cuts in chosen:
        bins = {name: list(each) for name, each in classes.edges.items()} | cuts
        said = "; ".join(
            f"{len(each) + 1} classes of {name} instead of {len(known[name]) + 1}"
            for name, each in cuts.items()
        )
        gone = sum(len(known[name]) - len(each) for name, each in cuts.items())
        columns = plan.columns.model_copy(update={"bins": bins})
        changed = plan.model_copy(update={"columns": columns})
        yield Candidate("coarser", said, called, changed, merged=gone, note=NOTE)
    yield from _fewer_words(plan, classes, called)


def _fewer_words(plan: Plan, classes: PublicClasses, called: str) -> Iterator[Candidate]:
    """Merge the two rarest words, then the rarer half of them, column by column and everywhere."""
    rare = {
        name: merges for name, counts in classes.words.items()
        if name in classes.may and name not in classes.numbers and (merges := rarest(counts))
    }  # fmt: skip
    chosen = [{name: merge} for name, merges in rare.items() for merge in merges]
    if len(rare) > 1:
        chosen += [{name: merges[at] for name, merges in rare.items()} for at in (0, -1)]
    for merge in chosen:
        merged = {**plan.columns.merged, **{name: {_label(classes.words[name], gone): gone}
                  for name, gone in merge.items()}}  # fmt: skip
        columns = plan.columns.model_copy(update={"merged": merged})
        lost = sum(len(gone) - 1 for gone in merge.values())
        said = "; ".join(f"{_listed(gone)} of {name} as one" for name, gone in merge.items())
        changed = plan.model_copy(update={"columns": columns})
        yield Candidate("coarser", said, called, changed, merged=lost, note=NOTE)


def rarest(counts: Mapping[str, int]) -> list[list[str]]:
    """Words that could be one: the two rarest, and the rarer half; nothing where there are few words.

    Examples
    --------
    >>> rarest({"a": 50, "b": 2, "c": 30, "d": 1, "e": 9, "f": 8})
    [['d', 'b'], ['d', 'b', 'f']]
    >>> rarest({"a": 50, "b": 2})
    []
    """
    if len(counts) < FEWEST:
        return []
    by_count = sorted(counts, key=lambda word: (counts[word], word))
    two, half = by_count[:2], by_count[: len(counts) // 2]
    return [two, half] if len(half) > len(two) else [two]


def _label(known: Mapping[str, int], gone: Sequence[str]) -> str:
    """What merged words are called: a name that no word that stays has."""
    label = OTHER
    while label in known and label not in gone:
        label += " words"
    return label


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words) if len(words) <= FEWEST else f"the {len(words)} rarest words"
