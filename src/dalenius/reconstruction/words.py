"""What a finding about secrets says beside its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.tally import Tally
from dalenius.findings.words import percent
from dalenius.plural import people, several
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.referee.judge import Judgement


def sentence(release: str, judgement: Judgement, *, established: bool, control_gains: bool = False) -> str:
    """Say what an attacker gets from a release, beside what they get without it.

    Parameters
    ----------
    release
        What the release is called.
    judgement
        The referee's counts.
    established
        Whether the interval of the advantage lies above 0.
    control_gains
        Whether the attack also gains on people whose secrets were not in the release.
    """
    attack, baseline = judgement.attack, judgement.advantage.baseline
    wrong = refuted(judgement.certain)
    parts = [
        *([] if wrong is None else [wrong]),
        f"From the release {release!r} an attacker names the secret of {attack.hits:,} of "
        f"{people(attack.trials)} ({percent(attack)}); guessing without the release gets "
        f"{baseline.hits:,} ({percent(baseline)}).",
    ]
    if control_gains:
        parts.append(
            "The gain is correlation, not leak: people whose secrets were not in the release are guessed "
            "better too."
        )
    elif not established:
        parts.append("The attack does not beat guessing.")
    if judgement.certain.trials and wrong is None:
        sure = judgement.certain.trials
        verb = "is" if sure == 1 else "are"
        parts.append(f"{people(sure)} {verb} certain: arithmetic alone, no probability.")
    return " ".join(parts)


def refuted(sure: Tally) -> str | None:
    """Say that the truth contradicts what followed by arithmetic; ``None`` if it does not.

    Examples
    --------
    >>> refuted(Tally(hits=3, trials=4))
    '1 of 4 claims said to follow by arithmetic is wrong: the release was not made as stated.'
    """
    wrong = sure.trials - sure.hits
    if not wrong:
        return None
    claims, verb = "claim" if sure.trials == 1 else "claims", "is" if wrong == 1 else "are"
    return (
        f"{wrong:,} of {sure.trials:,} {claims} said to follow by arithmetic {verb} wrong: "
        "the release was not made as stated."
    )


def facts(finding: SecretsFinding) -> Iterator[str]:
    """Say what was attacked and how, who is exposed and who is known, value by value; nobody is named."""
    yield (
        f"{several(finding.numbers or 0, 'number')} published; mechanism {finding.mechanism}; "
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
