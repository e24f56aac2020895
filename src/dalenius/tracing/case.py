"""One release of means under the question of tracing: looks at it, the control, and who is counted.

The reference is dealt so that everybody in it is judged once, by an attacker who holds the others. The
control is a second release, made without the members who are judged on it: people like the members in
everything but being in the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from dalenius.errors import InputError
from dalenius.findings.default_policy import CONFIDENCE
from dalenius.findings.explanation import said_of_causes
from dalenius.findings.report import Finding
from dalenius.knowledge.tracing import TracingView
from dalenius.people.sealed import SealedTraits, sealed_traits
from dalenius.people.traits.content_order import order_of_content
from dalenius.people.traits.traits import Traits
from dalenius.progress import Announce, Progress
from dalenius.random import attack_stream, stream
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.attack.score_test import ScoreTest
from dalenius.tracing.build import make_tracing_finding
from dalenius.tracing.files.groups import TraitGroups
from dalenius.tracing.finding import MembersFinding
from dalenius.tracing.referee.as_stated import TOO_NEAR, believed
from dalenius.tracing.referee.bench import LEVELS, Bench
from dalenius.tracing.referee.deal import (
    ROUNDS,
    Places,
    Round,
    deal_rounds,
    order_of_members,
    reference_apart,
    targets_of,
)
from dalenius.tracing.referee.outstanding import NOBODY, StandingOut, find_standing_out
from dalenius.tracing.why import look_for_causes

Attack = Callable[[TracingView, np.random.Generator], Accusations]

DUPLICATES = "duplicates in the reference"
"""What reference people with exactly a member's record are called."""


@dataclass(frozen=True)
class MembersSettings:
    """How members are traced.

    Parameters
    ----------
    attack
        Which test, or another attack altogether.
    name
        What the release is called.
    rounds
        Into how many parts the reference is cut; the attacker holds all but one.
    repeats
        How many independent releases are made and attacked. The first one is the finding; the others say how
        far the share of members recognised differs from release to release.
    levels
        The rates of false alarms to look at.
    prior
        How likely a person is a member beforehand; with it the finding says how often an accusation is right.
    looks, confidence
        How many findings are made together, and with which confidence their intervals hold together.
    seed
        The same seed gives the same finding.
    why
        Whether it is looked for which of the means make members recognisable, where some are recognised.
    """

    attack: ScoreTest | Attack = ScoreTest()
    name: str = "release"
    rounds: int = ROUNDS
    repeats: int = 1
    levels: Sequence[float] = LEVELS
    prior: float | None = None
    looks: int = 1
    confidence: float = CONFIDENCE
    seed: int = 1
    why: bool = False

    def __post_init__(self) -> None:
        if self.repeats < 1:
            raise InputError("repeats", "must be at least 1", str(self.repeats))


@dataclass(frozen=True)
class RoundView:
    """One look at a release: the people an attacker asks about, those they hold, and their randomness."""

    group: str
    release: MeansRelease
    targets: Traits
    held: Traits
    rng: np.random.Generator


Said = dict[str, list[Accusations]]
"""What was said, by group of people, look by look."""

MEMBERS, OUTSIDERS, LEFT_OUT = "members", "outsiders", "left out"


