"""What attacking a released table of generalised rows showed, in numbers and in words for a lawyer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from dalenius.attacks.predicates import Isolating
from dalenius.referee.classes import ClassCheck

SourceName = Literal["population", "holdout", "none"]
Verdict = Literal["demonstrated", "no advantage", "not shown", "no verdict"]


@dataclass(frozen=True)
class RowsAnswer:
    """The one condition that the attack would write down for a weight limit.

    Parameters
    ----------
    claim
        The condition.
    cells
        The released cells of the class it came from.
    ratio
        ``r = n w(phi) / k`` of the class: near 1, the class itself is no better than luck.
    assumes
        What its expected success takes for granted about the anonymiser.
    matches
        Original rows that it matches; ``None`` without the original.
    """

    claim: Isolating
    cells: str
    ratio: float
    assumes: str
    matches: int | None

    def to_json(self) -> dict[str, Any]:
        """Return plain values."""
        isolates = None if self.matches is None else self.matches == 1
        return self.claim.to_json() | {
            "class": self.cells,
            "ratio": self.ratio,
            "success_assumes": self.assumes,
            "matches": self.matches,
            "isolates": isolates,
        }


@dataclass(frozen=True)
class AtLimit:
    """One weight limit: what luck gives there, and what the attack did.

    Parameters
    ----------
    c, limit
        The limit is ``c / n``.
    baseline
        How often the best condition without the release isolates somebody at this limit.
    answer
        The attack's one answer; ``None`` where no condition is light enough.
    trials, expected
        Classes with a condition light enough, and their mean expected success.
    isolating, hits, people
        How many of these match exactly one row; how many of those are certified to be light, ``None`` where
        nobody can certify; and how many different people that is. All ``None`` without the original.
    low, high
        The 95% interval of the share of hits (Clopper-Pearson, classes taken as independent).
    advantage, lower_end
        Share of hits less baseline, and its cautious lower end, which pays for weights that may be wrong.
    """

    c: float
    limit: float
    baseline: float
    answer: RowsAnswer | None
    trials: int
    expected: float
    isolating: int | None
    hits: int | None
    people: int | None
    low: float | None
    high: float | None
    advantage: float | None
    lower_end: float | None

    def to_json(self) -> dict[str, Any]:
        """Return plain values, the answer apart."""
        return {name: value for name, value in vars(self).items() if name != "answer"}


@dataclass(frozen=True)
class SingledOutRows:
    """The whole result.

    Parameters
    ----------
    n
        Rows of the data under attack.
    quasi, verbatim
        Columns that were generalised, and columns released as they were.
    classes, k, suppressed
        Classes of the release, the smallest of them, and rows that say nothing.
    source, source_rows
        Who weighed the conditions.
    check
        How the classes fit the original; ``None`` without it.
    ratios
        The 5%, 50% and 95% quantiles of ``r = n w(phi) / k`` over classes.
    unique_rows
        Released rows that nobody else in their class equals on the verbatim columns.
    refined, refined_right
        Rows whose published label can be made finer with certainty, if it was minimal (downcoding);
        and how many of the finer records are right, ``None`` without the original.
    limits, registered
        The results, and the limit ``c`` that the verdict is about.
    verdict
        ``demonstrated``, ``no advantage``, ``not shown`` or ``no verdict``.
    assumptions, notes
        What the verdict takes for granted, and what else a reader should know.
    """

    n: int
    quasi: tuple[str, ...]
    verbatim: tuple[str, ...]
    classes: int
    k: int
    suppressed: int
    source: SourceName
    source_rows: int
    check: ClassCheck | None
    ratios: tuple[float, float, float]
    unique_rows: int
    refined: int
    refined_right: int | None
    limits: tuple[AtLimit, ...]
    registered: float
    verdict: Verdict
    assumptions: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def deciding(self) -> AtLimit:
        """The limit that was fixed before looking."""
        return next(one for one in self.limits if one.c == self.registered)

    def sentence(self) -> str:
        """Say in plain words what was shown."""
        at = self.deciding
        luck = f"a condition chosen without the release does so in {at.baseline:.2%} of cases at best"
        rare = f"so specific that at most one person in {1 / at.limit:,.0f} meets it"
        if self.verdict == "demonstrated":
            return (
                f"From the release alone, conditions were written down, each {rare}; {at.hits:,} of "
                f"{at.trials:,} match exactly one of the {self.n:,} people ({at.people:,} people in all), "
                f"while {luck}. The release allows people to be singled out."
            )
        if self.verdict == "no advantage":
            return (
                f"The classes of this release are about as large as luck would have them (median r = "
                f"{self.ratios[1]:.2g}): knowing the release, a condition {rare} isolates somebody no more "
                "often than without it. No advantage was found."
            )
        if self.verdict == "not shown":
            return (
                f"No advantage over luck could be shown with conditions each {rare}: of {at.trials:,} "
                f"conditions {at.isolating:,} match exactly one person, and {at.hits:,} of those are certain "
                f"to be so specific; {luck}."
            )
        why = "nobody to weigh conditions with" if self.source == "none" else "no original to look at"
        return f"There is no verdict, since there is {why}: what is written here is what the attack expects."

    def not_shown(self) -> tuple[str, ...]:
        """Say what the result does not mean."""
        return (
            "It does not say who the person is: singling out needs no name, and linking to one is another "
            "question.",
            "It is one attack on one release: where it finds nothing, a better one may find somebody.",
            "Article 29 Working Party, Opinion 05/2014, asks three questions: singling out (this one), "
            "linkability and inference. An answer to one says nothing on the others.",
            "Recital 26 GDPR names singling out as a means by which a person is identifiable; that the "
            "release is k-anonymous does not settle it, whatever its k.",
        )

    def lines(self) -> Iterator[str]:
        """Say it on a screen; nobody's condition is printed."""
        yield (
            f"{self.n:,} people, {self.classes:,} classes of {', '.join(self.quasi)} (k = {self.k}), "
            f"{self.suppressed:,} rows suppressed; verbatim: {', '.join(self.verbatim) or 'nothing'}"
        )
        weighed = f"{self.source} of {self.source_rows:,}" if self.source != "none" else "nobody: assumed"
        ratios = ", ".join(f"{r:.2g}" for r in self.ratios)
        yield f"weighed with: {weighed}; r = n w / k: {ratios} (5%, 50%, 95%)"
        if self.verbatim:
            yield f"{self.unique_rows:,} released rows are alone in their class by their verbatim values"
        if self.refined:
            right = "" if self.refined_right is None else f", {self.refined_right:,} of them rightly"
            yield f"{self.refined:,} released rows can be published with finer labels{right} (downcoding)"
        for at in self.limits:
            hits = "" if at.isolating is None else f", {at.isolating:,} isolate, {at.people:,} people"
            hits += "" if at.hits is None else " with a certified weight"
            yield (
                f"weight {at.limit:.3g} (c = {at.c:g}): luck {at.baseline:.4f}; {at.trials:,} classes, "
                f"expected {at.expected:.3f}{hits}"
            )
        yield ""
        yield self.sentence()
        for heading, texts in (
            ("Assumed:", self.assumptions),
            ("Not shown:", self.not_shown()),
            ("Notes:", self.notes),
        ):
            if texts:
                yield heading
                yield from (f"  {text}" for text in texts)

    def to_json(self) -> str:
        """Write ``predicates.json``: the conditions, which are about people, and all numbers."""
        check = None if self.check is None else vars(self.check)
        answers = [at.answer.to_json() | {"limit": at.limit} for at in self.limits if at.answer is not None]
        body = {
            "goal": "singling-out",
            "n": self.n,
            "quasi": self.quasi,
            "verbatim": self.verbatim,
            "classes": self.classes,
            "k": self.k,
            "suppressed": self.suppressed,
            "source": self.source,
            "source_rows": self.source_rows,
            "check": check,
            "ratios": self.ratios,
            "unique_rows": self.unique_rows,
            "refined": self.refined,
            "refined_right": self.refined_right,
            "registered": self.registered,
            "verdict": self.verdict,
            "sentence": self.sentence(),
            "assumptions": self.assumptions,
            "not_shown": self.not_shown(),
            "notes": self.notes,
            "limits": [at.to_json() for at in self.limits],
            "predicates": answers,
        }
        return json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
