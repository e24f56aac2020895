"""Singling out: two originals that are released as the same rows are attacked by the same conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.predicate import to_json
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.attack.classes import find_classes
from dalenius.singling_out.attack.planner import plan
from dalenius.testing import check_attack

N = 40
Conditions = list[tuple[str, float, float, Any]]


def two_truths() -> tuple[pa.Table, pa.Table]:
    """Within each decade people have other ages."""
    rng = np.random.default_rng(3)
    decade, ill = rng.integers(2, 6, N) * 10, rng.choice(["no", "yes"], N)
    ages = [decade + rng.integers(0, 10, N) for _ in range(2)]
    assert (ages[0] != ages[1]).any()
    return pa.table({"age": ages[0], "ill": ill}), pa.table({"age": ages[1], "ill": ill})


def released(original: pa.Table) -> Rows:
    decades = [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in original["age"].to_pylist()]
    return Rows.of_table(pa.table({"age": decades, "ill": original["ill"]}))


def others() -> Rows:
    rng = np.random.default_rng(9)
    return Rows.of_table(pa.table({"age": rng.integers(20, 60, 300), "ill": rng.choice(["no", "yes"], 300)}))


def conditions(view: Rows, *, known: Rows | None, rng: np.random.Generator) -> Conditions:
    made = plan(find_classes(view, ["age"], known=known), known=known, rng=rng)
    return [
        (attack.kind, float(attack.success[i]), float(weights[i]), to_json(made.predicate(a, i)))
        for a, (attack, weights) in enumerate(zip(made.attacks, made.weights, strict=True))
        for i in range(len(weights))
    ]


@pytest.mark.parametrize("known", [None, others()], ids=["nobody else known", "others known"])
def test_two_originals_with_one_release(known: Rows | None) -> None:
    views = [released(truth) for truth in two_truths()]

    def attack(view: Rows, *, rng: np.random.Generator) -> Conditions:
        return conditions(view, known=known, rng=rng)

    assert attack(views[0], rng=np.random.default_rng(17))
    check_attack(attack, views)


def test_an_attack_that_knows_the_original_is_noticed() -> None:
    """Planted fault: one that finds the original lying about names somebody's own age."""
    truths = two_truths()
    views = [released(truth) for truth in truths]
    ages = {id(view): truth["age"].to_pylist() for view, truth in zip(views, truths, strict=True)}

    def peeks(view: Rows, *, rng: np.random.Generator) -> tuple[Conditions, int]:
        return conditions(view, known=None, rng=rng), sum(ages[id(view)])

    with pytest.raises(AssertionError, match="knows more than its view"):
        check_attack(peeks, views)
