"""The verb of the package: an audit of whatever holds people, checked for its kind before it is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, SupportsIndex

from dalenius.auditing.plan import check_policy
from dalenius.auditing.run import Audit
from dalenius.console.progress import notebook_bar
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.people.dataset import Dataset, read
from dalenius.people.opening import columns_of
from dalenius.reconstruction.audit import audit as audit_secrets
from dalenius.reconstruction.opened import GivenRelease, Planned, Scenario
from dalenius.release.files import read_release
from dalenius.release.release import Release
from dalenius.statistics.parse import is_means
from dalenius.statistics.statistic import Statistic

if TYPE_CHECKING:
    from dalenius.remedy.result import Remedy


def with_tables(statistics: Any, tables: Any) -> Any:
    """Add tables, by their columns, to what is asked.

    Raises
    ------
    InputError
        For what is no list of tables.

    Examples
    --------
    >>> with_tables((), ["age*sex", ("region",)])
    ['tables:k=2,attributes=age+sex', 'tables:k=1,attributes=region']
    """
    if isinstance(tables, str) or not isinstance(tables, Sequence):
        fix = 'Write for example tables=["age*sex", "region*sex"].'
        raise InputError("tables", "must be a list", type(tables).__name__, fix)
    if not tables:
        return statistics
    before = (
        [statistics] if isinstance(statistics, str) or not isinstance(statistics, Sequence) else statistics
    )
    return [*before, *map(_table, tables)]


def _table(one: Any) -> str:
    names = one.split("*") if isinstance(one, str) else one
    if not isinstance(names, Sequence) or not all(isinstance(name, str) and name.strip() for name in names):
        fix = 'Write for example "age*sex" or ("age", "sex").'
        raise InputError("tables", "must each be columns joined by * or listed", type(one).__name__, fix)
    columns = [name.strip() for name in names]
    if not columns or len(set(columns)) < len(columns):
        raise InputError("tables", "must each name columns, each once", "*".join(columns) or "none")
    if any(mark in name for name in columns for mark in "+,=|"):
        fix = "Rename the column."
        raise InputError("tables", "must be by columns without the signs + , = and |", "such a column", fix)
    return f"tables:k={len(columns)},attributes={'+'.join(columns)}"


def check_kinds(*, statistics: Any, mechanism: Any, releases: Any, known: Any, policy: Any) -> None:
    """Refuse what is of the wrong kind, with what to write instead."""
    listed = isinstance(statistics, Sequence) and not isinstance(statistics, str)
    for each in statistics if listed else ():
        if isinstance(each, Sequence) and not isinstance(each, str):
            fix = 'For tables by columns write tables=["age*sex"].'
            raise InputError("statistics", "must be texts such as 'tables:k=2'", type(each).__name__, fix)
    if isinstance(statistics, Mapping):
        raise InputError(
            "statistics", "must be a text or a list of texts", "dict", "Use releases= for several."
        )
    for each in statistics if listed else (statistics,):
        if not isinstance(each, str) and not hasattr(each, "rows"):
            fix = 'Write for example statistics="tables:k=2", or tables=["age*sex"].'
            raise InputError("statistics", "must be texts such as 'tables:k=2'", type(each).__name__, fix)
    if not isinstance(mechanism, str):
        fix = 'Write for example mechanism="rounding:base=5".'
        raise InputError("mechanism", "must be a text", type(mechanism).__name__, fix)
    if releases is not None and not isinstance(releases, Mapping):
        fix = 'Write for example releases={"planned": ("tables:k=2", "rounding:base=5")}.'
        raise InputError("releases", "must be releases by name", type(releases).__name__, fix)
    if isinstance(known, str) or not (known is None or isinstance(known, Sequence)):
        raise InputError("known", "must be a list of columns", type(known).__name__, 'Write known=["age"].')
    if not isinstance(policy, Policy | str | Mapping | None):
        fix = 'Write for example policy="open-data" or policy={"max_advantage": 0.05}.'
        raise InputError("policy", "must be a purpose, rules by name or a Policy", type(policy).__name__, fix)


def check_columns(secret: Any, id: Any, bins: Any, seed: Any) -> None:
    """Refuse names of columns that are no names, bins by nothing, and a seed that is no number.

    Examples
    --------
    >>> check_columns(["ill"], None, None, 1)
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: secret must be one column, by its name; got list. Audit one after the other.
    """
    for name, given in (("secret", secret), ("id", id)):
        if given is not None and not isinstance(given, str):
            fix = "Audit one after the other." if isinstance(given, Sequence) else f'Write {name}="...".'
            raise InputError(name, "must be one column, by its name", type(given).__name__, fix)
    cuts = list(bins.values()) if isinstance(bins, Mapping) else [] if bins is None else [bins]
    if not isinstance(bins, Mapping | None) or any(not isinstance(each, Iterable) for each in cuts):
        fix = 'Write for example bins={"age": [18, 40, 65]}.'
        raise InputError("bins", "must be cut points by column", type(bins).__name__, fix)
    if not isinstance(seed, SupportsIndex):
        raise InputError("seed", "must be a whole number, 0 or more", type(seed).__name__, "Write seed=1.")


def policy_of(given: Policy | Mapping[str, Any] | str | None) -> Policy:
    """Make a policy of a purpose, or of rules by name as a plan has them.

    Examples
    --------
    >>> policy_of("open-data").max_known, policy_of({"max_advantage": 0.02}).max_advantage
    (0, 0.02)
    """
    if isinstance(given, Policy):
        return given
    return check_policy({"rules": given} if isinstance(given, str) else dict(given or {}))


Asked = Statistic | str | Sequence[Statistic | str]
"""One statistic or several, by text such as ``tables:k=2`` or by functions such as `dalenius.tables`."""

Named = Planned | Release | tuple[Asked, str] | str | os.PathLike[str]
"""A release under a name: planned, as statistics and mechanism; published, or the folder of one."""


def audit(
    people: Any,
    *,
    secret: str | None = None,
    id: str | None = None,
    statistics: Asked = (),
    tables: Sequence[str | Sequence[str]] = (),
    mechanism: str = "exact",
    releases: Mapping[str, Named] | None = None,
    alternatives: bool = False,
    bins: Mapping[str, Sequence[float]] | None = None,
    known: Sequence[str] | None = None,
    reference: Any = None,
    policy: Policy | Mapping[str, Any] | str | None = None,
    seed: int = 1,
) -> Audit:
    """Attack planned or published statistics about a secret, and say what they give away.

    Parameters
    ----------
    people
        The people the releases are about: a pandas, Polars or Arrow frame, a path or database address, or
        what `dalenius.read` gave, which can leave columns out, among other things.
    secret, id, bins
        The column an attacker must not learn; the one that names people, if there is one; and cut points of
        columns of numbers, as in ``{"age": [18, 40, 65]}``. Not with what `dalenius.read` gave: it knows
        them.
    statistics, mechanism
        One planned release, by text such as ``"tables:k=2"`` and ``"rounding:base=5"`` or by functions such
        as ``dalenius.tables(k=2)`` and ``dalenius.gaussian(rho=0.1) | dalenius.rounding(5)``.
    tables
        The tables that are planned, as columns joined by ``*`` or listed: ``["age*sex", ("region", "sex")]``;
        instead of statistics, or beside them.
    releases
        Several, by name, instead of these: each a pair of statistics and mechanism, a published
        `Release`, or the folder of one. All are attacked together as well.
    alternatives
        Whether one of these releases will be published, and not all: they are compared, and not attacked
        together. Of some of them, say so by ``Planned(..., alternative_to="planned")``.
    known
        The public columns the attacker knows; all of them by default.
    reference
        Other people, whose secrets the attacker knows, held in the same way as ``people``.
    policy
        What is tolerated: a purpose such as ``"open-data"``, rules such as ``{"max_advantage": 0.02}``, or a
        `Policy`.
    seed
        The same seed gives the same findings.

    Returns
    -------
    Audit
        With ``verdict``, ``summary()``, ``to_frame()``, ``plot()`` and ``to_json()``, none of which shows a
        person; what the attacks say about people is in ``claims``.

    Raises
    ------
    InputError
        If something given cannot be used; it never shows a person.

    Examples
    --------
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [32, 47, 51, 60], "ill": ["no", "yes", "no", "no"]})
    >>> audit(people, secret="ill", tables=["age"]).verdict
    'stop'
    """
    check_kinds(statistics=statistics, mechanism=mechanism, releases=releases, known=known, policy=policy)
    check_columns(secret, id, bins, seed)
    if not isinstance(people, Dataset):
        _check_secret(secret)
    tolerated = policy_of(policy)
    statistics = with_tables(statistics, tables)
    _check_question(statistics, releases)
    planned: dict[str, Planned | Release | GivenRelease] = {"release": Planned(statistics, mechanism)}
    if releases is not None:
        planned = {name: _named(name, one) for name, one in releases.items()}
    if alternatives:
        planned = _one_of(planned)

    @contextmanager
    def opened() -> Iterator[tuple[Dataset, Scenario]]:
        with ExitStack() as closing:
            held = _open(people, secret, id, bins, closing)
            others = None if reference is None else _open_reference(reference, held, known, closing)
            yield held, Scenario(known, others, tolerated, seed)

    with notebook_bar() as progress, opened() as (held, scenario):
        done = audit_secrets(held, planned, scenario, progress=progress)
    return replace(done, _remedied=partial(_remedy, opened, planned))


def _remedy(
    opened: Callable[[], AbstractContextManager[tuple[Dataset, Scenario]]],
    planned: Mapping[str, Planned | Release | GivenRelease],
    *,
    allow: str | None = None,
    keep: Sequence[str] = (),
    price: str | None = None,
    minutes: float = 5.0,
    release: str | None = None,
) -> Remedy:
    """Open the people of an audit once more, and look for the least change that makes it pass."""
    from dalenius.remedy.find import find_remedy
    from dalenius.remedy.from_python import plan_of
    from dalenius.remedy.options import KINDS, RemedyOptions, read_allow, read_price

    kinds = KINDS if allow is None else read_allow(allow)
    weights = None if price is None else read_price(price)
    named = (keep,) if isinstance(keep, str) else tuple(keep)
    options = RemedyOptions(kinds, named, weights, minutes, release)
    out = {
        name: one if isinstance(one, Release) else one.release
        for name, one in planned.items()
        if not isinstance(one, Planned)
    }
    with opened() as (held, scenario):
        plan = plan_of(planned, scenario)
        return find_remedy(plan, options, people=held, reference=scenario.reference, published=out)


def _open(
    people: Any,
    secret: str | None,
    id: str | None,
    bins: Mapping[str, Sequence[float]] | None,
    closing: ExitStack,
) -> Dataset:
    """Return the people; who opened them closes them."""
    if isinstance(people, Dataset):
        if secret is not None or id is not None or bins is not None:
            raise InputError(
                "secret, id and bins",
                "must not be given again",
                "people who were read with them",
                "Leave them out.",
            )
        return people
    named = _check_secret(secret)
    if isinstance(people, str | os.PathLike) and str(people).lower().endswith(".toml"):
        fix = "Run a plan by: dalenius audit audit.toml."
        raise InputError("people", "must be people", "a plan", fix)
    try:
        return closing.enter_context(read(people, secret=named, id=id, bins=bins))
    except InputError as error:
        if not any(f"under {word}" in error.fix for word in ("ignored", "missing_codes")):
            raise
        fix = f"{error.fix} {READ_FIRST}"
        raise InputError(error.name, error.rule, error.got, fix, value=error.value, hint=error.hint) from None


READ_FIRST = (
    'From Python: dalenius.audit(dalenius.read(..., ignored=[...], how={"missing": "value"}), tables=[...]).'
)


def _check_secret(secret: str | None) -> str:
    if secret is None:
        raise InputError(
            "secret", "must be the column that an attacker must not learn", "none", 'Write secret="...".'
        )
    return secret


def _open_reference(
    reference: Any, people: Dataset, known: Sequence[str] | None, closing: ExitStack
) -> Dataset:
    """Read other people by the schema of those under attack: the same columns, the same bins."""
    if isinstance(reference, Dataset):
        return reference
    schema = people.schema
    public = [column for column in schema.public if known is None or column.name in known]
    named = schema.id.name if schema.id and schema.id.name in columns_of(reference) else None
    others = read(
        reference,
        secret=schema.secret.name,
        id=named,
        public=[column.name for column in public],
        bins={column.name: column.edges for column in (*public, schema.secret) if column.edges},
        how=people.how.among([column.name for column in (*public, schema.secret)]),
    )
    return closing.enter_context(others)


def _named(name: str, one: Named) -> Planned | Release:
    """Return one release; a published one is called as it is here, whatever it was called before."""
    if isinstance(one, Planned):
        return one
    if isinstance(one, str | os.PathLike):
        one = read_release(os.fspath(one))
    if isinstance(one, Release):
        return replace(one, name=name)
    if isinstance(one, tuple) and len(one) == 2 and isinstance(one[1], str):
        return Planned(*one)
    raise InputError(
        f"release {name!r}",
        "must be (statistics, mechanism), a Release or the folder of one",
        type(one).__name__,
        'Write for example ("tables:k=2", "rounding:base=5").',
    )


def _one_of(
    planned: Mapping[str, Planned | Release | GivenRelease],
) -> dict[str, Planned | Release | GivenRelease]:
    """Say of all releases but the first that they are alternatives of it."""
    first, *others = planned
    given = {name: GivenRelease(one) if isinstance(one, Release) else one for name, one in planned.items()}
    return {first: planned[first]} | {name: replace(given[name], alternative_to=first) for name in others}


def _check_question(statistics: Asked, releases: Mapping[str, Named] | None) -> None:
    """Refuse two ways at once, and means: who is in the data is another question."""
    if releases is not None and statistics:
        raise InputError(
            "releases", "must not be given with statistics or tables", "both", "Give one of them."
        )
    if not releases and not statistics:
        fix = 'Write for example tables=["age*sex"], statistics="tables:k=2" or releases={...}.'
        raise InputError("tables", "must say what will be published", "nothing", fix)
    asked = (
        [statistics]
        if isinstance(statistics, str)
        else statistics
        if isinstance(statistics, Sequence)
        else ()
    )
    if any(isinstance(each, str) and is_means(each) for each in asked):
        raise InputError(
            "statistics",
            "must be about the secret",
            "means, whose question is who is in the data",
            "Use dalenius.tracing.trace_members(members, reference, mechanism).",
        )
