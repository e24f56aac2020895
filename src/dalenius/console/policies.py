"""What is tolerated, as options of a command: a purpose, single limits, or a file with the keys of a plan."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.errors import InputError
from dalenius.findings.default_policy import RULES

if TYPE_CHECKING:
    from dalenius.findings.policy import Policy

MaxAdvantage = Annotated[
    float | None, typer.Option(help="How much more often than guessing it may be right (0.05: 5 points).")
]
MaxRecovered = Annotated[
    float | None, typer.Option(help="Share of what guessing gets wrong that may be recovered (0.25).")
]
MaxCertain = Annotated[int | None, typer.Option(help="People whose secret may follow by arithmetic (0).")]
MaxKnown = Annotated[
    int | None, typer.Option(help="People besides whose secret may be as good as known (0).")
]
KnownAt = Annotated[
    float | None, typer.Option(help="Probability from which a secret counts as good as known (0.99).")
]
Sensitive = Annotated[
    list[str] | None,
    typer.Option(metavar="VALUE", help="Value of the secret that matters; may be repeated (all)."),
]
MaxCopies = Annotated[
    float | None, typer.Option(help="Share of people whom rows may copy, or nearly, beyond luck (0).")
]
MaxNu = Annotated[float | None, typer.Option(help="Largest nu of related people that is tolerated.")]
MaxRelatedRho = Annotated[
    float | None,
    typer.Option(
        help="Largest rho of related people tolerated, under Gaussian noise; decides where rho is given."
    ),
]


def purposes() -> list[str]:
    """What a shell proposes after ``--rules``."""
    return list(RULES)


@dataclass(frozen=True)
class Tolerated:
    """What is tolerated: ``[policy]`` of a plan, on the command line; an option goes before the file.

    A family of attacks adds the limits that it is held against, each a field named as the key is.
    """

    policy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What is tolerated: a TOML file with the keys of [policy]."),
    ] = None
    rules: Annotated[
        str | None,
        typer.Option(
            metavar="PURPOSE",
            help="open-data, research-centre, gwas or gdpr-anonymous.",
            autocompletion=purposes,
        ),
    ] = None

    def check(self) -> None:
        """Refuse a policy that is none, before the work."""
        self.made()

    @property
    def given(self) -> dict[str, Any]:
        """The keys that options gave."""
        values = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "policy"}
        return {key: value for key, value in values.items() if value not in (None, [])}

    def made(self, before: Policy | None = None) -> Policy:
        """The policy.

        Parameters
        ----------
        before
            The rules that single limits change, where neither a purpose nor a file is given.

        Raises
        ------
        InputError
            With every key that cannot be used.
        """
        from dalenius.auditing.plan import check_policy

        kept = {} if before is None or self.policy or self.rules else before.model_dump()
        name = "policy" if self.policy is None else str(self.policy)
        return check_policy(kept | self._of_file() | self.given, name)

    def _of_file(self) -> dict[str, Any]:
        """The keys of a file: its table ``[policy]`` if it has one, as a plan does, or all of it."""
        if self.policy is None:
            return {}
        from dalenius.people.files.reading import read_toml

        raw = read_toml(self.policy)
        found = raw.get("policy", {} if "release" in raw or "data" in raw else raw)
        if not isinstance(found, dict):
            got = type(found).__name__
            raise InputError(str(self.policy), "must have a table [policy], or its keys", got)
        return found


@dataclass(frozen=True)
class SecretRules(Tolerated):
    """What may be learnt about secrets."""

    max_certain: MaxCertain = None
    max_known: MaxKnown = None
    known_at: KnownAt = None
    max_advantage: MaxAdvantage = None
    max_recovered: MaxRecovered = None
    sensitive: Sensitive = None


@dataclass(frozen=True)
class RecordRules(Tolerated):
    """What may follow about whole records."""

    max_certain: Annotated[int | None, typer.Option(help="Records that may be certain (0).")] = None


@dataclass(frozen=True)
class AmountRules(Tolerated):
    """How close anybody may come to somebody's amount."""

    max_certain: Annotated[int | None, typer.Option(help="People whose amount may follow closely (0).")] = (
        None
    )
    max_known: Annotated[
        int | None, typer.Option(help="People besides whose amount may be bounded closely (0).")
    ] = None
    max_advantage: Annotated[
        float | None,
        typer.Option(help="How much more often than without it estimates may be close (0.05: 5 points)."),
    ] = None


@dataclass(frozen=True)
class MembersRules(Tolerated):
    """How well members may be told from others."""

    max_advantage: Annotated[
        float | None,
        typer.Option(help="How much more often members may be accused than others (0.05: 5 points)."),
    ] = None


@dataclass(frozen=True)
class TargetsRules(Tolerated):
    """How many people may be accused of being in the data."""

    max_known: Annotated[int | None, typer.Option(help="Targets who may be accused (0).")] = None


@dataclass(frozen=True)
class ConditionRules(Tolerated):
    """How often somebody may be singled out."""

    max_advantage: Annotated[
        float | None,
        typer.Option(help="How much more often than by luck one person may be met (0.05: 5 points)."),
    ] = None


@dataclass(frozen=True)
class CopyRules(ConditionRules):
    """The same, and how many people may be copied."""

    max_advantage: Annotated[
        float | None,
        typer.Option(
            "--max-advantage",
            "--limit",  # as it was called before every command had a policy
            help="How much more often than by luck one person may be met (0.05: 5 points).",
        ),
    ] = None
    max_copies: MaxCopies = None


@dataclass(frozen=True)
class QuestionRules(CopyRules):
    """The same where links and secrets are asked about, too."""

    max_advantage: Annotated[
        float | None,
        typer.Option(
            "--max-advantage", "--limit", help="How much each question may gain over luck (0.05: 5 points)."
        ),
    ] = None


@dataclass(frozen=True)
class BeliefRules(Tolerated):
    """How much more often beliefs about related people may be right."""

    max_advantage: MaxAdvantage = None


@dataclass(frozen=True)
class EveryRule(SecretRules):
    """All keys of a policy."""

    max_copies: MaxCopies = None
    max_nu: MaxNu = None
    max_related_rho: MaxRelatedRho = None
    confidence: Annotated[float | None, typer.Option(help="With which all intervals hold together.")] = None
