"""Does a program keep its promise? Run it on data that differ in one record, and try to tell the two apart.

Three pairs of worlds: a record of all yes against all no, one of alternating answers against its opposite,
and two that differ in one column. In each, rules are learnt on a third of the releases and counted on the
others; the confidence is shared among the pairs. See `dalenius.tracing.attack.stumps` for what rules find.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dalenius.atomic_write import Scratch
from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE
from dalenius.findings.explanation import Cause, Explanation, Why
from dalenius.findings.policy import Grade
from dalenius.findings.report import Headings
from dalenius.findings.tally import share_confidence
from dalenius.mechanisms.base import Promise
from dalenius.mechanisms.means import sensitivity_of_means
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.theory.privacy import epsilon_from_mu, mu_from_rho
from dalenius.theory.tracing.empirical import privacy_lower_bound
from dalenius.tracing.attack.stumps import learn_rule, numbers_of
from dalenius.tracing.finding import PromiseTested, TracingFinding, WorldsTold
from dalenius.tracing.words import promise_facts, promise_sentence

Bits = NDArray[np.int8]
Values = NDArray[np.float64]
Releasing = Callable[[Bits], Values]
"""From the people's answers, a row each, to one release: a share for each column."""

PAIRS = ("all answers", "alternating answers", "one answer")
LEARNT = 3
"""One release in so many is for learning."""

MOST_OUTPUT = 10_000_000
"""Bytes that a program may write in one release."""

DELTA = 1e-6


@dataclass(frozen=True)
class PromiseSettings:
    """How a promise is tested.

    Parameters
    ----------
    people, columns
        Size of the data that the program gets: yes/no answers, drawn.
    trials
        Releases in each world of each pair.
    confidence
        With which a refutation holds.
    seed
        Of the data, and of the order of runs; the program draws its own noise.
    """

    people: int = 50
    columns: int = 10
    trials: int = 2000
    confidence: float = CONFIDENCE
    seed: int = 1

    def __post_init__(self) -> None:
        for name, least in (("people", 2), ("columns", 2), ("trials", 2 * LEARNT)):
            if getattr(self, name) < least:
                raise InputError(name, f"must be at least {least}", str(getattr(self, name)))


USUAL = PromiseSettings()


def refute_promise(
    release: Releasing, mechanism: str, how: PromiseSettings = USUAL, progress: Progress = silent
) -> TracingFinding:
    """Try to refute the promise of something that publishes shares of yes/no answers.

    Parameters
    ----------
    release
        Makes one release, with noise of its own each time.
    mechanism
        What it is said to do, such as ``gaussian:rho=0.5`` or ``laplace:epsilon=1``.
    how
        How it is tested.

    Raises
    ------
    InputError
        If the mechanism promises nothing.
    """
    chain = parse_mechanism(mechanism, "means")
    promise = chain.promise(sensitivity_of_means(np.full(how.columns, how.people)))
    if promise is None:
        raise InputError(
            "--mechanism", "must promise something", mechanism, "Use gaussian:rho or laplace:epsilon."
        )
    confidence = share_confidence(how.confidence, len(PAIRS))
    told = []
    for k, name in enumerate(PAIRS):
        worlds = _worlds(how, name)
        part = lambda share, doing, k=k: progress((k + share) / len(PAIRS), doing)  # noqa: E731
        made = _releases(release, worlds, how, name, part)
        told.append(_told(name, made, worlds, promise, confidence))
    return _finding(mechanism, promise, tuple(told), how)


def _worlds(how: PromiseSettings, pair: str) -> tuple[Bits, Bits]:
    """The same people but for the first record, which is one in the first world and another in the second."""
    people = stream(how.seed, "promise", "people").integers(0, 2, (how.people, how.columns)).astype(np.int8)
    first = np.ones(how.columns, np.int8)
    if pair == "alternating answers":
        first[1::2] = 0
    second = 1 - first
    if pair == "one answer":
        second = first.copy()
        second[0] = 0
    made = people.copy(), people.copy()
    made[0][0], made[1][0] = first, second
    return made


