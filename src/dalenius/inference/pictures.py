"""Pictures of related people: the network by nu, nu against epsilon, nu by generation, beliefs."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from dalenius.inference.answers.bounded_degree import CurveOfTrees
from dalenius.inference.layout import place
from dalenius.report.picture import BLUE, GREEN, GREY, PURPLE, RED, draw
from dalenius.shown import people

Floats = NDArray[np.float64]

SHOWN = 300
"""People up to which a whole network is drawn; of a larger one only those around the worst-off."""

ALIKE = 0.02
"""Beliefs that differ by less are drawn as one."""

DOTS = 3000
"""People drawn of those whom beliefs are about."""

SAMPLE = 400
"""People drawn of a generation."""

LINE = 80
"""Letters of a title that fit in one line, in any reader's font."""

_CROWD = 12
"""People with nearly the same nu that take up the width of a generation."""

_LINES = ((RED, "-"), (BLUE, (0, (6, 1.5))), (PURPLE, (0, (3, 1, 1, 1))))
"""Of people whose nu is drawn: told apart without their colours, too."""

_SHADES = "YlOrRd"


def network(edges: NDArray[np.int64], nu: Floats, epsilon: Floats, *, exact: bool = True) -> str:
    """Draw people and links, the darker the worse off; nobody is named.

    Of a network too large to read only the neighbourhood of the worst-off is drawn, and the title says so.
    Where some nu are bounds rather than ``exact``, the scale says so.
    """
    like = "like" if exact else "at least like"
    shown = around_worst(edges, nu)
    inside = np.full(nu.size, -1, np.int64)
    inside[shown] = np.arange(shown.size)
    kept = inside[edges]
    kept = kept[(kept >= 0).all(axis=1)]
    spots = place(shown.size, kept)
    lowest, worst = float(min(epsilon.min(), nu.min())), float(nu.max())

    def paint(axes: Any) -> None:
        from matplotlib.collections import LineCollection

        size = float(np.clip(2600 / shown.size, 14, 190))
        axes.add_collection(LineCollection(list(spots[kept]), colors="#b9b9b9", linewidths=0.9, zorder=1))
        order = np.argsort(nu[shown])  # the worst-off on top
        dots = axes.scatter(
            *spots[order].T,
            c=nu[shown][order],
            s=size,
            cmap=_SHADES,
            vmin=lowest - 0.15 * (worst - lowest or 1),
            vmax=worst,
            edgecolors="#4a4a4a",
            linewidths=0.5,
            zorder=2,
        )
        top, ring = spots[int(nu[shown].argmax())], f"the worst-off, {like} epsilon = {worst:.3g}"
        around = {"facecolors": "none", "edgecolors": BLUE, "linewidths": 1.8, "clip_on": False}
        axes.scatter(*top, s=2.6 * size, zorder=3, label=ring, **around)
        axes.figure.legend(frameon=False, fontsize=9, loc="outside lower left", markerscale=0.8)
        if lowest < worst:
            # a bar moves the drawing to its side of the page unless told not to
            bar = axes.figure.colorbar(dots, ax=axes, shrink=0.75, pad=0.01, panchor=False)
            bar.set_label(f"protected {like} epsilon =")
            bar.outline.set_visible(False)
            bar.ax.set_ylim(lowest, worst)
        axes.set_aspect("equal")
        axes.margins(0.05)
        axes.axis("off")
        title = _network_title(shown.size, len(kept), nu.size, epsilon)
        axes.figure.suptitle(fill(title, LINE), x=0.02, ha="left", fontsize=10)

    return draw(paint, width=8.0, height=5.0)


def _network_title(shown: int, links: int, everybody: int, epsilon: Floats) -> str:
    low, high = float(epsilon.min()), float(epsilon.max())
    released = f"epsilon = {low:.3g}" if low == high else f"epsilon = {low:.3g} to {high:.3g}"
    if shown == everybody:
        return f"{people_and_links(everybody, links)}, released with {released}"
    return f"The {shown:,} of {everybody:,} people around the worst-off, released with {released}"


def people_and_links(everybody: int, links: int) -> str:
    """So many people and links, for a title.

    Examples
    --------
    >>> people_and_links(2_000, 1)
    '2,000 people, 1 link'
    """
    return f"{people(everybody)}, {'1 link' if links == 1 else f'{links:,} links'}"


