"""Whether synthetic or perturbed rows keep to a policy: no kind of condition gains, and nobody is copied."""

from __future__ import annotations

from dalenius.findings.measure import Gain, Measure, Verdict
from dalenius.findings.policy import Policy, Ruled, Ruling, from_to, points, worst_of
from dalenius.findings.report import Finding
from dalenius.singling_out.finding import CopiesSeen, Inferring, Released

SURE = 0.001
"""The chance, shared among all reaches, that luck alone stops a release for copies."""

DOUBT = 0.05
"""The chance from which on luck is a good enough explanation; below it nothing passes."""

CONTROLLED = ("linkability", "inference")
"""How the rows begin that compare people of the data with others."""

FEW = 0.001
"""The share of originals that may be pointed at beyond luck where a control is too small to say more."""


def released_rulings(finding: Finding, details: Released, policy: Policy) -> list[Ruled]:
    """Hold every kind of condition and every reach of copies against a policy."""
    limit = policy.max_advantage
    rulings = [
        Ruled(*_measured(row, row.advantage, details, limit), f"max_advantage, {row.label}")
        for row in finding.measures
        if row.advantage is not None
    ]
    rulings += [
        Ruled(*_copied(one, details, policy.max_copies), f"max_copies, {one.reach}") for one in details.copies
    ]
    if details.recoded:
        rulings.append(Ruled("undecided", _recoded(details.recoded), "max_advantage, recoded columns"))
    if details.unjudged:
        rulings.append(Ruled("undecided", _unjudged(details.unjudged), "max_copies, names of rows"))
    if not rulings:
        return [Ruled("undecided", "no condition could be written down.", "max_advantage")]
    if worst_of(ruled.verdict for ruled in rulings) == "pass":
        told = (
            f"every kind of condition gains at most {points(limit)} points over luck, and released rows "
            "point at originals no more than at others, as far as this control can tell."
        )
        if details.linking is not None and details.inferring is not None:
            told = (
                f"singling out, linking and inferring {details.inferring.secret} each gain at most "
                f"{points(limit)} points on people of the data, and released rows point at originals no more "
                "than at others, as far as this control can tell."
            )
        rulings.append(Ruled("pass", told, "max_advantage and max_copies"))
    return rulings


def _recoded(names: tuple[str, ...]) -> str:
    """Say which columns no condition can meet people by."""
    listed = ", ".join(names)
    return (
        f"the released values of {listed} are unlike those of other people: if they stand in another unit or "
        "code, whoever learns it has the rows, and conditions on them meet nobody. Write them as in the "
        "original, or do not release them."
    )


def _unjudged(names: tuple[str, ...]) -> str:
    """Say in which columns rows have names of people."""
    return (
        f"released rows are called as people of the data are in {', '.join(names)}, and nobody can say "
        "whether others are, too: leave it out of the released file, number its rows anew, or give a control "
        "that has it."
    )


def _measured(row: Measure, gain: Gain, details: Released, limit: float) -> Ruling:
    """Hold one row of the table against the limit; the rows of each question have their own reasons."""
    inferring = details.inferring
    if inferring is not None and row.label == inferring.beside:
        return _predicted(row.label, gain, limit, inferring)
    if row.label.startswith(CONTROLLED):
        more = " (a larger control says more)" if details.control < details.original else ""
        return _gain(row.label, gain, limit, more, "other people")
    return _gain(row.label, gain, limit, _hint(details))


def _predicted(name: str, gain: Gain, limit: float, inferring: Inferring) -> Ruling:
    """Released rows that tell more than other people do never pass; alone they do not stop either.

    If others are inferred as well, the rows may know what holds of everybody, or the others themselves: the
    first is no leak, and the second would blind every comparison with them.
    """
    if gain.low <= limit:
        return "pass", ""
    return "undecided", (
        f"{name}: {points(gain.value)} points ({from_to(gain.low, gain.high)}) more than the best predictor "
        f"from {inferring.learnt_from:,} other people: the rows know more of everybody than these people do, "
        "or the control is behind them too (a larger control, surely apart, says which)."
    )


def _hint(details: Released) -> str:
    """Say what would decide, where a small control makes the interval wide."""
    if details.control >= details.original:
        return ""
    return (
        f" (measured among the {details.control:,} people of the control and scaled by "
        f"{details.original / details.control:.1f}: a larger control says more, or rarer conditions, "
        "--columns)"
    )


def _gain(name: str, gain: Gain, limit: float, hint: str, over: str = "luck") -> Ruling:
    measured = f"{name}: advantage over {over} {points(gain.value)} points ({from_to(gain.low, gain.high)})"
    if gain.low > limit:
        return "stop", f"{measured}, above the limit of {points(limit)} points."
    if gain.high <= limit:
        return "pass", ""
    return "undecided", f"{measured}, not shown to be below the limit of {points(limit)} points{hint}."


def _copied(one: CopiesSeen, details: Released, most: float) -> Ruling:
    verdict = verdict_on_copies(one, details.original, len(details.copies), most)
    seen = f"{one.reach}: {one.original:,} originals and {one.control:,} others are pointed at"
    if verdict == "pass":
        return "pass", ""
    if verdict == "stop":
        return "stop", f"{seen}: copies or near copies of people, chance {one.chance:.1g} by luck."
    if one.chance <= DOUBT:
        return "undecided", f"{seen}: more than luck explains well (chance {one.chance:.2g})."
    return "undecided", f"{seen}: the control is too small to tell whether that is luck."


def verdict_on_copies(one: CopiesSeen, people: int, reaches: int, most: float) -> Verdict:
    """Say whether the share of copies keeps to a limit; a limit of 0 is a test of luck."""
    if one.chance * reaches <= SURE and one.beyond_luck.low > most:
        return "stop"
    if most > 0:
        return "pass" if one.beyond_luck.high <= most or one.chance > DOUBT else "undecided"
    if one.chance <= DOUBT:
        return "undecided"
    # near rows are met by luck now and then; equal ones are copies unless the control says otherwise
    blind = one.at_best > DOUBT and one.at_most > FEW * people
    return "undecided" if blind and one.equal else "pass"
