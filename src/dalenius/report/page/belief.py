"""Whether the result can be believed: control, calibration, intervals, bounds; section 5 of a page."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.finding import Finding
from dalenius.findings.report import Report
from dalenius.findings.words import from_to
from dalenius.plural import several
from dalenius.report.page.blocks import Block, Items, Prose
from dalenius.report.page.dots import gain_and_check
from dalenius.report.page.learned import each_finding
from dalenius.report.page.scatter import stated_and_right


def whether_to_believe(report: Report) -> tuple[Block, ...]:
    """Section 5: the gain beside the check and the theorem's bound, and whether claims come true."""
    return each_finding(
        report, lambda one: tuple(_blocks(one, report)), "Nothing was estimated that could be doubted here."
    )


def _blocks(finding: Finding, report: Report) -> Iterator[Block]:
    picture = gain_and_check(finding, report.policy)
    if picture is not None:
        yield picture
    yield Items(tuple(_sentences(finding)))
    if finding.explanation.calibration:
        yield stated_and_right(finding.explanation.calibration)
    elif picture is not None:
        yield Prose("Whether stated probabilities come true was not counted here.")


def _sentences(finding: Finding) -> Iterator[str]:
    control = finding.decisive.control if finding.measures else None
    if control is None:
        yield "Check where nothing can have leaked: not made for this question, or not needed."
    else:
        around = control.low <= 0 <= control.high
        meaning = (
            "which holds 0, as it should"
            if around
            else "above 0: a part of the gain is what people have in common, not a leak"
            if control.low > 0
            else "below 0: where nothing leaked the attack does worse than guessing"
        )
        yield f"Check where nothing can have leaked: {from_to(control.low, control.high)} points, {meaning}."
    if finding.confidence is not None:
        looks = f", and pays for {several(finding.looks or 0, 'look')}" if (finding.looks or 0) > 1 else ""
        yield f"Each interval holds with confidence {finding.confidence:.4g}{looks}."
    else:
        yield "The numbers follow by computation; there is nothing to estimate, and no interval."
    if finding.bound is not None:
        yield f"Theorem: {finding.bound.text}"
    elif finding.measures and finding.decisive.unit == "nu":
        yield "nu holds for whatever keeps to the promise, as long as what was assumed about relatives holds."
    else:
        yield "No theorem limits every attack on this publication: a better attack may get more."
    if finding.undecided is not None:
        yield f"Not decided: {finding.undecided}."
    yield from (f"Warning: {text}" for text in finding.warnings)
