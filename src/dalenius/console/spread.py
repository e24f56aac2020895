"""``--workers`` and ``--cluster``: who does work that is cut into independent parts."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True)
class Spread:
    """Processes of this machine, or a cluster."""

    workers: Annotated[
        int,
        typer.Option(min=1, help="Processes that share whole records and games of counts; same results."),
    ] = 1
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            envvar="DALENIUS_CLUSTER",
            help="Dask scheduler that does so instead: tls://host:8786, with Dask's certificates.",
        ),
    ] = None

    @property
    def given(self) -> bool:
        """Whether anything but this process is to work."""
        return self.workers > 1 or self.cluster is not None

    def begun(self) -> AbstractContextManager[object]:
        """Let them work within the block."""
        if not self.given:
            return nullcontext()
        from dalenius.spread.places import working

        return working(self.workers, self.cluster)


SPREAD = Spread()
"""This process alone."""
