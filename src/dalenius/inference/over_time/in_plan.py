"""A person's values over time as the prior of a plan: what a repeated release promises of one moment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalenius.auditing.case import Asked, Opened
from dalenius.auditing.plan_parts import PriorPlan
from dalenius.errors import InputError
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.build import PromisedRelease, make_infinite_finding
from dalenius.inference.case import PromiseMeasure, ask_about, check_values, is_limit
from dalenius.inference.finding import InferenceFinding, Prior
from dalenius.inference.over_time.chain_files import ChainFiles, open_chain
from dalenius.inference.over_time.measure_series import SeriesSource, measure_series, moments_of
from dalenius.knowledge.correlation.chain import MarkovChain
from dalenius.progress import Progress
from dalenius.release.release import Release

REPEATED = (
    "The release is taken to be made again at every moment with the same promise, which is about the value "
    "of one moment."
)


@dataclass(frozen=True)
class RelatedInTime:
    """A chain and how long it is, as a plan names them."""

    chain: MarkovChain
    moments: int
    source: str

    def ask(self, before: Sequence[Opened], *, seed: int) -> Asked:
        """Ask of every release about a secret what it promises of one moment, if it is made at every moment.

        Raises
        ------
        InputError
            If the secret has other values than the chain.
        """

        def measure(opened: Opened) -> PromiseMeasure:
            check_values(opened.published.values(), len(self.chain))
            for release in opened.published.values():
                _check_names(self.chain, release)
            return _InTime(self, seed)

        return ask_about(before, measure)


@dataclass(frozen=True)
class _InTime:
    """A chain, and the seed of the interval where it was estimated."""

    about: RelatedInTime
    seed: int

    def worth(self, name: str, release: Release, progress: Progress) -> InferenceFinding:
        """Find the worst mechanism with the promise of a release, repeated."""
        promise, own = release.promise, self.about
        if promise is not None and promise.epsilon is not None and is_limit(promise):
            found = measure_series(
                own.chain,
                own.moments,
                Spent(promise.epsilon, None, None, 1),
                None,
                source=SeriesSource(name, promise.text),
                seed=self.seed,
                progress=progress,
            ).finding
            return found.model_copy(update={"assumptions": (REPEATED, *found.assumptions)})
        about = PromisedRelease(name, release.mechanism, None if promise is None else promise.text)
        said = Prior(
            source=own.source,
            people=1,
            links=own.moments - 1,
            groups=1,
            largest=1,
            model=(f"a Markov chain of {len(own.chain)} values and {own.moments:,} moments",),
        )
        return make_infinite_finding(None, about, said, notes=(REPEATED,))


def open_series(plan: PriorPlan) -> RelatedInTime:
    """Read the chain of a plan.

    Raises
    ------
    InputError
        If there is not exactly one place that it comes from, or no length; for what the readers refuse.
    """
    if plan.agreement is not None and not isinstance(plan.agreement, float):
        rule = "must be one number for a series"
        raise InputError("knowledge.prior.agreement", rule, "a range or a table", "Give the upper end.")
    files = ChainFiles(plan.transitions, plan.states, plan.agreement, plan.start)
    chain = open_chain(files)
    return RelatedInTime(chain, moments_of(chain, plan.length), files.source)


def _check_names(chain: MarkovChain, release: Release) -> None:
    """A chain that was read names its values; they must be the secret's."""
    if chain.known != "agreement" and {*chain.states} != {str(level) for level in release.secret.levels}:
        rule = f"must have the values of {release.secret.name!r}"
        raise InputError("knowledge.prior", rule, "others", "Name states as the data does.")
