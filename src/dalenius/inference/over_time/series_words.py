"""A person's values over time in words: what other moments give away, beside the noise of another method."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.inference.finding import Series
from dalenius.shown import several

_KNOWN = {
    "given": "The transitions were given",
    "agreement": "Both values are kept from moment to moment with one probability, which was given",
    "estimated": "The transitions were estimated from a file of states",
}


def series_sentence(found: Series) -> str:
    """Say in one sentence what the other moments make of epsilon."""
    like = "like" if found.exact else "at least like"
    return (
        f"With these transitions, epsilon = {found.epsilon:.3g} for every moment protects the value of the "
        f"worst-off moment {like} epsilon = {found.nu.worst:.3g} would, and of the median moment "
        f"{like} epsilon = {found.nu.median:.3g}."
    )


def series_facts(found: Series) -> Iterator[str]:
    """Say where the chain comes from, how nu was found, and how much noise that is; no value is named."""
    begins = "every moment is like the first" if found.stationary else "the first moment was given"
    length = several(found.moments, "moment")
    yield f"{_KNOWN[found.known]}: {found.values} values, {length}; {begins}."
    if found.forbidden:
        never = "never seen" if found.known == "estimated" else "of probability 0"
        many = several(found.forbidden, "transition")
        yield f"Taken as impossible: {many} {never}. An attacker who knows that is reckoned with."
    if found.estimate is not None:
        one = found.estimate
        yield (
            f"{one.transitions:,} transitions were seen, {one.fewest:,} from the rarest value. nu of the "
            f"worst-off moment is {one.low:.3g} to {one.high:.3g} in {one.confidence:.0%} of {one.draws} "
            "chains that they allow; the upper end decides."
        )
    if found.exact:
        yield "nu is the worst case: some mechanism with this epsilon attains it."
    else:
        yield (
            f"nu is an upper bound, moment by moment; some mechanism with this epsilon attains "
            f"{found.attained:.4g} about the worst-off moment."
        )
    yield _noise(found)
    if found.chosen is not None:
        yield found.chosen.reason


def _noise(found: Series) -> str:
    ours = f"A count of moments with Laplace noise of scale {found.scale:.3g} has this epsilon"
    if found.quilt is None:
        return f"{ours}. The Markov quilt mechanism is compared only where every moment is like the first."
    return f"{ours}; for the same nu the Markov quilt mechanism adds noise of scale {found.quilt:.3g}."