class MembersCase:
    """One release of means: who is in the data?

    The views of an attack are looks, made one after the other: in each the attacker holds a part of the
    reference people and asks about some members and about people who are in nothing that is published.
    """

    goal = "tracing"
    looks = 1

    def __init__(self, groups: TraitGroups, mechanism: str | MeansRelease, how: MembersSettings) -> None:
        self.release, self.how, self.mechanism = how.name, how, mechanism
        self.moved, self.notes = groups.moved, groups.notes
        self.trace = standard(how.attack) if isinstance(how.attack, ScoreTest) else how.attack
        if isinstance(mechanism, MeansRelease) and how.repeats > 1:
            raise InputError("repeats", "must be 1 for a release that is already published", str(how.repeats))
        members, reference = sealed_traits(groups.members), groups.reference
        _check_alike(members, reference, "reference")
        # who is judged when, and with whom, is drawn: not by the order in which files list people
        self.order = order_of_members(members)
        ordered = reference.take(order_of_content(reference))
        prepared = _prepare(members.take(self.order), ordered, groups.others, how.seed)
        self.people, self.pool, self.others = prepared
        if isinstance(mechanism, MeansRelease):
            columns_of(self.pool, mechanism)  # refuses attributes that the people lack
            self.mechanism = believed(mechanism, self.people)
            if self.mechanism is not mechanism:
                self.notes = (*self.notes, TOO_NEAR)
        self.releases: list[MeansRelease] = []
        self.dealt: list[Sequence[Round]] = []

    def publish(self, progress: Progress) -> list[RoundView]:
        """Make the release, as often as wanted, and deal who is judged in which round."""
        how, seed = self.how, self.how.seed
        for j in range(how.repeats):
            self.releases.append(self._publish(self.people, self.release, j))
            dealt = deal_rounds(
                self.people.n, self.pool.n, how.rounds, rng=stream(seed, "deal", self.release, j)
            )
            self.dealt.append(dealt)
        return self.views()

    def views(self) -> list[RoundView]:
        """Return the looks at what was published, their randomness from the start."""
        return [
            look
            for j, made in enumerate(self.releases)
            for k, part in enumerate(self.dealt[j])
            for look in self._looks(made, part, j, k)
        ]

    def _publish(self, people: SealedTraits, *drawn: str | int) -> MeansRelease:
        """Publish means of these people; ``drawn`` says which noise it is, first of what."""
        if isinstance(self.mechanism, MeansRelease):
            return self.mechanism
        noise = stream(self.how.seed, "noise", *drawn)
        return publish_means(people, self.mechanism, rng=noise, name=str(drawn[0]), moved=self.moved)

    def _looks(self, release: MeansRelease, part: Round, repeat: int, k: int) -> Iterator[RoundView]:
        """Whom one round is about; only members after the first release: others are judged once."""
        held, rng = self.pool.take(part.pool), attack_stream(release.name, repeat, k)
        yield RoundView(f"{MEMBERS} {repeat}", release, targets_of(self.people, part.members), held, rng)
        if repeat == 0:
            yield RoundView(OUTSIDERS, release, self.pool.take(part.outsiders), held, rng)
            for name, group in _split(self.others, k, len(self.dealt[0])):
                yield RoundView(f"group {name}", release, group, held, rng)

    def attack(self, view: list[RoundView], progress: Progress, announce: Announce) -> Said:
        """Trace everybody asked about, look by look."""
        said: Said = {}
        for k, look in enumerate(view):
            said.setdefault(look.group, []).append(self._trace(look))
            progress((k + 1) / len(view), "tracing")
        return said

    def _trace(self, look: RoundView) -> Accusations:
        columns = columns_of(look.targets, look.release)
        seen = TracingView(look.release, look.targets.select(columns), look.held.select(columns))
        return self.trace(seen, look.rng)

    def _trace_members(self, places: Places) -> list[Accusations]:
        """Trace the members once more, from some of the means alone."""
        release = self.releases[0].select(places)
        return [self._trace(next(self._looks(release, part, 0, k))) for k, part in enumerate(self.dealt[0])]

    def control(self, progress: Progress) -> list[RoundView] | None:
        """Publish once more without the members judged in each round, to try to recognise those."""
        if isinstance(self.mechanism, MeansRelease):
            return None
        everybody = np.arange(self.people.n)
        looks = []
        for k, part in enumerate(self.dealt[0]):
            rest = self.people.take(np.setdiff1d(everybody, part.members))
            made = self._publish(rest, "control", 0, k)
            rng, held = attack_stream("control", 0, k), self.pool.take(part.pool)
            looks.append(RoundView(LEFT_OUT, made, targets_of(self.people, part.members), held, rng))
        return looks

    def judge(self, claims: Said, control: Said | None, looks: int, progress: Progress) -> MembersFinding:
        """Count who is recognised, at which rates of false alarms."""
        how = self.how
        bench = Bench(
            tuple(how.levels),
            members=[claims[f"{MEMBERS} {j}"] for j in range(how.repeats)],
            outsiders=claims[OUTSIDERS],
            control=[] if control is None else control[LEFT_OUT],
            groups={name: claims[f"group {name}"] for name in self.others if f"group {name}" in claims},
            pool=self.pool.n - -(-self.pool.n // max(how.rounds, 1)),
        )
        finding = make_tracing_finding(
            bench.judge(),
            self.releases[0],
            looks=looks,
            confidence=how.confidence,
            prior=how.prior,
            assumptions=_assumed(self.in_order(claims), self.releases[0], control=control is not None),
            standing=self._standing_out(),
        )
        finding = finding.model_copy(update={"notes": (*self.notes, *finding.notes)})
        if not how.why or finding.decisive.advantage is None or finding.decisive.advantage.low <= 0:
            return finding
        held = sum(part.members.size + part.pool.size for part in self.dealt[0])
        why = look_for_causes(
            self.releases[0], self._trace_members, finding.headline, held, progress=progress
        )
        explanation = finding.explanation.model_copy(update={"why": why})
        facts = (*finding.facts, *said_of_causes(why))
        return finding.model_copy(update={"explanation": explanation, "facts": facts})

    def _standing_out(self) -> StandingOut:
        """Look at members one by one, where means are what is published."""
        if not isinstance(self.how.attack, ScoreTest):
            return NOBODY
        release = self.releases[0]
        columns = columns_of(self.pool, release)
        return find_standing_out(self.people.select(columns), self.pool.select(columns), release)

    def files(self, claims: Said, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return who is accused."""
        level = cast(MembersFinding, finding).headline
        return {("accusations", ".csv"): self.about_people(claims).to_csv(level)}

    def in_order(self, claims: Said) -> Accusations:
        """What is said about members, in the order in which they were judged from one release."""
        return _in_order(claims[f"{MEMBERS} 0"], [part.members for part in self.dealt[0]])

    def about_people(self, claims: Said) -> Accusations:
        """What is said about members, in the order of the file."""
        return self.in_order(claims).take(np.argsort(self.order))


def columns_of(people: Traits, release: MeansRelease) -> Places:
    """Where the attributes of a release stand among those of people."""
    if np.array_equal(people.names, release.names):
        return np.arange(people.d)
    order = np.argsort(people.names)
    at = np.searchsorted(people.names, release.names, sorter=order)
    found = order[np.minimum(at, order.size - 1)]
    strange = np.flatnonzero(people.names[found] != release.names)
    if strange.size:
        raise InputError(
            "release",
            "must be of attributes that the people have",
            f"{strange.size:,} others, first {str(release.names[strange[0]])!r}",
        )
    return found


def standard(test: ScoreTest) -> Attack:
    """Return the attack that runs this test, see `trace`."""

    def attack(view: TracingView, rng: np.random.Generator) -> Accusations:
        from dalenius.tracing.attack.attack import GENOME, UNSAID, trace

        said = trace(view, test, rng=rng)
        # the outsiders and the control of an audit try the test out, whatever it takes for granted
        return replace(said, doubts=tuple(doubt for doubt in said.doubts if doubt not in (GENOME, UNSAID)))

    return attack


def _check_alike(people: SealedTraits, others: Traits, name: str) -> None:
    if people.kind != others.kind or not np.array_equal(people.names, others.names):
        raise InputError(
            name,
            f"must have the {people.d:,} {people.kind} attributes of the members, in their order",
            f"{others.d:,} {others.kind}",
            "Match them by name first.",
        )


def _prepare(
    members: SealedTraits, reference: Traits, others: Mapping[str, Traits], seed: int
) -> tuple[SealedTraits, Traits, dict[str, Traits]]:
    """Set reference people apart who have a member's record, and give everybody a name of their own."""
    for name, group in others.items():
        _check_alike(members, group, name)
    if members.id_name == "row":  # rows have no names: equal numbers are not the same person
        reference = _renamed(reference, "reference")
    same = reference_apart(members, reference, seed=seed)
    apart = {name: _renamed(group.take(order_of_content(group)), name) for name, group in others.items()}
    if same.any():
        apart[DUPLICATES] = reference.take(same)
    return members, reference.take(~same), apart


def _renamed(people: Traits, prefix: str) -> Traits:
    ids = np.char.add(f"{prefix} ", people.ids)
    return replace(people, ids=ids)


def _split(groups: Mapping[str, Traits], k: int, parts: int) -> Iterator[tuple[str, Traits]]:
    """The k-th part of every group, where it has anybody."""
    for name, group in groups.items():
        chosen = np.array_split(np.arange(group.n), parts)[k]
        if chosen.size:
            yield name, group.take(chosen)


def _in_order(accused: Sequence[Accusations], places: Sequence[Places]) -> Accusations:
    """What was said round by round, in the order of the people."""
    order = np.argsort(np.concatenate(list(places)))
    first = accused[0]

    def joined(key: str) -> Any:
        parts = [getattr(one, key) for one in accused]
        return None if any(part is None for part in parts) else np.concatenate(parts)

    keys = ("ids", "score", "p_value", "log_p", "certificate", "unlike", "member_odds")
    return replace(
        first,
        **{key: joined(key) for key in keys},
        rigorous=all(one.rigorous for one in accused),
        notes=tuple(dict.fromkeys(note for one in accused for note in one.notes)),
        doubts=tuple(dict.fromkeys(doubt for one in accused for doubt in one.doubts)),
    ).take(order)


def _assumed(claims: Accusations, release: MeansRelease, *, control: bool) -> list[str]:
    told = "is told nothing about the mechanism" if release.mechanism == "unknown" else "knows the mechanism"
    said = [
        f"The attacker has a person's whole record and {claims.reference:,} reference people, and {told}. "
        "Without the release members would be accused exactly as often as others.",
        *claims.assumptions,
        "An accusation means that the record is not independent of the release: a relative or a duplicate of "
        "a member is accused too.",
    ]
    if not control:
        said.append("There is no control: a release that is already published was not made again.")
    return said
