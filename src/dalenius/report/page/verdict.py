"""The first sentences of a page: how many people, which value, why, and the cheapest change that passes.

What was done to numbers before they are published, in plain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from dalenius.auditing.case import TOGETHER
from dalenius.findings.policy import RANK, WORDS, Policy
from dalenius.findings.report import Finding, Report, coarser_tells_more, only_some_values
from dalenius.report.page.blocks import Block, CellGrid, VerdictBox, plain
from dalenius.report.page.ladder import cheapest, count_or_blank
from dalenius.shown import people

_HEADLINES = {
    "pass": ("PASS", "Nothing was found that breaks the rules."),
    "stop": ("STOP", "Do not publish this as it is: the rules are broken."),
    "undecided": ("UNDECIDED", "Not shown to keep to the rules: that is no permission to publish."),
}

ANY = "any with "
"""How a mechanism begins of which only the promise is known."""

EXTERNAL = {
    "pass": "It was attacked before publication, as described below; nothing found breaks the rules.",
    "stop": "It was attacked before publication, as described below; as it was then, it breaks the rules.",
    "undecided": "It was attacked before publication, as described below; that does not decide whether it "
    "keeps to the rules.",
}
"""What is said to the world, without numbers of people."""


MOST_REASONS = 6
"""So many reasons stand in the box on top of a page."""


def verdict_box(report: Report, *, external: bool = False) -> VerdictBox:
    """Return what stands in the box on top of a page."""
    word, headline = _HEADLINES[report.verdict]
    worst = speaking(report)
    if external:
        sentences: tuple[str, ...] = (EXTERNAL[report.verdict],)
    elif worst is None:
        sentences = ()
    else:
        sentences = tuple(_sentences(report, worst))
    reasons = () if external else _few(_reasons(report, worst))
    return VerdictBox(report.verdict, word, headline, sentences, reasons, releases(report, external=external))


def _few(reasons: tuple[str, ...]) -> tuple[str, ...]:
    """The first reasons: a box is read, and the table of all numbers has every one."""
    if len(reasons) <= MOST_REASONS:
        return reasons
    return (*reasons[:MOST_REASONS], f"And {len(reasons) - MOST_REASONS:,} more: see section 9.")


def speaking(report: Report) -> Finding | None:
    """Return the finding that a page speaks of first: of the worst release, the gravest one."""
    rank = {each.release: RANK[each.verdict] for each in report.verdicts}
    order = sorted(
        report.findings, key=lambda f: (-rank.get(f.release, 0), -WORDS.index(f.severity), -at_risk(f))
    )
    return order[0] if order else None


def at_risk(finding: Finding) -> int:
    """How many people are certain or as good as known."""
    return (finding.certain or 0) + (finding.known or 0)


def _sentences(report: Report, finding: Finding) -> Iterator[str]:
    yield _how_many(report, finding)
    why = finding.explanation.why
    if why is not None and why.causes:
        worst = why.causes[0]
        if worst.without is not None and worst.without < why.whole:
            named = worst.name if worst.name.startswith(worst.kind) else f"{worst.kind} {worst.name}"
            most = worst.without <= why.whole / 2
            share = "Most of it comes from" if most else "No part alone is behind most of it; the largest is"
            gone = "them" if worst.kind == "variants" else "it"
            yield (
                f"{share} the {named}: without {gone} {plain(worst.without)} instead "
                f"of {plain(why.whole)} ({why.counted}{_quicker(finding)})."
            )
    yield cheapest(report)
    if (values := only_some_values(report)) is not None:
        yield values
    if (coarser := coarser_tells_more(report)) is not None:
        yield coarser
    if report.passing and report.verdict != "pass":
        yield f"What passes: {', '.join(report.passing)}."


def _quicker(finding: Finding) -> str:
    """Say so where causes were counted by an attack that finds fewer people than the verdict is about."""
    why = finding.explanation.why
    fewer = why is not None and finding.goal == "reconstruction" and why.whole < at_risk(finding)
    return "; by a quicker attack, which finds fewer" if fewer else ""


def _how_many(report: Report, finding: Finding) -> str:
    """Say how many people and which value; where the question is another one, in the family's words."""
    sure, both = finding.certain or 0, at_risk(finding)
    if finding.goal != "reconstruction" or not both or finding.people is None:
        return finding.sentence
    verb = "it is" if sure == both else f"for {sure:,} of them it is"
    arithmetic = f" {verb[0].upper()}{verb[1:]} plain arithmetic." if sure else ""
    secret = report.data.secret or "the secret"
    of = "all publications together" if finding.release == TOGETHER else f"{finding.release!r} alone"
    return (
        f"From {of}, somebody with a list of these people is sure or nearly sure about the value of {secret} "
        f"of {both:,} of {people(finding.people)}{_by_value(finding, report.policy)}.{arithmetic}"
    )


