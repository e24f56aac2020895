"""Tables of shares: of rows, columns or everybody, normalised by pandas or in a workbook, of a sample."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from validation.printed_people import ILL, Frame, Printed, Rng, as_text, cross_flat, write
from validation.printed_protections import PROTECTIONS, same_totals


def percent_cells(people: Frame, folder: Path, rng: Rng) -> Printed:
    """A workbook whose cells are fractions shown as percentages, stored rounded or not."""
    from openpyxl import Workbook

    full = cross_flat(people, rng, margins=rng.random() < 0.5)
    kind = str(rng.choice(["exact", "rounded", "noisy"]))
    done = PROTECTIONS[kind](full.to_numpy(np.float64), rng)
    shares = done.counts / full.to_numpy(np.float64).sum(axis=1, keepdims=True)
    if rng.random() < 0.5:
        shares = np.round(shares, int(rng.integers(2, 6)))
    book = Workbook()
    sheet = book.active
    sheet.append([*full.index.names, *full.columns])
    for labels, row in zip(full.index, shares, strict=True):
        sheet.append([*(labels if isinstance(labels, tuple) else (labels,)), *map(float, row)])
    for cells in sheet.iter_rows(min_row=2, min_col=full.index.nlevels + 1):
        for cell in cells:
            cell.number_format = "0.0%"
    path = folder / "t.xlsx"
    book.save(path)
    return Printed(f"percent cells, {kind}", [path], {"mechanism": done.mechanism})


def show_share(rng: Rng, per: float) -> tuple[Callable[[float], str], dict[str, Any], str]:
    """A way to print shares: how, what is said of it, and what stands between cells."""
    digits = int(rng.integers(0, 4)) + (2 if per == 1 else 0)
    form = str(rng.choice(["fixed", "significant", "short"]))
    signed = per == 100 and rng.random() < 0.5
    comma = rng.random() < 0.2
    cut = rng.random() < 0.2

    def show(x: float) -> str:
        if np.isnan(x):
            return ""
        if cut:
            x = float(np.trunc(x * 10**digits + 1e-9)) / 10**digits
        text = f"{x:.{digits}f}"
        if form == "significant" and not cut:
            text = f"{x:.{digits + 1}g}"
        elif form == "short":
            text = repr(float(np.round(x, digits)))
        return (text.replace(".", ",") if comma else text) + "%" * signed

    word = {1.0: "fraction", 100.0: "percent"}.get(per, f"per:{per:g}")
    said = {} if signed else {"numbers": word}
    if rng.random() < 0.5:
        said["digits"] = "truncated" if cut else "rounded"
    return show, said, ";" if comma else ","


def shares_table(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Shares of rows, columns or all, of counts that something was done to, and so divided."""
    kind = str(rng.choice(list(PROTECTIONS)))
    of = str(rng.choice(["row", "row", "row", "column", "all"]))
    if of == "column" and kind == "noisy":
        of = "row"
    full = cross_flat(people, rng, margins=of == "row" and rng.random() < 0.4)
    true = full.to_numpy(np.float64)
    done = PROTECTIONS[kind](true, rng)
    axis = {"row": 1, "column": 0, "all": None}[of]
    totals = np.asarray(true.sum(axis=axis, keepdims=True), np.float64)
    by = str(rng.choice(["true", "protected", "sum"]))
    if by == "sum":
        totals = np.asarray(np.nansum(done.counts, axis=axis, keepdims=True), np.float64)
    elif by == "protected" and kind == "rounded":
        totals = same_totals(done.mechanism, totals)
    per = float(rng.choice([1.0, 100.0, 100.0, 1000.0]))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(totals == 0, np.nan, per * done.counts / totals)
    show, options, mark = show_share(rng, per)
    options = {"mechanism": done.mechanism, **options}
    if of != "row" or rng.random() < 0.5:
        options["of"] = of
    text = as_text(Frame(shares, full.index, full.columns), show)
    if of == "row" and len(text.columns) == 2 and rng.random() < 0.2:
        text = text[[text.columns[-1]]]
    path = write(text, folder, "t", rng, mark)
    return Printed(f"shares, {kind}, of {of}", [path], options)


