"""Audit a release of means: make it, try to recognise its members, and count against people not in it.

The reference is dealt so that everybody in it is judged once, by an attacker who holds the others. The
control is a second release, made without the members who are judged on it: people like the members in
everything but being in the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalenius.attacks.accusations import Accusations
from dalenius.audit.tracing.files import Opening
from dalenius.audit.tracing.group_files import open_groups
from dalenius.errors import InputError
from dalenius.findings.tracing import TracingFinding
from dalenius.findings.tracing_build import make_tracing_finding
from dalenius.knowledge.tracing import TracingView
from dalenius.people.files.read_file import Source
from dalenius.people.sealed import SealedTraits, sealed_traits
from dalenius.people.traits.content_order import order_of_content
from dalenius.people.traits.traits import Traits
from dalenius.progress import Progress, silent
from dalenius.random import attack_stream, stream
from dalenius.referee.tracing import LEVELS, Bench
from dalenius.referee.tracing_deal import (
    ROUNDS,
    Places,
    Round,
    deal_rounds,
    order_of_members,
    reference_apart,
    targets_of,
)
from dalenius.release.means import MeansRelease
from dalenius.release.means_publish import publish_means

Attack = Callable[[TracingView, np.random.Generator], Accusations]

DUPLICATES = "duplicates in the reference"
"""What reference people with exactly a member's record are called."""


@dataclass(frozen=True)
class Traced:
    """A tracing audit that was run.

    Parameters
    ----------
    finding
        What was found; nobody is in it.
    release
        What was attacked; the first one, where there were several.
    accusations
        What the attack says about every member, in their order: to be kept as safe as the data.
    """

    finding: TracingFinding
    release: MeansRelease
    accusations: Accusations