def _releases(
    release: Releasing, worlds: tuple[Bits, Bits], how: PromiseSettings, pair: str, progress: Progress
) -> tuple[Values, Values]:
    """Release in both worlds, in an order that a program cannot foresee."""
    order = stream(how.seed, "promise", "order", pair).permutation(np.repeat([0, 1], how.trials))
    made: tuple[list[Values], list[Values]] = ([], [])
    for j, world in enumerate(order):
        found = np.asarray(release(worlds[world]), np.float64)
        if found.shape != (how.columns,) or not np.isfinite(found).all():
            got = f"{found.size:,} numbers" if np.isfinite(found).all() else "some that are not numbers"
            raise InputError("release", f"must be {how.columns:,} numbers", got)
        made[world].append(found)
        progress((j + 1) / order.size, "releasing again")
    return np.array(made[0]), np.array(made[1])


def _told(
    name: str, made: tuple[Values, Values], worlds: tuple[Bits, Bits], promise: Promise, confidence: float
) -> WorldsTold:
    exact = worlds[0].mean(axis=0), worlds[1].mean(axis=0)
    numbers = [numbers_of(each, *exact) for each in made]
    cut = len(made[0]) // LEARNT
    rule = learn_rule(numbers[0][:cut], numbers[1][:cut], confidence)
    hits, alarms = (int(rule.says(each[cut:]).sum()) for each in numbers)
    trials = len(made[0]) - cut
    delta = 0.0 if promise.rho is None else DELTA
    low = privacy_lower_bound(hits, trials, alarms, trials, delta=delta, confidence=confidence)
    rho = promise.rho is not None
    return WorldsTold(
        pair=name,
        trials=trials,
        told=hits,
        mistaken=alarms,
        low=low.rho if rho else low.epsilon,
        ceiling=_perfect(trials, confidence, rho),
        epsilon_low=low.epsilon,
    )


def _perfect(trials: int, confidence: float, rho: bool) -> float:
    """What as many trials without a mistake would have refuted."""
    found = privacy_lower_bound(trials, trials, 0, trials, confidence=confidence)
    return found.rho if rho else found.epsilon


def _finding(
    mechanism: str, promise: Promise, told: Sequence[WorldsTold], how: PromiseSettings
) -> TracingFinding:
    rho = promise.rho is not None
    claimed = promise.rho if promise.rho is not None else promise.epsilon
    assert claimed is not None  # noqa: S101  (a promise is one of the two)
    found = PromiseTested(
        measured="rho" if rho else "epsilon",
        claimed=claimed,
        epsilon_claimed=epsilon_from_mu(mu_from_rho(claimed), DELTA) if rho else claimed,
        delta=DELTA if rho else 0.0,
        low=max(each.low for each in told),
        ceiling=min(each.ceiling for each in told),
        pairs=tuple(told),
        columns=how.columns,
    )
    broken = found.low > claimed
    graded = (
        Grade("high", "the promise is refuted") if broken else Grade("none", "the promise is not refuted")
    )
    if not broken and found.ceiling <= claimed:
        graded = Grade("undecided", "so few trials refute nothing")
    finding = TracingFinding(
        release="program",
        people=how.people,
        numbers=how.columns,
        mechanism=mechanism,
        promise=promise.text,
        attack_method="rules learnt on a third of the releases",
        measures=(),
        deciding=None,
        headings=Headings(attack="told", baseline="mistaken", asks="whether it keeps its promise"),
        bound=None,
        confidence=how.confidence,
        looks=None,
        severity=graded.severity,
        severity_reason=graded.reason,
        sentence=promise_sentence(found, promise.text),
        notes=(),
        assumptions=(
            "Neighbouring data differ in one whole record, and the number of people is public. Every run "
            "draws noise of its own. A promise that is not refuted is not thereby proven: these pairs of "
            "data, and rules about one number of a release, were tried.",
        ),
        details=found,
        explanation=Explanation(why=_pairs(found, told) if broken else None),
    )
    return finding.model_copy(update={"facts": tuple(promise_facts(found))})


