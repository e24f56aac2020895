"""What a release's own promise says about the best possible attack on it."""

from __future__ import annotations

from dalenius.findings.measure import Bound
from dalenius.findings.words import points
from dalenius.release.release import Release


def bound_of(release: Release) -> Bound | None:
    """Return by how much any attack can beat guessing, or None without a promise.

    The gain is largest for somebody whose secret is a fair coin without the release. The bounds are about a
    secret of two values; for more there is none here.

    Examples
    --------
    >>> from dalenius.mechanisms.base import Promise
    >>> from dalenius.people.schema import Column, Kind, Role
    >>> secret = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))
    >>> promise = Promise(None, 0.1, "zero-concentrated differential privacy with rho = 0.1")
    >>> bound = bound_of(Release("r", secret, (), "gaussian:sigma=9", promise))
    >>> round(bound.value, 4)
    0.0885
    """
    promise = release.promise
    if promise is None or len(release.secret.levels) != 2:
        return None
    from dalenius.theory.privacy import advantage_from_epsilon, advantage_from_rho

    bounds = []
    if promise.rho is not None:
        bounds.append((advantage_from_rho(promise.rho), "Neyman-Pearson for Gaussian noise"))
    if promise.epsilon is not None:
        bounds.append(
            (advantage_from_epsilon(promise.epsilon), "Kairouz, Oh and Viswanath (2015), Theorem 2.5")
        )
    if not bounds:
        return None
    value, statement = min(bounds)
    return Bound(
        statement=statement,
        text=f"Under {promise.text} no attack beats guessing about one person by more than "
        f"{points(value)} points.",
        kind="advantage-at-most",
        value=value,
    )
