"""Families and contacts of nobody: always the same, possible, and read by what reads real ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.knowledge.correlation.network import read_network
from dalenius.knowledge.correlation.pedigree import read_pedigree
from dalenius.people.examples.families import contacts, family, write_contacts, write_family


def test_they_are_the_same_every_time_and_another_seed_is_other_people() -> None:
    assert family(100).equals(family(100))
    assert not family(100).equals(family(100, seed=2))
    assert contacts(100).edges.equals(contacts(100).edges)
    assert not contacts(100).edges.equals(contacts(100, seed=2).edges)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("people", [10, 11, 97, 600])
def test_a_family_can_be_read_and_has_exactly_so_many(people: int, seed: int, tmp_path: Path) -> None:
    network = read_pedigree(write_family(tmp_path, people, seed), agreement={"parent": 0.75})
    assert len(network.model) == people
    assert network.model.edges.size


def test_families_marry_among_each_other_but_never_close_relatives(tmp_path: Path) -> None:
    table = family(600).to_pydict()
    parents = {
        own: {father, mother} - {None}
        for own, father, mother in zip(table["id"], table["father"], table["mother"], strict=True)
    }

    def near(person: str) -> set[str]:
        return {person} | parents[person] | {g for p in parents[person] for g in parents[p]}

    couples = {(f, m) for f, m in zip(table["father"], table["mother"], strict=True) if f}
    assert all(not near(father) & near(mother) for father, mother in couples)
    assert sum(bool(parents[father] and parents[mother]) for father, mother in couples) >= 10
    network = read_pedigree(write_family(tmp_path), agreement={"parent": 0.75})
    sizes = np.bincount(network.model.components())
    assert sizes.max() > 500
    assert len(network.model.edges) - 600 + sizes.size > 100, "loops"


def test_a_town_lives_works_and_learns_together(tmp_path: Path) -> None:
    people, households, edges = write_contacts(tmp_path)
    agreement = {"household": 0.55, "work": 0.52, "school": 0.52, "friend": 0.51}
    network = read_network(edges, households=households, people=people, agreement=agreement)
    assert network.notes == (), "no pair twice, nobody unknown"
    assert len(network.model) == 2000
    assert len(network.model.edges) > 5000
    assert set(network.kinds) == set(agreement)
    assert np.bincount(network.model.components()).max() > 1900
    assert network.model.degrees.max() < 40


def test_too_few() -> None:
    for make in (family, contacts):
        with pytest.raises(InputError, match="people must be 10 or more; got 3"):
            make(3)
