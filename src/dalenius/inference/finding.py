"""What only a finding about related people says: what an epsilon is worth to each, given how they agree."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict

from dalenius.findings.measure import Plain
from dalenius.findings.report import Details, Finding

NOT_SAID = (
    "nu is about the worst mechanism with these epsilons, not about one mechanism at hand: that one may give "
    "away less, never more.",
    "nu depends on the prior that was assumed: who is linked, and how often they agree. People who agree "
    "more than assumed are, as a rule, worse off than stated.",
)
"""What no number here says; printed beside every one."""

GENES = (
    "Agreement models opinions, habits or diagnoses. Genes are not covered: a child copies one allele of "
    "each parent, the parents then explain each other away, and Equation 6 does not apply to that. Nothing "
    "here is a promise about genes."
)
"""What a law of pairs is no model of; printed beside every number that rests on one."""

MENDEL = (
    "This is one variant by Mendel's law: founders unrelated, no selection, no new mutations, and other "
    "variants, which are inherited together with it, are not reckoned with."
)
"""What the law of inheritance leaves out; printed instead where it is used."""

NOT_SAID_OF_GROUPS = (
    "Group privacy holds for any agreement within a group, so it may say far more than what can be learned "
    "about people who agree less.",
    "Simulated releases are about one count with this noise, not about another release with this promise.",
)
"""The same where nu is infinite."""


class Spread(Plain):
    """How a number differs between people: the least, the middle, the one that 95 in 100 do not exceed."""

    least: float
    median: float
    most_of_95: float
    worst: float

    @staticmethod
    def of(values: NDArray[np.float64]) -> Spread:
        """Summarise one number per person.

        Examples
        --------
        >>> Spread.of(np.array([0.1, 0.2, 0.4])).median
        0.2
        """
        at = np.quantile(values, [0.0, 0.5, 0.95, 1.0], method="inverted_cdf")
        return Spread(least=at[0], median=at[1], most_of_95=at[2], worst=at[3])


class Solved(Plain):
    """For how many people nu comes from one method; ``bound`` names the statement that it rests on."""

    method: str
    bound: str
    exact: bool
    people: int


class BoundOnWorst(Plain):
    """What one bound says about the worst-off person; None where its condition does not hold."""

    name: str
    nu: float | None


class UpTo(Plain):
    """nu of the worst-off person if only relatives up to this many links away were in the data."""

    distance: int
    nu: float


class Simulated(Plain):
    """How far a noisy count moved log-odds in simulated releases: at most ``moved`` with chance ``level``.

    Of the person most affected in each release. ``high`` is None where the draws are too few for a limit.
    """

    mechanism: str
    draws: int
    confidence: float
    level: float
    moved: float
    low: float
    high: float | None
    label: str


class RelatedRho(Plain):
    """What Gaussian noise promises people who agree as stated, all outputs but a chance of ``delta`` counted.

    ``worst`` and ``median`` are the rho that would protect an unrelated person as much: with the same epsilon
    at this delta, which is ``epsilon`` for the worst-off (None where only group privacy is known).
    ``mean_square`` is E D^2, the mean square of how many records change with the worst-off person's value,
    and ``advantage`` by how much any attack can beat guessing about anybody's fair coin. Of ``by_group``
    people nothing better than group privacy is known.
    """

    delta: float
    epsilon: float | None
    worst: float
    median: float
    mean_square: float
    advantage: float
    by_group: int


class Instead(Plain):
    """What can be said where nu is infinite: group privacy of the largest group of linked people.

    ``advantage`` is by how much any attack can beat guessing about a person whose value is a fair coin, for
    any agreement within a group of this size; ``related`` what holds for people who agree as stated.
    """

    reason: str
    group: int
    epsilon: float | None
    delta: float | None
    rho: float | None
    advantage: float
    text: str
    simulated: tuple[Simulated, ...] = ()
    related: RelatedRho | None = None


class Middle(Plain):
    """Many numbers in four: their mean and median, the least and the most."""

    mean: float
    median: float
    least: float
    most: float

    @staticmethod
    def of(values: NDArray[np.float64]) -> Middle:
        """Summarise some numbers.

        Examples
        --------
        >>> Middle.of(np.array([0.25, 0.5, 1.5])).mean
        0.75
        """
        return Middle(
            mean=float(values.mean()),
            median=float(np.median(values)),
            least=float(values.min()),
            most=float(values.max()),
        )


class Held(Plain):
    """What was stated, and what the prior in use implies; None where that is not known."""

    stated: Middle
    implied: Middle | None


class Prior(Plain):
    """What the attacker is assumed to know beforehand: who is linked, and what that rests on, in words.

    ``groups`` are sets of people linked with each other, directly or not; ``largest`` is the size of the
    largest. ``agreement`` is that of linked people, ``prevalence`` the probability of a 1; implied ones are
    known to within ``error``. Where ``as_stated`` is false, the prior in use is not the stated one, and
    nothing that is computed from it decides; ``how`` says why.
    """

    source: str
    people: int
    links: int
    groups: int
    largest: int
    model: tuple[str, ...]
    agreement: Held | None = None
    prevalence: Held | None = None
    error: float = 0.0
    as_stated: bool = True
    how: str = ""


class Regardless(Plain):
    """Between which nu of the worst-off lies in every law with the stated agreements and biases.

    ``least``: a mechanism may look at one person, or at two who are linked, of whom everything is stated.
    ``most``: the sum of the epsilons of a group of linked people.
    """

    least: float
    most: float


class ExactBalls(Plain):
    """What exact balls around the worst-off show where nu is only bounded.

    ``people`` were looked at, with up to ``largest`` people around them. Somebody's nu is at least ``least``,
    and nobody's is above ``most``, under the stated prior.
    """

    people: int
    largest: int
    least: float
    most: float


class Chosen(Plain):
    """The largest epsilon that keeps everybody at or below a target, and what limits it."""

    target: float
    epsilon: float
    reason: str


class ScannedAgreement(Plain):
    """One agreement that was tried, nu of the worst-off there, and the epsilon that keeps a target."""

    agreement: str
    nu: float
    epsilon: float | None


class AgreementScan(Plain):
    """Agreements that were tried where it is only known roughly, and what nu is at most between them.

    ``rises``: nu is known to rise with the agreement, so that the upper end decides; otherwise ``most``
    leaves room for half of the largest step between two that were tried.
    """

    tried: tuple[ScannedAgreement, ...]
    most: float
    rises: bool


class Related(Details):
    """What the epsilon of one release promises people who are related.

    ``nu``: a release moves the odds of any two values of a person by a factor of at most ``e^nu``; for
    unrelated people it is their epsilon. None where it is infinite, and ``instead`` says what holds.
    ``own`` is the epsilon of the worst-off person. ``exact`` says whether every nu is the worst case of the
    stated prior rather than a bound on it. ``regardless`` is what holds in any case, where the prior in use
    is not the stated one. ``chosen`` is the epsilon that keeps a target, where one was asked for. ``scan``
    are the agreements that were tried where it is known roughly; all else is of the worst of them. ``balls``
    say between which nu of the worst-off lies, where it is bounded.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["related"] = "related"
    prior: Prior
    epsilon: Spread | None
    nu: Spread | None
    own: float | None
    exact: bool
    solved: tuple[Solved, ...]
    bounds: tuple[BoundOnWorst, ...]
    by_distance: tuple[UpTo, ...]
    instead: Instead | None
    regardless: Regardless | None = None
    chosen: Chosen | None = None
    scan: AgreementScan | None = None
    balls: ExactBalls | None = None