def around_worst(edges: NDArray[np.int64], nu: Floats, limit: int = SHOWN) -> NDArray[np.int64]:
    """Return everybody, or of many the worst-off and those nearest to them, as positions.

    Examples
    --------
    >>> around_worst(np.array([[0, 1], [1, 2], [2, 3]]), np.array([1.0, 2.0, 3.0, 9.0]), limit=3)
    array([1, 2, 3])
    """
    from scipy.sparse import coo_array

    n = nu.size
    if n <= limit:
        return np.arange(n)
    both = np.concatenate([edges, edges[:, ::-1]])
    links = coo_array((np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(n, n)).tocsr()
    chosen: list[int] = []
    seen: set[int] = set()
    for start in np.argsort(-nu, kind="stable"):
        waiting = [int(start)] if int(start) not in seen else []
        while waiting and len(seen) < limit:
            nxt: list[int] = []
            for v in waiting:
                if v in seen or len(seen) >= limit:
                    continue
                seen.add(v)
                chosen.append(v)
                nxt.extend(int(w) for w in links.indices[links.indptr[v] : links.indptr[v + 1]])
            waiting = nxt
        if len(seen) >= limit:
            break
    return np.sort(np.array(chosen, np.int64))


def nu_epsilon(
    epsilon: Floats,
    curves: Mapping[str, Floats],
    *,
    trees: CurveOfTrees | None = None,
    target: float | None = None,
    chosen: float | None = None,
    title: str = "",
) -> str:
    """Draw nu against epsilon for some people, beside unrelated ones and trees of the same agreement.

    Parameters
    ----------
    epsilon
        The epsilons, above 0.
    curves
        nu at each of them, by whom it is about.
    trees
        nu in all trees of a degree.
    target, chosen
        A nu to be kept, and the epsilon that was given or found.
    """

    def paint(axes: Any) -> None:
        axes.plot(epsilon, epsilon, color=GREY, ls="--", lw=1, label="unrelated: nu = epsilon")
        for (colour, dash), (name, values) in zip(_LINES, curves.items(), strict=False):
            axes.plot(epsilon, values, color=colour, ls=dash, lw=2, label=name)
        if trees is not None:
            axes.plot(epsilon, trees.nu, color=GREEN, lw=1.6, ls="-.", label=trees.name)
        if trees is not None and trees.floor > 0:
            under = f"no epsilon gets all trees under {trees.floor:.3g}"
            axes.axhline(trees.floor, color=GREEN, lw=0.9, ls=":", label=under)
        if target is not None:
            axes.axhline(target, color="black", lw=0.9, label=f"target nu = {target:.3g}")
        if chosen is not None:
            axes.axvline(chosen, color="black", lw=0.9, ls=(0, (1, 2)), label=f"epsilon = {chosen:.3g}")
        axes.set(xscale="log", yscale="log", xlim=(epsilon[0], epsilon[-1]))
        _plain_ticks(axes)
        axes.set_xlabel("epsilon of the release")
        axes.set_ylabel("nu (equivalent epsilon)")
        axes.set_title(title, fontsize=10)
        _legend_at_the_right(axes)

    return draw(paint, width=8.6, height=4.6)


def generations(generation: NDArray[np.int64], nu: Floats, epsilon: Floats) -> str:
    """Draw nu by generation, founders first, with the middle of each; nobody is named.

    Of a large generation a sample is drawn, the title says so, and its best-off and worst-off are in it.
    """
    steps = np.unique(generation)
    of_step = [np.sort(nu[generation == step]) for step in steps]
    middles = [float(np.median(values)) for values in of_step]
    title = f"{people(nu.size)} by generation"
    if max(values.size for values in of_step) > SAMPLE:
        title += f"; a sample: up to {SAMPLE} of each are drawn, always the worst-off and the best-off"

    def paint(axes: Any) -> None:
        for step, values, middle in zip(steps, map(evenly, of_step), middles, strict=True):
            axes.plot([step - 0.32, step + 0.32], [middle, middle], color=RED, lw=2, zorder=2)
            axes.scatter(step + _swarm(values), values, s=13, color=BLUE, alpha=0.6, linewidths=0, zorder=3)
        axes.plot(steps, middles, color=RED, lw=0.8, alpha=0.6, zorder=1, label="middle of a generation")
        released = float(np.median(epsilon))
        axes.axhline(released, color=GREY, ls="--", lw=1, label=f"unrelated: nu = epsilon = {released:.3g}")
        axes.set_xticks(steps, [f"{step}\n({of.size:,})" for step, of in zip(steps, of_step, strict=True)])
        axes.set_ylim(0, 1.05 * float(nu.max()))
        axes.set_xlabel("generation, counted from the founders (people in it)")
        axes.set_ylabel("nu (equivalent epsilon)")
        axes.set_title(fill(title, LINE), fontsize=10, loc="left")
        axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=2)

    return draw(paint, width=7.0, height=4.4)