def _by_value(finding: Finding, policy: Policy) -> str:
    rows = [row for row in finding.explanation.learned if row.value is not None]
    counts = {row.value: (row.sure or 0) + (row.nearly or 0) for row in rows}
    told = [f"{value}: {count:,}" for value, count in counts.items() if count]
    if policy.sensitive is not None and told:
        return f" ({', '.join(told)}; your rules are about {', '.join(policy.sensitive)})"
    return f" ({', '.join(told)})" if told else ""


def _reasons(report: Report, finding: Finding | None) -> tuple[str, ...]:
    """The rules that decide about the release that the page speaks of; where several are as bad, of each."""
    worst = [each for each in report.verdicts if each.verdict == report.verdict and each.reasons]
    if len(worst) > 1 and report.verdict != "pass":
        return tuple(f"{each.release}: {each.reasons[0]}" for each in worst)
    for each in report.verdicts:
        if finding is not None and each.release == finding.release and each.reasons:
            return each.reasons
    return report.reasons


def releases(report: Report, *, external: bool = False) -> CellGrid:
    """Every release with its protection and verdict, and, inside the house, people at risk."""
    verdicts = {each.release: each.verdict for each in report.verdicts}
    rows, seen = [], set()
    for finding in report.findings:
        verdict = verdicts.get(finding.release, "no rule")
        promise = (promise_of(finding) or "none").partition(";")[0]  # what it rests on is in the annex
        counted = [count_or_blank(finding.certain), count_or_blank(finding.known)]
        if finding.release in seen and (external or not any(counted)):
            continue  # another question about it, which counts nobody
        seen.add(finding.release)
        protection = (in_words(finding.mechanism), promise)
        rows.append((finding.release, verdict, *([] if external else counted), *protection))
    failed = [one.release for one in report.not_run if one.release not in seen]
    people_at_risk = () if external else ("sure", "nearly sure")
    # a phone shows the first columns: how many people comes before how it was protected
    head = ("publication", "verdict", *people_at_risk, "protection", "promise")
    blank = [""] * (len(head) - 2)
    rows += [(name, verdicts.get(name, "undecided"), *blank) for name in dict.fromkeys(failed)]
    used = [j for j in range(len(head)) if head[j] not in people_at_risk or any(row[j] for row in rows)]
    cells_used = tuple(tuple(row[j] for j in used) for row in rows)
    return CellGrid(
        "Publications and their verdicts", tuple(head[j] for j in used), cells_used, words=len(used)
    )


def promise_of(finding: Finding) -> str | None:
    """What a release promises; of related people it is what the question is about, whatever keeps to it."""
    stated = finding.mechanism.removeprefix(ANY)
    if finding.promise is None and finding.goal == "inference" and stated != finding.mechanism:
        return f"differential privacy with {stated}"
    return finding.promise


