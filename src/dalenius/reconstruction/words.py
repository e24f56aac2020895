"""What a finding about secrets says beside its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.words import people
from dalenius.reconstruction.finding import SecretsFinding


def facts(finding: SecretsFinding) -> Iterator[str]:
    """Say what was attacked and how, who is exposed and who is known, value by value; nobody is named."""
    yield (
        f"{finding.numbers or 0:,} numbers published; mechanism {finding.mechanism}; "
        f"decoder {finding.attack_method}."
    )
    exposed = finding.details.exposed
    told = (
        f"{people(exposed.people)} {_are(exposed.people)} guessed with probability {exposed.confidence:g} or "
        "more"
    )
    yield f"{told}." if exposed.right is None else f"{told}; {exposed.right:,} of those guesses are right."
    yield from _known(finding)
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."
    if finding.bound is not None:
        yield finding.bound.text


def _known(finding: SecretsFinding) -> Iterator[str]:
    judged = finding.details.judged
    for row in () if judged is None else judged.known:
        both = row.right + row.certain
        if judged is None or not both:
            continue
        has = "a rare value" if row.value is None else f"{finding.details.secret} = {row.value}"
        yield (
            f"{people(both)} {_are(both)} known to have {has} because of the release ({row.certain:,} by "
            f"arithmetic, {row.right:,} at {judged.known_at:g} or more); {row.before:,} without it."
        )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
