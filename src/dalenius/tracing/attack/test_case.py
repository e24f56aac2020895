"""What a calibration gets and gives, and how a reference is divided between centring and comparing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError, UnsupportedError
from dalenius.grammar import Options
from dalenius.knowledge.tracing import KnownMeans, ReferenceMeans, TracingView
from dalenius.people.traits.traits import Traits, sums
from dalenius.progress import Progress
from dalenius.shown import hides_people
from dalenius.tracing.attack.weights import WITHOUT_CENTRE, Facts, Weighing

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Setting:
    """One test about to be run.

    Parameters
    ----------
    view
        What the attacker holds.
    weights, weigh
        The name of the weights and their function.
    facts
        What is said about the release.
    options
        The calibration with its parameters.
    blocks
        For sign flips over blocks: which block each attribute is in, 0, 1, ...; ``None`` for none.
    rng
        For calibrations that draw or divide the reference.
    progress
        Told how far the work is.
    """

    view: TracingView
    weights: str
    weigh: Weighing
    facts: Facts
    options: Options
    blocks: NDArray[np.intp] | None
    rng: np.random.Generator
    progress: Progress

    @property
    def q(self) -> Values:
        """The published means."""
        return self.view.release.means

    @property
    def noise_of_one(self) -> float:
        """The variance of the noise as one person's value would have to have it, to have it in the mean."""
        return (self.facts.n or 0) * (self.facts.sigma or 0.0) ** 2

    @property
    def hwe(self) -> bool:
        """Whether Hardy-Weinberg proportions are asserted."""
        said = self.options.choice("hwe", ("yes", "no"), "no") == "yes"
        if said and self.view.release.kind != "genotype":
            raise InputError("hwe", "is about genotypes", self.view.release.kind, "Leave hwe out.")
        return said

    def people(self, least: int, what: str) -> Traits:
        """Return the reference people, or say that they are needed."""
        reference = self.view.reference
        if reference is None or isinstance(reference, ReferenceMeans | KnownMeans):
            raise UnsupportedError(
                f"{self.options.name} needs the records of reference people, not "
                f"{'nothing' if reference is None else 'means alone'}: {what}"
            )
        if reference.n < least:
            raise InputError(
                "reference",
                f"must hold at least {least} people for {self.options.name}",
                f"{reference.n}",
                what[:1].upper() + what[1:],
            )
        return reference


@hides_people()
@dataclass(frozen=True)
class Outcome:
    """What a calibration found.

    Parameters
    ----------
    score, log_p
        Of each, one per target.
    comparators
        With how many reference people each target is compared.
    notes
        What a reader should know.
    certificate
        Proved log p-values beside approximate ones.
    rigorous
        Whether this run keeps what the calibration promises in general; values that are missing, for
        example, take more for granted.
    doubts
        What in the records speaks against what the calibration takes for granted: then nobody is accused.
    unlike
        Targets that do not look like draws from the references' population.
    member_odds
        By score, the log-likelihood ratio of a member against a parent, child or sibling of one.
    smallest
        The smallest p-value that is possible, where ranks or draws limit it.
    """

    score: Values
    log_p: Values
    comparators: int
    notes: tuple[str, ...] = ()
    certificate: Values | None = None
    rigorous: bool = True
    doubts: tuple[str, ...] = ()
    unlike: NDArray[np.bool_] | None = None
    member_odds: Values | None = None
    smallest: float = 0.0


@dataclass(frozen=True)
class Split:
    """A reference divided in two: the weights, and the mean of the people to compare with.

    ``compared`` is how many people are behind each mean; infinite for means that are known.
    """

    v: Values
    mean: Values
    compared: Values
    people: int
    others: Traits | None


def split(setting: Setting, comparators: int | None) -> Split:
    """Divide the reference at random: some people to compare with, the rest to centre the weights.

    No person does both: a comparator inside the mean that centres the weights shifts every outsider's score.
    """
    view, q, facts = setting.view, setting.q, setting.facts
    reference, none = view.reference, np.zeros_like(setting.q)
    centred = setting.weights not in WITHOUT_CENTRE
    if isinstance(reference, KnownMeans) and comparators is None:
        v = setting.weigh(q, reference.means, _inside(reference.means), facts)
        return Split(v, reference.means, np.full(q.shape, np.inf), 0, None)
    if isinstance(reference, ReferenceMeans) and comparators is None:
        if centred or reference.m is None:
            raise UnsupportedError(
                f"{setting.options.name} with the weights {setting.weights} compares with people who are not "
                "in the mean that centres the weights: means cannot be divided; use pooled, or weights raw"
            )
        v = setting.weigh(q, none, none, facts)
        return Split(v, reference.means, np.full(q.shape, float(reference.m)), reference.m, None)
    people = setting.people(2 if centred else 1, "one person centres and another compares.")
    m0 = comparators or (people.n // 2 if centred else people.n)
    if m0 > people.n - centred:
        raise InputError(
            "comparators",
            f"must be at most {people.n - centred}",
            str(m0),
            "Leave somebody to centre the weights.",
        )
    order = setting.rng.permutation(people.n)
    others = people.take(order[:m0])
    total, seen = sums(others)
    mean = np.divide(total, seen, out=np.zeros_like(total), where=seen > 0)
    if not centred:
        return Split(setting.weigh(q, none, none, facts), mean, seen.astype(np.float64), m0, others)
    centre, centred_by = sums(people.take(order[m0:]))
    plain = np.divide(centre, centred_by, out=np.zeros_like(centre), where=centred_by > 0)
    v = setting.weigh(q, plain, centre / (centred_by + 2), facts)
    return Split(np.where(centred_by > 0, v, 0.0), mean, seen.astype(np.float64), m0, others)


def _inside(means: Values) -> Values:
    """Known means of exactly -1 or +1 leave no weight to compute; those columns are dropped anyway."""
    return np.where(np.abs(means) >= 1, 0.0, means)
