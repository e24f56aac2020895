"""What is behind a finding, in one or two lines."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.findings.explanation import Cause, Why


def said_of_causes(why: Why | None) -> Iterator[str]:
    """Say what remains without the most telling part, and how much the parts give away one by one.

    Examples
    --------
    >>> cause = Cause(kind="table", name="age*region", alone=1, without=3)
    >>> for line in said_of_causes(Why(counted="people at risk", whole=14, causes=(cause,))):
    ...     print(line)
    Without the table age*region 3 of 14 remain (people at risk).
    """
    if why is None or why.whole <= 0:
        return
    tried = [cause for cause in why.causes if cause.without is not None]
    if not tried or (len(tried) == 1 and tried[0].without == 0):
        return
    worst = min(tried, key=_remain)
    if _remain(worst) < why.whole:
        remain = f"{_number(_remain(worst))} of {_number(why.whole)} remain ({why.counted})"
        yield f"Without {_called(worst)} {remain}."
    else:
        whole = f"{_number(why.whole)} remain ({why.counted})"
        yield f"No single part is behind it: without any of them all {whole}."
    alone = [cause.alone for cause in why.causes if cause.alone is not None and cause.kind == worst.kind]
    if len(alone) > 1:
        yield f"By one {worst.kind} alone it would be at most {_number(max(alone))}."


def _remain(cause: Cause) -> float:
    return float("inf") if cause.without is None else cause.without


def _called(cause: Cause) -> str:
    if cause.kind == "variants":
        return cause.name
    return f"the {cause.kind} {cause.name}"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:,.3g}"
