"""Which decoder for which system, what it will take, and why: the rule behind ``auto``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dalenius.errors import InputError, TooLargeError, nearest
from dalenius.matrices.answers import Vector
from dalenius.reconstruction.attack.cost import ComputeBudget, Cost, predict_all, say_bytes, say_seconds
from dalenius.reconstruction.attack.system.system import Decoding, LinearSystem, log2_vectors
from dalenius.registry import Registry

DECODERS = Registry[Callable[..., Decoding]](
    __package__,
    {
        "exhaustive": "decoders.exhaustive:decode",
        "hadamard": "decoders.hadamard:decode",
        "least-squares": "decoders.least_squares:decode",
        "box": "decoders.box:decode",
        "lp": "decoders.lp:decode",
        "posterior": "decoders.posterior:decode",
    },
)

TOGETHER = Registry[Callable[..., tuple[list[Vector], tuple[str, ...]]]](
    __package__, {"posterior": "decoders.posterior_together:decode_together"}
)
"""Decoders that take all values of a secret together."""

APPLIES = Registry[Callable[[LinearSystem], bool]](
    __package__, {"hadamard": "decoders.hadamard:applies", "posterior": "decoders.posterior:applies"}
)
"""Decoders that do not apply to every system, and when they do."""

QUICK_LOG2 = 18.0
"""Secret vectors that are tried without being asked, as a power of two: a second or two."""

QUICK_HADAMARD = 2_000
"""People up to which the intervals of rounded Hadamard answers are used, and not only their middles."""


@dataclass(frozen=True)
class Choice:
    """A decoder, why it was taken, and what it is predicted to take.

    Parameters
    ----------
    name, why
        The decoder and the reason in words.
    cost
        Predicted seconds, bytes and products.
    passed
        Better decoders that did not fit, each with what it would have taken.
    """

    name: str
    why: str
    cost: Cost
    passed: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """Say it in words, before it is done."""
        over = f"; passed over: {', '.join(self.passed)}" if self.passed else ""
        return f"{self.name}: {self.why}; predicted {self.cost}{over}"


def check_decoder(name: str) -> str:
    """Refuse an unknown decoder, naming the nearest known one."""
    known = [*DECODERS, "auto"]
    if name not in known:
        raise InputError(f"decoder {name!r}", "must be a known one", name, nearest(name, known))
    return name


def choose(systems: Sequence[LinearSystem], budget: ComputeBudget) -> Choice:
    """Take the best decoder that is predicted to fit the budget, for the systems of all values together.

    Raises
    ------
    TooLargeError
        If none does.
    """
    passed: list[str] = []
    tried: dict[str, Cost] = {}
    for name, why in _best_for_all(systems):
        cost = tried[name] = predict_all(name, systems)
        over = budget.misses(cost)
        if over is None:
            return Choice(name, _of_values(why, systems), cost, tuple(passed))
        passed.append(f"{name} ({over})")
    name = min(tried, key=lambda one: tried[one].seconds)
    raise TooLargeError(
        "attack",
        f"must be predicted to take at most {say_seconds(budget.seconds)} and {say_bytes(budget.bytes)}",
        f"{tried[name]} for the cheapest decoder, {name}",
        f"Ask for it by name (decoder {name}), allow more, or attack fewer tables or people.",
    )


def asked_for(name: str, systems: Sequence[LinearSystem]) -> Choice:
    """A decoder that a person named: whatever it takes, it is said."""
    return Choice(name, _of_values("asked for", systems), predict_all(name, systems))


def _of_values(why: str, systems: Sequence[LinearSystem]) -> str:
    return why if len(systems) == 1 else f"{why}, for each of {len(systems)} values"


def _best_for_all(systems: Sequence[LinearSystem]) -> list[tuple[str, str]]:
    """The decoders that apply to every system, in the order of the largest one.

    Values of a secret hang together, and trying every vector of one of them forgets the others.
    """
    largest = max(systems, key=lambda system: system.unknowns)
    for_all = set.intersection(*({name for name, _ in _best_first(system)} for system in systems))
    if len(systems) > 1:
        for_all.discard("exhaustive")
    return [(name, why) for name, why in _best_first(largest) if name in for_all]


def _best_first(system: LinearSystem) -> Iterator[tuple[str, str]]:
    """The decoders that apply to a system, the best first, each with the reason for it."""
    n, m = system.unknowns, system.A.shape[0]
    if APPLIES["hadamard"](system) and (n > QUICK_HADAMARD or not system.sharp):
        yield "hadamard", "the queries are the rows of a Hadamard matrix: one fast transform"
    if log2_vectors(system) <= QUICK_LOG2 and system.shape in {"none", "gaussian"}:
        yield "exhaustive", f"{n} open unknowns: every secret vector can be tried"
    if APPLIES["posterior"](system):
        yield "posterior", f"{n:,} open unknowns: each one's probability can be computed"
    yield "box", f"{n:,} open unknowns, possible secrets only"
    yield "least-squares", f"{m:,} x {n:,} answers and unknowns: the matrix is never written out"