def trace_members(
    members: Traits | SealedTraits | Source,
    reference: Traits | Source,
    mechanism: str = "exact",
    *,
    id: str | None = None,
    release: MeansRelease | None = None,
    others: Mapping[str, Traits | Source] | None = None,
    weights: str = "auto",
    calibration: str = "auto",
    preset: str | None = None,
    independent: bool = False,
    alpha: float | None = None,
    attack: Attack | None = None,
    rounds: int = ROUNDS,
    repeats: int = 1,
    levels: Sequence[float] = LEVELS,
    prior: float | None = None,
    moved: int | None = None,
    looks: int = 1,
    confidence: float = 0.95,
    name: str = "release",
    seed: int = 1,
    progress: Progress = silent,
) -> Traced:
    """Say how many members of a release of means can be recognised, and at how many false alarms.

    Parameters
    ----------
    members
        The people whose means are published: attributes, or a file, frame or table of a database.
    reference
        People of the same population who are not members: attributes, the same in the same order, or a source
        like that of the members.
    id
        Of sources, the column that names people; without it rows are numbered.
    mechanism
        What is done to the means, such as ``gaussian:rho=0.5``.
    release
        The means as they were published, instead of making them; there is no control then.
    others
        Further people to judge, by name, such as relatives of members.
    weights, calibration, preset, independent, alpha
        Which test, see `dalenius.attacks.tracing.attack.trace`.
    attack
        Another attack altogether.
    rounds
        Into how many parts the reference is cut; the attacker holds all but one.
    repeats
        How many independent releases are made and attacked. The first one is the finding; the others say how
        far the share of members recognised differs from release to release.
    levels
        The rates of false alarms to look at.
    prior
        How likely a person is a member beforehand; with it the finding says how often an accusation is right.
    moved
        How many means one person can move, see `publish_means`.
    looks
        How many findings are made together.
    confidence
        With which the intervals hold together.
    seed
        The same seed gives the same finding.

    Raises
    ------
    InputError
        If attributes differ, the reference holds members, or there are too few people.
    """
    if repeats < 1:
        raise InputError("repeats", "must be at least 1", str(repeats))
    if release is not None and repeats > 1:
        raise InputError("repeats", "must be 1 for a release that is already published", str(repeats))
    if not isinstance(members, Traits | SealedTraits):
        opened = open_groups(members, reference, Opening(id), others=others)
        members, reference, others = opened.members, opened.reference, opened.others
        moved = opened.moved if moved is None else moved
    members = sealed_traits(members)
    _check_alike(members, reference, "reference")
    # who is judged when, and with whom, is drawn: not by the order in which files list people
    order = order_of_members(members)
    ordered = reference.take(order_of_content(reference))
    people, pool, apart = _prepare(members.take(order), ordered, others or {}, seed)
    run = _Run(people, pool, apart, attack or _standard(weights, calibration, preset, independent, alpha))
    bench = Bench(tuple(levels))
    bench.pool = pool.n - -(-pool.n // max(rounds, 1))
    releases: list[MeansRelease] = []
    claims: list[Accusations] = []
    for j in range(repeats):
        made = release or publish_means(
            people, mechanism, rng=stream(seed, "noise", name, j), name=name, moved=moved
        )
        dealt = deal_rounds(people.n, pool.n, rounds, rng=stream(seed, "deal", name, j))
        releases.append(made)
        claims.append(run.judge(bench, made, dealt, seed, j, _share(progress, j, repeats)))
        if release is None and j == 0:
            run.control(bench, mechanism, dealt, seed, j, moved)
    finding = make_tracing_finding(
        bench.judge(),
        releases[0],
        looks=looks,
        confidence=confidence,
        prior=prior,
        assumptions=_assumed(claims[0], releases[0], control=release is None),
    )
    return Traced(finding, releases[0], claims[0].take(np.argsort(order)))


class _Run:
    """The people of one audit and the attack on them."""

    def __init__(
        self, people: SealedTraits, pool: Traits, others: Mapping[str, Traits], attack: Attack
    ) -> None:
        self.people, self.pool, self.others, self.attack = people, pool, others, attack

    def judge(
        self,
        bench: Bench,
        release: MeansRelease,
        dealt: Sequence[Round],
        seed: int,
        repeat: int,
        progress: Progress,
    ) -> Accusations:
        """Attack one release, round by round; return what is said about the members, in their order."""
        accused: list[Accusations] = []
        for k, part in enumerate(dealt):
            held = self.pool.take(part.pool)
            rng = attack_stream(release.name, repeat, k)
            accused.append(self._trace(release, targets_of(self.people, part.members), held, rng))
            progress((k + 0.5) / len(dealt), "tracing")
            if repeat == 0:
                bench.outsiders.append(self._trace(release, self.pool.take(part.outsiders), held, rng))
                for name, group in _split(self.others, k, len(dealt)):
                    bench.groups.setdefault(name, []).append(self._trace(release, group, held, rng))
            progress((k + 1) / len(dealt), "tracing")
        bench.members.append(accused)
        return _in_order(accused, [part.members for part in dealt])

    def control(
        self, bench: Bench, mechanism: str, dealt: Sequence[Round], seed: int, repeat: int, moved: int | None
    ) -> None:
        """Publish once more without the members judged in each round, and try to recognise those."""
        everybody = np.arange(self.people.n)
        for k, part in enumerate(dealt):
            rest = self.people.take(np.setdiff1d(everybody, part.members))
            rng = stream(seed, "noise", "control", repeat, k)
            release = publish_means(rest, mechanism, rng=rng, moved=moved)
            attacker = attack_stream("control", repeat, k)
            held = self.pool.take(part.pool)
            bench.control.append(self._trace(release, targets_of(self.people, part.members), held, attacker))

    def _trace(
        self, release: MeansRelease, targets: Traits, held: Traits, rng: np.random.Generator
    ) -> Accusations:
        columns = columns_of(targets, release)
        return self.attack(TracingView(release, targets.select(columns), held.select(columns)), rng)


def columns_of(people: Traits, release: MeansRelease) -> Places:
    """Where the attributes of a release stand among those of people."""
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


def _standard(
    weights: str, calibration: str, preset: str | None, independent: bool, alpha: float | None
) -> Attack:
    def attack(view: TracingView, rng: np.random.Generator) -> Accusations:
        from dalenius.attacks.tracing.attack import GENOME, UNSAID, trace

        said = trace(
            view,
            weights=weights,
            calibration=calibration,
            preset=preset,
            independent=independent,
            alpha=alpha,
            rng=rng,
        )
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


def _share(progress: Progress, j: int, repeats: int) -> Progress:
    def report(done: float, what: str) -> None:
        progress((j + done) / repeats, what)

    return report
