"""Mendel's law: golden figures, brute force on small families, loops, twins, and a planted fault."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest

from dalenius.errors import SolveError
from dalenius.findings.policy import Policy
from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.attack import worst_mechanism as program
from dalenius.inference.attack.inheritance import one_family
from dalenius.inference.attack.inheritance.one_family import OtherMembers, said_by_family
from dalenius.inference.attack.inheritance.peel import BOUNDS, nu_of_genes
from dalenius.inference.genes.measure_genes import measure_genes
from dalenius.inference.rules import rulings
from dalenius.knowledge.correlation.inheritance import Lineage, MendelLaw, mendel
from dalenius.knowledge.correlation.joint import JointPrior

Parents = Sequence[tuple[int, int]]
TRIO: Parents = [(-1, -1), (-1, -1), (0, 1)]
THREE_GENERATIONS: Parents = [(-1, -1), (-1, -1), (0, 1), (-1, -1), (2, 3)]
TWO_COUPLES: Parents = [(-1, -1), (-1, -1), (-1, -1), (-1, -1), (0, 1), (2, 3), (4, 5), (0, 1)]
COUSINS: Parents = [(-1, -1), (-1, -1), (0, 1), (0, 1), (2, 3)]  # the children of one couple have a child


def lineage(parents: Parents, twins: Sequence[int] | None = None) -> Lineage:
    people = len(parents)
    father, mother = (np.array(own, np.int64) for own in zip(*parents, strict=True))
    first = np.arange(people) if twins is None else np.array(twins)
    return Lineage(np.arange(people).astype(str), first, father, mother, None, "a family")


def siblings(children: int) -> Lineage:
    return lineage([(-1, -1), (-1, -1), *[(0, 1)] * children])


def written_out(parents: Parents, law: MendelLaw) -> JointPrior:
    mass = np.zeros((law.values,) * len(parents))
    for values in itertools.product(range(law.values), repeat=len(parents)):
        chances = [
            law.founder[own] if f < 0 else law.child[values[f], values[m], own]
            for own, (f, m) in zip(values, parents, strict=True)
        ]
        mass[values] = np.prod(chances)
    names = tuple(f"p{at}" for at in range(len(parents)))
    return JointPrior(names, (tuple(map(str, range(law.values))),) * len(parents), mass)


@pytest.mark.parametrize(
    ("frequency", "epsilon", "children", "parent", "child"),
    [
        (0.5, 0.5, 4, 1.47, 1.70),
        (0.5, 0.5, 14, 3.61, 3.87),
        (0.5, 1.0, 14, 6.33, 6.94),
        (0.05, 0.5, 8, 2.65, 2.82),
        (0.05, 0.5, 14, 3.99, 4.10),
    ],
)
def test_golden_families(
    frequency: float, epsilon: float, children: int, parent: float, child: float
) -> None:
    people = children + 2
    found = nu_of_genes(siblings(children), mendel(frequency), np.full(people, epsilon))
    assert [round(float(nu), 2) for nu in found.nu[[0, -1]]] == [parent, child]
    assert {BOUNDS[at] for at in found.bound} == {"exact-mendel"}


@pytest.mark.parametrize("genotypes", [False, True])
@pytest.mark.parametrize("children", [1, 2])
def test_one_family_is_the_worst_case(children: int, *, genotypes: bool) -> None:
    law = mendel(0.3, genotypes=genotypes)
    epsilon = np.linspace(0.3, 0.8, children + 2)
    family = siblings(children)
    parents = list(zip(family.father.tolist(), family.mother.tolist(), strict=True))
    worst = program.worst_case(written_out(parents, law), epsilon).nu
    np.testing.assert_allclose(nu_of_genes(family, law, epsilon).nu, worst, atol=1e-6)


@pytest.mark.parametrize("parents", [THREE_GENERATIONS, TWO_COUPLES, COUSINS])
@pytest.mark.parametrize("frequency", [0.5, 0.05])
def test_several_families_are_bounded(parents: Parents, frequency: float) -> None:
    law = mendel(frequency)
    epsilon = np.full(len(parents), 0.5)
    found = nu_of_genes(lineage(parents), law, epsilon)
    worst = program.worst_case(written_out(parents, law), epsilon).nu
    assert (found.nu >= worst - 1e-6).all()
    assert (found.nu <= epsilon.sum()).all()
    loops = parents is COUSINS
    assert {BOUNDS[at] for at in found.bound} == {"bound-group" if loops else "bound-mendel"}
    if not loops:
        assert found.nu.max() < 0.9 * epsilon.sum()


def test_identical_twins_are_one_with_both_epsilons() -> None:
    family = lineage([*TRIO, (0, 1)], twins=[0, 1, 2, 2])
    found = nu_of_genes(family, mendel(0.2), np.full(4, 0.5))
    alone = nu_of_genes(lineage(TRIO), mendel(0.2), np.array([0.5, 0.5, 1.0]))
    np.testing.assert_allclose(found.nu, alone.nu[[0, 1, 2, 2]], atol=1e-9)


def test_somebody_without_data_is_spoken_of() -> None:
    found = nu_of_genes(lineage(TRIO), mendel(0.2), np.array([0.5, 0.0, 0.5]))
    assert 0 < found.nu[1] < 1.0
    stranger = nu_of_genes(lineage([(-1, -1)]), mendel(0.2), np.array([0.5]))
    assert stranger.nu.tolist() == [0.5]


def test_children_who_differ_are_bounded_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    law, apart = mendel(0.3), [((0.0, e), (e, 0.0)) for e in (0.1, 0.2, 0.3)]
    members = OtherMembers("parent", (apart[0],), tuple(apart))
    whole, exact = said_by_family(law, members)
    monkeypatch.setattr(one_family, "MOST_CASES", 10)
    alike, less = said_by_family(law, members)
    monkeypatch.setattr(one_family, "MOST_CASES", 0)
    added, least = said_by_family(law, members)
    assert (exact, less, least) == (True, False, False)
    assert (whole <= alike + 1e-12).all()
    assert (alike <= added + 1e-12).all()
    assert added.max() == pytest.approx(0.7)


def test_a_program_that_is_not_solved_leaves_a_proven_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsolved(*_: object) -> float:
        raise SolveError("not solved")

    monkeypatch.setattr(one_family, "_most", unsolved)
    one_family._solved.cache_clear()
    found = nu_of_genes(siblings(3), mendel(0.07), np.full(5, 0.5))
    np.testing.assert_allclose(found.nu, 2.5)
    assert {BOUNDS[at] for at in found.bound} == {"bound-mendel"}


def test_a_family_above_the_limit_never_passes() -> None:
    """The law of pairs gives this child .500, and would pass a limit of 0.6."""
    made = measure_genes(siblings(14), mendel(0.05), spend([0.5]), None).finding
    verdicts = [rulings(made, Policy(max_nu=limit))[0][0] for limit in (0.6, 4.05, 4.11)]
    assert verdicts == ["stop", "stop", "pass"]
    assert not any("genes are not covered" in text.lower() for text in (*made.not_shown, *made.facts))


def test_a_target_is_kept() -> None:
    made = measure_genes(lineage(THREE_GENERATIONS), mendel(0.1), spend([]), 1.0)
    chosen = made.finding.details.chosen
    assert chosen is not None
    assert made.found.nu.max() <= 1.0
    assert made.found.nu.max() == pytest.approx(1.0, abs=1e-4)


def test_a_program_that_forgets_a_parent_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of this size shows against brute force: the test above would fail with it."""
    honest = one_family._likely
    one_family._solved.cache_clear()

    def blind(law: MendelLaw, role: str, value: int, case: tuple[object, ...]) -> float:
        return honest(law, role, 0, case)

    monkeypatch.setattr(one_family, "_likely", blind)
    worst = program.worst_case(written_out(TRIO, mendel(0.3)), 0.5).nu
    found = nu_of_genes(lineage(TRIO), mendel(0.3), np.full(3, 0.5))
    one_family._solved.cache_clear()
    assert (found.nu < worst - 0.1).all()


def test_a_parent_who_is_not_known_may_be_the_same_for_all_children() -> None:
    """As somebody else for each they made 1.353 of a child; one mother of all, without data, makes 2.312."""
    law, kids = mendel(0.5), 8
    without = nu_of_genes(lineage([(-1, -1), *[(0, -1)] * kids]), law, np.full(kids + 1, 0.5))
    listed = nu_of_genes(siblings(kids), law, np.array([0.5, 0.0, *[0.5] * kids]))
    assert listed.nu[2] == pytest.approx(2.311955815, abs=1e-8)
    assert without.nu[1] == pytest.approx(listed.nu[2], abs=1e-8)
    assert without.nu[0] >= listed.nu[0]
    assert {BOUNDS[at] for at in without.bound.tolist()} == {"bound-mendel"}
