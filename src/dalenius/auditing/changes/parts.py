"""The parts of a planned release, each of which can be protected in its own way or left out: its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from dalenius.auditing.plan_releases import ReleasePlan
from dalenius.errors import InputError, nearest
from dalenius.grammar import parse_options

COUNTS = ("tables", "histogram", "random-subsets", "hadamard", "queries", "boolean")
"""The statistics that are counts of people, which can be rounded to a base, or hidden where small."""

LONGEST_NAME = 60


@dataclass(frozen=True)
class ChangeablePart:
    """One table of the secret with public columns, or another statistic, which is published whole.

    Parameters
    ----------
    release
        The release it is in.
    text
        The statistic that asks for it alone.
    columns
        The public columns of a table; nothing of another statistic.
    """

    release: str
    text: str
    columns: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What a person calls it.

        Examples
        --------
        >>> ChangeablePart("planned", "tables:k=2,attributes=age+sex", ("age", "sex")).name
        'age*sex'
        """
        return "*".join(self.columns) or self.text


def parts_of(release: ReleasePlan, public: Sequence[str]) -> tuple[ChangeablePart, ...]:
    """Take a release apart into its tables.

    Parameters
    ----------
    release
        Planned statistics.
    public
        The public columns, which ``tables:k=2`` means where it names none.

    Examples
    --------
    >>> planned = ReleasePlan(name="a", statistics=["tables:k=2", "histogram"], mechanism="exact")
    >>> [part.name for part in parts_of(planned, ["age", "sex", "town"])]
    ['age*sex', 'age*town', 'sex*town', 'histogram']
    """
    found = [part for text in release.statistics for part in _parts(release.name, text, public)]
    return tuple(dict.fromkeys(found))


def _parts(release: str, text: str, public: Sequence[str]) -> list[ChangeablePart]:
    options = parse_options(text)
    if options.name == "histogram" and options.words("column"):
        return [ChangeablePart(release, text, options.words("column"))]
    if options.name != "tables":
        return [ChangeablePart(release, text)]
    k, names = options.whole("k", least=0), options.words("attributes") or tuple(public)
    if k == 0 or any(mark in name for name in names for mark in "+,|="):
        return [ChangeablePart(release, text)]  # such a column cannot be named in a text
    return [
        ChangeablePart(release, f"tables:k={k},attributes={'+'.join(chosen)}", chosen)
        for chosen in combinations(names, k)
    ]


def counts_people(release: ReleasePlan) -> bool:
    """Whether all numbers of a release are counts of people.

    Examples
    --------
    >>> counts_people(ReleasePlan(name="a", statistics=["tables:k=2"], mechanism="exact"))
    True
    """
    return all(parse_options(text).name in COUNTS for text in release.statistics)


def without(release: ReleasePlan, kept: Iterable[ChangeablePart]) -> list[ReleasePlan]:
    """Return a release with some of its parts alone; nothing if none is left.

    Examples
    --------
    >>> planned = ReleasePlan(name="a", statistics=["tables:k=1"], mechanism="exact")
    >>> age, sex = parts_of(planned, ["age", "sex"])
    >>> without(planned, [age])[0].statistics
    ['tables:k=1,attributes=age']
    """
    texts = [part.text for part in kept]
    return [release.model_copy(update={"statistics": texts})] if texts else []


def protected(
    release: ReleasePlan,
    parts: Sequence[ChangeablePart],
    changed: Mapping[ChangeablePart, str],
    taken: Iterable[str],
) -> list[ReleasePlan]:
    """Protect some parts of a release in another way.

    Parameters
    ----------
    release, parts
        The release, and all its parts.
    changed
        The mechanism of each part that is to be protected otherwise; one and the same for all of them.
    taken
        Names that the new release must not have.

    Returns
    -------
    list of ReleasePlan
        The release with another mechanism if all parts change, else the rest of it and a new one.

    Examples
    --------
    >>> planned = ReleasePlan(name="a", statistics=["tables:k=1"], mechanism="exact")
    >>> age, sex = parts_of(planned, ["age", "sex"])
    >>> [(each.name, each.mechanism) for each in
    ...     protected(planned, [age, sex], {sex: "rounding:base=5"}, ["a"])]
    [('a', 'exact'), ('a changed', 'rounding:base=5')]
    """
    ours = [part for part in parts if part in changed]
    if not ours:
        return [release]
    mechanism = changed[ours[0]]
    if len(ours) == len(parts):
        return [release.model_copy(update={"mechanism": mechanism})]
    rest = [part.text for part in parts if part not in changed]
    new = {"name": _new_name(release.name, taken), "statistics": [part.text for part in ours]}
    return [
        release.model_copy(update={"statistics": rest}),
        release.model_copy(update=new | {"mechanism": mechanism}),
    ]


def _new_name(name: str, taken: Iterable[str]) -> str:
    used, number = {each.casefold() for each in taken}, 1
    while True:
        ending = " changed" if number == 1 else f" changed {number}"
        new = name[: LONGEST_NAME - len(ending)] + ending
        if new.casefold() not in used:
            return new
        number += 1


def tables_named(keep: Iterable[str], tables: Sequence[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    """Find tables by the names a person gives them, in whichever order of columns.

    Raises
    ------
    InputError
        If a name is not that of a planned table.

    Examples
    --------
    >>> tables_named(["sex*age"], [("age", "sex"), ("age",)])
    frozenset({('age', 'sex')})
    """
    found = set()
    names = {frozenset(table): table for table in tables}
    for text in keep:
        asked = frozenset(word.strip() for word in text.split("*"))
        if asked not in names:
            known = ["*".join(table) for table in tables]
            raise InputError(
                "keep", "must name tables of the plan, such as age*sex", repr(text), nearest(text, known)
            )
        found.add(names[asked])
    return frozenset(found)
