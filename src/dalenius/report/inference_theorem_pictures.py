"""Pictures of the theorems about related people: bounds, parities, phase transitions, Zeus's family."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalenius.report.picture import BLUE, GREEN, GREY, RED, draw
from dalenius.theory import inference as theory

PURPLE = "#7a4fa3"


def bars(exact: float, bounds: Mapping[str, float], slack: float) -> str:
    """Draw six bounds on nu beside the exact one, in multiples of epsilon."""
    names = ["exact", *sorted(bounds, key=lambda name: bounds[name])]
    values = [exact, *(bounds[name] for name in names[1:])]
    words = {"paper": "Theorem 4.2, as printed", "group": "group privacy", "exact": "exact (Theorem 3.4)"}

    def paint(axes: Any) -> None:
        colours = [RED if name == "exact" else GREY if name in words else BLUE for name in names]
        axes.barh(range(len(names)), values, color=colours, height=0.62)
        for at, value in enumerate(values):
            axes.text(1.04 * value, at, f"{value:.4g}", va="center", fontsize=9)
        axes.set_yticks(range(len(names)), [words.get(name, f"bound {name}") for name in names])
        axes.invert_yaxis()
        axes.set(xscale="log", xlim=(1, 2.2 * max(values)))
        _plain(axes.xaxis)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("nu in multiples of epsilon, child of the root")
        axes.set_title(f"A tree with d tanh J = {1 - slack:g}: how tight the bounds are", fontsize=10)

    return draw(paint, width=7.0, height=3.6)


def parities(size: int, epsilon: float, programs: Sequence[tuple[int, float]]) -> str:
    """Draw the true nu of the parity example against what Equation 6 says, by the number of groups."""
    blocks = np.arange(1, 11)
    true = [theory.nu_of_parity(int(r), size, epsilon) for r in blocks]
    formula = [theory.affiliated_formula_on_parity(int(r), size, epsilon) for r in blocks]

    def paint(axes: Any) -> None:
        axes.plot(blocks, true, color=RED, lw=2, marker="o", ms=4, label="counted parities: (r + 1) epsilon")
        axes.plot(
            *zip(*programs, strict=True),
            "D",
            color=GREEN,
            ms=8,
            mfc="none",
            mew=1.6,
            label="worst mechanism, by linear program",
        )
        axes.plot(
            blocks, formula, color=BLUE, lw=2, marker="o", ms=4, label="Equation 6, which does not apply"
        )
        axes.axhline(epsilon, color=GREY, ls="--", lw=1, label=f"epsilon = {epsilon:g}")
        axes.set(xlim=(0.7, 10.3), ylim=(0, 1.05 * true[-1]))
        axes.set_xticks(blocks)
        axes.set_xlabel(f"groups r of {size} people")
        axes.set_ylabel("nu of the one person")
        axes.set_title("Any two bits are independent, yet every group adds epsilon", fontsize=10)
        axes.legend(frameon=False, fontsize=9, loc="upper left")

    return draw(paint)


def transition(degree: int, weak: float, strong: float) -> str:
    """Draw nu in all trees of a degree against epsilon, for agreements below and above the critical one."""
    epsilon = np.geomspace(1e-4, 1, 81)
    critical = math.atanh(1 / (degree - 1))
    shown = ((strong, RED, "-"), (critical, PURPLE, "-."), (weak, BLUE, "-"))

    def paint(axes: Any) -> None:
        for J, colour, line in shown:
            nu = [theory.nu_of_bounded_degree(degree, J, float(eps)) for eps in epsilon]
            name = f"J = {J:.4g}" + (", the critical one" if critical == J else "")
            axes.plot(epsilon, nu, color=colour, ls=line, lw=2, label=name)
            floor = theory.least_enforceable_nu(degree, J)
            if floor > 0:
                axes.axhline(floor, color=colour, lw=0.9, ls=":", label=f"never below {floor:.4g}")
        axes.plot(epsilon, epsilon, color=GREY, ls="--", lw=1, label="unrelated: nu = epsilon")
        axes.set(xscale="log", yscale="log", xlim=(epsilon[0], epsilon[-1]))
        _plain(axes.xaxis, axes.yaxis)
        axes.set_xlabel("epsilon of everybody")
        axes.set_ylabel("nu: protected like epsilon =")
        axes.set_title(f"All trees in which nobody has more than {degree} relatives", fontsize=10)
        axes.legend(frameon=False, fontsize=9, loc="lower right")

    return draw(paint)


def jump(children: int, depth: int, coupling: float, field: float, both: tuple[float, float]) -> str:
    """Draw nu of the root of complete trees against epsilon, around the epsilon where it jumps."""
    reach = 3 * (both[1] - both[0])
    epsilon = np.linspace(max(both[0] - reach, 0.0), both[1] + reach, 401)
    depths = sorted({max(1, depth // 3), max(1, 2 * depth // 3), depth})

    def paint(axes: Any) -> None:
        for below, shade in zip(depths, np.linspace(0.35, 1.0, len(depths)), strict=True):
            nu = [theory.nu_of_root(children, below, coupling, float(eps), field) for eps in epsilon]
            people = sum(children**generation for generation in range(below + 1))
            axes.plot(
                epsilon, nu, color=RED, alpha=shade, lw=2, label=f"{below} generations, {people:,} people"
            )
        axes.plot(epsilon, epsilon, color=GREY, ls="--", lw=1, label="unrelated: nu = epsilon")
        for eps in both:
            nu_there = theory.nu_of_root(children, depth, coupling, eps, field)
            axes.plot([eps], [nu_there], "o", color=BLUE, ms=6, zorder=3)
            left = eps == both[0]
            axes.annotate(
                f"epsilon {eps:g}: nu {nu_there:.3g}",
                (eps, nu_there),
                xytext=(-8 if left else 8, 10 if left else -14),
                textcoords="offset points",
                ha="right" if left else "left",
                color=BLUE,
                fontsize=9,
            )
        axes.set(yscale="log", xlim=(epsilon[0], epsilon[-1]))
        _plain(axes.yaxis)
        axes.set_xlabel("epsilon of everybody")
        axes.set_ylabel("nu of the root: protected like epsilon =")
        axes.set_title(f"{_children(children)} each, J = {coupling:g}, field {field:g}", fontsize=10)
        axes.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2)

    return draw(paint)


def by_depth(children: int, depth: int, agreement: float, epsilon: float) -> str:
    """Draw nu of Zeus by how many generations of descendants are in the data, for several agreements."""
    steps = np.arange(depth + 1)
    critical = (1 + 1 / children) / 2
    # one agreement on the other side of the critical one, as far from it
    other = min(max(2 * critical - agreement, 0.51), 0.99)
    shown = {agreement: RED if agreement > critical else BLUE, other: BLUE if agreement > critical else RED}

    def paint(axes: Any) -> None:
        for p, colour in sorted(shown.items(), reverse=True):
            J = theory.coupling_of(p)
            nu = [theory.nu_of_root(children, int(k), J, epsilon) for k in steps]
            spread = children * (2 * p - 1)
            axes.plot(
                steps,
                nu,
                color=colour,
                lw=2,
                marker="o",
                ms=4,
                label=f"agreement {p:.4g}: d (2p - 1) = {spread:.3g}",
            )
        J = theory.coupling_of(critical) if critical < 1 else math.inf
        if math.isfinite(J):
            nu = [theory.nu_of_root(children, int(k), J, epsilon) for k in steps]
            axes.plot(
                steps, nu, color=PURPLE, lw=1.4, ls="-.", label=f"agreement {critical:.4g}, the critical one"
            )
        axes.axhline(epsilon, color=GREY, ls="--", lw=1, label=f"unrelated: nu = epsilon = {epsilon:g}")
        axes.set(xlim=(-0.02 * depth, 1.02 * depth), ylim=(0, None))
        axes.set_xlabel("generations of descendants in the data")
        axes.set_ylabel("nu of Zeus: protected like epsilon =")
        axes.set_title(f"{_children(children)} each: close relatives, or the dragnet", fontsize=10)
        axes.legend(frameon=False, fontsize=9, loc="upper left")

    return draw(paint)


def by_position(nu: Sequence[float], children: int, agreement: float, epsilon: float) -> str:
    """Draw nu by generation in one family: Zeus, those in between, the last."""

    def paint(axes: Any) -> None:
        steps = np.arange(len(nu))
        axes.bar(steps, nu, color=BLUE, width=0.62)
        for at, value in zip(steps, nu, strict=True):
            axes.text(at, value, f"{value:.3g}", ha="center", va="bottom", fontsize=9)
        axes.axhline(epsilon, color=GREY, ls="--", lw=1, label=f"unrelated: nu = epsilon = {epsilon:g}")
        counts = [children ** int(step) for step in steps]
        axes.set_xticks(steps, [f"{k or 'Zeus'}\n({c:,})" for k, c in zip(steps, counts, strict=True)])
        axes.set_ylim(0, 1.22 * max(nu))
        axes.set_xlabel("generation below Zeus (people in it)")
        axes.set_ylabel("nu: protected like epsilon =")
        axes.set_title(
            f"{_children(children)} each, agreement {agreement:g}: inner people are worse off", fontsize=10
        )
        axes.legend(frameon=False, fontsize=9, loc="upper right")

    return draw(paint, width=max(6.4, 0.7 * len(nu)))


def _children(number: int) -> str:
    return "1 child" if number == 1 else f"{number} children"


def _plain(*logarithmic: Any) -> None:
    """Write 0.1, 1, 10 instead of powers of ten."""
    from matplotlib.ticker import FuncFormatter

    for axis in logarithmic:
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
