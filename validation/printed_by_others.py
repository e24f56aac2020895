"""Tables as other tools print them, under true and false statements of what was done to their counts.

pandas counts (``crosstab``, ``pivot_table``, ``groupby``), numpy rounds and hides, pandas or openpyxl writes.
What is stated of a table is true unless it says otherwise; nothing here comes from dalenius but the words of
its mechanisms.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Frame = pd.DataFrame
Rng = np.random.Generator

ILL = "ill"
LEVELS = {
    "sex": ["f", "m"],
    "town": ["Aarau", "Bern", "Chur"],
    "work": ["x", "y"],
    "age": ["20-29", "30-39", "40+"],
    "smoker": ["no", "yes"],
}
VALUES = (["no", "yes"], ["no", "yes"], ["flu", "none", "other"])


@dataclass(frozen=True)
class Protected:
    """What was done to counts: the numbers, not a number where hidden, and how it is truly stated."""

    counts: Floats
    mechanism: str


@dataclass
class Printed:
    """What was published: the files, the options that state it, and whether they are true."""

    kind: str
    files: list[Path]
    options: dict[str, Any] = field(default_factory=dict)
    true: bool = True


def draw_people(rng: Rng) -> Frame:
    """A few people with some public columns and a secret, common or rare."""
    n = int(rng.integers(5, 41))
    names = list(rng.choice(list(LEVELS), int(rng.integers(1, 5)), replace=False))
    people = Frame({"id": [f"p{i}" for i in range(n)]})
    for name in names:
        people[name] = rng.choice(LEVELS[name], n)
    values = VALUES[int(rng.integers(len(VALUES)))]
    chances = rng.dirichlet(np.full(len(values), rng.choice([0.4, 1.0, 3.0])))
    people[ILL] = rng.choice(values, n, p=chances)
    return people


def exact(counts: Floats, rng: Rng) -> Protected:
    """The true counts."""
    return Protected(counts, "exact")


def rounded(counts: Floats, rng: Rng) -> Protected:
    """To the nearest multiple by numpy or pandas (ties to even), or by a spreadsheet (away from zero)."""
    base = int(rng.choice([2, 3, 4, 5, 10]))
    if rng.random() < 0.5:
        said = rng.choice(["", ",ties=even", ",ties=unknown"])
        return Protected(np.round(counts / base) * base, f"rounding:base={base}{said}")
    said = rng.choice(["", ",ties=up", ",ties=away"])
    return Protected(np.floor(counts / base + 0.5) * base, f"rounding:base={base}{said}")


def cut(counts: Floats, rng: Rng) -> Protected:
    """Down, up, or to either multiple by chance."""
    base, how = int(rng.choice([3, 5, 10])), str(rng.choice(["down", "up", "random"]))
    down: Floats = np.floor(counts / base) * base
    up: Floats = np.ceil(counts / base) * base
    chance = rng.random(counts.shape) * base < counts - down
    numbers = {"down": down, "up": up, "random": np.where(chance, up, down)}[how]
    return Protected(numbers, f"rounding:base={base},how={how}")


def hidden(counts: Floats, rng: Rng) -> Protected:
    """Small counts hidden, with or without zeros, and sometimes others to protect them."""
    below = int(rng.choice([3, 5, 10]))
    zeros, more = rng.random() < 0.4, rng.random() < 0.3
    small = (counts < below) & (zeros | (counts > 0))
    if more:
        small |= rng.random(counts.shape) < 0.3
    text = f"suppression:below={below}" + ",zeros=hide" * zeros + ",complementary=yes" * more
    return Protected(np.where(small, np.nan, counts), text)


def hidden_and_rounded(counts: Floats, rng: Rng) -> Protected:
    """Both, in either order."""
    first, second = (hidden, rounded) if rng.random() < 0.5 else (rounded, hidden)
    before = first(counts, rng)
    after = second(before.counts, rng)
    return Protected(after.counts, f"{before.mechanism} | {after.mechanism}")


def capped(counts: Floats, rng: Rng) -> Protected:
    """Large counts printed as one limit."""
    at = int(rng.integers(2, 12))
    return Protected(np.minimum(counts, at), f"topcode:at={at}")


def wrong_by_a_bound(counts: Floats, rng: Rng) -> Protected:
    """Off by at most so much, as a number with decimals or printed whole."""
    error = float(rng.choice([0.5, 1.0, 1.5, 2.5]))
    return Protected(counts + rng.uniform(-error, error, counts.shape), f"bounded:error={error:g}")


def noisy(counts: Floats, rng: Rng) -> Protected:
    """Random noise, stated or not."""
    sigma = float(rng.choice([0.3, 1.0, 3.0]))
    text = str(rng.choice([f"gaussian:sigma={sigma:g}", "unknown"]))
    return Protected(counts + rng.normal(0, sigma, counts.shape), text)


PROTECTIONS: dict[str, Callable[[Floats, Rng], Protected]] = {
    "exact": exact,
    "rounded": rounded,
    "cut": cut,
    "hidden": hidden,
    "hidden and rounded": hidden_and_rounded,
    "capped": capped,
    "bounded": wrong_by_a_bound,
    "noisy": noisy,
}


def whole(numbers: Floats) -> bool:
    """Whether there are no decimals."""
    seen = numbers[~np.isnan(numbers)]
    return bool(np.array_equal(seen, np.round(seen)))


def cross(people: Frame, rng: Rng, margins: bool) -> Frame:
    """Cross the secret with some columns down and perhaps some across, as pandas does it."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    depth = int(rng.integers(1, len(names) + 1))
    order = list(rng.permutation(names))
    down, across = order[:depth], order[depth : depth + int(rng.integers(0, 3))]
    if rng.random() < 0.6:
        across = []
    index = [people[name] for name in down]
    columns = [people[name] for name in [*across, ILL]]
    return pd.crosstab(index, columns if across else columns[0], margins=margins)