def short_source(source: str) -> str:
    """Name what was audited without the folders of the machine it lay on.

    Examples
    --------
    >>> short_source("/home/ann/study/people.csv"), short_source("example fair")
    ('people.csv', 'example fair')
    """
    return source.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1] or source


def protections(report: Report) -> tuple[Block, ...]:
    """Section 3 for the world: protection, promise and verdict."""
    return (releases(report, external=True),)


_WORDS = {
    "exact": "exact numbers",
    "rounding:base": "rounded to {base}",
    "rounding:digits": "rounded to {digits} digits",
    "suppression:below": "counts below {below} hidden",
    "gaussian:sigma": "normal noise, standard deviation {sigma}",
    "gaussian:rho": "normal noise, rho {rho}",
    "laplace:scale": "Laplace noise, scale {scale}",
    "laplace:epsilon": "Laplace noise, epsilon {epsilon}",
    "geometric:scale": "whole-number noise, scale {scale}",
    "geometric:epsilon": "whole-number noise, epsilon {epsilon}",
    "presence": "yes or no for each allele",
    "presence:flip": "yes or no for each allele, each turned round with probability {flip}",
    "subsample:rate": "only a random {rate} of the people counted",
    "unknown": "not known",
}
"""By a stage and the option that says how much."""

_BESIDES = {
    "zeros=hide": ", zeros too",
    "complementary=yes": ", and further ones against subtraction",
    "how=random": " at random",
    "ties=up": ", halves up",
    "ties=away": ", halves away from zero",
    "ties=even": ", halves to even",
}
"""Options that change what a reader is told; any other option is told as it is written."""


def in_words(mechanism: str) -> str:
    """Return a mechanism in words; what has none is told as it is written, with four digits.

    Examples
    --------
    >>> in_words("suppression:below=10,zeros=hide | rounding:base=5")
    'counts below 10 hidden, zeros too; then rounded to 5'
    >>> in_words("rounding:base=10,ties=up")
    'rounded to 10, halves up'
    >>> in_words("gaussian:sigma=38.72983347"), in_words("mondrian:k=5")
    ('normal noise, standard deviation 38.73', 'mondrian:k=5')
    >>> in_words("any with epsilon = 0.5"), in_words("11 cells hidden | exact")
    ('whatever keeps to epsilon = 0.5', '11 cells hidden; the others exact')
    """
    if mechanism.startswith(ANY):
        return f"whatever keeps to {mechanism.removeprefix(ANY)}"
    stages = [text.strip() for text in mechanism.split("|")]
    if (
        len(stages) > 1 and stages[-1] == "exact"
    ):  # of amounts: some cells are hidden, and nothing else is done
        stages[-1:] = []
        return f"{'; then '.join(map(_stage, stages))}; the others exact"
    return "; then ".join(map(_stage, stages))


def _stage(text: str) -> str:
    name, _, options = text.partition(":")
    said = dict(option.split("=", 1) for option in options.split(",") if "=" in option)
    for key in [name] if not said else [f"{name}:{option}" for option in said]:
        if key in _WORDS:
            return _stage_told(key, said) or short_numbers(text)
    return short_numbers(text)


def _stage_told(key: str, said: Mapping[str, str]) -> str | None:
    """The words of a stage with all its options; ``None`` if one of them has no words."""
    left = [f"{option}={value}" for option, value in said.items() if f"{{{option}}}" not in _WORDS[key]]
    if any(option not in _BESIDES for option in left):
        return None
    short = {option: short_numbers(value) for option, value in said.items()}
    return _WORDS[key].format(**short) + "".join(_BESIDES[option] for option in left)


def short_numbers(text: str) -> str:
    """Write long decimals with four digits: nobody reads ten.

    Examples
    --------
    >>> short_numbers("gaussian:sigma=38.72983347 | rounding:base=5")
    'gaussian:sigma=38.73 | rounding:base=5'
    """
    return re.sub(r"[0-9]+\.[0-9]{4,}", lambda found: f"{float(found[0]):.4g}", text)
