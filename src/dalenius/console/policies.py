"""What is tolerated, as options of a command: a purpose, single limits, or a file with the keys of a plan."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.errors import InputError

if TYPE_CHECKING:
    from dalenius.findings.policy import Policy

KEYS = ("rules", "max_certain", "max_known", "known_at", "max_advantage", "max_recovered")
"""The keys of a policy that are options of their own."""


@dataclass(frozen=True)
class PolicyOptions:
    """What is tolerated: ``[policy]`` of a plan, on the command line; an option goes before the file."""

    policy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What is tolerated: a TOML file with the keys of [policy]."),
    ] = None
    rules: Annotated[
        str | None,
        typer.Option(metavar="PURPOSE", help="open-data, research-centre, gwas or gdpr-anonymous."),
    ] = None
    max_certain: Annotated[
        int | None, typer.Option(help="People whose secret may follow by arithmetic (0).")
    ] = None
    max_known: Annotated[
        int | None, typer.Option(help="People besides whose secret may be as good as known (0).")
    ] = None
    known_at: Annotated[
        float | None, typer.Option(help="From which probability on a secret is as good as known (0.99).")
    ] = None
    max_advantage: Annotated[
        float | None, typer.Option(help="How much more often than guessing it may be right (0.05: 5 points).")
    ] = None
    max_recovered: Annotated[
        float | None, typer.Option(help="Share of what guessing gets wrong that may be recovered (0.25).")
    ] = None
    sensitive: Annotated[
        list[str] | None,
        typer.Option(metavar="VALUE", help="Value of the secret that matters; may be repeated (all)."),
    ] = None

    def check(self) -> None:
        """Refuse a policy that is none, before the work."""
        self.made()

    def made(self) -> Policy:
        """The policy.

        Raises
        ------
        InputError
            With every key that cannot be used.
        """
        from dalenius.auditing.plan import check_policy

        given: dict[str, Any] = {key: getattr(self, key) for key in KEYS if getattr(self, key) is not None}
        if self.sensitive:
            given["sensitive"] = self.sensitive
        name = "policy" if self.policy is None else str(self.policy)
        return check_policy(self._of_file() | given, name)

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


POLICY = PolicyOptions()
"""The policy of a plan that says nothing."""
