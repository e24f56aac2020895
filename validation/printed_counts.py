"""Tables of counts as pandas makes them: crossed, long, pivoted, with margins of every kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from validation.printed_people import (
    ILL,
    Frame,
    Printed,
    Rng,
    as_text,
    cross,
    is_body,
    value_of,
    write,
)
from validation.printed_protections import PROTECTIONS, mark_of, whole


def sum_margins(body: Frame) -> Frame:
    """Add totals of what is printed, as a spreadsheet does after rounding."""
    full = body.copy()
    full[("All", *[""] * (body.columns.nlevels - 1)) if body.columns.nlevels > 1 else "All"] = body.sum(
        axis=1
    )
    name: Any = ("All", *[""] * (body.index.nlevels - 1)) if body.index.nlevels > 1 else "All"
    full.loc[name, :] = full.sum(axis=0)
    return full


def counts_table(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Counts, with margins that were protected themselves, are sums, or have a rule of their own."""
    kind = str(rng.choice(list(PROTECTIONS)))
    margins = str(rng.choice(["none", "same", "sums", "own"]))
    full = cross(people, rng, margins in ("same", "own"))
    if full.columns.nlevels == 1 and full.index.nlevels == 1 and rng.random() < 0.2:
        full = full.T
    return protect_table(people, full, kind, margins, folder, rng, "t")


