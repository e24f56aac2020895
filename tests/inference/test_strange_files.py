"""Files about related people and chains that contradict each other or themselves: one clear sentence each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.inference.answers.beliefs import read_bits
from dalenius.inference.attack.chains.nu import moved
from dalenius.knowledge.correlation.chain import read_transitions
from dalenius.knowledge.correlation.inheritance import mendel, read_lineage


def test_a_chain_that_never_leaves_two_ends_must_say_where_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("from,a,b\na,1,0\nb,0,1\n")
    with pytest.raises(InputError, match="one set of values that it ends up in; got 2 that it never leaves"):
        read_transitions(path)
    assert moved(read_transitions(path, "a=0.5,b=0.5"), 3, 0.5).max() == pytest.approx(1.5)


def test_a_chain_that_can_only_be_in_one_place_has_nothing_to_learn(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("from,a,b\na,0.9,0.1\nb,0,1\n")
    with pytest.raises(InputError, match="a moment with two possible values; got none"):
        moved(read_transitions(path), 20, 0.5)


def test_people_of_another_file_than_the_family_are_refused_unnamed(tmp_path: Path) -> None:
    family, others = tmp_path / "family.csv", tmp_path / "people.csv"
    family.write_text("id,father,mother\nEva,,\nAdam,,\nKid,Adam,Eva\n")
    others.write_text("id,epsilon\nKid,0.5\nZQ9,0.5\n")
    with pytest.raises(InputError, match="must name people of the family; got 1 without a line") as refused:
        read_lineage(family, mendel(0.1), people=others)
    assert "ZQ9" not in str(refused.value)


def test_answers_of_people_who_are_not_linked_anywhere_are_refused_unnamed(tmp_path: Path) -> None:
    path = tmp_path / "said.csv"
    path.write_text("id,answer\na,0\nZQ9,1\n")
    with pytest.raises(InputError, match="must name people of the prior; got 1 who are not in it") as refused:
        read_bits(path, np.array(["a", "b"]))
    assert "ZQ9" not in str(refused.value)
