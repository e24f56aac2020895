"""Try a pass again on other people: what passes by luck on these does not pass on most of them.

Rounding to a coarser base can give more people away than a finer one: which counts lie near the end of their
interval is chance. So a release that no theorem covers passes only if random nine tenths of the people,
published and attacked in the same way, keep to the policy as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from dalenius.auditing.again import needs_again, try_again
from dalenius.errors import InputError, SolveError, UnsupportedError
from dalenius.findings.policy import Policy, Ruled
from dalenius.findings.resampled import NOT_TRIED, Resampled
from dalenius.knowledge.view import Knowledge, View
from dalenius.progress import Progress
from dalenius.random import stream
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.build import make_finding
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.referee.court import Court
from dalenius.reconstruction.referee.judge import Thresholds
from dalenius.reconstruction.rules import rulings
from dalenius.reconstruction.together import join_all
from dalenius.release.publish import publish_some
from dalenius.release.release import Release


@dataclass(frozen=True)
class Again:
    """How a release is tried again.

    Parameters
    ----------
    court, policy, seed
        Those of the audit.
    attacks
        Guess secrets from a view: arithmetic alone first, which is quick and often breaks the policy already.
    draws
        How many samples of the people to try.
    """

    court: Court
    policy: Policy
    seed: int
    attacks: Sequence[Callable[[View], Guesses]]
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
            found = try_again(self.draws, partial(self._rulings, finding, parts, attack), progress)
            if found.broken:
                break
        if found is None:
            raise UnsupportedError(NOT_TRIED)
        return found

    def _rulings(
        self,
        finding: SecretsFinding,
        parts: Sequence[Release],
        attack: Callable[[View], Guesses],
        draw: int,
    ) -> Sequence[Ruled]:
        """What the policy holds against an attack on one sample of the people."""
        named = (self.seed, "noise", finding.release, "sample", draw)
        with self.court.sample(rng=stream(self.seed, "sample", finding.release, draw)) as court:
            made = [
                publish_some(court.people, part, court.roster, rng=stream(*named, part.name))
                for part in parts
            ]
            release = made[0] if len(made) == 1 else join_all(made, finding.release)
            view = View(release, Knowledge(court.roster, court.prior))
            return rulings(self._found(finding, court, release, attack(view)), self.policy)

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
