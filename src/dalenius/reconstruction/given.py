"""A release of an audit that is there already, and what is known of it besides its numbers."""

from __future__ import annotations

from dataclasses import dataclass

from dalenius.release.release import Release


@dataclass(frozen=True)
class GivenRelease:
    """A release that is there already.

    Parameters
    ----------
    release
        What is published.
    fixed
        Whether it is out, and can be changed no more.
    no_control
        Why it cannot be made again of other secrets; ``None`` if it can.
    assumed
        What was assumed to read it.
    """

    release: Release
    fixed: bool = False
    no_control: str | None = None
    assumed: tuple[str, ...] = ()
