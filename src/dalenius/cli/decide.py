"""``dalenius decide``: old findings under other rules."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.console.options import grouped

if TYPE_CHECKING:
    from dalenius.findings.policy import Policy

HELP = """Decide old findings again, under other rules and without the data.

\b
Examples:
  dalenius decide findings.json --rules open-data
  dalenius decide findings.json --max-advantage 0.1 --sensitive yes
  dalenius decide findings.json --policy audit.toml --out decided

\b
--rules and --policy (a file with [policy], or with its keys alone) start from
their own defaults; a single limit changes that one rule, of theirs or else of
the rules in the findings. What the new rules need and the findings do not have
(people counted from another probability on, wider intervals, samples of the
people) is never taken for kept: the verdict is then undecided, and says so.
Nothing is written without --out.

Exit code: 0 pass; 1 stop or undecided; 2 bad input.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class SingleLimits:
    """The keys of ``[policy]``, each as an option."""

    max_advantage: Annotated[float | None, typer.Option(help="Tolerated gain, as a share: 0.05.")] = None
    max_recovered: Annotated[
        float | None, typer.Option(help="Tolerated share of what guessing gets wrong.")
    ] = None
    max_certain: Annotated[int | None, typer.Option(help="People who may follow by arithmetic.")] = None
    max_known: Annotated[int | None, typer.Option(help="People who may be as good as known besides.")] = None
    known_at: Annotated[float | None, typer.Option(help="From which probability on that is so.")] = None
    sensitive: Annotated[
        list[str] | None, typer.Option(help="A value of the secret that counts; may be given several times.")
    ] = None
    max_copies: Annotated[float | None, typer.Option(help="Share of people whom rows may copy.")] = None
    max_nu: Annotated[float | None, typer.Option(help="Tolerated nu of related people.")] = None
    confidence: Annotated[float | None, typer.Option(help="With which all intervals hold together.")] = None

    def given(self) -> dict[str, Any]:
        """Return what was given, by key."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value not in (None, [])}


@app.command(help=HELP)
@grouped
def decide(
    findings: Annotated[Path, typer.Argument(metavar="findings.json", help="What a command has written.")],
    limits: SingleLimits,
    rules: Annotated[
        str | None,
        typer.Option(metavar="PURPOSE", help="open-data, research-centre, gwas, gdpr-anonymous."),
    ] = None,
    policy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="TOML with [policy], such as a plan, or its keys."),
    ] = None,
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for the new findings.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print only the verdict.")] = False,
) -> None:
    """Read findings, hold them against other rules, end with the exit code of the new verdict."""
    from dalenius.auditing.read import read_findings
    from dalenius.auditing.redecide import redecide
    from dalenius.console.finish import NOT_PASSED, finish
    from dalenius.console.outputs import Outputs
    from dalenius.errors import InputError

    found = read_findings(findings)
    given = ({} if rules is None else {"rules": rules}) | limits.given()
    if policy is None and not given:
        raise InputError(
            "rules", "must be given", "none", "Write --rules open-data, --policy FILE or a limit."
        )
    if out is not None and out.resolve() == findings.resolve().parent:
        raise InputError(
            "--out",
            "must be another folder than that of the findings",
            str(out),
            "They would be overwritten.",
        )
    made = redecide(found, _policy(found.policy, policy, given))
    if out is not None:
        finish(made, {}, Outputs(out), quiet=quiet)
    typer.echo(made.verdict if quiet else made.summary().rstrip("\n"))
    raise typer.Exit(NOT_PASSED * (made.verdict != "pass"))


def _policy(old: Policy, file: Path | None, given: dict[str, Any]) -> Policy:
    """Make the rules: those of a file, a purpose, or the old ones; single limits on top."""
    from pydantic import ValidationError

    from dalenius.errors import InputError, nearest
    from dalenius.findings.policy import Policy
    from dalenius.people.files.reading import read_toml

    start: dict[str, Any] = {}
    if file is not None:
        read = read_toml(file)
        start = read.get("policy", {} if "data" in read or "release" in read else read)
        if not isinstance(start, dict):
            raise InputError(f"{file}: policy", "must be a table", type(start).__name__, "Write [policy].")
    elif "rules" not in given:
        start = old.model_dump()
    try:
        return Policy.model_validate(start | given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise InputError(
                f"policy.{name}", "must be a known key", repr(name), nearest(name, Policy.model_fields)
            ) from None
        raise InputError(f"policy.{name}", "must be a rule", f"{first['input']!r}: {first['msg']}") from None
