"""Pictures beside a report, where they can be drawn; the page has its own and needs no package for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import typer

from dalenius.errors import MissingExtraError


def drawn(pictures: Mapping[str, Callable[[], str]]) -> dict[str, str]:
    """Draw files by name; without the package that draws, say what is left out and go on without them.

    Examples
    --------
    >>> drawn({"a.svg": lambda: "<svg/>"})
    {'a.svg': '<svg/>'}
    """
    try:
        return {name: draw() for name, draw in pictures.items()}
    except MissingExtraError as error:
        typer.echo(f"Left out: {', '.join(pictures)}. {error}.", err=True)
        return {}
