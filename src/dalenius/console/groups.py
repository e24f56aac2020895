"""Groups of commands whose help tells what each command does to the end of its sentence."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

WHOLE = 10_000
"""Letters that no sentence has: beyond them it would be cut."""


class WholeSentences(TyperGroup):
    """Lists its commands with whole sentences: one that is cut at the right says less than its name."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, each with its sentence on as many lines as that takes."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, each.get_short_help_str(WHOLE)) for name, each in found if each and not each.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
