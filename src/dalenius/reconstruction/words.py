"""What a finding about secrets says beside its numbers, and what a release's own promise says."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.measure import Bound
from dalenius.findings.policy import percent, points
from dalenius.findings.tally import Tally
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.referee.judge import Judgement
from dalenius.release.release import Release
from dalenius.shown import people, several


def bound_of(release: Release) -> Bound | None:
    """Return by how much any attack can beat guessing, or None without a promise.

    The gain is largest for somebody whose secret is a fair coin without the release. The bounds are about a
    secret of two values; for more there is none here.

    Examples
    --------
    >>> from dalenius.mechanisms.base import Promise
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> secret = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    >>> promise = Promise(None, 0.1, "zero-concentrated differential privacy with rho = 0.1")
    >>> bound = bound_of(Release("r", secret, (), "gaussian:sigma=9", promise))
    >>> round(bound.value, 4)
    0.0885
    """
    promise = release.promise
    if promise is None or len(release.secret.levels) != 2:
        return None
    from dalenius.theory.privacy import advantage_from_epsilon, advantage_from_rho

    bounds = []
    if promise.rho is not None:
        bounds.append((advantage_from_rho(promise.rho), "Neyman-Pearson for Gaussian noise"))
    if promise.epsilon is not None:
        bounds.append(
            (advantage_from_epsilon(promise.epsilon), "Kairouz, Oh and Viswanath (2015), Theorem 2.5")
        )
    if not bounds:
        return None
    value, statement = min(bounds)
    return Bound(
        statement=statement,
        text=f"Under {promise.text} no attack beats guessing about one person by more than "
        f"{points(value)} points.",
        kind="advantage-at-most",
        value=value,
    )


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
        more = attack.hits > baseline.hits
        parts.append("Chance explains such a difference." if more else "The attack does not beat guessing.")
    if judgement.certain.trials and wrong is None:
        sure = judgement.certain.trials
        verb = "is" if sure == 1 else "are"
        yet = "" if established or control_gains else " all the same"
        parts.append(f"{people(sure)} {verb} certain{yet}: arithmetic alone, no probability.")
    elif told := sum(row.to_insiders for row in judgement.known):
        follow = "secret follows" if told == 1 else "secrets follow"
        parts.append(f"{told:,} {follow} for somebody else in the data who knows their own.")
    return " ".join(parts)


def if_as_stated(mechanism: str) -> str:
    """Under which condition something follows by arithmetic from numbers that somebody else printed.

    Examples
    --------
    >>> if_as_stated("exact"), if_as_stated("rounding:base=5")
    (', if the numbers are exact', ', if the numbers were made by rounding:base=5')
    """
    return ", if the numbers " + ("are exact" if mechanism == "exact" else f"were made by {mechanism}")


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
    whom = people(exposed.people) if exposed.people else "Nobody"
    verb = _are(exposed.people) if exposed.people else "is"
    told = f"{whom} {verb} guessed with probability {exposed.confidence:g} or more"
    if exposed.right is not None and exposed.people:
        told += f"; {exposed.right:,} of those guesses {_are(exposed.right)} right"
    yield f"{told}."
    yield from _known(finding)
    if finding.promise is not None:
        yield f"Promised: {finding.promise}."
    if finding.bound is not None:
        yield finding.bound.text


def _known(finding: SecretsFinding) -> Iterator[str]:
    judged = finding.details.judged
    for row in () if judged is None else judged.known:
        sure = 0 if judged is None or judged.certain_wrong else row.certain
        both = row.right + sure
        if judged is None or not both:
            continue
        has = "a rare value" if row.value is None else f"{finding.details.secret} = {row.value}"
        yield (
            f"{people(both)} {_are(both)} known to have {has} because of the release ({sure:,} by "
            f"arithmetic, {row.right:,} at {judged.known_at:g} or more); {row.before:,} without it."
        )
    told = 0 if judged is None else sum(row.to_insiders for row in judged.known)
    if told:
        secrets = "secret follows" if told == 1 else "secrets follow"
        yield f"{told:,} more {secrets} for somebody else in the data who knows their own."


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