class Trees(Details):
    """What holds in all trees of a degree.

    ``pull`` is (degree - 1)|2 agreement - 1|: above 1 distant relatives outweigh any noise, and no epsilon
    gets nu under ``least_nu``. ``slope`` is the most that nu is per epsilon; None where nothing limits it.
    ``largest`` is the largest epsilon that meets ``target``, None if none does; ``epsilon``, of which ``nu``
    is, the one given, or else the largest.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["trees"] = "trees"
    degree: int
    agreement: float
    pull: float
    least_nu: float
    slope: float | None
    target: float | None
    largest: float | None
    epsilon: float | None
    nu: float | None


class SeriesEstimate(Plain):
    """What an estimate rests on, and between which nu of the worst-off moment lies in chains that it allows.

    ``fewest`` counts the transitions from the value that was left least often.
    """

    transitions: int
    fewest: int
    draws: int
    confidence: float
    low: float
    high: float


class Series(Details):
    """What an epsilon for every moment promises about one moment of a person's series.

    ``known`` says where the transitions come from. ``nu`` is that of every moment, exact or from above;
    ``attained`` is what some mechanism does attain about the worst-off. ``scale`` is that of Laplace noise
    with this epsilon on a count, ``quilt`` what the Markov quilt mechanism adds for the same nu.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["series"] = "series"
    known: Literal["given", "agreement", "estimated"]
    values: int
    moments: int
    forbidden: int
    stationary: bool
    epsilon: float
    nu: Spread
    attained: float
    exact: bool
    estimate: SeriesEstimate | None
    scale: float
    quilt: float | None
    chosen: Chosen | None = None


class SampledBeliefs(Plain):
    """What beliefs after a release rest on where they are counted from perfect samples.

    Everybody's probability is known to within ``error``, all together with this ``confidence``; ``rounds`` is
    how far back the longest sample went until nothing depended on its start. With biases beliefs ``before``
    the release are counted too; each of the two laws has that confidence.
    """

    draws: int
    rounds: int
    error: float
    confidence: float
    before: bool = False


class Beliefs(Details):
    """Beliefs about all people together before and after one output.

    ``shift`` is by how much log-odds moved; ``limit`` is nu of the mechanism's epsilon, beyond which nobody's
    can move; None where it is infinite. ``confident_before`` and ``_after`` count people of whom one value is
    held at least as likely as ``confidence``; of samples, those of whom the whole interval is. ``judged`` is
    the referee's, where the truth was given.
    """

    model_config = ConfigDict(extra="forbid")

    asked: Literal["beliefs"] = "beliefs"
    prior: Prior
    shift: Spread
    limit: Spread | None
    confidence: float
    confident_before: int
    confident_after: int
    judged: dict[str, Any] | None
    sampled: SampledBeliefs | None = None


class InferenceFinding(Finding):
    """What related people give away; ``details`` say what was asked."""

    goal: Literal["inference"] = "inference"
    details: Related | Trees | Series | Beliefs


class RelatedFinding(InferenceFinding):
    """What the epsilon of one release is worth to related people."""

    details: Related