def _pairs(found: PromiseTested, told: Sequence[WorldsTold]) -> Why:
    """Say which pairs of data are behind it: what each refutes alone, and what the others do without it."""
    causes = [
        Cause(
            kind="question",
            name=f"data that differ by {each.pair}",
            alone=each.low,
            without=max((other.low for other in told if other is not each), default=0.0),
        )
        for each in told
    ]
    causes.sort(key=lambda cause: (cause.without or 0.0, -(cause.alone or 0.0)))
    return Why(counted=f"the {found.measured} that releases refute", whole=found.low, causes=tuple(causes))


@dataclass(frozen=True)
class Program:
    """A program that publishes: it gets a file of people as its last argument, and writes one share per line.

    Parameters
    ----------
    command
        The program and its arguments; no shell reads them.
    folder
        Where the file of people is written.
    limit
        Seconds that one run may take.
    """

    command: tuple[str, ...]
    folder: Path
    limit: float = 30.0

    def __call__(self, people: Bits) -> Values:
        """Run it once."""
        path = self.folder / "people.csv"
        head = ",".join(f"c{j + 1}" for j in range(people.shape[1]))
        path.write_text("\n".join([head, *(",".join(map(str, row)) for row in people)]) + "\n")
        with tempfile.TemporaryFile(dir=self.folder) as out, tempfile.TemporaryFile(dir=self.folder) as said:
            code = self._run([*self.command, str(path)], out, said)
            said.seek(0)
            last = (said.read(MOST_OUTPUT).decode("utf-8", "replace").strip().splitlines() or [""])[-1]
            if code:
                raise InputError(
                    "the program", "must end with exit code 0", f"{code}", "Run it by hand on a table.",
                    value=last[:200],
                )  # fmt: skip
            out.seek(0)
            text = out.read(MOST_OUTPUT + 1)
        if len(text) > MOST_OUTPUT:
            raise InputError("the program", f"must write at most {MOST_OUTPUT:,} bytes", "more")
        return _read_shares(text.decode("utf-8", "replace"), people.shape[1])

    def _run(self, command: list[str], out: object, said: object) -> int:
        try:
            child = subprocess.Popen(  # noqa: S603  (what the person who tests it names)
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=said, start_new_session=True
            )  # type: ignore[call-overload]
        except (OSError, ValueError) as error:
            why = (
                "a program that cannot be run" if isinstance(error, PermissionError) else "none of that name"
            )
            raise InputError(
                "the program", "must be one that can be run", why, "Give its path after --."
            ) from None
        try:
            return int(child.wait(self.limit))
        except subprocess.TimeoutExpired:
            rule = f"must end within {self.limit:g} seconds"
            raise InputError(
                "the program", rule, "a run that did not", "Give more with --time-limit."
            ) from None
        finally:
            _end(child)


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the program and whatever it started, if it still runs."""
    if child.poll() is not None:
        return
    if sys.platform == "win32":
        child.kill()
    else:
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def _read_shares(text: str, columns: int) -> Values:
    """Read one share per line, with the name of the column before it or without."""
    lines = [line for line in text.splitlines() if line.strip()]
    if lines and lines[0].replace(" ", "") in ("attribute,mean", "attribute\tmean"):
        lines = lines[1:]
    cells = [line.replace("\t", ",").rpartition(",")[2].strip() for line in lines]
    try:
        found = np.array([float(cell) for cell in cells])
    except ValueError:
        raise InputError("the program", "must write a number in every line", "text") from None
    if found.size != columns or not np.isfinite(found).all():
        got = f"{found.size:,} of them" if found.size != columns else "some that are not finite"
        raise InputError("the program", f"must write {columns:,} finite numbers, one per column", got)
    return found


def refute_program(
    command: Sequence[str],
    mechanism: str,
    how: PromiseSettings = USUAL,
    *,
    limit: float = 30.0,
    progress: Progress = silent,
) -> TracingFinding:
    """Run a program many times, and try to refute what it promises; see `refute_promise`."""
    with Scratch("dalenius-promise-") as scratch:
        return refute_promise(Program(tuple(command), scratch.path, limit), mechanism, how, progress)
