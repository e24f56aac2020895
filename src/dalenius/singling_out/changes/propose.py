"""What is proposed for anonymised rows and for counts to come.

Changes of counts to come: fewer of them, small ones hidden, or noise with a promise.
"""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.proposals import Proposals, ToChange, joined, once
from dalenius.auditing.plan_releases import CountsPlan
from dalenius.errors import InputError
from dalenius.findings.report import ChangeKind, Price
from dalenius.mechanisms.base import plain
from dalenius.progress import Progress
from dalenius.singling_out.changes.rows import RowsChanges

FEWEST = 2


EPSILONS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""What noise promises for all counts together, from little noise to much."""

BELOW = (5, 10, 20)


def propose_counts(asked: ToChange, release: CountsPlan) -> Proposals:
    """Propose changes of one release of counts."""
    noise = [_noisy(asked, release, epsilon) for epsilon in EPSILONS]
    by_kind: dict[ChangeKind, list[Candidate]] = {
        "hide": once(asked.plan, _hidden(asked, release)),
        "fewer": once(asked.plan, _fewer(asked, release)),
    }
    return Proposals(by_kind, noise, noise[-1])


def _hidden(asked: ToChange, release: CountsPlan) -> Iterator[Candidate]:
    for below in BELOW:
        mechanism = f"suppression:below={below},zeros=hide"
        plan = asked.with_releases({release.name: {"mechanism": mechanism}})
        yield Candidate(
            "hide", f"hide counts below {below}, zeros too", release.name, plan, draws=True, price=Price()
        )


def _fewer(asked: ToChange, release: CountsPlan) -> Iterator[Candidate]:
    number = release.queries // 2
    while number >= FEWEST:
        plan = asked.with_releases({release.name: {"queries": number}})
        lost = release.queries - number
        said = f"answer {number:,} counts instead of {release.queries:,}"
        yield Candidate("fewer", said, release.name, plan, draws=True, price=Price(lost=lost))
        number //= 2


def _noisy(asked: ToChange, release: CountsPlan, epsilon: float) -> Candidate:
    """Noise of a promise; the mean error of a count is that of whole-number noise shared by all of them."""
    plan = asked.with_releases({release.name: {"mechanism": f"geometric:epsilon={plain(epsilon)}"}})
    price = Price(mean_error=float(f"{release.queries / epsilon:.3g}"), hidden=0.0)
    said = f"whole-number noise with epsilon {plain(epsilon)}, all counts together"
    return Candidate("noise", said, release.name, plan, draws=True, price=price)


def propose(asked: ToChange, progress: Progress) -> Proposals:
    """Propose recoding and fewer columns for rows; fewer counts and noise for counts to come."""
    rows = asked.of_kind("anonymised-rows")
    if len(rows) > 1:
        fix = "Say which one to mend with --release NAME."
        raise InputError("plan", "must have one release of rows to change", f"{len(rows)}", fix)
    found = [RowsChanges.of(asked, release).propose() for release in rows]
    found += [propose_counts(asked, release) for release in asked.of_kind("counts")]
    return joined(found)
