"""Any small joint distribution: the worst mechanism there is, by a linear program, beside the formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, nearest
from dalenius.inference.answers.measure import bounds_of
from dalenius.inference.attack.affiliation import affiliated, exact_nu
from dalenius.inference.attack.bounds.influence import bounds
from dalenius.inference.attack.worst_mechanism import CELLS, WorstMechanism, worst_case
from dalenius.inference.build import NuOfPeople, PromisedRelease, make_inference_finding
from dalenius.inference.finding import Prior, RelatedFinding, Solved
from dalenius.knowledge.correlation.files.columns import listed
from dalenius.knowledge.correlation.joint import JointPrior
from dalenius.progress import Progress, silent
from dalenius.shown import hides_people, several

Floats = NDArray[np.float64]

MOST_EPSILON = 100.0
"""The linear program has e to this power among its coefficients."""


@hides_people()
@dataclass(frozen=True)
class JointMeasured:
    """What a joint distribution allows.

    Parameters
    ----------
    joint, epsilon
        The prior and each person's epsilon.
    nu, solved
        Each person's nu, and how it was found.
    worst
        The most telling mechanism about each person; None where the table is too large for the program.
    finding
        Without anybody in it.
    """

    joint: JointPrior
    epsilon: Floats
    nu: Floats
    solved: Solved
    worst: WorstMechanism | None
    finding: RelatedFinding

    def people(self, *, show_people: bool = False) -> Iterator[str]:
        """Say each person's nu on a screen: by their column, or by name if that is asked for."""
        for at, (name, eps, nu) in enumerate(zip(self.joint.names, self.epsilon, self.nu, strict=True)):
            who = name if show_people else f"column {at + 1}"
            yield f"  {who}: epsilon = {eps:.4g} protects like epsilon = {nu:.4g}"
        if show_people and self.joint.binary and (reason := affiliated(self.joint).reason):
            yield f"Not positively affiliated: {reason}."

    def nu_csv(self) -> str:
        """Write ``id,epsilon,nu,method,bound``."""
        rows = zip(self.joint.names, self.epsilon, self.nu, strict=True)
        how = [self.solved.method, self.solved.bound]
        return _csv(
            ["id", "epsilon", "nu", "method", "bound"],
            ([name, f"{eps:.10g}", f"{nu:.10g}", *how] for name, eps, nu in rows),
        )

    def files(self) -> dict[str, str]:
        """``nu.csv``, and ``mechanism.csv`` where one was found.

        Its rows: about whom, which value the event speaks for and against, a combination of everybody's
        values, and the event's probability there.
        """
        written = {"nu.csv": self.nu_csv()}
        if self.worst is not None:
            head = ["about", "speaks_for", "against", *self.joint.names, "event"]
            written["mechanism.csv"] = _csv(head, self._events(self.worst))
        return written

    def _events(self, worst: WorstMechanism) -> Iterator[list[str]]:
        combinations = list(product(*self.joint.levels))
        for person, event, to, away in zip(worst.people, worst.events, worst.to, worst.away, strict=True):
            levels = self.joint.levels[person]
            who = [self.joint.names[person], levels[to], levels[away]]
            for values, chance in zip(combinations, event.ravel(), strict=True):
                yield [*who, *values, f"{chance:.10g}"]


def _csv(head: list[str], rows: Iterable[list[str]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return text.getvalue()


def epsilons_of(texts: Sequence[str], names: Sequence[str]) -> Floats:
    """Read epsilons: numbers for everybody, which add up, and ``name=number`` for one person instead.

    Examples
    --------
    >>> epsilons_of(["0.5", "b=0.1"], ["a", "b"])
    array([0.5, 0.1])
    """
    total = 0.0
    own: dict[str, float] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        number = _number(text, value)
        if not equals:
            total += number
        elif name not in names:
            raise InputError(
                "--epsilon",
                "must name a column of the prior",
                repr(text),
                "Write it as in the first line of the file.",
                hint=nearest(name, names),
            )
        else:
            own[name] = own.get(name, 0.0) + number
    silent_ones = [name for name in names if name not in own]
    if silent_ones and not any("=" not in text for text in texts):
        count = several(len(silent_ones), "person", "people")
        raise InputError(
            "--epsilon",
            "must be given for everybody",
            f"none for {count}",
            "Try 0.5.",
            value=listed(silent_ones),
        )
    return np.array([own.get(name, total) for name in names])


def _number(text: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = np.nan
    if not (number >= 0 and np.isfinite(number)):
        raise InputError("--epsilon", "must be a number, 0 or more", repr(text), "Use 0.5, or NAME=0.5.")
    if number > MOST_EPSILON:
        rule = f"must be at most {MOST_EPSILON:g}, where e to its power is still a number"
        raise InputError("--epsilon", rule, repr(text), "Use 0.5, or NAME=0.5.")
    return number


def measure_joint(
    joint: JointPrior, epsilon: Floats, *, source: str, progress: Progress = silent
) -> JointMeasured:
    """Find the worst mechanism about everybody, and say whether the formula for affiliated bits agrees.

    A table too large for the linear program gets the formula where it applies, and the best bound elsewhere.
    """
    formula = exact_nu(joint, epsilon) if joint.binary else None
    limits = bounds(joint, epsilon)
    worst = worst_case(joint, epsilon, progress=progress) if joint.mass.size <= CELLS else None
    if worst is not None:
        nu, method, bound = worst.nu, "linear program", "exact-lp"
    elif formula is not None:
        nu, method, bound = formula, "formula", "exact-eq6"
    else:
        nu, method, bound = limits.best, "influence bounds", f"bound-{limits.best_name[limits.best.argmax()]}"
    solved = Solved(method=method, bound=bound, exact=bound.startswith("exact"), people=len(joint))
    finding = make_inference_finding(
        NuOfPeople(epsilon, nu, (solved,), bounds=bounds_of(limits, int(nu.argmax()))),
        PromisedRelease(source),
        _describe(joint, source),
        notes=(_on_formula(joint, worst, formula), *limits.notes),
    )
    return JointMeasured(joint, epsilon, nu, solved, worst, finding)


def _describe(joint: JointPrior, source: str) -> Prior:
    sizes = sorted({len(levels) for levels in joint.levels})
    values = f"{sizes[0]} values each" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]} values"
    some = f"{joint.mass.size:,} combinations, {int((joint.mass > 0).sum()):,} of them possible"
    return Prior(
        source=source,
        people=len(joint),
        links=len(joint) * (len(joint) - 1) // 2,
        groups=1,
        largest=len(joint),
        model=(f"{source}: a joint distribution of {len(joint)} people with {values}; {some}",),
    )


def _on_formula(joint: JointPrior, worst: WorstMechanism | None, formula: Floats | None) -> str:
    if not joint.binary:
        return "More than two values: Equation 6 does not apply."
    if formula is None:
        return "Not positively affiliated: Equation 6 does not apply. --show-people says where."
    if worst is None:
        return "Positively affiliated: Equation 6 applies. Randomised response attains it."
    gap = float(np.abs(worst.nu - formula).max())
    return f"Positively affiliated: Equation 6 applies and agrees with the linear program to {gap:.1e}."
