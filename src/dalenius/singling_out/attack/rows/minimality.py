"""Attacks on anonymisers that generalise no more than they must.

If a parent is published only because the rows do not fit into one of its children, they are spread over at
least two of them. With two children and two rows there is one in each. The same holds for a starred bit: its
column has both values in the class. Cohen, *Attacks on Deidentification's Defenses*: applied to all classes
this publishes a finer table than the anonymiser did (downcoding).

With k rows and m children a finer table has min(k, m) records below the parent, each without one child, every
time another: all of them can be rows of the class at once. For a single child some row is outside of it, as
not all are inside. For several children every row is outside of at least one of them, as it is inside of one
child only, so that together they have all k rows to choose from, at least as many as there are records: by
Hall's theorem each record gets a row of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dalenius.conditions.leaves import Equals, In, OfColumn
from dalenius.conditions.predicate import And, Or, Predicate
from dalenius.people.rows.columns import TextColumn
from dalenius.release.rows.classes import Classes
from dalenius.singling_out.attack.candidates import Candidates, ClassMembers, Floats, Integers
from dalenius.theory.singling_out import bit_suppression_success

DIGITS = 24
"""Starred bits that are read as a number: 2^-24 of the success is lost by stopping there."""


class _Split(NamedTuple):
    """A label of a locally recoded column.

    Parameters
    ----------
    column
        The column.
    below
        What is below each child.
    which
        The classes with that label.
    """

    column: str
    below: tuple[tuple[str, ...], ...]
    which: Integers

    @property
    def assumes(self) -> str:
        return f"{self.column} is generalised only where the class does not fit below a narrower label"

    def child(self, c: int) -> OfColumn:
        """What is below one child."""
        return _below(self.column, self.below[c])

    def without(self, c: int) -> OfColumn:
        """What is below all children but one."""
        return _below(self.column, tuple(leaf for j, own in enumerate(self.below) for leaf in own if j != c))


def _splits(classes: Classes) -> Iterator[_Split]:
    """Labels of locally recoded columns with several children.

    A column that was recoded as a whole to one level says nothing about why it was.
    """
    for j, (name, domain) in enumerate(zip(classes.quasi, classes.domains, strict=True)):
        tree = domain.hierarchy
        if tree is None or tree.common_level(classes.texts[j]) is not None:
            continue
        for code, text in enumerate(classes.texts[j]):
            children = tree.children(text.strip())
            which = np.flatnonzero((classes.boxes.codes[:, j] == code) & (classes.sizes > 1))
            if children and which.size:
                yield _Split(name, tuple(tree.leaves_below(child) or (child,) for child in children), which)


def _below(column: str, leaves: tuple[str, ...]) -> OfColumn:
    return Equals(column, leaves[0]) if len(leaves) == 1 else In(column, leaves)


def minimality_candidates(classes: Classes, known: ClassMembers | None) -> Iterator[Candidates]:
    """For every label of a locally recoded column the child that holds exactly one row most often."""
    for split in _splits(classes):
        name, which = split.column, split.which
        leaves = [split.child(c) for c in range(len(split.below))]
        outer = classes.boxes.take(which)
        options = [outer.narrow(name, leaves, np.full(which.size, c)) for c in range(len(leaves))]
        shares = np.stack(
            [np.zeros(which.size) if known is None else known.share(option, which) for option in options]
        )
        success = lonely_child(classes.sizes[which].astype(np.float64), shares)
        best = success.argmax(axis=0)
        yield Candidates(
            "minimality",
            which,
            outer.narrow(name, leaves, best),
            np.ones(which.size, np.int64),
            success[best, np.arange(which.size)],
            split.assumes,
        )


def downcode(classes: Classes) -> tuple[Candidates, ...]:
    """Finer records that are certain if the anonymiser is minimal, as many as a class has rows or children.

    One column per class, the one that makes most records much finer: the same row may be what spreads two.
    """
    splits = [*_splits(classes)]
    best, chosen = np.zeros(len(classes)), np.full(len(classes), -1)
    for number, split in enumerate(splits):
        m = len(split.below)
        gain = np.minimum(classes.sizes[split.which], m) * np.log(m / (m - 1))
        better = split.which[gain > best[split.which] + 1e-9]
        best[better], chosen[better] = gain[gain > best[split.which] + 1e-9], number
    found = []
    for number, split in enumerate(splits):
        own, m = split.which[chosen[split.which] == number], len(split.below)
        records = np.minimum(classes.sizes[own], m)
        if own.size:
            each = np.repeat(own, records)
            without = np.concatenate([np.arange(size) for size in records.tolist()])
            leaves = [split.without(c) for c in range(m)]
            boxes = classes.boxes.take(each).narrow(split.column, leaves, without)
            ones = np.ones(each.size)
            found.append(Candidates("downcoding", each, boxes, ones.astype(np.int64), ones, split.assumes))
    return tuple(found)


def lonely_child(k: Floats, shares: Floats) -> Floats:
    """The chance that exactly one of k rows is in a child, given that they are not all in one.

    ``k p (1-p)^(k-1) / (1 - sum p^k)``; ``k / (2^k - 2)`` for two even children. Where nobody is known, the
    children are taken as even.

    Examples
    --------
    >>> lonely_child(np.array([2.0, 3.0, 4.0]), np.full((2, 3), 0.5))[0].round(6)
    array([1.      , 0.5     , 0.285714])
    """
    total = shares.sum(axis=0)
    p = np.where(total > 0, shares / np.where(total > 0, total, 1), 1 / len(shares))
    spread = 1 - (p**k).sum(axis=0)
    alone = k * p * (1 - p) ** (k - 1)
    return np.where(spread > 1e-12, alone / np.where(spread > 1e-12, spread, 1), 0.0)


def bit_candidates(classes: Classes) -> Iterator[Candidates]:
    """Starred bits read as a number below 2^s / k (section 6.2): better than a hash, as columns disagree."""
    bits = [_two_values(classes, j) for j in range(len(classes.quasi))]
    starred = np.column_stack(
        [
            np.array([leaf is None for leaf in leaves], np.bool_)[classes.boxes.codes[:, j]]
            if bits[j] is not None
            else np.zeros(len(classes), np.bool_)
            for j, leaves in enumerate(classes.boxes.leaves)
        ]
    )
    if bool((starred == starred[0]).all()):  # the same columns everywhere: recoded as a whole
        return
    enough = starred.sum(axis=1) >= np.minimum(DIGITS, 2 * np.log2(classes.sizes) + 8)
    which = np.flatnonzero(enough & (classes.sizes > 1))
    if not which.size:
        return

    def number_below(i: int) -> Predicate:
        columns = np.flatnonzero(starred[i])[:DIGITS].tolist()
        pairs = [(classes.quasi[j], pair) for j in columns if (pair := bits[j]) is not None]
        return below_share(pairs, int(classes.sizes[i]))

    success = {k: bit_suppression_success(k) for k in np.unique(classes.sizes[which]).tolist()}
    yield Candidates(
        "starred bits",
        which,
        classes.boxes.take(which),
        classes.sizes[which],
        np.array([success[k] for k in classes.sizes[which].tolist()]),
        "a cell is starred only where the class has both values, and bits are fair",
        number_below,
    )


def _two_values(classes: Classes, j: int) -> tuple[str, str] | None:
    """The values of a column that has two and is released as it is or not at all."""
    texts = classes.texts[j]
    values = [t for t, leaf in zip(texts, classes.boxes.leaves[j], strict=True) if leaf is not None]
    plain = all(isinstance(leaf, Equals) for leaf in classes.boxes.leaves[j] if leaf is not None)
    known = classes.domains[j].values
    if known is not None:
        values += (known if isinstance(known, TextColumn) else known.as_text).levels
    different = sorted(set(values))
    return (different[0], different[1]) if plain and len(different) == 2 else None


def below_share(bits: list[tuple[str, tuple[str, str]]], k: int) -> Predicate:
    """The bits, read as a binary number, are below the first digits of 1/k; built from the last digit up."""
    digits, rest = [], 1
    for _ in bits:
        digit, rest = divmod(2 * rest, k)
        digits.append(digit)
    below: Predicate = Or(())
    for (column, (zero, one)), digit in zip(reversed(bits), reversed(digits), strict=True):
        if digit:
            below = Or((Equals(column, zero), And((Equals(column, one), below))))
        else:
            below = And((Equals(column, zero), below))
    return below
