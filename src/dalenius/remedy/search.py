"""The search: cheap looks first, and nothing passes without the whole audit and its confirmation.

Deterministic protection is enumerated, never bisected: a coarser base can give more people away than a finer
one. Of noise more is always safer for the same draws, so its size is bisected, with the same draws.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.proposals import Proposals
from dalenius.auditing.decide import TELLING, decide_each
from dalenius.auditing.plan import Plan
from dalenius.auditing.plan_releases import AmountsPlan, ReleasePlan
from dalenius.errors import DaleniusError, InputError, SolveError, UnsupportedError
from dalenius.findings.measure import Verdict
from dalenius.findings.report import ChangeKind, Ladder, Price, Report, Rung
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.remedy.bench import Seen, Workbench, deciding, is_fixed, look_at_each
from dalenius.remedy.options import RemedyOptions
from dalenius.remedy.price import Numbers, price
from dalenius.remedy.rungs import PASSES_ONCE, resampled, rung_of
from dalenius.remedy.work import CONFIRMING, FULL, WorkLeft, confirmation
from dalenius.shown import several

UNCONFIRMED = f"{PASSES_ONCE} one attack; it was not tried again."
BY_LUCK = f"{PASSES_ONCE} by luck: not each time it is tried again."
SAME_PEOPLE = "Tried again with other deals of the same members and references, not with other members."
NOT_ALLOWED = "Not allowed here; told for its promise."
NO_TIME = "There was no time to, as predicted from sizes: give more --minutes."
AT_LEAST = "Further search where a short one was enough to refuse a change: so many are sure there at least."
CHEAPER = "A cheaper change passes; --allow {kind} alone tries it."
NOT_ALLOWED = "Not allowed here; told for its promise."
CHANGES_NOTHING = "nothing is changed"


@dataclass(frozen=True)
class PassedOnce:
    """A change that one attack lets pass, what it costs, and how many dearer ones of its kind are left."""

    candidate: Candidate
    cost: Price
    seen: Seen
    left: int


@dataclass
class Search:
    """One search for changes that make a plan pass.

    Parameters
    ----------
    bench
        Where plans are tried.
    options
        What may be done.
    work
        How much may be done.
    among
        How many changes are proposed: the intervals pay for all of them.
    progress
        Is told how far the search is.
    """

    bench: Workbench
    options: RemedyOptions
    work: WorkLeft
    among: int = 1
    progress: Progress = silent
    tried: list[tuple[Rung, Candidate | None]] = field(default_factory=list)
    not_tried: list[str] = field(default_factory=list)
    unmade: dict[ChangeKind, list[str]] = field(default_factory=dict)
    _exact: dict[str, Numbers] = field(default_factory=dict)

    def _cannot_be_made(self, candidate: Candidate, error: DaleniusError) -> None:
        self.unmade.setdefault(candidate.kind, []).append(f"{candidate.said}: {error}")

    def start(self, plan: Plan, report: Report) -> None:
        """Put the plan as it is at the foot of the ladder."""
        finding = deciding(decide_each(report.findings, report.policy))
        again = resampled(report.findings) or (0, 0)
        cost = self.price_of(Candidate("as planned", CHANGES_NOTHING, "", plan))
        names = ", ".join(each.name for each in plan.release)
        said = f"as planned: {_mechanisms(plan)}"
        self.tried.append((rung_of("as planned", said, names, finding, cost, report.verdict, again), None))

    def price_of(self, candidate: Candidate) -> Price:
        """What a change costs, by the numbers that would be published."""
        if candidate.price is not None:
            return candidate.price
        plan = candidate.plan
        classes = plan.columns.model_dump_json()
        if classes not in self._exact:
            planned = self.bench.plan.model_copy(update={"columns": plan.columns})
            self._exact[classes] = self.bench.numbers(exactly(planned))
        got = self.bench.numbers(plan)
        return price(self._exact[classes], got, lost=candidate.lost, merged=candidate.merged)

    def _priced(self, candidate: Candidate) -> Price | None:
        """What a change costs; ``None`` of one that cannot be made, which is said."""
        try:
            return self.price_of(candidate)
        except (InputError, UnsupportedError, SolveError) as error:
            self._cannot_be_made(candidate, error)
            return None

    def walk(self, kind: ChangeKind, candidates: Sequence[Candidate]) -> Iterator[PassedOnce]:
        """Look at changes of one kind, the cheapest first; give those that one attack lets pass."""
        known = ((self._priced(each), each) for each in candidates)
        priced = sorted(
            ((cost, each) for cost, each in known if cost is not None),
            key=lambda pair: self.options.order(kind, pair[0]),
        )
        looks = self._ahead([each for _, each in priced])
        for j, (cost, candidate) in enumerate(priced):
            self.progress(j / len(priced), candidate.said)
            left = len(priced) - j - 1
            if not self.work.spend(1):
                self.not_tried.append(f"{kind}: {several(left + 1, 'change')}, for want of time.")
                return
            seen = self._told(candidate, next(looks))
            if seen is not None and seen.verdict == "pass":
                self.work.left -= FULL
                yield PassedOnce(candidate, cost, seen, left)
            elif seen is not None:
                self.work.left -= seen.on_others[0]
                self.not_tried += [AT_LEAST] if seen.only_certain else []
                self.tried.append((self._rung(candidate, seen, cost, seen.verdict), candidate))

    def walk_noise(self, candidates: Sequence[Candidate]) -> Iterator[PassedOnce]:
        """Find the least noise that one attack lets pass, with the same draws; give it, then larger ones."""
        low, high = 0, len(candidates)
        seen: dict[int, Seen] = {}
        while low < high:
            middle = (low + high) // 2
            if not self.work.spend(1):
                self.not_tried.append(f"noise: {several(high - low, 'size')}, for want of time.")
                return
            self.progress(0.5, candidates[middle].said)
            found = self._look(candidates[middle])
            if found is not None:
                seen[middle] = found
            if found is not None and found.verdict == "pass":
                high = middle
            else:
                low = middle + 1
        for at in sorted(at for at in seen if at < high):
            candidate = candidates[at]
            rung = self._rung(candidate, seen[at], self.price_of(candidate), seen[at].verdict)
            self.tried.append((rung, candidate))
        for at in range(high, len(candidates)):
            found = seen.get(at) or self._look(candidates[at])
            if found is not None:
                left = len(candidates) - at - 1
                yield PassedOnce(candidates[at], self.price_of(candidates[at]), found, left)

    def settle(self, walks: Mapping[ChangeKind, Iterator[PassedOnce]]) -> None:
        """Confirm the cheapest of what passes one attack, and on failure the next, until one passes."""
        waiting = {kind: found for kind, walk in walks.items() if (found := next(walk, None)) is not None}
        while waiting:
            kind = min(waiting, key=lambda each: self.options.order(each, waiting[each].cost))
            found, candidate = waiting[kind], waiting[kind].candidate
            looks = confirmation(len(candidate.plan.release), draws=candidate.draws)
            if not self.work.spend(looks):
                self._leave(waiting, NO_TIME)
                return
            self.progress(0.9, f"confirming: {candidate.said}")
            rung = self._confirm(candidate, found.cost)
            self.tried.append((rung, candidate))
            if not candidate.draws:  # groups that were not tried, and those that arithmetic alone gives away
                self.work.left += looks * (CONFIRMING - rung.tried) // CONFIRMING
                self.work.left += looks * (rung.tried - rung.kept) // (2 * CONFIRMING)
            del waiting[kind]
            if rung.verdict == "pass":
                if found.left:
                    more = several(found.left, "dearer change")
                    self.not_tried.append(f"{kind}: {more}, since a cheaper one passes.")
                self._leave(waiting, CHEAPER)
                return
            if (again := next(walks[kind], None)) is not None:
                waiting[kind] = again

    def _leave(self, waiting: Mapping[ChangeKind, PassedOnce], why: str) -> None:
        """Put on the ladder what passes one attack and was not confirmed; it counts as not shown."""
        for kind, found in waiting.items():
            rung = self._rung(found.candidate, found.seen, found.cost, "undecided")
            note = f"{UNCONFIRMED} {why.format(kind=kind)}"
            self.tried.append((rung.model_copy(update={"note": note}), found.candidate))

    def promise(self, candidate: Candidate) -> None:
        """Try the change with a promise: it is told whatever comes out, and was paid for beforehand."""
        self.work.left, self.work.reserved = self.work.left - self.work.reserved, 0
        if any(one is not None and one.plan == candidate.plan and rung.tried for rung, one in self.tried):
            return  # it was confirmed on the way
        self.progress(0.95, f"confirming: {candidate.said}")
        try:
            rung = self._confirm(candidate, self.price_of(candidate))
        except (InputError, UnsupportedError, SolveError) as error:
            self._cannot_be_made(candidate, error)
            return
        forbidden = NOT_ALLOWED if candidate.kind not in self.options.allow else None
        notes = dict.fromkeys(filter(None, (forbidden, rung.note, candidate.note)))
        self.tried.append((rung.model_copy(update={"note": " ".join(notes) or None}), candidate))

    def _look(self, candidate: Candidate) -> Seen | None:
        return self._told(candidate, next(self._ahead([candidate])))

    def _ahead(self, candidates: Sequence[Candidate]) -> Iterator[Seen | DaleniusError]:
        """Look at changes in turn: at as many as can be attacked at once, also where fewer are needed."""
        plans = [each.plan for each in candidates]
        return look_at_each(self.bench, plans, among=self.among, remember=True)

    def _told(self, candidate: Candidate, seen: Seen | DaleniusError) -> Seen | None:
        if isinstance(seen, DaleniusError):
            self._cannot_be_made(candidate, seen)
            return None
        return seen

    def _rung(self, candidate: Candidate, seen: Seen, cost: Price, verdict: Verdict) -> Rung:
        said = (candidate.kind, candidate.said, candidate.release)
        made = rung_of(*said, seen.finding, cost, verdict, seen.on_others)
        unknown = {"nearly": None, "advantage": None} if seen.only_certain else {}
        note = candidate.note or seen.why_undecided
        return made.model_copy(update={"note": note, **unknown})

    def _confirm(self, candidate: Candidate, cost: Price) -> Rung:
        """Run the whole audit, on other people too; where something is drawn, also with fresh draws."""
        plan = tried_again(candidate.plan, 0 if candidate.draws else CONFIRMING)
        report = self.bench.audit(plan, among=self.among).report
        finding = deciding(decide_each(report.findings, report.policy))
        verdict, again, note = report.verdict, resampled(report.findings), candidate.note
        if candidate.draws or (again is None and finding is not None and finding.goal != "reconstruction"):
            again = self._fresh(candidate) if verdict == "pass" else None
            if finding is not None and finding.goal == "tracing" and not candidate.draws:
                note = note or SAME_PEOPLE
        confirmed = again or (0, 0)
        if verdict != "pass" and report.reasons:
            why = f"{PASSES_ONCE} one attack, but not the audit: {report.reasons[0]}"
            note = " ".join(filter(None, [why, candidate.note]))
        if verdict == "pass" and (confirmed[0] == 0 or confirmed[1] < confirmed[0]):
            verdict = "undecided"
            why = UNCONFIRMED if confirmed[0] == 0 else BY_LUCK
            note = " ".join(filter(None, [why, candidate.note]))
        made = rung_of(candidate.kind, candidate.said, candidate.release, finding, cost, verdict, confirmed)
        return made.model_copy(update={"note": note})

    def _fresh(self, candidate: Candidate) -> tuple[int, int]:
        """Draw again, noise or people: how often, and how often it passes; a failure ends it after a few."""
        tried = kept = 0
        drawn = [_drawn_again(candidate, draw) for draw in range(CONFIRMING)]
        looks = look_at_each(self.bench, drawn, among=self.among)
        while tried < CONFIRMING and not (kept < tried and tried >= TELLING):
            seen = next(looks)
            if isinstance(seen, DaleniusError):
                raise seen
            kept += seen.verdict == "pass"
            tried += 1
        return tried, kept

    def _unmade(self) -> Iterator[str]:
        """Changes that cannot be made: of each kind one with its reason, and how many more there are."""
        for kind, said in self.unmade.items():
            yield said[0]
            if len(said) > 1:
                yield f"{kind}: {several(len(said) - 1, 'more change')} that cannot be made."

    def ladder(self) -> tuple[Ladder, list[Candidate | None]]:
        """Put all that was tried in order, the cheapest first, and say which passes at the least price."""
        first, *others = self.tried
        ordered = [
            first,
            *sorted(others, key=lambda pair: self.options.order(pair[0].kind, pair[0].price)),
        ]
        allowed = ("as planned", *self.options.allow)
        best = next(
            (at for at, (rung, _) in enumerate(ordered) if rung.verdict == "pass" and rung.kind in allowed),
            None,
        )
        ladder = Ladder(
            rungs=tuple(rung for rung, _ in ordered),
            best=best,
            allowed=self.options.allow,
            not_tried=tuple(dict.fromkeys([*self.not_tried, *self._unmade()])),
        )
        return ladder, [candidate for _, candidate in ordered]


def propose_all(search: Search, proposals: Proposals) -> None:
    """Try all proposals, kind by kind in the order of what is lost; the one with a promise at last."""
    if proposals.promise is not None:
        looks = confirmation(len(proposals.promise.plan.release), draws=proposals.promise.draws)
        search.work.reserved = min(search.work.left, looks)
    walks: dict[ChangeKind, Iterator[PassedOnce]] = {
        kind: search.walk_noise(proposals.noise)
        if kind == "noise"
        else search.walk(kind, proposals.by_kind.get(kind, ()))
        for kind in search.options.allow
    }
    search.settle(walks)
    if proposals.promise is not None:
        search.promise(proposals.promise)
    search.not_tried += proposals.not_tried


def exactly(plan: Plan) -> Plan:
    """The plan with nothing done to its numbers, to hold published ones against."""
    return plan.model_copy(update={"release": [_exact(each) for each in plan.release]})


def _exact(release: Any) -> Any:
    if isinstance(release, AmountsPlan):
        nothing = {"mechanism": "exact", "hide_below": 0, "hide_p": 0.0, "hide_more": False}
        return release.model_copy(update=nothing)
    if isinstance(release, ReleasePlan) and release.mechanism and not is_fixed(release):
        return release.model_copy(update={"mechanism": "exact"})
    return release


def _drawn_again(candidate: Candidate, draw: int) -> Plan:
    """The same change with other people where it says which, else with another seed."""
    if candidate.again is not None:
        return candidate.again(draw)
    seed = int(stream(candidate.plan.seed, "fresh", draw).integers(1 << 31))
    return candidate.plan.model_copy(update={"seed": seed})


def tried_again(plan: Plan, draws: int) -> Plan:
    """The plan with a pass tried on so many other groups of people at least; no cause is looked for."""
    more = {"resamples": max(draws, plan.budget.resamples), "why": False}
    return plan.model_copy(update={"budget": plan.budget.model_copy(update=more)})


def _mechanisms(plan: Plan) -> str:
    said = [getattr(each, "mechanism", None) for each in plan.release]
    return "; ".join(dict.fromkeys(text for text in said if text)) or "as published"