def two_tables(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Two tables, the same done to both."""
    kind = str(rng.choice(["exact", "rounded", "hidden", "cut", "bounded", "noisy"]))
    margins, seed = str(rng.choice(["none", "same", "sums"])), int(rng.integers(1, 1 << 30))
    made = [
        protect_table(people, cross(people, rng, margins == "same"), kind, margins, folder, rng, name, seed)
        for name in ("t", "u")
    ]
    options = {key: value for part in made for key, value in part.options.items()}
    return Printed(f"two tables, {kind}", [part.files[0] for part in made], options)


def protect_table(
    people: Frame, full: Frame, kind: str, margins: str, folder: Path, rng: Rng, name: str, seed: int = 0
) -> Printed:
    """Do something to the counts of a table and print it."""
    true = full.to_numpy(np.float64)
    done = PROTECTIONS[kind](true, np.random.default_rng(seed) if seed else rng)
    options: dict[str, Any] = {"mechanism": done.mechanism}
    numbers = done.counts
    if margins == "own":
        inner = np.array([[is_body(r) and is_body(c) for c in full.columns] for r in full.index])
        other = PROTECTIONS[str(rng.choice(["exact", "rounded", "hidden"]))](true, rng)
        numbers = np.where(inner, numbers, other.counts)
        options["margins"] = other.mechanism
    mark = mark_of(done.mechanism, rng)
    if options.get("margins", "").startswith("suppression") or "suppression" not in done.mechanism:
        mark = str(rng.choice(["*", "c"]))
    digits = 0 if whole(numbers) or rng.random() < 0.5 else int(rng.integers(1, 4))
    table = Frame(numbers, full.index, full.columns)
    if margins == "sums":
        table = sum_margins(table)
        if rng.random() < 0.3:
            options["margins"] = "none"
    seen = [c for c in table.columns if value_of(c) not in ("no", "none")]
    lone = table.columns.nlevels == 1 and table.columns.name == ILL and not seed
    if lone and any(c != "All" for c in seen) and rng.random() < 0.2:
        table = table[seen]
        options["values"] = tuple(sorted(set(people[ILL]) | {"no", "none"} & set(full.columns)))
        if len(options["values"]) == 1:
            del options["values"]
    text = as_text(table, lambda x: mark if np.isnan(x) else f"{x:.{digits}f}")
    if digits:
        options["numbers"] = "counts"
    return Printed(f"counts, {kind}, margins {margins}", [write(text, folder, name, rng)], options)


def subtotals(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Two columns down, with a total under each level of the outer one, and one under all."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    if len(names) < 2:
        return counts_table(people, folder, rng)
    down = list(rng.permutation(names))[:2]
    body = pd.crosstab([people[name] for name in down], people[ILL])
    kind, own = str(rng.choice(["exact", "rounded", "cut"])), rng.random() < 0.5
    seed, options = int(rng.integers(1 << 30)), dict[str, Any]()

    def protect(frame: Frame) -> Frame:
        done = PROTECTIONS[kind](frame.to_numpy(np.float64), np.random.default_rng(seed))
        options["mechanism"] = done.mechanism
        return Frame(done.counts, frame.index, frame.columns)

    def total(frame: Frame, label: str) -> Frame:
        row = frame.sum().to_frame().T
        row.index = pd.MultiIndex.from_tuples([(label, "")], names=down)
        return protect(row) if own else row

    printed, parts = protect(body), []
    of = body if own else printed
    for level, group in printed.groupby(level=0):
        parts += [group, total(of.loc[[level]], f"{level} Total")]
    table = pd.concat([*parts, total(of, "Total")])
    path = folder / "t.csv"
    as_text(table, lambda x: f"{x:.0f}").to_csv(path)
    return Printed(f"subtotals, {kind}", [path], options)


def cases_beside_people(people: Frame, folder: Path, rng: Rng) -> Printed:
    """How many people there are, how many cases among them, and perhaps the share."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    down = list(rng.permutation(names))[: int(rng.integers(1, len(names) + 1))]
    value = people[ILL].iloc[0]
    groups = people.assign(case=people[ILL] == value).groupby(down)["case"]
    table = Frame({str(rng.choice(["n", "N", "population"])): groups.size(), value: groups.sum()})
    if rng.random() < 0.5:
        per, word = [(100.0, "%"), (1000.0, "rate per 1000")][int(rng.integers(2))]
        table[word] = (per * groups.mean()).round(int(rng.integers(0, 3)))
    path = folder / "t.csv"
    table.to_csv(path)
    return Printed("cases beside people", [path], {"mechanism": "exact", "secret": None})


def long_table(people: Frame, folder: Path, rng: Rng) -> Printed:
    """One line a cell, by ``groupby``: what does not occur is not printed."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    down = list(rng.permutation(names))[: int(rng.integers(1, len(names) + 1))]
    sizes = people.groupby([*down, ILL]).size()
    kind = str(rng.choice(["exact", "rounded", "cut", "noisy"]))
    done = PROTECTIONS[kind](sizes.to_numpy(np.float64), rng)
    table = sizes.reset_index(name="count")
    table["count"] = [f"{x:.0f}" if whole(done.counts) else f"{x:.2f}" for x in done.counts]
    path = folder / "t.csv"
    table.to_csv(path, index=False)
    numbers = None if whole(done.counts) else "counts"
    return Printed(f"long, {kind}", [path], {"mechanism": done.mechanism, "numbers": numbers})


def pivoted(people: Frame, folder: Path, rng: Rng) -> Printed:
    """A pivot table: combinations that do not occur are left empty; small counts may be hidden."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    down = list(rng.permutation(names))[: int(rng.integers(1, len(names) + 1))]
    margins = rng.random() < 0.5
    table = people.pivot_table(
        index=down, columns=ILL, values="id", aggfunc="count", margins=margins, margins_name="Total"
    )
    mechanism, below = "exact", int(rng.choice([3, 5]))
    if rng.random() < 0.5:
        mechanism = f"suppression:below={below}"
        mark = str(rng.choice(["*", "", f"<{below}"]))
        text = table.map(lambda x: "" if np.isnan(x) else mark if x < below else f"{x:.0f}")
    else:
        text = table.map(lambda x: "" if np.isnan(x) else f"{x:.0f}")
    path = folder / "t.csv"
    text.to_csv(path)
    return Printed("pivot table", [path], {"mechanism": mechanism})
