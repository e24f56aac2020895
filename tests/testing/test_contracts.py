"""The public checks accept what the package has, and notice what is planted."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dalenius.errors import UnsupportedError
from dalenius.matrices.answers import Sensitivity
from dalenius.mechanisms.base import Floats, Reading, Stage
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.mechanisms.stages.noise import Gaussian
from dalenius.reconstruction.attack.choose import DECODERS
from dalenius.reconstruction.attack.system.system import Decoding, LinearSystem
from dalenius.statistics.counts.subsets import HadamardQueries
from dalenius.statistics.tables import Tables, tables_of
from dalenius.testing import (
    as_bytes,
    check_attack,
    check_decoder,
    check_mechanism,
    check_repeats,
    check_statistic,
)

Make = Callable[..., Any]

# --- decoders -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DECODERS)
def test_every_decoder_keeps_its_contract(name: str) -> None:
    check_decoder(DECODERS[name])


def outside(change: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Callable[..., Decoding]:
    def decode(system: LinearSystem, *, rng: np.random.Generator) -> Decoding:
        found = DECODERS["least-squares"](system, rng=rng)
        return replace(found, share=change(found.share))

    return decode


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda share: 1 - share, "not everybody found"),
        (lambda share: share + 1, "between 0 and 1"),
        (lambda share: share * np.nan, "not a number"),
        (lambda share: share[:-1], "one share for each unknown"),
        (lambda share: np.clip(share + np.random.default_rng().normal(0, 1e-9, 8), 0, 1), "the same seed"),
        (lambda share: np.clip(share + 0 * np.random.normal(), 0, 1), "global generator"),  # noqa: NPY002
    ],
)
def test_a_decoder_that_breaks_it_is_noticed(change: Callable[..., Any], told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        check_decoder(outside(change))


def test_a_decoder_that_writes_into_its_system_or_refuses_everything_is_noticed() -> None:
    def writes(system: LinearSystem, *, rng: np.random.Generator) -> Decoding:
        system.centre[0] = 0
        return DECODERS["least-squares"](system, rng=rng)

    def refuses(system: LinearSystem, *, rng: np.random.Generator) -> Decoding:
        raise UnsupportedError("not today")

    with pytest.raises(ValueError, match="read-only"):
        check_decoder(writes)
    with pytest.raises(AssertionError, match="every system was refused"):
        check_decoder(refuses)


# --- mechanisms -----------------------------------------------------------------------------------------

CHAINS = [
    "exact", "rounding:base=5", "rounding:base=5,how=random", "rounding:base=3,how=controlled",
    "rounding:base=4,how=up", "rounding:base=6,ties=even", "topcode:at=12", "suppression:below=10",
    "suppression:below=10,complementary=yes", "suppression:below=6 | rounding:base=5", "bounded:error=3",
    "gaussian:sigma=4", "laplace:scale=2", "geometric:scale=2", "gaussian:sigma=1 | rounding:base=5",
]  # fmt: skip


@pytest.mark.parametrize("text", CHAINS)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_mechanism_keeps_its_contract(text: str, seed: int) -> None:
    check_mechanism(parse_mechanism(text), seed=seed)


@dataclass(frozen=True)
class Planted(Stage):
    """Halves counts in one of several wrong ways."""

    fault: str

    def __str__(self) -> str:
        return "planted"

    @property
    def draws(self) -> bool:
        return self.fault != "draws"

    @property
    def moves(self) -> tuple[float, float]:
        return (1.0, 0.0) if self.fault == "moves" else (np.inf, np.inf)

    def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
        match self.fault:
            case "shape":
                return values[:1, :1].repeat(99, axis=0)
            case "draws":
                return values + rng.integers(0, 2, values.shape)
            case "seed":
                return values + np.random.default_rng().integers(0, 2**40, values.shape)
            case "whole":
                return values / 2
        return np.asarray(values // 2, np.float64)

    def read(self, reading: Reading, *, counts: bool) -> Reading:
        everything = np.full_like(reading.low, np.inf)
        return reading if self.fault == "read" else reading.within(-everything, everything)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("shape", "became"),
        ("draws", "does not draw"),
        ("seed", "the same seed"),
        ("whole", "counts stay counts"),
        ("moves", "further than its moves"),
        ("read", "outside what is read backwards"),
    ],
)
def test_a_mechanism_that_breaks_it_is_noticed(fault: str, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        check_mechanism(Planted(fault))
    check_mechanism(Planted(""))


def test_noise_of_another_size_than_stated_is_noticed() -> None:
    class Smaller(Gaussian):
        def protect(self, values: Floats, table: NDArray[np.int64], *, rng: np.random.Generator) -> Floats:
            return values + 0.8 * (super().protect(values, table, rng=rng) - values)

    (stage,) = parse_mechanism("gaussian:sigma=4").stages
    assert isinstance(stage, Gaussian)
    with pytest.raises(AssertionError, match=r"noise of 3\.\d+ is drawn, and 4 stated"):
        check_mechanism(Smaller(**vars(stage)))


# --- statistics -----------------------------------------------------------------------------------------

CODES = np.array([[0, 1], [0, 1], [1, 0], [1, 1], [2, 1], [2, 1], [2, 0], [0, 0], [1, 2], [1, 2]])


@pytest.mark.parametrize("k", [0, 1, 2])
def test_statistics_keep_their_contract(k: int, people: Make, subsets: Make) -> None:
    roster = people(CODES)
    check_statistic(tables_of(roster.attributes.columns, k), roster)
    check_statistic(HadamardQueries(roster.ids), roster)
    check_statistic(subsets(np.random.default_rng(1).integers(0, 2, (5, 10))), roster)


class Understated(Tables):
    def sensitivity(self, values: int) -> Sensitivity:
        return Sensitivity(1, 1)


class Unlabelled(Tables):
    def labels(self) -> Any:
        return iter(["same"] * self.rows)


class Alike(Tables):
    def fingerprint(self, roster: Any) -> NDArray[np.int32]:
        return np.zeros((len(roster), 1), np.int32)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        (Understated, "more than the stated 1"),
        (Unlabelled, "the same label"),
        (Alike, "same fingerprint"),
    ],
)
def test_a_statistic_that_breaks_it_is_noticed(kind: type[Tables], told: str, people: Make) -> None:
    roster = people(CODES)
    good = tables_of(roster.attributes.columns, 2)
    with pytest.raises(AssertionError, match=told):
        check_statistic(kind(**vars(good)), roster)


# --- attacks --------------------------------------------------------------------------------------------


def test_claims_of_plain_values_alone() -> None:
    @dataclass(frozen=True)
    class Claim:
        ids: Any
        more: Any = ()

    ids = np.array(["a", "b"])
    assert as_bytes(Claim(ids)) == as_bytes(Claim(ids.copy()))
    assert as_bytes(Claim(ids)) != as_bytes(Claim(ids, ("note",)))
    assert as_bytes(("ab", "c")) != as_bytes(("a", "bc"))
    assert as_bytes({"a": 1}) != as_bytes({"a": 1.0})
    with pytest.raises(AssertionError, match="plain values; got function"):
        as_bytes(Claim(ids, lambda: None))


def test_an_attack_that_draws_elsewhere_or_knows_more_is_noticed() -> None:
    def honest(view: str, *, rng: np.random.Generator) -> tuple[str, float]:
        return view, float(rng.random())

    def draws(view: str, *, rng: np.random.Generator) -> float:
        return float(np.random.default_rng().random())

    def knows(view: list[str], *, rng: np.random.Generator) -> int:
        return id(view)

    check_attack(honest, ["seen", "seen"])
    with pytest.raises(AssertionError, match="randomness must be an argument"):
        check_repeats(draws, "seen")
    with pytest.raises(AssertionError, match="knows more than its view"):
        check_attack(knows, [["seen"], ["seen"]])
    with pytest.raises(AssertionError, match="two views at least"):
        check_attack(honest, ["seen"])


def test_checks_also_fail_where_python_leaves_assertions_out() -> None:
    code = "from dalenius.testing import check_blind\ncheck_blind(id, [[1], [2]])"
    done = subprocess.run([sys.executable, "-O", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "AssertionError: claims about views 0 and 1 differ" in done.stderr


def test_the_checks_need_no_test_framework() -> None:
    code = "import sys, dalenius.testing; sys.exit('pytest' in sys.modules or 'hypothesis' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