def sum_margins(body: Frame) -> Frame:
    """Add totals of what is printed, as a spreadsheet does after rounding."""
    full = body.copy()
    full[("All", *[""] * (body.columns.nlevels - 1)) if body.columns.nlevels > 1 else "All"] = body.sum(
        axis=1
    )
    name: Any = ("All", *[""] * (body.index.nlevels - 1)) if body.index.nlevels > 1 else "All"
    full.loc[name, :] = full.sum(axis=0)
    return full


def mark_of(mechanism: str, rng: Rng) -> str:
    """What is printed in place of a hidden count."""
    below = mechanism.partition("below=")[2].partition(",")[0].partition(" ")[0]
    marks = ["*", "c", ""] + (
        [f"<{below}"] if "complementary" not in mechanism and "|" not in mechanism else []
    )
    return str(rng.choice(marks))


def as_text(frame: Frame, show: Callable[[float], str]) -> Frame:
    """The table with every number as it is printed."""
    return frame.map(lambda x: show(float(x)) if not isinstance(x, str) else x)


def write(frame: Frame, folder: Path, name: str, rng: Rng, mark: str = ",") -> Path:
    """Write a table as a CSV file or a workbook."""
    if mark == "," and rng.random() < 0.25:
        path = folder / f"{name}.xlsx"
        frame.map(_cell).to_excel(path)
        return path
    path = folder / f"{name}.csv"
    frame.to_csv(path, sep=mark)
    return path


def _cell(text: str) -> Any:
    """A cell of a workbook: whole numbers as numbers, all else as text."""
    return int(text) if text.lstrip("-").isdigit() else text


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
        inner = np.array([[_is_body(r) and _is_body(c) for c in full.columns] for r in full.index])
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
    seen = [c for c in table.columns if _value_of(c) not in ("no", "none")]
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


def _value_of(label: Any) -> str:
    return str(label[-1] if isinstance(label, tuple) else label)


def _is_body(label: Any) -> bool:
    return "All" not in (label if isinstance(label, tuple) else (label,)) and "" not in (
        label if isinstance(label, tuple) else (label,)
    )


def show_share(rng: Rng, per: float) -> tuple[Callable[[float], str], dict[str, Any], str]:
    """A way to print shares: how, what is said of it, and what stands between cells."""
    digits = int(rng.integers(0, 4)) + (2 if per == 1 else 0)
    form = str(rng.choice(["fixed", "significant", "short"]))
    signed = per == 100 and rng.random() < 0.5
    comma = rng.random() < 0.2

    def show(x: float) -> str:
        if np.isnan(x):
            return ""
        text = f"{x:.{digits}f}"
        if form == "significant":
            text = f"{x:.{digits + 1}g}"
        elif form == "short":
            text = repr(float(np.round(x, digits)))
        return (text.replace(".", ",") if comma else text) + "%" * signed

    word = {1.0: "fraction", 100.0: "percent"}.get(per, f"per:{per:g}")
    return show, {} if signed else {"numbers": word}, ";" if comma else ","


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
        totals = _same(done.mechanism, totals)
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


def _same(mechanism: str, totals: Floats) -> Floats:
    """Totals rounded as the counts were."""
    base = int(mechanism.partition("base=")[2].partition(",")[0])
    return np.round(totals / base) * base


def cross_flat(people: Frame, rng: Rng, margins: bool) -> Frame:
    """Cross the secret with some columns, all of them down."""
    names = [name for name in people.columns if name not in ("id", ILL)]
    down = list(rng.permutation(names))[: int(rng.integers(1, len(names) + 1))]
    full = pd.crosstab([people[name] for name in down], people[ILL], margins=margins)
    return full.drop(columns="All") if margins else full


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


MAKERS = (
    (counts_table, 10),
    (two_tables, 3),
    (subtotals, 2),
    (percent_cells, 2),
    (shares_table, 10),
    (normalised, 3),
    (cases_beside_people, 1),
    (long_table, 2),
    (pivoted, 2),
    (sample, 2),
)


def make(people: Frame, folder: Path, rng: Rng) -> Printed:
    """Print one table, sometimes with a second one about the same people made in the same way."""
    weights = np.array([weight for _, weight in MAKERS], np.float64)
    maker = MAKERS[int(rng.choice(len(MAKERS), p=weights / weights.sum()))][0]
    return maker(people, folder, rng)


WRONG = (
    "exact", "rounding:base=3", "rounding:base=5", "rounding:base=10,ties=up", "rounding:base=4,ties=even",
    "rounding:base=5,how=down", "suppression:below=3", "suppression:below=5",
    "suppression:below=10,zeros=hide", "topcode:at=5", "bounded:error=1",
)  # fmt: skip


def misstate(printed: Printed, rng: Rng) -> Printed:
    """State something else of the same table, which may by luck be as good as true."""
    options = dict(printed.options)
    change = str(rng.choice(["mechanism", "mechanism", "margins", "of", "numbers"]))
    if change == "mechanism":
        options["mechanism"] = str(rng.choice([text for text in WRONG if text != options["mechanism"]]))
    elif change == "margins":
        options["margins"] = str(rng.choice(["exact", "rounding:base=5", "suppression:below=5"]))
    elif change == "of":
        options["of"] = str(
            rng.choice([of for of in ("row", "column", "all") if of != options.get("of", "row")])
        )
    else:
        options["numbers"] = str(rng.choice(["counts", "percent", "fraction"]))
    return Printed(f"false {change}", printed.files, options, true=False)
