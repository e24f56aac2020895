"""The public design matrix of a regression: one row per person, one column per term.

Terms are named as statsmodels and its formulas name them: ``age`` for a column of numbers, ``sex[T.m]`` for
one level of a categorical column, ``age:sex[T.m]`` for a product. ``C(sex)[T.m]``, ``sex_m``, ``sex=m`` and
``sexm`` are read as the same; ``const``, ``(Intercept)`` and ``intercept`` are all ``Intercept``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import SHOW_LEVELS, InputError, nearest, nearest_column
from dalenius.matrices.answers import Vector
from dalenius.people.schema import Column, Roster

INTERCEPT = "Intercept"
_INTERCEPTS = {"intercept", "const", "(intercept)", "_cons", "1"}
_PRODUCT = re.compile(r":(?![^\[]*\])")

Matrix = NDArray[np.float64]

LARGEST = 1e15
"""Size of a number, and one over it: products of larger ones have no digits left."""


def design(
    roster: Roster, terms: tuple[str, ...], *, intercept: bool = True, standardise: bool = False
) -> Matrix:
    """Write out the columns of a regression.

    Parameters
    ----------
    roster
        The people and their public columns.
    terms
        Names of the columns, as `canonical` gives them; without the intercept.
    intercept
        Whether a column of ones stands first.
    standardise
        Whether every term has its mean taken off and is divided by its standard deviation (of these
        people, all of them, which is public).

    Raises
    ------
    InputError
        If a term is not about these people's columns, has missing values, or cannot be standardised.

    Examples
    --------
    >>> from dalenius.people.schema import CodedColumns
    >>> from dalenius.people.schema import Kind, Role
    >>> age = Column("age", Role.PUBLIC, Kind.CATEGORICAL, ("30", "47"))
    >>> sex = Column("sex", Role.PUBLIC, Kind.BINARY, ("f", "m"))
    >>> codes = np.array([[0, 1], [1, 0]], np.int32)
    >>> design(Roster("id", np.array(["a", "b"]), CodedColumns((age, sex), codes)), ("age", "sex[T.m]"))
    array([[ 1., 30.,  1.],
           [ 1., 47.,  0.]])
    """
    columns = [_column(roster, term) for term in terms]
    if standardise:
        columns = [_standardised(term, x) for term, x in zip(terms, columns, strict=True)]
    ones = [np.ones(len(roster))] if intercept else []
    if not columns and not ones:
        raise InputError("terms", "must name at least one column", "none", "Write terms=age+sex.")
    return np.stack([*ones, *columns], axis=1)


def fingerprint(matrix: Matrix) -> NDArray[np.int32]:
    """Codes that are equal for two people only if their rows are.

    Examples
    --------
    >>> fingerprint(np.array([[0.5, 1.0], [0.25, 1.0], [0.5, 1.0]])).tolist()
    [[1, 0], [0, 0], [1, 0]]
    """
    codes = [np.unique(column, return_inverse=True)[1].astype(np.int32) for column in matrix.T]
    return np.stack(codes, axis=1)


def expand(roster: Roster, words: Iterable[str]) -> tuple[str, ...]:
    """Turn the columns of a formula into terms: a categorical column into one for each level but the first.

    ``C(x)`` makes a column of numbers categorical. A single term, such as ``sex[T.m]``, stays itself.
    """
    terms: list[str] = []
    for word in words:
        column = _categorical(roster, word)
        if column is None:
            terms.append(canonical(word, roster))
        else:
            terms += [f"{column.name}[T.{level}]" for level in column.levels[1:]]
    refuse_repeated(terms)
    return tuple(terms)


def refuse_repeated(terms: Iterable[str], what: str = "terms") -> None:
    """Refuse a term that stands twice."""
    seen: set[str] = set()
    for term in terms:
        if term in seen:
            raise InputError(what, "must name every term once", f"{term!r} twice", "Leave one out.")
        seen.add(term)


def is_intercept(name: str) -> bool:
    """Whether a name is one of those that programs give the intercept."""
    return name.strip().lower() in _INTERCEPTS


def canonical(name: str, roster: Roster, where: str = "") -> str:
    """Find the term that a name means.

    Parameters
    ----------
    name
        As printed.
    roster
        The people.
    where
        Where it stands in a file: then an error says this, and the name only to those who may see people.

    Raises
    ------
    InputError
        If no column has that name, naming the nearest; or if a column of words has no level with it.
    """
    name = name.strip()
    if is_intercept(name):
        return INTERCEPT
    if (found := _simple(name, roster)) is not None:
        return found
    parts = _PRODUCT.split(name)
    factors = [_simple(part.strip(), roster) for part in parts]
    if len(parts) > 1 and None not in factors:
        return ":".join(factor for factor in factors if factor is not None)
    levels = _near(name, roster)
    raise InputError(
        where or f"term {name!r}",
        "must be a public column of the people, or a level of one",
        "no such term",
        SHOW_LEVELS if levels else nearest_column(name, [c.name for c in roster.attributes.columns]),
        value=name if where else None,
        hint=nearest(name, levels) if levels else "",
    )


def _near(name: str, roster: Roster) -> list[str]:
    """What an unknown name may have meant: levels of a column it starts with."""
    columns = [column for column in roster.attributes.columns if _bare(name).startswith(column.name)]
    return [f"{column.name}[T.{level}]" for column in columns for level in column.levels[:50]]


def columns_of(columns: Iterable[Column], terms: Iterable[str]) -> tuple[Column, ...]:
    """Of these columns the ones that terms are made of, in the same order."""
    used = {_split(factor)[0] for term in terms for factor in (term, *_PRODUCT.split(term))}
    return tuple(column for column in columns if column.name in used)


def numbers(roster: Roster, name: str) -> Vector | None:
    """Everybody's number in a column; None if it holds words."""
    if name in roster.numbers:
        return roster.numbers[name]
    at = roster.attributes.position(name)
    values = _level_numbers(roster.attributes.columns[at])
    return None if values is None else values[roster.attributes.codes[:, at]]


