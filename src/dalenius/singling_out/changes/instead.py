"""What has a promise instead of rows: no row is published, but tables about a secret or counts, with noise.

Rows have no promise, whatever k is. Differential privacy prevents singling out by rare conditions (Cohen and
Nissim, Theorem 5.4), so what is proposed is another publication, as a whole plan that the ordinary audit
tries: tables of the secret by each published column, where the plan names a secret; else as many counts as
tables by each column take, where the plan names the population that the theorem needs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.planned import size_for
from dalenius.auditing.changes.proposals import ToChange
from dalenius.auditing.plan_releases import AnonymisedPlan, CountsPlan, ReleasePlan
from dalenius.findings.report import Price
from dalenius.mechanisms.base import plain
from dalenius.mechanisms.stages.noise import LEAST_SCALE
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import read_rows
from dalenius.people.rows.columns import TextColumn
from dalenius.people.rows.rows import Rows
from dalenius.shown import several
from dalenius.singling_out.game.counts import judged_weight
from dalenius.singling_out.referee.populations import Everybody
from dalenius.singling_out.words import one_in
from dalenius.theory.isolation import isolation
from dalenius.theory.privacy import delta_from_mu, mu_from_rho, rho_for_advantage
from dalenius.theory.singling_out import private_success_limit

MOVED = 2
"""Counts of a table that one record moves when it is replaced: it leaves one cell, and enters another."""

MOST_SUCCESS = 0.99
"""More than this and a theorem says nothing."""

LESS, LEAST_RHO = 0.9, 1e-8
"""Less rho is tried in steps, down to so little."""

EPSILONS = np.linspace(0.0, 12.0, 121)
"""At which of them the theorem says most is looked for."""

UNWRITABLE = frozenset("+,|=")

NAMES_NEITHER = (
    "A promise: rows have none, whatever k is. Tables or counts with noise instead of them have one, but "
    "this plan does not say what it is held against: name a secret that tables are about ([schema] secret), "
    "or everybody ([knowledge] population, not a holdout), by whom it is known how rare conditions are."
)
NO_COLUMN = (
    "A promise: rows have none, whatever k is, and noisy tables cannot stand in their place: no published "
    "column can be counted by, since its values are people's own, or its name cannot be written in a plan."
)
ONE_VALUE = "A promise: the secret has one value alone, so tables about it tell nothing."
OUT = "A promise: what is out already promises nothing, and noisy tables instead of rows do not change that."
MANY_VALUES = "How much better somebody's secret is guessed has a bound only for secrets of two values."
TWO = 2
NO_ROW = "No row is published: this is another publication."
TOO_COMMON = (
    "A promise: rows have none, whatever k is, and the plan looks at conditions that {met} meets: these "
    "single somebody out by luck so often that no theorem holds noisy tables within your rules. A smaller "
    "limit does."
)
NO_GAIN = "A promise: your rules tolerate no gain at all, and noise always leaves some."


@dataclass(frozen=True)
class InsteadOfRows:
    """What is published instead of rows; or why nothing that has a promise can be.

    Parameters
    ----------
    candidate
        The plan that publishes it.
    why_not
        Why there is none.
    """

    candidate: Candidate | None = None
    why_not: str | None = None


def instead_of_rows(
    asked: ToChange, release: AnonymisedPlan, sheet: Sheet, original: Rows, columns: Sequence[str]
) -> InsteadOfRows:
    """Propose what has a promise and is published instead of rows.

    Parameters
    ----------
    asked, release
        What is asked, and the rows.
    sheet, original
        The people as they were read, and their rows without what names them.
    columns
        The columns of the rows.
    """
    plan = asked.plan
    if asked.out:
        return InsteadOfRows(why_not=OUT)
    if not plan.policy.max_advantage > 0:
        return InsteadOfRows(why_not=NO_GAIN)
    about_secret = plan.columns.secret in sheet.names
    if not about_secret and plan.knowledge.population is None:
        return InsteadOfRows(why_not=NAMES_NEITHER)
    counted = _countable(original, [name for name in columns if _is_public(asked, name)])
    if not counted:
        return InsteadOfRows(why_not=NO_COLUMN)
    if about_secret:
        return _tables(asked, release, sheet, len(original), counted)
    return _counts(asked, release, len(original), counted)


def _is_public(asked: ToChange, name: str) -> bool:
    """Whether tables can be by a column: not by what names people, nor by what nobody is taken to know."""
    columns, known = asked.plan.columns, (asked.plan.columns.public, asked.plan.knowledge.public)
    apart = {columns.secret, columns.id, columns.weight, columns.household, *columns.ignored}
    return name not in apart and all(names is None or name in names for names in known)


def _countable(original: Rows, columns: Sequence[str]) -> list[str]:
    """Columns that several people have in common: numbers are counted in bins, words as they are."""
    found = []
    for name in columns:
        column = original.column(name)
        shared = not isinstance(column, TextColumn) or 2 * np.unique(column.codes).size <= len(original)
        if shared and not UNWRITABLE & {*name}:
            found.append(name)
    return found


def _tables(
    asked: ToChange, release: AnonymisedPlan, sheet: Sheet, n: int, columns: Sequence[str]
) -> InsteadOfRows:
    """Tables of the secret by each column, with normal noise that meets the policy twice.

    No attack gains more about one person's secret than is tolerated, nor singles more people out beyond luck.
    """
    plan, secret = asked.plan, str(asked.plan.columns.secret)
    shares = np.unique(sheet.text(secret), return_counts=True)[1] / n
    if shares.size == 1:
        return InsteadOfRows(why_not=ONE_VALUE)
    limit = plan.policy.limit(float(shares.max()))
    weight = release.limit / n
    if not limit > 0:
        return InsteadOfRows(why_not=NO_GAIN)
    rho = _rho_for(limit, plan.policy.max_advantage, n, weight)
    if rho is None:
        return InsteadOfRows(why_not=TOO_COMMON.format(met=one_in(weight)))
    size = size_for(float(MOVED * len(columns)), rho)
    mechanism = f"gaussian:sigma={plain(size)}"
    kept = MOVED * len(columns) / (2 * size * size)
    asks = [f"tables:k=1,attributes={'+'.join(columns)}"]
    tables = ReleasePlan(name=release.name, statistics=asks, mechanism=mechanism)
    said = (
        f"no rows: {several(len(columns), 'table')} of {secret}, by {_listed(columns)}, with noise, standard "
        f"deviation {plain(size)} (rho {kept:.2g})"
    )
    most = private_success(kept, n, weight)
    note = (
        f"{NO_ROW} No attack on these tables singles anybody out by a condition that {one_in(weight)} meets "
        f"in more than {most:.1%} of cases, where luck does in {isolation(n, weight):.1%} (Cohen and Nissim, "
        "Theorem 5.4)."
    )
    note += "" if shares.size == TWO else f" {MANY_VALUES}"
    return InsteadOfRows(_candidate(asked, release, tables, said, note, size * math.sqrt(2 / math.pi)))


def _counts(asked: ToChange, release: AnonymisedPlan, n: int, columns: Sequence[str]) -> InsteadOfRows:
    """As many counts as tables by each column take, with whole-number noise for all of them together."""
    plan = asked.plan
    everybody = Everybody(read_rows(plan.knowledge.population, id=plan.columns.id))
    given = release.limit if "limit" in release.model_fields_set else None
    if n > everybody.size:
        return InsteadOfRows(why_not=_too_small(everybody.size, n))
    weight = judged_weight(everybody, n, None if given is None else given / n)
    most = min(plan.policy.max_advantage + everybody.baseline(n, weight), MOST_SUCCESS)
    share = most / (n * min(1.0, everybody.swapped(n, weight)))
    epsilon = math.floor(100 * math.log(share)) / 100 if share > 1 else 0.0
    if epsilon <= 0:
        return InsteadOfRows(why_not=_too_small(everybody.size, n))
    queries = MOVED * len(columns)
    noise = f"geometric:epsilon={plain(epsilon)}"
    counts = CountsPlan(name=release.name, kind="counts", queries=queries, mechanism=noise)
    if given is not None:
        counts = CountsPlan(
            name=release.name, kind="counts", queries=queries, mechanism=noise, limit=release.limit
        )
    said = (
        f"no rows: {several(queries, 'count')} with whole-number noise, epsilon {plain(epsilon)} for all "
        "together"
    )
    note = (
        f"{NO_ROW} So many counts make {several(len(columns), 'table')} of how many people have each value, "
        f"by {_listed(columns)}: a record that is replaced moves two counts of each."
    )
    return InsteadOfRows(_candidate(asked, release, counts, said, note, _mean_error(queries / epsilon)))


def _candidate(
    asked: ToChange,
    release: AnonymisedPlan,
    new: ReleasePlan | CountsPlan,
    said: str,
    note: str,
    error: float,
) -> Candidate:
    others = [new if each.name == release.name else each for each in asked.plan.release]
    plan = asked.plan.model_copy(update={"release": others})
    price = Price(hidden=1.0, mean_error=float(f"{error:.3g}"))
    return Candidate("noise", said, release.name, plan, draws=True, note=note, price=price)


def _listed(columns: Sequence[str], most: int = 4) -> str:
    if len(columns) > most:
        return f"{', '.join(columns[:most])} and {len(columns) - most} more, each by itself"
    return (
        ", ".join(columns)
        if len(columns) == 1
        else f"{', '.join(columns[:-1])} and {columns[-1]}, each by itself"
    )


def _too_small(everybody: int, n: int) -> str:
    return (
        f"A promise: rows have none, whatever k is, and of {n:,} people among {everybody:,} no condition is "
        "so rare that the theorem on counts with noise says anything (Cohen and Nissim, Theorem 5.4). Name a "
        "secret ([schema] secret), and tables about it are tried instead."
    )


def _mean_error(scale: float) -> float:
    """The mean size of whole-number noise.

    Examples
    --------
    >>> round(_mean_error(1 / math.log(2)), 4)
    1.3333
    """
    ratio = math.exp(-1 / max(scale, LEAST_SCALE))
    return 2 * ratio / (1 - ratio * ratio)


def private_success(rho: float, n: int, weight: float) -> float:
    """Return what no attack on numbers with normal noise exceeds: Theorem 5.4 at the epsilon that says most.

    Examples
    --------
    >>> round(private_success(0.01, 1000, 1e-5), 4)
    0.0187
    """
    mu = mu_from_rho(rho)
    return min(private_success_limit(n, float(e), delta_from_mu(mu, float(e)), weight) for e in EPSILONS)


def _rho_for(limit: float, beyond_luck: float, n: int, weight: float) -> float | None:
    """The largest rho that keeps to both limits; ``None`` if none does."""
    rho = rho_for_advantage(limit)
    luck = isolation(n, weight)
    while private_success(rho, n, weight) - luck > beyond_luck:
        rho *= LESS
        if rho < LEAST_RHO:
            return None
    return rho
