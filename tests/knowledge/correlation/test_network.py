"""Networks from files: couplings and fields to the golden values, the card, and every bad file by name."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from dalenius.errors import InputError, TooLargeError
from dalenius.knowledge.correlation.agreements import parse_agreement
from dalenius.knowledge.correlation.files import edges as homes
from dalenius.knowledge.correlation.network import read_network


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def edges_of(network) -> set[tuple[str, str]]:
    ids = network.model.ids
    return {tuple(sorted((str(ids[a]), str(ids[b])))) for a, b in network.model.edges}


def test_agreement_of_the_line_before_that_of_the_type(tmp_path: Path) -> None:
    text = "a,b,agreement,type\nu,v,0.9,parent\nv,w,,parent\nw,x,,contact\n"
    rules = {"parent": 0.75, "contact": 0.6, "twin": 0.9}
    network = read_network(written(tmp_path, "e.csv", text), agreement=rules)
    assert network.agreement.tolist() == [0.9, 0.75, 0.6]
    assert network.kinds == ("parent", "parent", "contact")
    assert network.model.coupling == pytest.approx(np.arctanh(2 * network.agreement - 1), abs=1e-15)
    assert network.notes == ("an agreement of 'twin' is given, but no edge is of this type",)
    assert "2 edges of type parent with agreement 0.75 to 0.9" in network.model.card
    assert "4 people, 3 edges, 1 component, the largest of 4" in network.model.card


def test_one_number_for_all_and_no_types(tmp_path: Path) -> None:
    network = read_network(written(tmp_path, "e.csv", "a,b\n007,7\n7, 8\n"), agreement=0.8)
    assert network.model.ids.tolist() == ["007", "7", "8"], "an id is text, and blanks are no part of it"
    assert network.kinds == ()
    assert network.model.field.tolist() == [0, 0, 0]
    assert network.epsilon is None


def test_parquet_is_the_same(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [1, 2], "b": [2, 3], "agreement": [0.6, 0.7]}), tmp_path / "e.parquet")
    network = read_network(tmp_path / "e.parquet")
    assert network.model.ids.tolist() == ["1", "2", "3"]
    assert network.agreement.tolist() == [0.6, 0.7]


def test_golden_chain_with_prevalence(tmp_path: Path) -> None:
    pi, r = 0.1, 0.5
    p = pi**2 + (1 - pi) ** 2 + 2 * r * pi * (1 - pi)
    edges = written(tmp_path, "e.csv", "a,b\n0,1\n1,2\n2,3\n")
    people = written(tmp_path, "p.csv", "id,bias,epsilon\n" + "".join(f"{i},{pi},0.5\n" for i in range(4)))
    network = read_network(edges, people=people, agreement=p)
    assert network.model.coupling == pytest.approx([0.786277418657] * 3, abs=1e-9)
    outer, inner = 0.685942070926, 0.273271853184
    assert network.model.field == pytest.approx([outer, inner, inner, outer], abs=1e-9)
    assert network.epsilons().tolist() == [0.5] * 4
    assert "the bit is 1 with probability 0.1, from p.csv" in network.model.card


def test_agreement_is_measured_against_chance(tmp_path: Path) -> None:
    people = written(tmp_path, "p.csv", "id,bias\nu,0.05\nv,0.05\n")
    edges = written(tmp_path, "e.csv", "a,b\nu,v\n")
    assert read_network(edges, people=people, agreement=0.905).model.coupling == pytest.approx([0], abs=1e-12)
    assert read_network(edges, people=people, agreement=0.93).model.coupling == pytest.approx(
        [0.604], abs=5e-4
    )
    with pytest.raises(InputError, match=r"must be above 0.9 and below 1 .* got 0.8.*0.905") as caught:
        read_network(edges, people=people, agreement=0.8)
    assert "'u'" not in str(caught.value)
    assert "'u', 'v'" in str(caught.value.value)


def test_biases_and_agreements_hold_on_a_tree(tmp_path: Path) -> None:
    bias = {"u": 0.3, "v": 0.2, "w": 0.4, "x": 0.1}
    people = written(tmp_path, "p.csv", "id,bias\n" + "".join(f"{k},{v}\n" for k, v in bias.items()))
    edges = written(tmp_path, "e.csv", "a,b,agreement\nu,v,0.8\nv,w,0.6\nv,x,0.85\n")
    network = read_network(edges, people=people)
    mass = mass_of(network.model)
    for i, p in enumerate(bias.values()):
        assert np.moveaxis(mass, i, 0)[1].sum() == pytest.approx(p, abs=1e-12)
    for (i, j), p in zip(network.model.edges, network.agreement, strict=True):
        assert agreement_in(mass, i, j) == pytest.approx(p, abs=1e-12)


def mass_of(model) -> np.ndarray:
    spins = np.indices((2,) * len(model)) * -2 + 1
    weight = sum(h * s for h, s in zip(model.field, spins, strict=True))
    for (i, j), J in zip(model.edges, model.coupling, strict=True):
        weight = weight + J * spins[i] * spins[j]
    return np.exp(weight) / np.exp(weight).sum()


def agreement_in(mass: np.ndarray, i: int, j: int) -> float:
    pair = np.moveaxis(mass, (i, j), (0, 1)).reshape(2, 2, -1).sum(axis=2)
    return float(pair[0, 0] + pair[1, 1])


def test_identical_people_share_their_bias(tmp_path: Path) -> None:
    edges = written(tmp_path, "e.csv", "a,b,agreement\nu,v,1\nv,w,0.7\n")
    people = written(tmp_path, "p.csv", "id,bias\nu,0.2\nv,0.2\nw,0.3\n")
    model = read_network(edges, people=people, identical=True).model
    assert np.isinf(model.coupling).tolist() == [True, False]
    alone = 0.5 * np.log(0.8 / 0.2)
    pair = read_network(written(tmp_path, "f.csv", "a,b\nv,w\n"), people=people, agreement=0.7).model
    assert model.field[0] + model.field[1] == pytest.approx(pair.field[1], abs=1e-12)
    assert model.field[0] == pytest.approx(alone / 2)
    other = written(tmp_path, "q.csv", "id,bias\nu,0.2\nv,0.25\nw,0.3\n")
    with pytest.raises(InputError, match="can be 1 only if their biases are the same"):
        read_network(edges, people=other, identical=True)


def test_households_link_everybody_at_home_and_edges_win(tmp_path: Path) -> None:
    home = written(tmp_path, "h.csv", "id,household\nu,1\nv,1\nw,1\nx,2\ny,3\nz,3\n")
    edges = written(tmp_path, "e.csv", "a,b,type\nv,u,friend\nx,u,friend\n")
    network = read_network(edges, households=home, agreement={"household": 0.7, "friend": 0.6})
    assert edges_of(network) == {("u", "v"), ("u", "x"), ("u", "w"), ("v", "w"), ("y", "z")}
    assert sorted(network.kinds) == ["friend", "friend", "household", "household", "household"]
    assert network.notes == ("h.csv: 1 pair also in e.csv, whose agreement is used",)
    alone = read_network(None, households=home, agreement=0.7)
    assert edges_of(alone) == {("u", "v"), ("u", "w"), ("v", "w"), ("y", "z")}
    assert len(alone.model) == 6


def test_a_pair_named_twice_with_one_agreement_is_one_edge(tmp_path: Path) -> None:
    network = read_network(written(tmp_path, "e.csv", "a,b\nu,v\nv,w\nv,u\nu,v\n"), agreement=0.7)
    assert edges_of(network) == {("u", "v"), ("v", "w")}
    assert network.notes == ("e.csv: 2 lines about a pair named before, with the same agreement: kept once",)


def test_everybody_of_the_people_file_is_there_in_its_order(tmp_path: Path) -> None:
    people = written(tmp_path, "p.csv", "id,epsilon,age\nz,0.5,3\nv,,4\nu,0,5\n")
    network = read_network(written(tmp_path, "e.csv", "a,b\nu,v\n"), people=people, agreement=0.7)
    assert network.model.ids.tolist() == ["z", "v", "u"]
    assert network.notes == ("p.csv: not used: 1 column",)
    assert network.epsilons(1.0).tolist() == [0.5, 1.0, 0.0]
    with pytest.raises(InputError, match="must be given for everybody; got none for 1 person"):
        network.epsilons()
    with pytest.raises(InputError, match="must be 0 or more; got -1"):
        network.epsilons(-1.0)


def names_nobody(error: InputError) -> None:
    """No id of these tests is in a message; where it is about people, they are named if asked for."""
    people = ("'u'", "'v'", "'w'", "'x'")
    assert not any(name in str(error) for name in people)
    if error.value is not None:
        assert any(name in str(error.value) for name in (*people, "'agrement'"))


@pytest.mark.parametrize(
    ("text", "agreement", "message"),
    [
        ("a,b,agreement\nu,v,1.2\n", None, "agreement in line 2 must lie strictly between 0 and 1; got 1.2"),
        ("a,b,agreement\nu,v,.5\nv,w,1\n", None, "in line 3 .* got 1. .* say --identical"),
        ("a,b,agreement\nu,v,0\n", None, "got 0. People who always differ: swap"),
        ("a,b,agreement\nu,v,0.8x\n", None, "must hold numbers; got 1 that are none, first in line 2"),
        ('a,b,agreement\nu,v,"0,8"\n', None, "must hold numbers.*Write them with a point"),
        ("a,b\nu,v\n", None, "agreement must be given; got nothing"),
        ("a,b\nu,v\n", 1.0, "got 1. .* say --identical"),
        ("a,b\nu,v\n", -0.1, "must lie strictly between 0 and 1; got -0.1"),
        ("a,b\nu,v\n", float("nan"), "must be a number; got nan"),
        ("a,b\nu,v\n", {"parent": 0.7}, "type of an edge must be given where agreement is given by type"),
        (
            "a,b,type\nu,v,parnt\n",
            {"parent": 0.7},
            "type in line 2 .* agreements of parent alone",
        ),
        ("a,b,type\nu,v,parent\n", {"parent": 1.7}, "agreement of 'parent' must lie strictly"),
        (
            "a,b\nu,v\nw,w\nx,x\n",
            0.7,
            "got somebody with themselves in line 3 and 1 more",
        ),
        (
            "a,b,agreement\nu,v,.6\nv,u,.7\n",
            None,
            "one agreement; got two that differ in line 2 and line 3",
        ),
        ("a,b\nu,v\nu,\n", 0.7, "column 'b' must name somebody in every line; got 1 empty, first in line 3"),
        ("a,c\nu,v\n", 0.7, "e.csv must have a column 'b'"),
        ("a,b,agrement\nu,v,.7\n", 0.7, "column 3 must have a name that is read.*Did you mean 'agreeme"),
        ("a,b\n", 0.7, "must have at least one row"),
        ("", 0.7, "must start with a line of column names"),
    ],
)
def test_bad_edges(text: str, agreement, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_network(written(tmp_path, "e.csv", text), agreement=agreement)
    names_nobody(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id\nu\n", "people of e.csv must be in p.csv; got 1 person not in it, first in line 2"),
        ("id\nu\nv\nu\n", "must name everybody once; got 1 person more than once, first in line 4"),
        ("id,epsilon\nu,1\nv,-1\n", "column 'epsilon' must be 0 or more.* got another number in line 3"),
        ("id,epsilon\nu,1\nv,low\n", "column 'epsilon' must hold numbers"),
        (
            "id,bias\nu,0.5\nv,1\n",
            "column 'bias' must lie strictly between 0 and 1.* in line 3",
        ),
        ("id,bias\nu,0\nv,2\n", "column 'bias' must lie strictly.*in line 2 and 1 more"),
        ("name\nu\nv\n", "p.csv must have a column 'id'"),
    ],
)
def test_bad_people(text: str, message: str, tmp_path: Path) -> None:
    edges = written(tmp_path, "e.csv", "a,b\nu,v\n")
    with pytest.raises(InputError, match=message) as caught:
        read_network(edges, people=written(tmp_path, "p.csv", text), agreement=0.7)
    names_nobody(caught.value)


def test_bias_that_is_not_given_is_said(tmp_path: Path) -> None:
    people = written(tmp_path, "p.csv", "id,bias\nu,0.3\nv,\n")
    network = read_network(written(tmp_path, "e.csv", "a,b\nu,v\n"), people=people, agreement=0.6)
    assert network.notes == ("p.csv: no bias for 1 person: their bit is taken as fair",)
    assert network.bias is not None
    assert network.bias.tolist() == [0.3, 0.5]


def test_bad_households(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    twice = written(tmp_path, "h.csv", "id,household\nu,1\nv,1\nu,1\n")
    with pytest.raises(InputError, match="a household once; got somebody again in line 4"):
        read_network(None, households=twice, agreement=0.7)
    with pytest.raises(InputError, match="must have edges or households; got neither"):
        read_network(None, agreement=0.7)
    monkeypatch.setattr(homes, "MOST_PAIRS", 2)
    large = written(tmp_path, "l.csv", "id,household\nu,1\nv,1\nw,1\n")
    with pytest.raises(TooLargeError, match="at most 2 pairs of members; got 3; the largest has 3 members"):
        read_network(None, households=large, agreement=0.7)


def test_two_homes_of_the_same_two_people_are_one_link(tmp_path: Path) -> None:
    home = written(tmp_path, "h.csv", "id,household\nu,town\nv,town\nu,sea\nv,sea\n")
    assert edges_of(read_network(None, households=home, agreement=0.7)) == {("u", "v")}


def test_agreement_in_words() -> None:
    assert parse_agreement(" parent=0.75 , sibling = 0.7") == {"parent": 0.75, "sibling": 0.7}
    for text, message in [
        ("high", "must be a number"),
        ("parent=x", "'parent' must be a number"),
        ("parent=0.7,0.8", "type=number"),
        ("parent=0.7,parent=0.8", "must be given once"),
    ]:
        with pytest.raises(InputError, match=message):
            parse_agreement(text)
