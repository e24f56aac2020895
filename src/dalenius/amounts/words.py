"""What a finding about amounts says beside its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.amounts.finding import AmountDetails, CellsHeld
from dalenius.knowledge.weights import KNOWN, UNKNOWN
from dalenius.shown import people, several

NOT_SHOWN = (
    "What several people of one group learn together: each insider knows one amount, their own.",
    "What the sorted amounts of one group say about those of another: quantiles and standard deviations are "
    "read group by group, and only their sums together. Closer ends may follow.",
)


def assumed(details: AmountDetails, least: float, most: float | None) -> tuple[str, ...]:
    """Say what is taken for granted."""
    ends = f"at least {least:,.10g}" if most is None else f"between {least:,.10g} and {most:,.10g}"
    said = [
        "The attacker knows who is in the data, in which groups everybody is, and what was done to numbers.",
        f"It is known without the release that everybody's {details.amount} is {ends}.",
    ]
    if details.exposed is not None:
        said.append(
            "What is usual was learnt from the members themselves, nobody's from their own amount, and the "
            "attacker starts from it. An insider is one of the two with the largest amounts of a group, or, "
            "where more than a sum is printed about it, of the two with the smallest."
        )
    if details.weights == KNOWN:
        said.append("The attacker knows everybody's survey weight, as a file of the survey tells it.")
    elif details.weights is not None:
        far = between(details.weights)
        said.append(f"All that is known of survey weights, one's own too, is that they are {far}.")
    if details.assumed:
        said.append(
            f"{details.assumed[0].upper()}{details.assumed[1:]}: nobody said what was done to them. If some "
            "were changed, ends may be wrong, and a table alone cannot show it. State it by --mechanism."
        )
    if not details.sure:
        said.append("With noise the ends hold but for a chance of one in a million: nothing is certain.")
    return tuple(said)


def between(weights: str | None) -> str:
    """How far weights are known, in words."""
    said = weights or UNKNOWN
    if said.endswith("+"):
        return f"at least {said.removesuffix('+')}"
    return "above 0" if said == UNKNOWN else f"between {said}".replace("-", " and ")


def if_assumed(details: AmountDetails) -> str:
    """The condition that nobody stated, to stand behind what follows; nothing if all is stated."""
    return f", if {details.assumed}, as nothing else was said" if details.assumed else ""


def close(within: float) -> str:
    """The tolerated part in words."""
    return f"within {100 * within:g}%"


def sentence(details: AmountDetails, all_people: int) -> str:
    """Say whose amounts are known, those closely bounded by insiders last."""
    if details.outside:
        return (
            f"The tables were not made as stated: the true amount of {people(details.outside)} lies outside "
            "the ends that follow."
        )
    how = close(details.within)
    follows = "follows by arithmetic" if details.sure else "is as good as known"
    whose = f"{details.amount} of {details.pinned:,} of {people(all_people)} {follows} {how}."
    conditional = details.assumed and details.pinned
    start = f"If {details.assumed}, as nothing else was said, the" if conditional else "The"
    first = f"{start} {whose}"
    if details.exposed is None or details.inside is None:
        return first
    if details.exposed:
        ends = f" The ends of {people(details.exposed)} more come that close to the true amount"
        first += f"{ends} from above or below."
    if details.inside:
        who = " Somebody of their group who knows their own amount comes that close"
        first += f"{who} to {people(details.inside)} more."
    return first


def facts(details: AmountDetails) -> Iterator[str]:
    """Say the numbers one by one."""
    yield f"The tables tell {several(details.classes, 'class', 'classes')} of people apart."
    if details.hidden:
        yield f"{several(details.hidden, 'cell is', 'cells are')} hidden."
    if details.cells is not None:
        yield from _rules(details.cells, details.within)
    if details.weights is not None:
        yield "Sums, means and counts are by survey weights: dominance and p% are of weighted amounts."
    if details.unread:
        yield f"Not attacked, since it is by survey weights: {', '.join(details.unread)}."
    if not details.searched:
        yield "Not everybody's ends were looked for: more amounts may be known."


def _rules(cells: CellsHeld, within: float) -> Iterator[str]:
    yield (
        f"Of {several(cells.cells, 'printed sum or mean', 'printed sums and means')}, {cells.few:,} are of "
        f"fewer than 3 people, {cells.dominated:,} break the dominance rule (two people have more than "
        f"85%) and {cells.p_rule:,} the p% rule (p = {100 * within:g})."
    )
    if cells.unseen:
        whom = "person is" if cells.unseen == 1 else "people are"
        yield (
            f"{cells.unseen:,} {whom} bounded too closely although each of their cells keeps all three "
            "rules: several tables together say it."
        )
