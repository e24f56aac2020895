"""Statistics and mechanisms by functions with completion: each gives a text of the grammar.

What comes back *is* that text, so it is taken wherever text is. The one reader of the grammar reads it when
it is made: what cannot be right is refused at once. Mechanisms are joined by ``|``, as in the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Self

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.mechanisms.parse import check_mechanism
from dalenius.statistics.parse import check, check_means, is_means

Names = str | Sequence[str]
"""One column, or several."""


class StatisticText(str):
    """What is to be published, as the text of the grammar that it is."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """Take a text that the grammar accepts."""
        check_means(text) if is_means(text) else check(text)
        return super().__new__(cls, text)


class MechanismText(str):
    """What is done to it before, as the text of the grammar that it is.

    Examples
    --------
    >>> gaussian(rho=0.1) | rounding(5)
    'gaussian:rho=0.1 | rounding:base=5'
    >>> gaussian(rho=-1)
    Traceback (most recent call last):
    ...
    dalenius.errors.InputError: gaussian: rho must be above 0; got -1.
    """

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """Take a text that the grammar accepts, of counts or of means."""
        check_mechanism(text)
        return super().__new__(cls, text)

    def __or__(self, then: str) -> MechanismText:
        """Do this, then that."""
        return MechanismText(f"{self} | {then}")

    def __ror__(self, first: str) -> MechanismText:
        return MechanismText(f"{first} | {self}")


def tables(k: int, attributes: Names = ()) -> StatisticText:
    """Every table of the secret with ``k`` of the public columns, or of the attributes named.

    Examples
    --------
    >>> tables(2), tables(k=1, attributes=["age", "sex"])
    ('tables:k=2', 'tables:k=1,attributes=age+sex')
    """
    return StatisticText(_text("tables", k=k, attributes=attributes))


def histogram(column: str | None = None) -> StatisticText:
    """The secret alone, or with one column."""
    return StatisticText(_text("histogram", column=column))


def random_subsets(m: int) -> StatisticText:
    """Counts of the secret in ``m`` random sets of people."""
    return StatisticText(_text("random-subsets", m=m))


def linear_regression(terms: Names, ridge: float | None = None) -> StatisticText:
    """Coefficients of the secret on public columns."""
    return StatisticText(_text("linear-regression", terms=terms, ridge=ridge))


def logistic_regression(
    terms: Names, publish: Literal["coefficients", "odds-ratios"] | None = None
) -> StatisticText:
    """Coefficients, or odds ratios, of a secret of two values on public columns."""
    return StatisticText(_text("logistic-regression", terms=terms, publish=publish))


def m_estimator(loss: str, terms: Names) -> StatisticText:
    """Coefficients that minimise a loss, such as ``poisson``.

    Examples
    --------
    >>> m_estimator("poisson", ["age", "sex"])
    'm-estimator:loss=poisson,terms=age+sex'
    """
    return StatisticText(_text("m-estimator", loss=loss, terms=terms))


def means(columns: Names = ()) -> StatisticText:
    """The mean of every column, or of those named: the question is who is in the data.

    Examples
    --------
    >>> means(), means(["age", "income"])
    ('means', 'means:columns=age+income')
    """
    return StatisticText(_text("means", columns=columns))


def frequencies(variants: int | None = None) -> StatisticText:
    """The frequency of every allele, or of so many spread evenly: the question is who is in the data.

    Examples
    --------
    >>> frequencies(), frequencies(500)
    ('frequencies', 'frequencies:variants=500')
    """
    return StatisticText("frequencies" if variants is None else f"frequencies:variants={variants}")


def gaussian(
    *,
    rho: float | None = None,
    sigma: float | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
) -> MechanismText:
    """Gaussian noise of a promise (``rho``; of means also ``epsilon`` and ``delta``) or size (``sigma``).

    Examples
    --------
    >>> gaussian(sigma=3)
    'gaussian:sigma=3'
    """
    return MechanismText(_text("gaussian", rho=rho, sigma=sigma, epsilon=epsilon, delta=delta))


def laplace(*, epsilon: float | None = None, scale: float | None = None) -> MechanismText:
    """Laplace noise of a promise (``epsilon``) or a size (``scale``)."""
    return MechanismText(_text("laplace", epsilon=epsilon, scale=scale))


def geometric(*, epsilon: float | None = None, scale: float | None = None) -> MechanismText:
    """Noise in whole numbers, of a promise (``epsilon``) or a size (``scale``)."""
    return MechanismText(_text("geometric", epsilon=epsilon, scale=scale))


def rounding(
    base: int | None = None,
    *,
    digits: int | None = None,
    how: Literal["nearest", "down", "up", "random", "controlled"] | None = None,
) -> MechanismText:
    """Round counts to multiples of a base, or numbers to so many digits after the point.

    Examples
    --------
    >>> rounding(5), rounding(digits=2), rounding(3, how="random")
    ('rounding:base=5', 'rounding:digits=2', 'rounding:base=3,how=random')
    """
    return MechanismText(_text("rounding", base=base, digits=digits, how=how))


def suppression(
    below: int, *, zeros: Literal["keep", "hide"] | None = None, complementary: bool = False
) -> MechanismText:
    """Hide counts below a threshold; also others from which they would follow, if ``complementary``.

    Examples
    --------
    >>> suppression(10, zeros="hide") | rounding(5)
    'suppression:below=10,zeros=hide | rounding:base=5'
    """
    more = "yes" if complementary else None
    return MechanismText(_text("suppression", below=below, zeros=zeros, complementary=more))


def subsample(rate: float) -> MechanismText:
    """Count only a random share of the people; comes first."""
    return MechanismText(_text("subsample", rate=rate))


def topcode(at: int) -> MechanismText:
    """Print counts above a value as that value."""
    return MechanismText(_text("topcode", at=at))


def exact() -> MechanismText:
    """Publish as it is."""
    return MechanismText("exact")


def _text(name: str, **given: Any) -> str:
    """Write a name and its parameters; what was not given is left to the grammar's default."""
    said = {key: _value(name, key, value) for key, value in given.items() if value is not None}
    return str(Options(name, {key: value for key, value in said.items() if value}))


def _value(name: str, key: str, value: Any) -> str:
    words = [value] if isinstance(value, str) else list(value) if isinstance(value, Sequence) else None
    if words is None:
        return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
    for word in words:
        if any(sign in word for sign in ",=+|"):
            raise InputError(
                f"{name}: {key}", "must be without the signs , = + |", "a word with one", "Rename the column."
            )
    return "+".join(words)
