"""What may be changed in tables that are attacked without a list of people: rounding, fewer tables, noise.

Nothing passes: that no record is certain shows no safety, since other tables, or a file of named people, may
be put beside these. What is proposed is what leaves fewest records certain.
"""

from __future__ import annotations

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.parts import tables_named
from dalenius.auditing.changes.planned import SIZES, Ground, fewer, hidden, rounded
from dalenius.auditing.changes.proposals import Proposals, ToChange, once
from dalenius.auditing.changes.scopes import Scope
from dalenius.auditing.plan_releases import STATISTICS, ReleasePlan
from dalenius.findings.report import ChangeKind
from dalenius.mechanisms.base import plain
from dalenius.progress import Progress
from dalenius.records.case import open_cases

SHOWS_NO_SAFETY = (
    "A pass: without a list of people none is given. Fewer certain records are better, and no number of them "
    "shows safety."
)
PRINTED = "Printed tables are not changed where the attacker has no list of people; name them as statistics."


def propose(asked: ToChange, progress: Progress) -> Proposals:
    """Propose rounding, hiding, fewer tables and noise for planned tables."""
    releases: tuple[ReleasePlan, ...] = tuple(asked.of_kind(STATISTICS))
    if not releases or any(release.mechanism is None for release in releases):
        return Proposals(not_tried=(PRINTED,))
    public = tuple(open_cases(asked.plan, [*releases])[0].columns_asked())
    ground = Ground(asked.plan, releases, public)
    named = tables_named(asked.keep, [part.columns for part in ground.parts if part.columns])
    ground = Ground(asked.plan, releases, public, named)
    by_kind: dict[ChangeKind, list[Candidate]] = {
        "round": once(asked.plan, rounded(ground)),
        "hide": once(asked.plan, hidden(ground)),
        "fewer": once(asked.plan, fewer(ground)),
    }
    noise = [_noisy(asked, ground, size) for size in SIZES]
    return Proposals(by_kind, noise, None, (SHOWS_NO_SAFETY,))


def _noisy(asked: ToChange, ground: Ground, size: float) -> Candidate:
    everything = Scope("", frozenset(ground.parts))
    mechanism = {release.name: f"gaussian:sigma={plain(size)}" for release in ground.releases}
    plan = ground.protect(everything, mechanism)
    return Candidate("noise", f"noise, standard deviation {plain(size)}", asked.called, plan, draws=True)
