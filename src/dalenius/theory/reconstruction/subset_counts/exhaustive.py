"""All subset counts released: the search over every candidate secret."""

from __future__ import annotations

from dalenius.theory import BLATANT_ERROR, _check


def all_subsets_error_bound(alpha: float) -> float:
    """Bound the fraction of wrong bits when every subset count is released within `alpha`.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 6 (after Dinur and Nissim 2003): any 0/1 vector
    consistent with all `2^n` subset answers differs from the truth in at most `4 * alpha * n`
    people.

    Parameters
    ----------
    alpha
        Largest error of an answer, as a fraction of n.

    Returns
    -------
    float
        Upper bound of (wrong bits)/n, at most 1.

    Notes
    -----
    Assumes all subsets are answered, each within `alpha`, with errors chosen by anyone. In the
    printed proof the query "everybody whose bit is 1" is said to limit the mistakes where the bit is
    0; it limits those where the bit is 1. The sum of both halves, and the theorem, stand.

    Examples
    --------
    >>> all_subsets_error_bound(0.025)
    0.1
    """
    return min(1.0, 4 * _check.nonnegative("alpha", alpha))


def all_subsets_blatant_alpha() -> float:
    """Return the largest `alpha` at which Theorem 6 still shows blatant non-privacy.

    Dwork, Smith, Steinke and Ullman (2017), Theorem 6. Equality is allowed, because Definition 3
    asks for at most n/10 wrong bits; the print is strict.

    Examples
    --------
    >>> all_subsets_blatant_alpha()
    0.025
    """
    return BLATANT_ERROR / 4
