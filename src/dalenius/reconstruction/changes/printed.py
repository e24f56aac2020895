"""Changes of printed tables that are not out yet: their files written again, in their own layout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.planned import BASES, BELOW
from dalenius.auditing.changes.proposals import Proposals, ToChange
from dalenius.auditing.plan_parts import TablesPlan
from dalenius.errors import DaleniusError
from dalenius.findings.report import ChangeKind, Price
from dalenius.people.schema import Column
from dalenius.printed.rewrite import Change, Rewritten, rewrite
from dalenius.reconstruction.changes.printed_noise import NoisyFiles
from dalenius.reconstruction.of_plan.tables import rosters_for
from dalenius.reconstruction.opened import SecretsOpened
from dalenius.shown import several

MARK = "*"
"""What is printed in the place of a hidden count."""

NOT_EXACT = "Printed tables are changed where they are exact counts, each as a number of its own."
NO_GAIN = "A promise: your rules tolerate no gain at all, and noise always leaves some."
BESIDE = "A promise: other releases of the plan are published along, and noise here does not change those."


def propose_printed(asked: ToChange, releases: Sequence[TablesPlan], rho: float | None) -> Proposals:
    """Propose to round or hide the counts of all files, to leave files out, or noise that promises rho."""
    opened = asked.opened
    if not isinstance(opened, SecretsOpened) or any(each.mechanism != "exact" for each in releases):
        return Proposals(not_tried=(NOT_EXACT,))
    columns = {each.name: _columns(each, opened) for each in releases}
    left_out = list(_fewer(asked, releases))
    by_kind: dict[ChangeKind, list[Candidate]] = {"round": [], "hide": [], "fewer": left_out}
    for kind, said, mechanism, change in _changes():
        made = _made(asked, releases, columns, mechanism, change)
        if made is None:
            return Proposals({"fewer": left_out}, not_tried=(NOT_EXACT,))
        by_kind[kind].append(Candidate(kind, said, asked.called, made[0], files=made[1], price=made[2]))
    return _with_noise(Proposals(by_kind), asked, opened, releases, rho)


def _with_noise(
    others: Proposals,
    asked: ToChange,
    opened: SecretsOpened,
    releases: Sequence[TablesPlan],
    rho: float | None,
) -> Proposals:
    """Add noise, and that of it which has a promise if nothing else is published."""
    taken: dict[str, Path] = {}
    named: dict[str, tuple[TablesPlan, list[str]]] = {}
    for release in releases:
        named[release.name] = release, []
        for path in release.tables:
            name = _name(path, taken)
            taken[name] = path
            named[release.name][1].append(name)
    noisy = NoisyFiles.of(asked, opened, named)
    if isinstance(noisy, str):
        return replace(others, not_tried=(noisy,))
    alone = len(asked.releases) == len(asked.plan.release)
    why_not = () if rho is not None and alone else (NO_GAIN if alone else BESIDE,)
    promise = None if rho is None or not alone else noisy.promised(rho)
    return replace(others, noise=noisy.noisy(), promise=promise, not_tried=why_not)


def _changes() -> Iterator[tuple[ChangeKind, str, str, Change]]:
    """What is done to every count: its kind, in words, as a mechanism, and itself."""
    for base in BASES:
        yield "round", f"round to {base}", f"rounding:base={base},ties=up", _round_to(base)
    for below in BELOW:
        for zeros, words in (("keep", "zeros shown"), ("hide", "zeros too")):
            mechanism = f"suppression:below={below}" + (",zeros=hide" if zeros == "hide" else "")
            yield "hide", f"hide counts below {below} ({words})", mechanism, _hide(below, zeros == "hide")


def _round_to(base: int) -> Change:
    # halves go up, and the plan says so: who attacks the files may know it
    return lambda count: base * ((2 * count + base) // (2 * base))


def _hide(below: int, zeros: bool) -> Change:
    return lambda count: MARK if count < below and (count > 0 or zeros) else count


def _columns(release: TablesPlan, opened: SecretsOpened) -> list[Sequence[Column]]:
    """The public columns as the labels of the tables may write them."""
    return [roster.attributes.columns for roster in rosters_for(release, opened.people, opened.roster)]


def _made(
    asked: ToChange,
    releases: Sequence[TablesPlan],
    columns: dict[str, list[Sequence[Column]]],
    mechanism: str,
    change: Change,
) -> tuple[Any, dict[str, Path], Price] | None:
    """Write all files again; the plan that leads to them, their names and what that costs."""
    folder = asked.folder / f"printed-{len(list(asked.folder.iterdir()))}"
    folder.mkdir()
    data = None if asked.opened is None else asked.opened.data
    secret, total = "" if data is None else data.secret or "", Rewritten((), 0)
    files: dict[str, Path] = {}
    new: dict[str, dict[str, Any]] = {}
    for release in releases:
        places = []
        for path in release.tables:
            name = _name(path, files)
            found = _first(path, folder / name, columns[release.name], secret, change)
            if found is None:
                return None
            total += found
            files[name] = folder / name
            places.append(folder / name)
        new[release.name] = {"tables": places, "mechanism": mechanism}
        new[release.name] |= {} if release.margins is None else {"margins": None}
    errors, cells = np.array(total.errors or (0,)), len(total.errors) + total.hidden
    price = Price(
        hidden=total.hidden / max(cells, 1),
        mean_error=float(errors.mean()),
        worst_error=float(errors.max()),
        lost=0,
    )
    return asked.with_releases(new), files, price


def _first(
    path: Path, out: Path, readings: Sequence[Sequence[Column]], secret: str, change: Change
) -> Rewritten | None:
    """The first reading of the labels under which the file holds counts."""
    for columns in readings:
        try:
            found = rewrite(Path(path), out, columns, secret, change)
        except DaleniusError:  # labels of another reading
            continue
        if found is not None and len(found.errors) + found.hidden:
            return found
    return None


def _name(path: Path, taken: dict[str, Path]) -> str:
    """What a changed file is called beside the new plan."""
    name, number = f"{path.stem}-remedied{path.suffix}", 2
    while name in taken:
        name, number = f"{path.stem}-remedied-{number}{path.suffix}", number + 1
    return name


def _fewer(asked: ToChange, releases: Sequence[TablesPlan]) -> Iterator[Candidate]:
    """Leave single files out, of a release that has several."""
    for release in releases:
        for path in release.tables if len(release.tables) > 1 else ():
            if path.stem in asked.keep or path.name in asked.keep:
                continue
            rest = [each for each in release.tables if each != path]
            plan = asked.with_releases({release.name: {"tables": rest}})
            said = f"leave out {path.name}, of {several(len(release.tables), 'file')}"
            yield Candidate("fewer", said, release.name, plan, lost=1, price=Price(lost=1))
