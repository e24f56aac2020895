"""``dalenius reconstruct``: secrets and amounts with a list of people, and whole records without one."""

from __future__ import annotations

from dalenius.amounts import cli as of_amounts
from dalenius.reconstruction.cli.commands import app
from dalenius.records import cli as whole_records

app.command("records", help=whole_records.HELP)(whole_records.records)
app.command("amounts", help=of_amounts.HELP)(of_amounts.amounts)
