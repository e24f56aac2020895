"""The text of a first plan: TOML with the reasons beside what was chosen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dalenius.auditing.drafting.proposal import Proposal
from dalenius.auditing.plan_parts import BudgetPlan
from dalenius.findings.policy import Policy
from dalenius.people.describe.profile import ColumnProfile
from dalenius.people.describe.signs import ColumnSign
from dalenius.people.schema import Role, label_number

if TYPE_CHECKING:
    from dalenius.auditing.drafting.draft import Draft


NONE: Mapping[str, str] = {}


def plan_text(draft: Draft) -> str:
    """Write a plan that runs as it is."""
    lines = [
        "# Plan of an audit: data + what will be published + how it is protected -> verdict.",
        "# Run it with dalenius audit and the name of this file.",
        "",
        "seed = 1  # the same seed gives the same findings",
        "",
        "[data]",
        *draft.data,
        "",
        *_schema_lines(draft),
        "",
        *_release_lines(draft),
        "",
        *_knowledge_lines(draft),
        "",
        *_limit_lines(draft.rarest),
        "",
    ]
    return "\n".join(lines)


def _schema_lines(draft: Draft) -> list[str]:
    secret = draft.options.secret
    lines = [
        "[schema]",
        f"secret = {toml(secret)}  # what an attacker must not learn",
        f"# {_one_line(draft.shares)}",
    ]
    if draft.id is not None:
        lines.append(f"id = {toml(draft.id)}  # names people; never published")
    lines += [
        "# What an attacker may know about people from elsewhere. Check this list: too short a list makes",
        "# the audit too kind.",
        *_listed("public", draft.named(Role.PUBLIC), draft.told),
        *_listed("ignored", [c for c in draft.named(Role.IGNORED) if c.name not in _single(draft)]),
    ]
    for key, name in _keys(draft).items():
        lines.append(f"{key} = {toml(name)}  # {_WHY[key]}")
    if draft.bins:
        bins = ", ".join(f"{_key(name)} = [{_edges(e)}]" for name, e in draft.bins.items())
        lines.append(f"bins = {{ {bins} }}  # cut points; each bin holds its left end")
    if draft.years:
        lines.append(f"by_year = {toml(draft.years)}  # dates, read by their year")
    if draft.codes:
        lines += [
            "# Looks like a code for a missing value. Take out what is a value of its own.",
            f"missing_codes = {{ {_inline(draft.codes)} }}",
        ]
    if draft.gaps:
        lines.append('missing = "value"  # a missing value is a level of its own; "refuse" stops instead')
    if draft.labels is not None:
        lines.append(
            f"labels = {toml(draft.labels)}  # what codes stand for; levels are called by their labels"
        )
    return lines


_WHY = {
    "weight": "a survey weight: tables count people, without it",
    "household": "the number of a household: left out; its people are not attacked together yet",
}


def _keys(draft: Draft) -> dict[str, str]:
    """The columns that have a key of their own: the first weight, and the household."""
    found = {"weight": draft.signed(ColumnSign.WEIGHT), "household": draft.signed(ColumnSign.HOUSEHOLD)}
    return {key: names[0] for key, names in found.items() if names}


def _single(draft: Draft) -> set[str]:
    return set(_keys(draft).values())


def _listed(role: str, columns: Sequence[ColumnProfile], told: Mapping[str, str] = NONE) -> list[str]:
    if not columns:
        return [f"{role} = []"] if role == "public" else []
    reasons = [
        f"{c.reason}; {told[c.name]}: do strangers know it?" if c.name in told else c.reason for c in columns
    ]
    each = [f"  {toml(c.name)},  # {_one_line(why)}" for c, why in zip(columns, reasons, strict=True)]
    return [f"{role} = [", *each, "]"]


def _release_lines(draft: Draft) -> list[str]:
    chosen = draft.proposal or Proposal(("histogram",))
    return [
        '# What will be published: all of it. Of a variant to compare say alternative_to = "planned".',
        "# statistics: tables:k=2 (the secret with every 2 public columns), tables:k=2,attributes=a+b+c,",
        "#   histogram:column=a, random-subsets:m=400, queries:path=queries.csv",
        "# mechanism: exact, rounding:base=5, suppression:below=10, gaussian:rho=0.5, laplace:epsilon=1,",
        "#   subsample:rate=0.5, or several: suppression:below=10 | rounding:base=5",
        "[[release]]",
        'name = "planned"',
        f"# {draft.size}",
        *([f"# {chosen.remark}"] if chosen.remark else []),
        f"statistics = [{', '.join(map(toml, chosen.statistics))}]",
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
    ]


def _knowledge_lines(draft: Draft) -> list[str]:
    usual = "other people with their secrets: what is usual for people like these"
    reference = f"reference = {toml(draft.reference or 'others.csv')}  # {usual}"
    return [
        "[knowledge]",
        "# public = [...]  # if the attacker knows only some of the public columns",
        reference if draft.reference is not None else f"# {reference}",
        '# population = "everybody.csv"  # everybody: how rare the conditions are that single people out',
        '# prior = { edges = "links.csv", agreement = 0.8 }  # who is related: what epsilon is worth to them',
    ]


def _limit_lines(rarest: str) -> list[str]:
    """What is tolerated and what may be used, as it is where a plan says nothing."""
    usual, budget = Policy(), BudgetPlan()

    def line(key: str, value: object, why: str, width: int = 22) -> str:
        return f"{f'{key} = {value} ':{width}}# {why}"

    gain = "how much more often than guessing without it an attack may be right"
    found = "share of the secrets that guessing gets wrong an attack may recover"
    known = f"people besides whose secret may be known at {usual.known_at} or more because of it"
    seconds = "that one attack may be predicted to take; the best decoder may need more"
    again = "samples of the people on which a pass without a promise is tried again"
    return [
        "[policy]  # what is tolerated: docs/explanation/policies.md",
        '# rules = "open-data"  # or research-centre, gwas, gdpr-anonymous: sets what is not given here',
        f"# sensitive = {_one_line(toml([rarest]))}  # the values that must not be known; all if not given",
        line("max_advantage", usual.max_advantage, gain),
        line("max_recovered", usual.max_recovered, found),
        line("max_certain", usual.max_certain, "people whose secret may follow by arithmetic alone"),
        line("max_known", usual.max_known, known),
        line("# max_nu", 1.0, "like which epsilon related people must be protected, if a prior is given"),
        line("# max_related_rho", 0.5, "the same for Gaussian noise: like which rho they must be protected"),
        line("confidence", usual.confidence, "with which all intervals hold together"),
        "",
        "[budget]",
        line("memory", toml(budget.memory), "for the engine that counts", 16),
        line("seconds", f"{budget.seconds:g}", seconds, 16),
        line("resamples", budget.resamples, again, 16),
    ]


def toml(value: Any) -> str:
    """Write a text or a list in TOML: its basic strings are escaped like those of JSON."""
    return json.dumps(value, ensure_ascii=False)


def _inline(values: Mapping[str, Sequence[str | int]]) -> str:
    return ", ".join(f"{_key(name)} = {toml(list(codes))}" for name, codes in values.items())


def _edges(edges: Sequence[float]) -> str:
    return ", ".join(label_number(edge) for edge in edges)


def _key(name: str) -> str:
    return name if name.isascii() and name.replace("_", "").replace("-", "").isalnum() else toml(name)


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())