def normalised(people: Frame, folder: Path, rng: Rng) -> Printed:
    """What pandas itself prints when asked to normalise."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    down = list(rng.permutation(names))[: int(rng.integers(1, len(names) + 1))]
    how, of = [("index", "row"), ("columns", "column"), ("all", "all")][int(rng.integers(3))]
    margins = len(down) == 1 and rng.random() < 0.5
    full = pd.crosstab([people[name] for name in down], people[ILL], normalize=how, margins=margins)
    per = float(rng.choice([1.0, 100.0]))
    if rng.random() < 0.7:
        full = (per * full).round(int(rng.integers(1, 5)) + (2 if per == 1 else 0))
    else:
        full = per * full
    options = {"mechanism": "exact", "numbers": "fraction" if per == 1 else "percent"}
    if of != "row" or rng.random() < 0.5:
        options["of"] = of
    path = folder / "t.csv"
    full.to_csv(path)
    return Printed(f"normalised by {how}", [path], options)


def sample(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Counts or shares of a random part of the people."""
    rate = float(rng.choice([0.5, 0.8]))
    part = people[rng.random(len(people)) < rate]
    options: dict[str, Any] = {"mechanism": f"subsample:rate={rate:g}", "numbers": "counts"}
    if part.empty:
        part = people.iloc[:1]
    names = [name for name in people.columns if name not in ("id", ILL)]
    column = str(rng.choice(names))
    full = pd.crosstab(part[column], part[ILL]).reindex(sorted(set(people[column])), fill_value=0)
    for value in sorted(set(people[ILL])):
        if value not in full:
            full[value] = 0
    full.columns.name = ILL
    if rng.random() < 0.6:
        full = (100 * full.div(full.sum(axis=1), axis=0)).round(1)
        options["numbers"] = "percent"
    path = folder / "t.csv"
    full.to_csv(path)
    return Printed("sample", [path], options)


def columns_under_levels(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Values of the secret under the levels of another column, each column normalised by itself."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    if len(names) < 2:
        return normalised(people, folder, rng)
    down, above = list(rng.permutation(names))[:2]
    full = pd.crosstab(people[down], [people[above], people[ILL]])
    kind = str(rng.choice(["exact", "rounded", "hidden"]))
    done = PROTECTIONS[kind](full.to_numpy(np.float64), rng)
    totals = full.to_numpy(np.float64).sum(axis=0, keepdims=True)
    if rng.random() < 0.5:
        totals = np.nansum(done.counts, axis=0, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(totals == 0, np.nan, 100 * done.counts / totals)
    sign = "%" * bool(rng.random() < 0.5)
    text = as_text(Frame(shares, full.index, full.columns), lambda x: "" if np.isnan(x) else f"{x:.1f}{sign}")
    options: dict[str, Any] = {"mechanism": done.mechanism, "of": "column"}
    if not sign:
        options["numbers"] = "percent"
    path = folder / "t.csv"
    text.to_csv(path)
    return Printed(f"columns under levels, {kind}", [path], options)


def pairs(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Counts with their shares in brackets, as 12 (3.4%)."""
    kind = str(rng.choice(["exact", "rounded", "hidden"]))
    full = cross_flat(people, rng, margins=False)
    true = full.to_numpy(np.float64)
    done = PROTECTIONS[kind](true, rng)
    axis = int(rng.random() < 0.7)
    totals = true.sum(axis=axis, keepdims=True)
    digits = int(rng.integers(0, 3))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = 100 * done.counts / totals
    texts = [
        ["* (*)" if np.isnan(n) else f"{n:.0f} ({share:.{digits}f}%)" for n, share in zip(*row, strict=True)]
        for row in zip(done.counts, shares, strict=True)
    ]
    options: dict[str, Any] = {"mechanism": done.mechanism}
    if axis == 0 or rng.random() < 0.5:
        options["of"] = "row" if axis else "column"
    path = write(Frame(texts, full.index, full.columns), folder, "t", rng)
    return Printed(f"counts with shares, {kind}", [path], options)
