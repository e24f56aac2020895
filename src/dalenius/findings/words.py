"""A finding in plain words: a number never stands without its baseline."""

from __future__ import annotations

from dalenius.referee.judge import Judgement
from dalenius.referee.score import Tally


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


def people(count: int) -> str:
    """Write a number of people.

    Examples
    --------
    >>> people(1), people(6366)
    ('1 person', '6,366 people')
    """
    return "1 person" if count == 1 else f"{count:,} people"


def percent(tally: Tally) -> str:
    """Write a share with one decimal; only all is 100% and only none is 0%.

    Examples
    --------
    >>> percent(Tally(5912, 6366)), percent(Tally(9999, 10000)), percent(Tally(1, 10000))
    ('92.9%', 'over 99.9%', 'under 0.1%')
    """
    if tally.hits == 0:
        return "0%"
    if tally.hits == tally.trials:
        return "100%"
    rounded = f"{100 * tally.rate:.1f}%"
    return {"0.0%": "under 0.1%", "100.0%": "over 99.9%"}.get(rounded, rounded)


def points(share: float) -> str:
    """Write a share as percentage points, with one decimal; never a minus before zero.

    Examples
    --------
    >>> points(0.2094), points(-0.0004), points(0.05)
    ('20.9', '0.0', '5.0')
    """
    return f"{round(100 * share, 1) + 0.0:.1f}"


def from_to(low: float, high: float) -> str:
    """Write an interval in percentage points.

    Examples
    --------
    >>> from_to(-0.0001, 0.0418)
    '0.0 to 4.2'
    """
    return f"{points(low)} to {points(high)}"
