"""What a run that is started again must have in common with the one that was stopped."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import typer


def resumed(
    out: Path, sources: Mapping[str, Any], options: object, *, genotypes: bool = False
) -> AbstractContextManager[object]:
    """Keep what is done of long passes beside the results until the end, and go on after it.

    Parameters
    ----------
    out
        The folder of the results.
    sources
        Files and places by the options that name them.
    options
        Everything else that was said, as text, but who does the work.
    genotypes
        Whether sources may be of genotypes, which are told apart by size and time: they may be very long.
    """
    from dalenius import __version__
    from dalenius.genomes.read import holds_genotypes, stamp_of
    from dalenius.spread.digest import digest_files, digest_of
    from dalenius.spread.parts import keeping

    plan = {"version of dalenius": __version__, "set of options": digest_of(str(options))}
    for name, source in sources.items():
        if genotypes and holds_genotypes(source):
            plan[name] = stamp_of(source)
        elif isinstance(source, str | Path) and "://" not in str(source):
            plan |= digest_files({name: Path(source)})
        else:
            plan[name] = digest_of(str(source))
    return keeping(out, plan, announce=_say)


def _say(sentence: str) -> None:
    typer.echo(sentence, err=True)
