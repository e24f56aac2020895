"""Whether a finding about secrets keeps to a policy, also on other people than these.

Each rule gives a verdict and a sentence; the worst verdict is that of the finding, and every rule that leads
to it is told.

Try a pass again on other people: what passes by luck on these does not pass on most of them.

Rounding to a coarser base can give more people away than a finer one: which counts lie near the end of their
interval is chance. So a release that no theorem covers passes only if random nine tenths of the people,
published and attacked in the same way, keep to the policy as well.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial

from dalenius.auditing.decide import needs_again, try_again
from dalenius.errors import (
    SHOW_LEVELS,
    InputError,
    LostBlockError,
    LostWorkersError,
    SolveError,
    UnsupportedError,
    nearest,
)
from dalenius.findings.measure import Gain, to_decide
from dalenius.findings.policy import (
    NOT_TRIED,
    TO_INSIDERS,
    Policy,
    Resampled,
    Ruled,
    Ruling,
    from_to,
    points,
    ruled_by_samples,
)
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import Column
from dalenius.progress import Progress
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import Attempt, attempt_all
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.build import make_finding
from dalenius.reconstruction.finding import Judged, KnownPeople, SecretsFinding, about, any_of, established
from dalenius.reconstruction.referee.court import Court
from dalenius.reconstruction.referee.judge import Thresholds
from dalenius.reconstruction.words import if_as_stated
from dalenius.release.publish import publish_some
from dalenius.release.release import Release
from dalenius.shown import people
from dalenius.spread.places import side_by_side

FEWEST_PEOPLE = 20
"""From fewer people what is usual cannot be learnt: only arithmetic stops then."""


def rulings(finding: SecretsFinding, policy: Policy) -> list[Ruled]:
    """Hold one finding about secrets against every rule of a policy.

    Raises
    ------
    InputError
        If people were counted as known from another probability on than the policy's.
    """
    judged = finding.details.judged
    certain = Ruled(*_certain(finding, policy), "max_certain")
    if judged is None:
        return [certain, Ruled("undecided", f"{finding.undecided}.", "truth is given")]
    others = [
        *(Ruled(*ruling, "made as stated") for ruling in _refuted(judged)),
        Ruled(*_to_insiders(judged, policy), TO_INSIDERS),
        Ruled(*_known(finding, judged, policy), "max_known"),
        Ruled(*_advantage(finding, judged, finding.advantage, policy), "max_advantage"),
        *ruled_by_samples(judged.resampled),
        *_by_block(finding, policy),
        *(Ruled(*ruling, "mechanism is stated") for ruling in _untold(finding)),
    ]
    if judged.population_source != "reference" and (finding.people or 0) < FEWEST_PEOPLE:
        others = [_too_few(ruled) for ruled in others]
    return [certain, *others]


def check_sensitive(policy: Policy, secret: Column) -> None:
    """Refuse a policy about values that the secret does not take: it would be kept whatever comes out."""
    unknown = [value for value in policy.sensitive or () if value not in secret.levels]
    if unknown:
        raise InputError(
            "policy.sensitive",
            f"must be values of the secret {secret.name!r}",
            ", ".join(map(repr, unknown)),
            SHOW_LEVELS,
            hint=nearest(unknown[0], secret.levels),
        )


def _certain(finding: SecretsFinding, policy: Policy) -> Ruling:
    """No more people than tolerated may follow by arithmetic."""
    judged, counted = finding.details.judged, finding.certain or 0
    rows = () if judged is None else about(judged, policy.sensitive)
    if policy.sensitive is not None and judged is not None and not judged.certain_wrong:
        counted = sum(row.certain for row in rows)
    if counted <= policy.max_certain:
        return "pass", ""
    secret, verb = ("secret", "follows") if counted == 1 else ("secrets", "follow")
    which = _by_value(rows, [row.certain for row in rows])
    whose = people(counted)
    unless = if_as_stated(finding.mechanism) if judged is None else ""
    tolerated = f"{policy.max_certain:,} tolerated"
    return "stop", f"the {secret} of {whose}{which} {verb} by arithmetic alone{unless}, {tolerated}."


def _to_insiders(judged: Judged, policy: Policy) -> Ruling:
    """No more people than tolerated may follow for somebody else in the data, who knows their own secret."""
    rows = about(judged, policy.sensitive)
    counts, most = [row.to_insiders for row in rows], max(policy.max_certain, policy.max_known)
    if sum(counts) <= most:
        return "pass", ""
    secret, verb = ("secret", "follows") if sum(counts) == 1 else ("secrets", "follow")
    whose = f"the {secret} of {people(sum(counts))}{_by_value(rows, counts)}"
    return "stop", f"{whose} {verb} for somebody else in the data who knows their own, {most:,} tolerated."


def _refuted(judged: Judged) -> list[Ruling]:
    """What followed by arithmetic and is wrong: the release is not what it says, and nothing is shown."""
    if not judged.certain_wrong:
        return []
    return [("undecided", "what follows by arithmetic is not true: the release was not made as stated.")]


def _known(finding: SecretsFinding, judged: Judged, policy: Policy) -> Ruling:
    """No more people than tolerated may be known beyond what guessing knows, and beyond luck."""
    if judged.known and judged.known_at != policy.known_at:
        rule = f"must count people as known from {policy.known_at:g} on, as the policy does"
        raise InputError("findings", rule, f"{judged.known_at:g}", "Run the audit again.")
    if _uncounted(finding, judged, policy):
        return "undecided", "who has one of several sensitive values was not counted: run it again."
    rows = about(judged, policy.sensitive)
    counts = [row.right for row in rows]
    found, held, tolerated = sum(counts), sum(row.held for row in rows), f"{policy.max_known:,} tolerated"
    if found <= policy.max_known:
        return "pass", ""
    verb, secret = ("is", "secret") if found == 1 else ("are", "secrets")
    told = (
        f"the {secret} of {people(found)}{_by_value(rows, counts)} {verb} as good as known: held at "
        f"{policy.known_at:g} or more because of the release, {found:,} of {held:,} rightly; {tolerated}"
    )
    if judged.control_gains:
        return "undecided", f"{told}; but the control gains too: correlation, not leak."
    if established(judged, finding.advantage.confidence, policy.sensitive) > policy.max_known:
        return "stop", f"{told}."
    if not all(row.calibrated for row in rows):
        return "undecided", f"{told}; but too many of these claims are wrong to count."
    return "undecided", f"{told}; that many may be right by luck."


def _uncounted(finding: SecretsFinding, judged: Judged, policy: Policy) -> bool:
    """Whether the policy names other values than those whose having was counted together."""
    named = policy.sensitive or ()
    several = 1 < len(named) < finding.details.values
    return several and all(row.value != any_of(named) for row in judged.known)


def _untold(finding: SecretsFinding) -> list[Ruling]:
    """How a release was made does not stay unknown for ever: an attack that was not told shows no safety."""
    if "unknown" not in finding.mechanism.split(" or "):
        return []
    return [
        (
            "undecided",
            "the attack was told nothing about the mechanism: whoever knows how it was made may learn more.",
        )
    ]


def _too_few(ruled: Ruled) -> Ruled:
    if ruled.verdict != "stop":
        return ruled
    few = f"fewer than {FEWEST_PEOPLE} people do not tell what could be guessed without the release"
    return Ruled("undecided", f"{ruled.reason[:-1]}; but {few}.", ruled.rule)


def _advantage(finding: SecretsFinding, judged: Judged, gain: Gain, policy: Policy) -> Ruling:
    """The attack may not be right more often than tolerated, by its interval or by a theorem."""
    baseline = better_baseline(finding)
    limit, why = policy.limit(baseline), policy.limit_in_words(baseline)
    measured = f"advantage {points(gain.value)} points ({from_to(gain.low, gain.high)}), {why}"
    broken = _broken(finding, gain)
    if gain.low > limit:
        if judged.control_gains:
            return "undecided", f"{measured}; but the control gains too: correlation, not leak."
        return "stop", f"{measured}: above the limit{broken}."
    if broken:
        return "undecided", f"{measured}{broken}."
    if gain.high <= limit:
        return "pass", f"{measured}: below the limit."
    bound = finding.bound
    if bound is not None and bound.kind == "advantage-at-most" and bound.value <= limit:
        return (
            "pass",
            f"no attack can gain more than {points(bound.value)} points ({bound.statement}), {why}.",
        )
    needed = to_decide(gain, limit, finding.people)
    return "undecided", f"{measured}: the interval holds the limit; {needed}."


def better_baseline(finding: SecretsFinding) -> float:
    """How often the better guess without the release is right."""
    return 0.0 if finding.decisive.baseline is None else finding.decisive.baseline.rate


def _broken(finding: SecretsFinding, gain: Gain) -> str:
    """What to say when the attack does better than a theorem allows."""
    bound = finding.bound
    if bound is None or bound.kind != "advantage-at-most" or gain.low <= bound.value:
        return ""
    allowed = f"{points(bound.value)} points that {bound.statement} allows"
    return f", and above the {allowed}: the promise is not kept"


def _by_value(rows: Sequence[KnownPeople], counts: Sequence[int]) -> str:
    """How many of each value, where there is more than one to tell apart."""
    named = [
        f"{row.value or 'rare values'}: {count:,}" for row, count in zip(rows, counts, strict=True) if count
    ]
    return f" ({', '.join(named)})" if named and len(rows) > 1 else ""


@dataclass(frozen=True)
class Again:
    """How a release is tried again.

    Parameters
    ----------
    court, policy, seed
        Those of the audit.
    attacks
        How a view is attacked: by arithmetic alone first, which is quick and often breaks the policy already.
    draws
        How many samples of the people to try.
    """

    court: Court
    policy: Policy
    seed: int
    attacks: Sequence[Callable[[View], Attempt]]
    draws: int

    def confirm(
        self, finding: SecretsFinding, parts: Sequence[Release], progress: Progress
    ) -> SecretsFinding:
        """Return the finding of a release with what came out on samples of the people, if it needs that."""
        if not self.needed(finding):
            return finding
        try:
            if not self.draws or not all(_made_anew(part) for part in parts):
                raise UnsupportedError(NOT_TRIED)
            found = self._tried(finding, parts, progress)
        except LostWorkersError:
            raise  # what could not be tried because processes were lost is no pass
        except (InputError, UnsupportedError, SolveError):  # a fit may need people whom a sample lacks
            return finding.model_copy(update={"assumptions": (*finding.assumptions, NOT_TRIED)})
        return with_samples(finding, found)

    def needed(self, finding: SecretsFinding) -> bool:
        """Whether the finding passes, and no theorem says that it must."""
        return needs_again(finding, rulings(finding, self.policy), self.policy)

    def _tried(self, finding: SecretsFinding, parts: Sequence[Release], progress: Progress) -> Resampled:
        """Try the quick attacks on every sample first: where one breaks the policy, no other is needed."""
        found = None
        for attack in self.attacks:
            with closing(self._rulings(finding, parts, attack)) as in_turn:
                found = try_again(self.draws, partial(_the_next, in_turn), progress)
            if found.broken:
                break
        if found is None:
            raise UnsupportedError(NOT_TRIED)
        return found

    def _rulings(
        self,
        finding: SecretsFinding,
        parts: Sequence[Release],
        attack: Callable[[View], Attempt],
    ) -> Generator[Sequence[Ruled]]:
        """What the policy holds against an attack on each sample of the people, in turn.

        As many samples are open at once as can be attacked at once: they are the same for any number.
        """
        most = side_by_side()
        for first in range(0, self.draws, most):
            with ExitStack() as stack:
                opened: list[tuple[Court, View]] = []
                failed: Exception | None = None
                for draw in range(first, min(first + most, self.draws)):
                    try:
                        opened.append(self._sample(stack, finding, parts, draw))
                    except (InputError, UnsupportedError, SolveError) as error:
                        failed = error  # of this sample: those before it have their turn
                        break
                attacked = attempt_all([attack(view) for _, view in opened])
                for (court, view), claims in zip(opened, attacked, strict=True):
                    if claims.missed is not None and claims.missed.any():
                        rule, got = "must be attacked in every block", f"{claims.missed.sum():,} who were not"
                        raise LostBlockError("people of a sample", rule, got, "Use fewer workers.")
                    yield rulings(self._found(finding, court, view.release, claims), self.policy)
                if failed is not None:
                    raise failed

    def _sample(
        self, stack: ExitStack, finding: SecretsFinding, parts: Sequence[Release], draw: int
    ) -> tuple[Court, View]:
        """Draw a sample of the people, and publish about it."""
        named = (self.seed, "noise", finding.release, "sample", draw)
        court = stack.enter_context(self.court.sample(rng=stream(self.seed, "sample", finding.release, draw)))
        made = [
            publish_some(court.people, part, court.roster, rng=stream(*named, part.name)) for part in parts
        ]
        release = joined(made, finding.release)
        return court, View(release, Knowledge(court.roster, court.prior))

    def _found(
        self, finding: SecretsFinding, court: Court, release: Release, claims: Guesses
    ) -> SecretsFinding:
        """What some claims about a sample come to."""
        thresholds = Thresholds(known=self.policy.known_at, named=self.policy.sensitive or ())
        return make_finding(
            court.judge(claims, None, thresholds),
            release,
            looks=(finding.looks or 1) * self.draws,
            confidence=self.policy.confidence,
            population_source=court.source,
        )


def _the_next(in_turn: Iterator[Sequence[Ruled]], draw: int) -> Sequence[Ruled]:
    return next(in_turn)


def with_samples(finding: SecretsFinding, found: Resampled) -> SecretsFinding:
    """The finding with what came out on samples of the people."""
    if finding.details.judged is None:
        return finding
    judged = finding.details.judged.model_copy(update={"resampled": found})
    return finding.model_copy(update={"details": finding.details.model_copy(update={"judged": judged})})


def _made_anew(release: Release) -> bool:
    """Whether the release can be made of other people: not if nobody knows how, or if it names people."""
    named = any(hasattr(block.statistic, "members") for block in release.blocks)
    mechanisms = {release.mechanism, *(release.mechanism_of(block) for block in release.blocks)}
    return not named and not mechanisms & {"unknown", "stated"}


def joined(made: Sequence[Release], name: str) -> Release:
    """One release as it is, several as one."""
    if len(made) == 1:
        return made[0]
    from dalenius.reconstruction.together import join_all

    return join_all(made, name)


def _by_block(finding: SecretsFinding, policy: Policy) -> Iterable[Ruled]:
    """What single blocks break, where people are split."""
    if finding.details.blocks is None:
        return ()
    from dalenius.reconstruction.blocks import ruled_by_block

    return ruled_by_block(finding.details.blocks, policy)
