"""Every condition that counts, so that others can check it, and a finer table than was released."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalenius.conditions.leaves import Equals, In, OfColumn
from dalenius.conditions.predicate import to_json
from dalenius.conditions.text import english
from dalenius.release.rows.classes import Classes
from dalenius.shown import hides_people
from dalenius.singling_out.attack.candidates import Candidates
from dalenius.singling_out.finding import AsTheyAre, Together
from dalenius.singling_out.rows.at_limit import Judging
from dalenius.singling_out.rows.result import AtLimit
from dalenius.singling_out.rows.unweighed import about_one_row, own_values


@hides_people("attack")
@dataclass(frozen=True)
class WrittenCondition:
    """One condition.

    Parameters
    ----------
    text, predicate
        In words, and as a tree.
    attack
        Where it came from.
    limits
        The limits, as shares of 1/n, at which it was written down.
    together
        Whether it is one of those about all who are alone, counted together.
    at_most
        The upper bound of its weight; ``None`` where nobody weighs it.
    matches
        How many original rows it matches; ``None`` without them.
    """

    text: str
    predicate: dict[str, Any]
    attack: str
    limits: tuple[float, ...]
    together: bool
    at_most: float | None
    matches: int | None

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        return vars(self) | {"isolates": None if self.matches is None else self.matches == 1}


def written_down(
    judging: Judging, limits: Sequence[AtLimit], whole: AsTheyAre | None, together: Together | None
) -> Iterator[WrittenCondition]:
    """Return every condition that is counted, once, with what is known of it.

    Parameters
    ----------
    judging
        What was attacked, and who weighs and counts.
    limits
        What was written down at each limit.
    whole, together
        What columns as they are give away, and all who are alone: these count conditions of any weight.
    """
    at: dict[tuple[int, int], list[float]] = {}
    for one in limits:
        for attack, which in judging.written(one.limit, each=one.each):
            for i in which.tolist():
                at.setdefault((attack, i), []).append(one.c)
    alone = [together is not None and about_one_row(kind) for kind in judging.plan.attacks]
    for attack, kind in enumerate(judging.plan.attacks):
        if alone[attack]:
            at = at | {(attack, i): at.get((attack, i), []) for i in range(len(kind))}
    source = judging.weighing.source
    kinds = {} if source is None else source.rows.kinds
    for attack, candidates in enumerate(judging.plan.attacks):
        numbers = [i for one, i in at if one == attack]
        if not numbers:
            continue
        chosen = candidates.take(np.array(numbers, np.intp))
        bounds = judging.bounds(chosen) if judging.certifier is not None else None
        matches = None if judging.truth is None else judging.truth.judge(chosen, judging.plan.key).counts
        for j, i in enumerate(numbers):
            predicate = chosen.predicate(j, judging.plan.key)
            yield WrittenCondition(
                english(predicate, kinds=kinds),
                to_json(predicate),
                candidates.kind,
                tuple(at[attack, i]),
                alone[attack],
                None if bounds is None else float(bounds[j]),
                None if matches is None else int(matches[j]),
            )
    if whole is not None and judging.truth is not None:
        for condition in own_values(judging.plan.classes, judging.truth, whole):
            text = english(condition, kinds=kinds)
            yield WrittenCondition(text, to_json(condition), "columns as they are", (), False, None, 1)


def finer_rows(classes: Classes, finer: Sequence[Candidates]) -> Iterator[tuple[str, ...]]:
    """Yield the generalised cells of every released row, class by class, as fine as is certain.

    A cell of several values is written as a set, ``{a, b}``, as released tables write it.
    """
    refined: dict[int, list[tuple[int, str]]] = {}
    for one in finer:
        own = zip(one.boxes.leaves, classes.boxes.leaves, strict=True)
        column = next(j for j, (mine, published) in enumerate(own) if mine is not published)
        cells = [_cell(leaf) for leaf in one.boxes.leaves[column]]
        for klass, code in zip(one.of_class.tolist(), one.boxes.codes[:, column].tolist(), strict=True):
            refined.setdefault(klass, []).append((column, cells[code]))
    for klass, size in enumerate(classes.sizes.tolist()):
        codes = classes.boxes.codes[klass].tolist()
        plain = tuple(texts[code] for texts, code in zip(classes.texts, codes, strict=True))
        records = refined.get(klass, [])
        yield from ((*plain[:j], cell, *plain[j + 1 :]) for j, cell in records)
        yield from (plain for _ in range(size - len(records)))


def _cell(leaf: OfColumn | None) -> str:
    if isinstance(leaf, In):
        return "{" + ", ".join(leaf.levels) + "}"
    return leaf.level if isinstance(leaf, Equals) else "*"
