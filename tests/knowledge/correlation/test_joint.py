from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError, TooLargeError
from dalenius.knowledge.correlation.joint import JointPrior, from_model, read_joint
from helpers.networks import network


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "prior.csv"
    path.write_text(text)
    return path


def test_a_file_in_any_order_of_rows(tmp_path: Path) -> None:
    path = written(tmp_path, "anna,ben,probability\nyes,low,0.1\nno,high,0.2\nno,low,0.3\nyes,mid,0.4\n")
    joint = read_joint(path)
    assert joint.names == ("anna", "ben")
    assert joint.levels == (("no", "yes"), ("high", "low", "mid"))
    assert joint.mass.tolist() == [[0.2, 0.3, 0.0], [0.0, 0.1, 0.4]]
    assert not joint.binary
    assert not joint.everywhere, "combinations that are not in the file have probability 0"


def test_a_prior_on_one_person(tmp_path: Path) -> None:
    joint = read_joint(written(tmp_path, "anna,probability\n0,0.25\n1,0.75\n"))
    assert joint.mass.tolist() == [0.25, 0.75]
    assert joint.everywhere


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,probability\n0,0,0.5\n1,1,0.4\n", r"add up to 1; got a sum of 0\.9"),
        ("a,b,probability\n0,0,0.5\n1,1,0.500000002\n", r"a sum of 1\.000000002"),
        ("a,b,probability\n0,0,1.5\n1,1,-0.5\n", "must not be negative; got -0.5"),
        ("a,b,probability\n0,0,0.5\n1,1,0.25\n0,0,0.25\n", "rows 1 and 3"),
        ("a,b,probability\n0,,0.5\n1,1,0.5\n", "no empty values"),
        ("a,b,probability\n0,0,0.5\n0,1,0.5\n", "column 1 of a joint prior must have at least two values"),
        ("a,b,chance\n0,0,0.5\n1,1,0.5\n", "'probability' as its last column"),
        ("probability,a,b\n0.5,0,0\n0.5,1,1\n", "'probability' as its last column"),
        ("a,b,probability\n0,0,half\n1,1,0.5\n", "must (be a|hold) number"),
        ("a,b,probability\n0,0,nan\n1,1,0.5\n", "finite numbers"),
        ("probability\n1\n", "at least one person"),
        ("a,b,probability\n", "at least one row"),
        ("a,b,probability\n0,0\n", "line 2, must have 3 fields like the header; got 2"),
    ],
)
def test_bad_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_joint(written(tmp_path, text))


def test_a_sum_within_rounding_is_taken_as_it_is(tmp_path: Path) -> None:
    third = "0.3333333333"
    joint = read_joint(written(tmp_path, f"a,probability\n0,{third}\n1,{third}\n2,{third}\n"))
    assert joint.mass.tolist() == [float(third)] * 3, "nothing is rescaled"


def test_too_many_people_for_a_table(tmp_path: Path) -> None:
    names = ",".join(f"p{i}" for i in range(21))
    rows = [",".join([bit] * 21) + ",0.5" for bit in "01"]
    with pytest.raises(TooLargeError, match=r"21 people with 2,097,152"):
        read_joint(written(tmp_path, "\n".join([f"{names},probability", *rows]) + "\n"))
    with pytest.raises(TooLargeError, match="at most 1,048,576"):
        from_model(network([], [], [0.0] * 21))


def test_nobody_and_shapes_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="at least one person"):
        JointPrior((), (), np.ones(()))
    with pytest.raises(InputError, match="different names"):
        JointPrior(("a", "a"), (("0", "1"),) * 2, np.full((2, 2), 0.25))
    with pytest.raises(InputError, match=r"must have the shape \(2, 2\)"):
        JointPrior(("a", "b"), (("0", "1"),) * 2, np.full(4, 0.25))
    with pytest.raises(InputError, match="must be numbers"):
        JointPrior(("a",), (("0", "1"),), np.array([np.nan, 1.0]))


def test_the_others_given_a_value() -> None:
    joint = JointPrior(("a", "b"), (("0", "1", "2"), ("0", "1")), np.array([[0.1, 0.3], [0, 0], [0.6, 0]]))
    given = joint.given(0)
    assert given[0] == pytest.approx([0.25, 0.75])
    assert np.isnan(given[1]).all(), "an impossible value says nothing about the others"
    assert joint.given(1)[1] == pytest.approx([1, 0, 0])


def test_a_network_written_out() -> None:
    rng = np.random.default_rng(5)
    model = network([(0, 1), (3, 1), (2, 3)], list(rng.normal(size=3)), list(rng.normal(size=4)))
    joint = from_model(model)
    assert joint.names == ("p0", "p1", "p2", "p3")
    weights = []
    for bits in itertools.product((0, 1), repeat=4):
        s = 1 - 2 * np.array(bits)
        energy = sum(J * s[a] * s[b] for (a, b), J in zip(model.edges, model.coupling, strict=True))
        weights.append(np.exp(energy + s @ model.field))
    assert joint.mass.ravel() == pytest.approx(np.array(weights) / sum(weights), rel=1e-12)


def test_identical_and_opposite_people() -> None:
    chain = from_model(network([(0, 1), (1, 2)], [np.inf, -np.inf], [0.5, 0.0, 0.0]))
    assert np.flatnonzero(chain.mass.ravel()).tolist() == [0b001, 0b110]
    assert chain.mass[0, 0, 1] == pytest.approx(np.e / (1 + np.e))
    with pytest.raises(InputError, match="identical and opposite"):
        from_model(network([(0, 1), (1, 2), (0, 2)], [np.inf, np.inf, -np.inf], [0.0] * 3))
    with pytest.raises(InputError, match="above 1e-308"):
        from_model(network([(0, 1)], [500.0], [0.0] * 2))
