"""One person's values over time: what an epsilon per moment is worth, and which one keeps a target."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from dalenius.errors import InputError
from dalenius.findings.measure import KNOWN, Gain, Measure, Rate
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.attack.chains.nu import NuOverTime, largest_nu, moved, nu_over_time
from dalenius.inference.attack.chains.quilt import quilt_scale
from dalenius.inference.build import HEADINGS, grade_links
from dalenius.inference.finding import NOT_SAID, Chosen, InferenceFinding, Series, SeriesEstimate, Spread
from dalenius.inference.over_time.series_words import series_facts, series_sentence
from dalenius.knowledge.correlation.chain import Floats, MarkovChain, long_run
from dalenius.progress import Progress, silent, within

MOST_MOMENTS = 100_000
"""The longest series; of an estimate a tenth of it, which is looked at many times."""

DRAWS, CONFIDENCE = 199, 0.95
"""How many chains are drawn that the seen transitions allow, and how many of them an interval holds."""

ASSUMED = (
    "The values of a person are a Markov chain: given the value of one moment, what came before and what "
    "comes after are independent. Whoever remembers further back is worse off than stated.",
    "Epsilon protects one moment: a neighbouring data set differs in the value of one moment of one person. "
    "Where it protects all moments of a person together, nu is that epsilon.",
)
OF_ESTIMATE = (
    "The transitions were estimated: counted over all series as if everybody had the same chain, and as if "
    "every transition were drawn by itself."
)


@dataclass(frozen=True, eq=False)
class SeriesMeasured:
    """Nu of every moment, with what is said about it."""

    chain: MarkovChain
    found: NuOverTime
    finding: InferenceFinding

    @property
    def details(self) -> Series:
        """What the finding says about the series."""
        details = self.finding.details
        assert isinstance(details, Series)  # noqa: S101 -- that is how it was made
        return details

    def rows(self) -> Iterator[str]:
        """``nu.csv``: ``moment,epsilon,nu,bound``."""
        yield "moment,epsilon,nu,bound\n"
        bound = "exact-chain" if self.details.exact else "bound-chain"
        for at, nu in enumerate(self.found.nu, start=1):
            yield f"{at},{self.details.epsilon:.10g},{nu:.10g},{bound}\n"

    def curve(self) -> tuple[Floats, Floats]:
        """Epsilons around the one in use, and nu of the worst-off moment at each."""
        epsilon = np.geomspace(self.details.epsilon / 20, self.details.epsilon * 20, 25)
        return epsilon, np.array([_worst(self.chain, self.details.moments)(each) for each in epsilon])


@dataclass(frozen=True)
class SeriesSource:
    """What a finding about a series is about: the chain, or a release with the promise that it makes."""

    name: str
    promise: str | None = None


def measure_series(
    chain: MarkovChain,
    moments: int | None,
    spent: Spent,
    target: float | None,
    *,
    source: SeriesSource,
    seed: int = 1,
    progress: Progress = silent,
) -> SeriesMeasured:
    """Find nu of every moment; where a target is given, the largest epsilon that keeps it.

    Raises
    ------
    InputError
        If there is neither an epsilon nor a target, or no length or too large a one.

    Examples
    --------
    >>> from dalenius.inference.answers.privacy_loss import spend
    >>> from dalenius.knowledge.correlation.chain import agreeing_chain
    >>> made = measure_series(agreeing_chain(0.8), 1000, spend([]), 1.0, source=SeriesSource("a chain"))
    >>> round(1 / made.details.epsilon, 2), round(made.details.quilt, 1)
    (3.85, 13.1)
    """
    length = moments_of(chain, moments)
    if spent.epsilon is None and target is None:
        raise InputError("--epsilon or --target-nu", "must be given", "neither", "Try --epsilon 0.5.")
    drawn = _drawn(chain, seed)
    chosen = None
    if target is not None:
        rest = within(progress, 0.0, 0.5)
        rest(0.0, "the largest epsilon")
        largest = _largest(_highest(chain, drawn, length), target, length)
        reason = f"The largest epsilon for every moment is {largest:.6g}{_why(chain)}."
        chosen = Chosen(target=target, epsilon=largest, reason=reason)
    epsilon = spent.epsilon if spent.epsilon is not None or chosen is None else chosen.epsilon
    assert epsilon is not None  # noqa: S101 -- one of the two was given
    found = nu_over_time(chain, length, epsilon, progress=within(progress, 0.5, 0.8))
    estimate = None
    if drawn:
        progress(0.8, "chains that the data allows")
        estimate = _estimate(chain, np.sort(largest_nu(drawn, length, epsilon)))
    progress(0.9, "the Markov quilt mechanism")
    worst = float(found.nu.max())
    details = Series(
        known=chain.known,
        values=len(chain),
        moments=length,
        forbidden=chain.forbidden,
        stationary=chain.stationary,
        epsilon=epsilon,
        nu=Spread.of(found.nu[found.nu > 0]),
        attained=found.attained,
        exact=found.exact,
        estimate=estimate,
        scale=1 / epsilon,
        quilt=quilt_scale(chain, length, worst),
        chosen=chosen,
    )
    return SeriesMeasured(chain, found, _finding(details, chain, source.name, source.promise))


def moments_of(chain: MarkovChain, moments: int | None) -> int:
    """Return how many moments a series has: as asked, or else as it was seen; refuse what is too long."""
    length = chain.moments if moments is None else moments
    if length is None:
        raise InputError("--length", "must say how many moments there are", "nothing", "Try --length 100.")
    most = MOST_MOMENTS // (10 if chain.known == "estimated" else 1)
    if not 1 <= length <= most:
        raise InputError("--length", f"must be from 1 to {most:,} moments", f"{length:,}")
    return length


def _drawn(chain: MarkovChain, seed: int) -> list[MarkovChain]:
    """Chains that what was seen allows: each row drawn with half a transition of every kind added."""
    if chain.seen is None:
        return []
    rng = np.random.default_rng([seed, 15])
    rows = [rng.dirichlet(row + 0.5, DRAWS) for row in chain.seen]
    tables = np.maximum(np.stack(rows, axis=1), 1e-12)
    tables /= tables.sum(axis=2, keepdims=True)
    return [
        replace(chain, transition=table, start=long_run(table) if chain.stationary else chain.start)
        for table in tables
    ]


def _estimate(chain: MarkovChain, nus: Floats) -> SeriesEstimate:
    assert chain.seen is not None  # noqa: S101 -- only of an estimate
    out = math.floor((1 - CONFIDENCE) / 2 * (DRAWS + 1))
    return SeriesEstimate(
        transitions=int(chain.seen.sum()),
        fewest=int(chain.seen.sum(axis=1).min()),
        draws=DRAWS,
        confidence=CONFIDENCE,
        low=float(nus[out - 1]),
        high=float(nus[DRAWS - out]),
    )


def _worst(chain: MarkovChain, moments: int) -> Callable[[float], float]:
    return lambda epsilon: float(moved(chain, moments, epsilon).max())


def _highest(chain: MarkovChain, drawn: list[MarkovChain], moments: int) -> Callable[[float], float]:
    """Nu of the worst-off moment: of an estimate, the upper end of what the data allows."""
    own = _worst(chain, moments)
    if not drawn:
        return own

    def high(epsilon: float) -> float:
        nus = np.sort(largest_nu(drawn, moments, epsilon))
        return max(own(epsilon), _estimate(chain, nus).high)

    return high


def _largest(nu: Callable[[float], float], target: float, moments: int) -> float:
    """The largest epsilon that keeps the target: nu grows with it, up to moments times epsilon."""
    from scipy.optimize import brentq

    low, high = target / moments, target
    if moments == 1 or nu(high) <= target:
        return high
    found = float(brentq(lambda epsilon: nu(epsilon) - target, low * (1 - 1e-9), high, xtol=1e-12 * high))
    while nu(found) > target:  # step back by the digits that finding a root leaves open
        found *= 1 - 1e-11
    return found


def _why(chain: MarkovChain) -> str:
    if chain.known == "estimated":
        return ": with any more, a chain that the data allows has a moment above the target"
    return ": with any more, the odds of some moment may move by more than the target"


def _finding(details: Series, chain: MarkovChain, source: str, promise: str | None) -> InferenceFinding:
    worst = details.nu.worst if details.estimate is None else max(details.nu.worst, details.estimate.high)
    grade = grade_links(details.epsilon, worst, exact=details.exact)
    return InferenceFinding(
        release=source,
        people=1,
        numbers=None,
        mechanism=f"any with epsilon = {details.epsilon:.4g} for every moment",
        promise=promise,
        attack_method="exact-chain" if details.exact else "bound-chain",
        measures=tuple(_measures(details)),
        deciding=0,
        headings=HEADINGS.model_copy(
            update={"at": "moments", "asks": "what do other moments give away about one"}
        ),
        bound=None,
        confidence=None,
        looks=None,
        severity=grade.severity,
        severity_reason=grade.reason.replace("the links add", "other moments add"),
        sentence=series_sentence(details),
        facts=tuple(series_facts(details)),
        notes=chain.notes,
        assumptions=ASSUMED if details.estimate is None else (*ASSUMED, OF_ESTIMATE),
        not_shown=(NOT_SAID[0],),
        details=details,
    )


def _measures(details: Series) -> Iterator[Measure]:
    nu = details.nu
    for label, worth in (("worst-off", nu.worst), ("median", nu.median), ("best-off", nu.least)):
        more = worth - details.epsilon
        yield Measure(
            label=label,
            unit="nu",
            attack=Rate.known(worth),
            baseline=Rate.known(details.epsilon),
            advantage=Gain(value=more, low=more, high=more, confidence=1.0, method=KNOWN),
        )