def evenly(ordered: Floats, limit: int = SAMPLE) -> Floats:
    """Return all of few numbers; of many some at even ranks, the first and the last among them.

    Examples
    --------
    >>> evenly(np.arange(10.0), limit=4)
    array([0., 3., 6., 9.])
    """
    if ordered.size <= limit:
        return ordered
    return np.asarray(ordered[np.linspace(0, ordered.size - 1, limit).round().astype(np.intp)])


def _swarm(values: Floats) -> Floats:
    """Offsets that spread out people with nearly the same nu, wider where there are more."""
    place = np.zeros(values.size)
    step = max(float(np.ptp(values)), 1e-9) / 40
    bins = ((values - values.min()) / step).astype(np.int64)
    fullest = max(_CROWD, int(np.bincount(bins).max()))
    for each in np.unique(bins):
        (inside,) = np.nonzero(bins == each)
        spread = 0.3 * inside.size / fullest
        place[inside] = np.linspace(-spread, spread, inside.size) if inside.size > 1 else 0.0
    return place


def beliefs(before: Floats, after: Floats, nu: Floats | None = None) -> str:
    """Draw what is believed of people after a release, against before and within what nu allows."""
    if np.ptp(before) < ALIKE:
        return _from_one_belief(float(before.mean()), after, nu)
    step = -(-before.size // DOTS)
    some = "" if step == 1 else f", one in {step:,} drawn"

    def paint(axes: Any) -> None:
        if nu is not None:
            grid, most = np.linspace(0.001, 0.999, 400), float(nu.max())
            low, high = _moved(grid, most)
            axes.fill_between(grid, low, high, color=GREEN, alpha=0.1, lw=0, label=f"within nu = {most:.3g}")
        axes.plot([0, 1], [0, 1], color=GREY, ls="--", lw=1, label="nothing learned")
        dots = {"s": 16, "color": BLUE, "alpha": 0.5, "linewidths": 0, "zorder": 3}
        axes.scatter(before[::step], after[::step], label="people", **dots)
        axes.set(xlim=(0, 1), ylim=(0, 1))
        axes.set_aspect("equal")
        axes.set_xlabel("probability of 1, before the release")
        axes.set_ylabel("probability of 1, after it")
        axes.set_title(f"{people(before.size)}{some}", fontsize=10)
        axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3)

    return draw(paint, width=5.4, height=5.2)


def _from_one_belief(before: float, after: Floats, nu: Floats | None) -> str:
    """Where everybody was believed the same: how many are believed what now."""

    def paint(axes: Any) -> None:
        if nu is not None:
            most = float(nu.max())
            low, high = (float(end[0]) for end in _moved(np.array([before]), most))
            axes.axvspan(low, high, color=GREEN, alpha=0.1, lw=0, label=f"within nu = {most:.3g}")
        axes.hist(
            after, bins=np.linspace(0, 1, 51), color=BLUE, alpha=0.75, label="people, after the release"
        )
        axes.axvline(before, color=GREY, ls="--", lw=1.2, label="everybody, before the release")
        axes.set(xlim=(0, 1))
        axes.set_xlabel("probability of 1")
        axes.set_ylabel("people")
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set_title(people(after.size), fontsize=10)
        _legend_at_the_right(axes)

    return draw(paint, width=7.6, height=4.0)


def _moved(probability: Floats, nu: float) -> tuple[Floats, Floats]:
    """Where odds end up that move by a factor of e^nu to either side."""
    odds = logit(probability)
    return expit(odds - nu), expit(odds + nu)


def _legend_at_the_right(axes: Any) -> None:
    """Beside the drawing, with room for a reader whose font is wider."""
    axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5), borderpad=1.5)


def _plain_ticks(axes: Any) -> None:
    """Write 0.1, 0.2, 0.5 instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
