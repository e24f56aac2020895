"""Family trees from files: links, twins, what siblings imply, and families that cannot be."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

from dalenius.errors import InputError
from dalenius.knowledge.correlation.pedigree import read_pedigree, sibling_agreement, spouse_agreement
from dalenius.theory.inference import coupling_of

HEAD = "id,father,mother,sex\n"


def read(folder: Path, text: str, **options):
    path = folder / "family.csv"
    path.write_text(text)
    options.setdefault("agreement", {"parent": 0.75})
    return read_pedigree(path, **options)


def edges_of(network) -> set[tuple[str, str]]:
    ids = network.model.ids
    return {(str(ids[a]), str(ids[b])) for a, b in network.model.edges}


def test_children_are_linked_with_their_parents(tmp_path: Path) -> None:
    network = read(tmp_path, HEAD + "c,f,m,f\nd,f,,\nf,0,,m\nm,,0,2\n")
    assert edges_of(network) == {("c", "f"), ("c", "m"), ("d", "f")}
    assert network.model.ids.tolist() == ["c", "d", "f", "m"], "in the order of the file"
    assert network.kinds == ("parent",) * 3
    assert network.model.coupling == pytest.approx([coupling_of(0.75)] * 3, abs=1e-15)
    assert "3 edges of type parent with agreement 0.75" in network.model.card
    assert "no loops: every agreement holds exactly" in network.model.card


def enumerated(J: float, parents: int, children: int) -> tuple[float, float, float]:
    """Agreement of a child with a parent, of two siblings, and of the parents."""
    n = parents + children
    spins = 1 - 2 * np.indices((2,) * n).reshape(n, -1)
    weight = np.exp(J * spins[:parents].sum(axis=0) * spins[parents:].sum(axis=0))
    pairs = ((0, parents), (parents, parents + 1), (0, parents - 1))
    return tuple(float(weight[spins[a] == spins[b]].sum() / weight.sum()) for a, b in pairs)


@pytest.mark.parametrize(("shared", "children"), [(1, 2), (1, 4), (2, 2), (2, 3), (2, 6)])
def test_what_the_parents_imply_for_siblings_is_the_local_model(shared: int, children: int) -> None:
    for p in (0.55, 0.75, 0.95):
        J = brentq(lambda J, p=p: enumerated(J, shared, children)[0] - p, 0, 5, xtol=1e-15)
        with_parent, siblings, parents = enumerated(J, shared, children)
        assert with_parent == pytest.approx(p, abs=1e-12)
        assert sibling_agreement(p, shared, children) == pytest.approx(siblings, abs=1e-10)
        if shared == 2:
            assert spouse_agreement(p, children) == pytest.approx(parents, abs=1e-10)


def test_sibling_agreement_is_a_check_and_no_link(tmp_path: Path) -> None:
    text = "id,father,mother\nf,,\nm,,\n" + "".join(f"c{i},f,m\n" for i in range(3))
    agreement = {"parent": 0.75, "sibling": 0.7}
    network = read(tmp_path, text, agreement=agreement)
    assert len(network.model.edges) == 6
    assert "2 independent loops" in network.model.card[-1]
    implied = sibling_agreement(0.75, 2, 3)
    assert f"imply {implied:.6g}; 0.7 was given; parents of 3 children agree" in network.notes[0]
    lone = read(tmp_path, "id,father,mother\nf,,\nc,f,\n", agreement=agreement)
    assert lone.notes == ("a sibling agreement is given, but nobody has siblings",)
    half = read(tmp_path, "id,father,mother\nf,,\nc,f,\nd,f,\n", agreement=agreement)
    assert half.notes[0].endswith("imply 0.625; 0.7 was given")


def test_identical_twins_are_one_child_to_their_parents(tmp_path: Path) -> None:
    text = "id,father,mother,twin\nf,,,\nm,,,\na,f,m,t\nb,f,m,t\nc,f,m,\n"
    same = read(tmp_path, text, agreement={"parent": 0.75, "twin": 1}, identical=True)
    assert edges_of(same) == {("a", "f"), ("a", "m"), ("c", "f"), ("c", "m"), ("a", "b")}
    assert np.isinf(same.model.coupling).sum() == 1
    assert same.kinds[-1] == "twin"
    alike = read(tmp_path, text, agreement={"parent": 0.75, "twin": 0.95})
    assert len(alike.model.edges) == 7
    with pytest.raises(InputError, match="agreement of 'twin' must be given"):
        read(tmp_path, text)
    with pytest.raises(InputError, match="say --identical"):
        read(tmp_path, text, agreement={"parent": 0.75, "twin": 1})


def test_people_of_a_pedigree(tmp_path: Path) -> None:
    people = tmp_path / "people.csv"
    people.write_text("id,epsilon,bias\nm,0.5,0.4\nc,0,0.5\n")
    network = read(tmp_path, "id,father,mother\nc,,m\nm,,\n", people=people)
    assert network.epsilons().tolist() == [0, 0.5]
    assert network.bias is not None
    assert network.bias.tolist() == [0.5, 0.4]
    people.write_text("id,epsilon\nx,0.5\n")
    with pytest.raises(
        InputError,
        match=r"must be in family\.csv; got 1 person not in it, first in line 2",
    ):
        read(tmp_path, "id,father,mother\nc,,m\nm,,\n", people=people)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            HEAD + "c,f,m,f\nf,,,m\n",
            "column 'mother' must .*got 1 person without one, first in line 2",
        ),
        (HEAD + "c,f,f,f\nf,,,m\n", "father and mother must be two people; got the same person in line 2"),
        (
            HEAD + "c,f,,\nd,,f,\nf,,,\n",
            "a father or a mother; got somebody as both, .* line 4",
        ),
        (
            HEAD + "c,f,,\nf,,,f\n",
            "column 'sex' must fit the role as a parent; got a father who is female in l",
        ),
        (HEAD + "c,,m,\nm,,,male\n", "got a mother who is male in line 3"),
        (HEAD + "c,,,x\n", "column 'sex' must be m or f, or 1 or 2; got another word in line 2"),
        (HEAD + "c,c,,\n", "parents must be other people; got somebody as a parent of themselves in line 2"),
        (
            HEAD + "a,b,,\nb,c,,\nc,a,,\n",
            "no cycle; got one of 3 people, among them the one of line 2",
        ),
        (HEAD + "a,b,,\nb,a,,\nc,a,,\n", "must have no cycle; got one of 2 people"),
        (
            HEAD + "a,,,\nb,,,\na,,,\n",
            "everybody once; got 1 person more than once, first in line 4",
        ),
        (HEAD + ",,,\na,,,\n", "column 'id' must name somebody in every line"),
        ("id,father\na,\n", "family.csv must have a column 'mother'"),
        ("id,father,mother,twin\na,,,t\nb,,,\n", "must name a twin twice; got somebody alone in line 2"),
        (
            "id,father,mother,twin\nf,,,\na,f,,t\nb,,,t\n",
            "same parents; got other parents in line 3 and line 4",
        ),
    ],
)
def test_families_that_cannot_be(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, text, agreement={"parent": 0.75, "twin": 0.9})
    assert not re.search("'[abcfmx]'| < ", str(caught.value))
    if caught.value.value is not None:
        assert re.search("'[abcfmx]'| < ", str(caught.value.value))


def test_only_relations_of_a_pedigree_have_an_agreement(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"agreement of 'parnet' must be a relation.*Did you mean 'parent'"):
        read(tmp_path, HEAD + "c,,,\n", agreement={"parnet": 0.7})
    with pytest.raises(InputError, match="'parent' must be given; got agreements of sibling alone"):
        read(tmp_path, HEAD + "c,f,,\nf,,,\n", agreement={"sibling": 0.7})


def test_a_cycle_is_found_beside_a_long_line_of_ancestors(tmp_path: Path) -> None:
    line = "".join(f"p{i},p{i + 1},\n" for i in range(3000)) + "p3000,,\n"
    assert len(read(tmp_path, "id,father,mother\n" + line).model.edges) == 3000
    closed = line.replace("p3000,,", "p3000,p2990,")
    with pytest.raises(InputError, match="one of 11 people, among them the one of line 2,992") as caught:
        read(tmp_path, "id,father,mother\n" + closed)
    assert "p2990 < p2991 < " in str(caught.value.value)
