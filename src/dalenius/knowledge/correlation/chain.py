"""A person's values over time as a Markov chain: how likely each value follows each other one.

The chain is given as a table of transitions, as one agreement of two values, or estimated from series.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from dalenius.errors import InputError
from dalenius.knowledge.correlation.files.columns import line, listed, read_columns
from dalenius.people.files.read_file import Source, read_sheet
from dalenius.people.files.sheet import Sheet
from dalenius.shown import hides_people, several

Floats = NDArray[np.float64]

MOST_STATES = 40
"""Values of one moment: beyond, nothing that is computed step by step stays quick."""

SUM_TOLERANCE = 1e-9
"""How far probabilities may be from adding up to 1: nothing is rescaled silently."""

FROM = "from"


@hides_people("known")
@dataclass(frozen=True, eq=False)
class MarkovChain:
    """What is known beforehand of one person's values over time.

    Parameters
    ----------
    states
        The values that a moment may have.
    transition
        One row per value: how likely each value follows it.
    start
        How likely each value is at the first moment.
    known
        Where that comes from.
    stationary
        Whether every moment is like the first.
    seen
        Of an estimate, how often each value followed each other one.
    moments
        Of an estimate, how many moments the longest series spans.
    notes
        What of a file was not used.
    """

    states: tuple[str, ...]
    transition: Floats
    start: Floats
    known: Literal["given", "agreement", "estimated"]
    stationary: bool = True
    seen: Floats | None = None
    moments: int | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.states)

    @property
    def forbidden(self) -> int:
        """How many transitions cannot be."""
        return int((self.transition == 0).sum())


def agreeing_chain(agreement: float) -> MarkovChain:
    """Two values, either of which is kept from one moment to the next with one probability.

    Examples
    --------
    >>> agreeing_chain(0.8).transition
    array([[0.8, 0.2],
           [0.2, 0.8]])
    """
    if not 0 <= agreement <= 1:
        raise InputError("--agreement", "must lie between 0 and 1", f"{agreement:g}", "Use for example 0.8.")
    other = round(1 - agreement, 15)
    table = np.array([[agreement, other], [other, agreement]])
    return MarkovChain(("0", "1"), table, np.full(2, 0.5), "agreement")


def read_transitions(source: Source, start: str | None = None) -> MarkovChain:
    """Read a table ``from,VALUE,VALUE,...``: one line per value, with how likely each value follows it.

    Raises
    ------
    InputError
        If lines and columns name other values, a probability is none, or a line does not add up to 1.
    """
    sheet = read_sheet(source)
    if not sheet.names or sheet.names[0] != FROM:
        fix = f"The first line names the values: {FROM},well,ill."
        raise InputError(sheet.name, f"must have {FROM!r} as its first column", "another name", fix)
    states = tuple(name.strip() for name in sheet.names[1:])
    rows = [str(value).strip() for value in sheet.text(FROM)]
    _check_states(sheet, states, rows)
    order = [rows.index(state) for state in states]
    table = np.stack([sheet.numbers(name) for name in sheet.names[1:]], axis=1)[order]
    _check_rows(sheet.name, table, order)
    return with_start(MarkovChain(states, table, np.zeros(len(states)), "given"), start)


def _check_states(sheet: Sheet, states: tuple[str, ...], rows: list[str]) -> None:
    if not 2 <= len(states) <= MOST_STATES:
        rule = f"must have two to {MOST_STATES} columns of values"
        raise InputError(sheet.name, rule, f"{len(states)}")
    if len(set(rows)) < len(rows):
        raise InputError(f"{sheet.name}: column {FROM!r}", "must name every value once", "one of them twice")
    if len(set(states)) < len(states) or set(rows) != set(states):
        strange = sorted({*rows} ^ {*states})
        got = f"{several(len(rows), 'line')} and {several(len(states), 'column')} that differ"
        fix = "Every value needs a line and a column of its name."
        raise InputError(
            sheet.name, "must have the same values as lines and columns", got, fix, value=listed(strange)
        )


def _check_rows(name: str, table: Floats, order: list[int]) -> None:
    bad = np.flatnonzero(~(np.isfinite(table) & (table >= 0) & (table <= 1)).all(axis=1))
    if bad.size:
        where = f"{name}: {line(order[bad[0]])}"
        raise InputError(where, "must hold probabilities", "one below 0, above 1 or none")
    off = np.flatnonzero(np.abs(table.sum(axis=1) - 1) > SUM_TOLERANCE)
    if off.size:
        where, total = f"{name}: {line(order[off[0]])}", table[off[0]].sum()
        fix = "Some value follows, so the line covers all cases."
        raise InputError(where, "must add up to 1", f"a sum of {total:.12g}", fix)


def read_states(source: Source, start: str | None = None) -> MarkovChain:
    """Estimate a chain from series ``id,time,state``: how often each value followed each other one.

    Times are whole numbers; a transition is counted where somebody has a value at a time and at the next.

    Raises
    ------
    InputError
        If a time is no whole number or given twice for one person, there are fewer than two values, nothing
        follows anything, or nothing was ever seen to follow some value.
    """
    columns = read_columns(source, ("id", "state"), ("time",))
    if "time" not in columns:
        fix = "The first line must name the columns: id,time,state."
        raise InputError(columns.name, "must have a column 'time'", "none of that name", fix)
    _, (who,) = columns.people("id")
    states, (state,) = columns.people("state")
    time = columns.numbers("time")
    odd = np.flatnonzero(~(np.isfinite(time) & (time == np.round(time))))
    if odd.size:
        where = f"{columns.name}: column 'time'"
        fix = "Number the moments: 1, 2, 3."
        raise InputError(where, "must hold whole numbers", f"none in {line(odd[0])}", fix)
    if not 2 <= states.size <= MOST_STATES:
        where, rule = f"{columns.name}: column 'state'", f"must have two to {MOST_STATES} values"
        raise InputError(where, rule, f"{states.size}")
    order = np.lexsort((time, who))
    who, state, time = who[order], state[order], time[order]
    same = who[1:] == who[:-1]
    again = np.flatnonzero(same & (time[1:] == time[:-1]))
    if again.size:
        first = line(np.sort(order[again + 1])[0])
        where = f"{columns.name}: column 'time'"
        raise InputError(where, "must name a moment of a person once", f"the same one again in {first}")
    follows = same & (time[1:] == time[:-1] + 1)
    seen = np.zeros((states.size, states.size))
    np.add.at(seen, (state[:-1][follows], state[1:][follows]), 1.0)
    _check_seen(columns.name, seen, [str(value) for value in states])
    skipped = int((same & ~follows).sum())
    gaps = (f"{several(skipped, 'step')} over missing moments not counted",) if skipped else ()
    first = np.r_[True, ~same]
    span = time[np.r_[~same, True]] - time[first] + 1
    chain = MarkovChain(
        tuple(map(str, states)),
        seen / seen.sum(axis=1, keepdims=True),
        np.zeros(states.size),
        "estimated",
        seen=seen,
        moments=int(span.max()),
        notes=(*columns.notes, *gaps),
    )
    return with_start(chain, start)


def _check_seen(name: str, seen: Floats, states: list[str]) -> None:
    if not seen.any():
        fix = "A transition is one person at a time and at the next: 1, then 2."
        raise InputError(name, "must hold moments that follow each other", "none", fix)
    last = np.flatnonzero(~seen.any(axis=1))
    if last.size:
        got = f"{several(last.size, 'value')} with nothing after it"
        fix = "Give --transitions, or leave out what is only ever seen last."
        named = listed([states[at] for at in last])
        raise InputError(
            f"{name}: column 'state'", "must show what follows every value", got, fix, value=named
        )


def with_start(chain: MarkovChain, start: str | None = None) -> MarkovChain:
    """Give the first moment: ``VALUE=0.3,VALUE=0.7``, or without one the chain's own long-run shares.

    Raises
    ------
    InputError
        If there is not one such share, a value is not known, or the shares do not add up to 1.

    Examples
    --------
    >>> ill = MarkovChain(("well", "ill"), np.array([[0.9, 0.1], [0.3, 0.7]]), np.zeros(2), "given")
    >>> with_start(ill).start.round(12), with_start(ill, "well=1").start
    (array([0.75, 0.25]), array([1., 0.]))
    """
    if start is None:
        return replace(chain, start=long_run(chain.transition), stationary=True)
    shares = np.zeros(len(chain))
    for part in start.split(","):
        name, equals, text = part.rpartition("=")
        if not equals or name.strip() not in chain.states:
            fix = "Write 0=0.3,1=0.7." if chain.known == "agreement" else "Write them as well=0.3,ill=0.7."
            raise InputError("--start", "must give shares of values of the chain", "another word", fix)
        try:
            shares[chain.states.index(name.strip())] += float(text)
        except ValueError:
            raise InputError("--start", "must give shares as numbers", "a word", "Write 0.3.") from None
    if not (np.isfinite(shares).all() and (shares >= 0).all() and abs(shares.sum() - 1) <= SUM_TOLERANCE):
        raise InputError("--start", "must give shares from 0 to 1 that add up to 1", f"{shares.sum():.12g}")
    return replace(chain, start=shares, stationary=_stays(chain, shares))


def _stays(chain: MarkovChain, shares: Floats) -> bool:
    """Whether no step changes these shares, to the last digits."""
    return bool(np.abs(shares @ chain.transition - shares).max() <= 1e-15)


def long_run(transition: Floats) -> Floats:
    """Return the shares of the values that no step changes.

    Raises
    ------
    InputError
        If the chain falls into parts that nothing leaves: then where it begins decides.
    """
    size = len(transition)
    group = connected_components(csr_array(transition), connection="strong")[1]
    leaves = (transition > 0) & (group[:, None] != group[None, :])
    closed = [label for label in range(group.max() + 1) if not leaves[group == label].any()]
    if len(closed) > 1:
        raise InputError(
            "the chain",
            "must have one set of values that it ends up in",
            f"{len(closed)} that it never leaves",
            "Say where it begins: --start VALUE=0.5,VALUE=0.5.",
        )
    inside = np.flatnonzero(group == closed[0])
    part = transition[np.ix_(inside, inside)]
    equations = part.T - np.eye(inside.size)
    equations[-1] = 1.0
    shares = np.zeros(size)
    shares[inside] = np.maximum(np.linalg.solve(equations, np.eye(inside.size)[-1]), 0.0)
    result: Floats = shares / shares.sum()
    return result
