"""Whether the numbers of a table are counts or shares, as its header or its reader says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dalenius.errors import InputError

COUNTS = ("count", "counts", "n", "freq", "frequency", "number", "people", "persons")
"""Names of the column of counts in a long table."""

PEOPLE = frozenset({"n", "people", "persons", "population", "respondents", "base", "denominator", "total n"})
"""Labels beside values of the secret that count everybody."""

_ALONE = {
    **dict.fromkeys(("percent", "percentage", "percentages", "pct", "per cent", "%"), 100.0),
    **dict.fromkeys(("share", "shares", "fraction", "fractions", "proportion", "proportions"), 1.0),
    "‰": 1000.0,
}
_PER = re.compile(r"(?:rate )?per (\d{1,3}(?:[,. ]?000)*)")
_SPEAKS = re.compile(r"%|‰|\b(percent|percentages?|per ?cent|pct|rates?|shares?|proportions?|prevalence)\b")
_BESIDE = re.compile(
    r"(?P<what>.*?)[\s,:]*[(\[]?\s*(?P<unit>%|‰|percent|per cent|pct|per \d[\d,. ]*)\s*[)\]]?"
)
_BEFORE = re.compile(r"(?P<unit>%|percent|per cent|pct)\s+(?:of\s+)?(?P<what>.+)")


def mentions_shares(text: str) -> bool:
    """Whether a line above a table speaks of shares.

    Examples
    --------
    >>> mentions_shares("Table 3. Percentage ill, by age"), mentions_shares("Table 3. People, by age")
    (True, False)
    """
    return _SPEAKS.search(text.lower()) is not None


def unit_of(text: str) -> float | None:
    """Of how many a share is that is called so; ``None`` if these words name no share.

    Examples
    --------
    >>> unit_of("Percent"), unit_of("rate per 1,000"), unit_of("fraction"), unit_of("yes")
    (100.0, 1000.0, 1.0, None)
    """
    text = " ".join(text.lower().split()).strip("()[] ")
    if text in _ALONE:
        return _ALONE[text]
    found = _PER.fullmatch(text)
    return float(re.sub(r"[,. ]", "", found[1])) if found else None


def split_unit(label: str) -> tuple[str, float]:
    """Part a label and what it says of its numbers: 0 for nothing.

    Examples
    --------
    >>> split_unit("yes (%)"), split_unit("% ill"), split_unit("rate per 1,000"), split_unit("yes")
    (('yes', 100.0), ('ill', 100.0), ('', 1000.0), ('yes', 0.0))
    """
    if (unit := unit_of(label)) is not None:
        return "", unit
    for form in (_BESIDE, _BEFORE):
        found = form.fullmatch(label.strip())
        unit = None if found is None else unit_of(found["unit"])
        if found is not None and unit is not None:
            return found["what"].strip(), unit
    return label, 0.0


def parse_numbers(text: str) -> float:
    """Read what a reader says of plain numbers: ``counts``, ``percent``, ``fraction`` or ``per:1000``.

    Examples
    --------
    >>> parse_numbers("counts"), parse_numbers("percent"), parse_numbers("per:1000")
    (0.0, 100.0, 1000.0)
    """
    word = text.strip().lower()
    if word == "counts":
        return 0.0
    unit = unit_of(word.replace("per:", "per "))
    if unit is None or unit < 1:
        raise InputError("--numbers", "must be counts, percent, fraction or per:1000 and such", repr(text))
    return unit


@dataclass(frozen=True)
class Labelled:
    """A column of numbers: the value of the secret in its header (``None``: all values), and its unit.

    The unit is 0 for counts and ``None`` where the header does not say.
    """

    value: str | None
    per: float | None


def label_values(labels: Sequence[str], margin: Sequence[bool], table: str) -> list[Labelled]:
    """What each label across a table that runs over values of the secret means.

    ``n`` and ``population`` beside values count everybody; a lone ``%`` or ``rate per 1,000`` is about the
    one value that stands beside it.

    Examples
    --------
    >>> [(found.value, found.per) for found in label_values(["n", "cases", "%"], [False] * 3, "t")]
    [(None, 0.0), ('cases', None), ('cases', 100.0)]
    """
    parts = [("", 0.0) if all_ else split_unit(label) for label, all_ in zip(labels, margin, strict=True)]
    words = {word.lower() for word, _ in parts}
    # beside y, n is the value no
    people = PEOPLE - ({"n"} if words & {"y", "j"} else set())
    values = dict.fromkeys(word for word, _ in parts if word and word.lower() not in people)
    if not values:
        people, values = frozenset(), dict.fromkeys(word for word, _ in parts if word)
    found = []
    for (word, per), all_ in zip(parts, margin, strict=True):
        if all_ or word.lower() in people:
            found.append(Labelled(None, per or (None if all_ else 0.0)))
            continue
        if not word and per and len(values) != 1:
            raise InputError(
                f"{table}: column of shares",
                "must say which value of the secret it is about",
                f"{len(values):,} values beside it",
                "Write it before the unit, as in: yes (%).",
                value=", ".join(values),
            )
        found.append(Labelled(word or (next(iter(values)) if per else None), per or None))
    return found