def _level_numbers(column: Column) -> Vector | None:
    try:
        return np.array([float(level) for level in column.levels], np.float64)
    except ValueError:
        return None


def _categorical(roster: Roster, word: str) -> Column | None:
    forced = re.fullmatch(r"C\((.+)\)", word.strip())
    name = forced.group(1).strip() if forced else word.strip()
    found = [column for column in roster.attributes.columns if column.name == name]
    if not found or (not forced and numbers(roster, name) is not None):
        return None
    return found[0]


def _simple(name: str, roster: Roster) -> str | None:
    """The term of a name that is no product, or None."""
    columns = roster.attributes.columns
    found = next((column for column in columns if column.name == name), None)
    if found is not None:
        if numbers(roster, name) is None:
            raise InputError(
                f"term {name!r}",
                "must say which level of a column of words it is about",
                "the column alone",
                f"Write {name}[T.level].",
                hint=f"Its levels: {', '.join(found.levels[:10])}.",
            )
        return name
    bare = _bare(name)
    for column in sorted((c for c in columns if bare.startswith(c.name)), key=lambda c: -len(c.name)):
        rest = bare[len(column.name) :]
        for level in column.levels:
            if rest in (f"[T.{level}]", f"[{level}]", f"_{level}", f"={level}", level):
                return f"{column.name}[T.{level}]"
    return None


def _bare(name: str) -> str:
    """Take off what formulas wrap around a column of words."""
    return re.sub(r"^(?:C|factor|as\.factor)\(([^)]*)\)", r"\1", name)


def _factors(term: str, roster: Roster) -> list[str]:
    return [term] if _simple(term, roster) is not None else _PRODUCT.split(term)


def _split(factor: str) -> tuple[str, str | None]:
    """The column of a canonical factor, and its level if it is one of words."""
    found = re.fullmatch(r"(.+)\[T\.(.*)\]", factor)
    return (found.group(1), found.group(2)) if found else (factor, None)


def _column(roster: Roster, term: str) -> Vector:
    product = np.ones(len(roster))
    for factor in _factors(canonical(term, roster), roster):
        name, level = _split(factor)
        values = numbers(roster, name) if level is None else None
        if values is None:
            at = roster.attributes.position(name)
            code = roster.attributes.columns[at].levels.index(str(level))
            values = (roster.attributes.codes[:, at] == code).astype(np.float64)
        product = product * values
    if missing := int((~np.isfinite(product)).sum()):
        raise InputError(
            f"term {term!r}",
            "must have a finite number for everybody",
            f"{missing:,} people without one",
            "Leave out the people who were not in the fit, or the term.",
        )
    size = float(np.abs(product).max(initial=0.0))
    if size and not 1 / LARGEST <= size <= LARGEST:
        raise InputError(
            f"term {term!r}",
            f"must have numbers of everyday size, up to {LARGEST:g} and not all below {1 / LARGEST:g}",
            "others",
            "Measure it in another unit.",
        )
    return product


def _standardised(term: str, x: Vector) -> Vector:
    sd = float(x.std())
    if sd <= 1e-12 * max(1.0, float(np.abs(x).max())):
        raise InputError(f"term {term!r}", "must vary to be standardised", "the same for everybody")
    return np.asarray((x - x.mean()) / sd, np.float64)
