"""What attacking a released table of generalised rows gave: numbers, and conditions about people."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalenius.auditing.decide import Reported, report_of
from dalenius.findings.report import Report
from dalenius.findings.tally import Tally
from dalenius.shown import hides_people
from dalenius.singling_out.attack.isolating import Isolating
from dalenius.singling_out.finding import AsTheyAre, Evidence, Together
from dalenius.singling_out.referee.classes import ClassCheck
from dalenius.singling_out.rows.settings import SourceName

if TYPE_CHECKING:
    from dalenius.singling_out.rows.written import WrittenCondition


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
    shown
        Whether whoever weighs conditions could show such a weight.
    each
        Whether conditions about single rows are among those written down.
    answer
        The attack's one answer; ``None`` where no condition is light enough.
    trials, expected
        Classes with a condition light enough, and their mean expected success.
    isolating, hits, people
        How many of these match exactly one row; how many of those are certified to be light, ``None`` where
        nobody can certify; and how many different people that is. All ``None`` without the original.
    low, high
        The interval of the share of hits (Clopper-Pearson, classes taken as independent).
    advantage, lower_end
        Share of hits less baseline, and its cautious lower end, which pays for weights that may be wrong.
    """

    c: float
    limit: float
    baseline: float
    shown: bool
    each: bool
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


@hides_people()
@dataclass(frozen=True)
class SingledOutRows(Reported):
    """The whole result.

    Parameters
    ----------
    n
        Rows of the data under attack.
    quasi, verbatim
        Columns that were generalised, and columns released as they were.
    classes, k, compatible, suppressed
        Classes of the release, the smallest of them, and with blanks that may be anything the fewest rows
        that any row may be one of, ``None`` if that was not counted; and rows that say nothing.
    source, source_rows, source_text, weight_error
        Who weighed the conditions, and the chance that a weight is larger than said.
    check
        How the classes fit the original; ``None`` without it.
    ratios
        The 5%, 50% and 95% quantiles of ``r = n w(phi) / k`` over classes.
    unique_rows
        Released rows that nobody else in their class equals on the verbatim columns.
    refined, refined_right
        Rows whose published label can be made finer with certainty, if it was minimal (downcoding);
        and how many of the finer records are right, ``None`` without the original.
    finer
        The table with those labels, the generalised columns alone: which row of a class is which is unknown.
    limits, registered, decided, tried
        The results, the limit ``c`` that must be shown to pass, the one that says most, and among how many
        questions the confidence is shared.
    as_they_are, together
        What needs no weights of single conditions.
    conditions
        Every condition that was written down, to be checked by others.
    notes
        What the attack has to say about its own expectations.
    control
        How many of the certified conditions at the limit that says most match exactly one of as many other
        people; ``None`` where others are too few.
    verdict, undecided
        What was shown, and why it decides nothing, if so.
    assumptions, warnings
        What the verdict takes for granted, and what a reader must know of the files.
    seed, confidence
        What it was made with.
    """

    n: int
    quasi: tuple[str, ...]
    verbatim: tuple[str, ...]
    classes: int
    k: int
    compatible: int | None
    suppressed: int
    source: SourceName
    source_rows: int
    source_text: str
    weight_error: float
    check: ClassCheck | None
    ratios: tuple[float, float, float]
    unique_rows: int
    refined: int
    refined_right: int | None
    finer: tuple[tuple[str, ...], ...]
    limits: tuple[AtLimit, ...]
    registered: float
    decided: float
    tried: int
    as_they_are: AsTheyAre | None
    together: Together | None
    conditions: tuple[WrittenCondition, ...]
    notes: tuple[str, ...]
    control: Tally | None
    evidence: Evidence
    undecided: str | None
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]
    seed: int
    confidence: float

    @property
    def report(self) -> Report:
        """What was found as a report; nobody is in it."""
        from dalenius.singling_out.rows.to_finding import finding_of_rows

        finding = finding_of_rows(self, "released rows", confidence=self.confidence)
        return report_of([finding], people=self.n, seed=self.seed, confidence=self.confidence)

    @property
    def deciding(self) -> AtLimit:
        """The limit that says most: its cautious end is the largest."""
        return next(one for one in self.limits if one.c == self.decided)

    def to_csv(self) -> str:
        """Write every condition on a line of its own: what it asks, how rare it is, how many rows match."""
        text = io.StringIO()
        lines = [one.to_json() for one in self.conditions]
        names = list(dict.fromkeys(name for line in lines for name in line))
        writer = csv.DictWriter(text, names, lineterminator="\n")
        writer.writeheader()
        for line in lines:
            plain = {key: json.dumps(v) if isinstance(v, dict | list) else v for key, v in line.items()}
            writer.writerow(plain)
        return text.getvalue()

    def finer_csv(self) -> str:
        """Write the generalised columns of all released rows, with finer labels where they are certain."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([self.quasi, *self.finer])
        return text.getvalue()

    def predicates_json(self) -> str:
        """Write ``predicates.json``: the conditions, which are about people, and the numbers behind them."""
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
            "decided": self.decided,
            "as_they_are": None if self.as_they_are is None else self.as_they_are.model_dump(),
            "together": None if self.together is None else self.together.model_dump(),
            "notes": self.notes,
            "control": None if self.control is None else vars(self.control),
            "evidence": self.evidence,
            "undecided": self.undecided,
            "limits": [at.to_json() for at in self.limits],
            "answers": answers,
        }
        head = json.dumps(body, indent=2, ensure_ascii=False, allow_nan=False)
        lines = ",\n".join(
            "    " + json.dumps(one.to_json(), ensure_ascii=False, allow_nan=False) for one in self.conditions
        )
        return f'{head[:-2]},\n  "predicates": [\n{lines}\n  ]\n}}\n'
