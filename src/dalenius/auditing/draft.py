"""A first plan for data that nobody has described yet: commented, and it runs as it is."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dalenius.auditing.plan import BudgetPlan
from dalenius.errors import InputError, TooLargeError, nearest_column
from dalenius.findings.policy import Policy
from dalenius.people.bins import label_number
from dalenius.people.dataset import ReadSettings, read
from dalenius.people.profile import ColumnProfile, profile
from dalenius.people.schema import Role, Schema
from dalenius.statistics.counts.tables import tables_of


@dataclass(frozen=True)
class _Draft:
    """What was found out about the data."""

    columns: list[ColumnProfile]
    secret: str
    id: str | None
    missing: str

    def named(self, role: Role) -> list[ColumnProfile]:
        """The columns of one role, the secret and the id being whatever they were said to be."""
        taken = {self.secret, self.id}
        return [c for c in self.columns if c.role is role and c.name not in taken]

    @property
    def bins(self) -> dict[str, tuple[float, ...]]:
        """The cut points of public numbers."""
        return {c.name: c.edges for c in self.named(Role.PUBLIC) if c.edges}


def draft_plan(source: str, *, secret: str, id: str | None, table: str | None, out: Path) -> str:
    """Look at people and write the plan of their audit.

    Parameters
    ----------
    source
        A file, or the address of a database.
    secret
        The column an attacker must not learn.
    id
        The column that names people; if it is not given, one whose values are all different, if there is one.
    table
        The table of a database.
    out
        Where the plan will be: paths in it are relative to that.

    Returns
    -------
    str
        The text of an ``audit.toml``.

    Raises
    ------
    InputError
        If the data cannot be audited by such a plan; it is read once, to be sure.
    """
    columns = profile(source, table=table)
    names = [column.name for column in columns]
    for role, name in (("secret", secret), ("id", id)):
        if name is not None and name not in names:
            raise InputError(
                f"{role} column {name!r}",
                "must be in the data",
                "no such column",
                nearest_column(name, names),
            )
    found = next((c.name for c in columns if c.role is Role.ID and c.name != secret), None)
    gaps = any(c.missing for c in columns if c.role is Role.PUBLIC or c.name == secret)
    draft = _Draft(columns, secret, id or found, "value" if gaps else "refuse")
    with read(
        source,
        secret=secret,
        id=draft.id,
        public=[c.name for c in draft.named(Role.PUBLIC)],
        ignored=[c.name for c in draft.named(Role.IGNORED)],
        bins=draft.bins,
        how=ReadSettings(missing="value" if gaps else "refuse", table=table),
    ) as people:
        return _write(draft, people.schema, people.n, _data_lines(source, table, out))


def _data_lines(source: str, table: str | None, out: Path) -> list[str]:
    if "://" in source:
        lines = [f"url = {_toml(source)}"]
    else:
        lines = [f"path = {_toml(Path(os.path.relpath(source, out.parent)).as_posix())}"]
    return lines + ([f"table = {_toml(table)}"] if table else [])


def _write(draft: _Draft, schema: Schema, people: int, data: list[str]) -> str:
    public = draft.named(Role.PUBLIC)
    lines = [
        "# Plan of an audit: data + what will be published + how it is protected -> verdict.",
        "# Run it with: dalenius audit audit.toml",
        "",
        "seed = 1  # the same seed gives the same findings",
        "",
        "[data]",
        *data,
        "",
        "[schema]",
        f"secret = {_toml(draft.secret)}  # what an attacker must not learn",
    ]
    if draft.id is not None:
        lines.append(f"id = {_toml(draft.id)}  # names people; never published")
    lines += [
        "# What an attacker may know about people from elsewhere. Check this list: too short a list makes",
        "# the audit too kind.",
        *_listed("public", public),
        *_listed("ignored", draft.named(Role.IGNORED)),
    ]
    if draft.bins:
        bins = ", ".join(f"{_key(name)} = [{_edges(e)}]" for name, e in draft.bins.items())
        lines.append(f"bins = {{ {bins} }}  # cut points; each bin holds its left end")
    if draft.missing == "value":
        lines.append('missing = "value"  # a missing value is a level of its own; "refuse" stops instead')
    return "\n".join([*lines, "", *_release_lines(schema, people), ""])


def _listed(role: str, columns: list[ColumnProfile]) -> list[str]:
    if not columns:
        return [f"{role} = []"] if role == "public" else []
    return [f"{role} = [", *(f"  {_toml(c.name)},  # {_comment(c.reason)}" for c in columns), "]"]


def _release_lines(schema: Schema, people: int) -> list[str]:
    k = _fitting_k(schema)
    statistic = f"tables:k={k}" if k else "histogram"
    return [
        "# What will be published. One [[release]] for each variant to compare.",
        "# statistics: tables:k=2 (the secret with every 2 public columns), tables:k=2,attributes=a+b+c,",
        "#   histogram:column=a, random-subsets:m=400, queries:path=queries.csv",
        "# mechanism: exact, rounding:base=5, suppression:below=10, gaussian:rho=0.5, laplace:epsilon=1,",
        "#   subsample:rate=0.5, or several: suppression:below=10 | rounding:base=5",
        "[[release]]",
        'name = "planned"',
        f"statistics = [{_toml(statistic)}]",
        'mechanism = "rounding:base=5"',
        "",
        "# Something already published, as a folder that dalenius wrote (docs/reference/files.md):",
        "# [[release]]",
        '# name = "last year"',
        '# path = "published/"',
        "",
        "# A file of anonymised rows: who can be singled out of it? (docs/explanation/singling_out.md)",
        "# [[release]]",
        '# name = "microdata"',
        '# kind = "anonymised-rows"',
        '# path = "released.csv"',
        '# quasi = ["age", "zip"]  # the columns that were made coarser',
        "",
        "[knowledge]",
        "# public = [...]  # if the attacker knows only some of the public columns",
        '# reference = "others.csv"  # other people with their secrets: what is usual for people like these',
        '# population = "everybody.csv"  # everybody: how rare the conditions are that single people out',
        '# prior = { edges = "links.csv", agreement = 0.8 }  # who is related: what epsilon is worth to them',
        "",
        *_limit_lines(people),
    ]


def _limit_lines(people: int) -> list[str]:
    """What is tolerated and what may be used, as it is where a plan says nothing."""
    usual, budget = Policy(), BudgetPlan()

    def line(key: str, value: object, why: str, width: int = 22) -> str:
        return f"{f'{key} = {value}':{width}}# {why}"

    gain = "how much more often than guessing without it an attack may be right"
    found = "share of the secrets that guessing gets wrong an attack may recover"
    known = f"people besides whose secret may be known at {usual.known_at} or more because of it"
    seconds = "that one attack may be predicted to take; the best decoder may need more"
    again = "samples of the people on which a pass without a promise is tried again"
    return [
        "[policy]  # what is tolerated: docs/explanation/policies.md",
        '# rules = "open-data"  # or research-centre, gwas, gdpr-anonymous: sets what is not given here',
        '# sensitive = ["yes"]  # the values that must not be known; all of them if not given',
        line("max_advantage", usual.max_advantage, gain),
        line("max_recovered", usual.max_recovered, found),
        line("max_certain", usual.max_certain, "people whose secret may follow by arithmetic alone"),
        line("max_known", usual.max_known, known),
        line("# max_nu", 1.0, "like which epsilon related people must be protected, if a prior is given"),
        line("confidence", usual.confidence, f"with which all intervals hold together ({people:,} people)"),
        "",
        "[budget]",
        line("memory", _toml(budget.memory), "for the engine that counts", 16),
        line("seconds", f"{budget.seconds:g}", seconds, 16),
        line("resamples", budget.resamples, again, 16),
    ]


def _fitting_k(schema: Schema) -> int:
    """The largest k up to 2 whose tables fit."""
    for k in (2, 1):
        try:
            if len(schema.public) >= k and tables_of(schema.public, k).rows:
                return k
        except TooLargeError:
            continue
    return 0


def _edges(edges: tuple[float, ...]) -> str:
    return ", ".join(label_number(edge) for edge in edges)


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else _toml(name)


def _comment(text: str) -> str:
    return " ".join(text.split())


def _toml(value: Any) -> str:
    """Write a text in TOML: its basic strings are escaped like those of JSON."""
    return json.dumps(value, ensure_ascii=False)
