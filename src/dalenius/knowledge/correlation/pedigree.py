"""Families: ``id,father,mother[,sex][,twin]``. Children are linked with their parents.

Brothers and sisters agree because both take after their parents: where parents are known, their agreement
follows from that with the parents, and a link of their own would count it twice. A sibling agreement that is
given is therefore compared with the one that follows, and not used.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import expit

from dalenius.errors import InputError, nearest
from dalenius.knowledge.correlation.agreements import Rules
from dalenius.knowledge.correlation.files.columns import MISSING, Codes, Columns, line, listed, read_columns
from dalenius.knowledge.correlation.files.descent import Pedigree, check_descent
from dalenius.knowledge.correlation.files.people import read_people, refuse_twice
from dalenius.knowledge.correlation.links import Links
from dalenius.knowledge.correlation.network import Network, assemble
from dalenius.people.files.read_file import Source
from dalenius.shown import several

RELATIONS = ("parent", "sibling", "twin")
_NOT_KNOWN = "0"
"""What programs of geneticists write for a parent who is not known."""


def read_pedigree(
    path: Source,
    *,
    agreement: Mapping[str, float],
    people: Source | None = None,
    identical: bool = False,
) -> Network:
    r"""Read a family tree, or many.

    Parameters
    ----------
    path
        ``id,father,mother[,sex][,twin]``; an empty cell or ``0`` is a parent who is not known. Identical
        twins have the same word in ``twin``.
    agreement
        How likely relatives agree, by relation: ``parent`` (a child and a parent), ``twin``, and
        ``sibling``, which is only compared with what follows from ``parent``.
    people
        ``id[,bias][,epsilon]`` of people in the pedigree.
    identical
        Whether an agreement of 1 is meant.

    Raises
    ------
    InputError
        For parents who are not in the file, people who descend from themselves, one person as father and
        mother, a sex that contradicts a role, and what `read_network` refuses.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "family.csv")
    ...     _ = path.write_text("id,father,mother\nEva,,\nAdam,,\nAbel,Adam,Eva\nKain,Adam,Eva\n")
    ...     network = read_pedigree(path, agreement={"parent": 0.75, "sibling": 0.75})
    >>> network.kinds
    ('parent', 'parent', 'parent', 'parent')
    >>> print(*network.notes)
    sibling agreement is not a link of its own: in a family alone the links with the parents imply 0.683013;
    0.75 was given; parents of 2 children agree with 0.683 by their children alone
    """
    for kind in agreement:
        if kind not in RELATIONS:
            raise InputError(
                f"agreement of {kind!r}", "must be a relation", "another word", nearest(kind, RELATIONS)
            )
    rules = Rules(dict(agreement), identical)
    columns = read_columns(path, ("id", "father", "mother"), ("sex", "twin"))
    pedigree = read_descent(columns)
    links = _links(pedigree, rules, columns)
    known = None if people is None else read_people(people)
    return assemble(links, known, None if known is None else known.source, RELATIONS)


def read_descent(columns: Columns) -> Pedigree:
    """Read who descends from whom, and refuse families that cannot be."""
    file = columns.name
    names, (code, father, mother) = columns.labels("id", "father", "mother")
    empty = np.flatnonzero(code == MISSING)
    if empty.size:
        raise InputError(
            f"{file}: column 'id'", "must name somebody in every line", f"empty {line(empty[0])}"
        )
    row = np.full(names.size + 1, MISSING, np.int64)  # the last place is for a missing cell
    row[code] = np.arange(code.size)
    ids = names[code]
    refuse_twice(file, *np.unique(ids, return_inverse=True))
    unknown = np.flatnonzero((names == _NOT_KNOWN) & (row[:-1] == MISSING))
    parents = []
    for name, cells in (("father", father), ("mother", mother)):
        cells = np.where(np.isin(cells, unknown), MISSING, cells)
        strange = np.flatnonzero((cells != MISSING) & (row[cells] == MISSING))
        if strange.size:
            who = sorted({str(names[cell]) for cell in cells[strange]})
            raise InputError(
                f"{file}: column {name!r}",
                "must name people who have a line of their own",
                f"{several(len(who), 'person', 'people')} without one, first in {line(strange[0])}",
                "Add a line for them, with empty parents.",
                value=listed(who),
            )
        parents.append(row[cells])
    twins = columns.labels("twin")[1][0] if "twin" in columns else np.full(code.size, MISSING)
    pedigree = Pedigree(ids, parents[0], parents[1], twins)
    check_descent(columns, pedigree)
    return pedigree


def _links(pedigree: Pedigree, rules: Rules, columns: Columns) -> Links:
    """Children with their parents, twins with each other.

    Twins who always agree are one person to their parents: the first of them alone is linked, or the parents
    would take after the same child twice.
    """
    ids, parents = pedigree.ids, pedigree.parents()
    source, notes = columns.name, [*columns.notes]
    twins = _twin_pairs(pedigree.twins)
    same = len(twins) > 0 and rules.of("twin") == 1
    if same:
        parents = parents[~np.isin(parents[:, 0], twins[:, 1])]
        notes.append(f"{source}: of identical twins the first stands for all towards the parents")
    edges = np.concatenate([parents, twins])
    kind = np.repeat(np.array([0, 1]), [len(parents), len(twins)])
    agreement = np.empty(len(edges))
    for place, name in enumerate(("parent", "twin")):
        if (kind == place).any():
            agreement[kind == place] = rules.of(name)
    notes += rules.unused({"parent", "sibling", *(["twin"] if len(twins) else [])})
    notes += _siblings(pedigree, rules)
    return Links(ids, edges, agreement, ("parent", "twin"), kind, source, tuple(notes))


def _twin_pairs(twins: Codes) -> Codes:
    """Each twin with the first of the set."""
    is_twin = np.flatnonzero(twins >= 0)
    first = np.full(twins.max() + 1 if is_twin.size else 0, -1, np.int64)
    first[twins[is_twin][::-1]] = is_twin[::-1]
    other = is_twin[first[twins[is_twin]] != is_twin]
    return np.stack([first[twins[other]], other], axis=1)


def _siblings(pedigree: Pedigree, rules: Rules) -> list[str]:
    """What the links with the parents imply for siblings, beside what was given."""
    given = dict(rules.given) if isinstance(rules.given, Mapping) else {}
    father, mother = pedigree.father, pedigree.mother
    full = (father >= 0) & (mother >= 0)
    one = (father >= 0) ^ (mother >= 0)
    sizes = np.unique(father[full] * pedigree.ids.size + mother[full], return_counts=True)[1]
    implied, spouses = [], ""
    if "parent" in given and given["parent"] < 1:
        p = given["parent"]
        children = np.unique(sizes[sizes > 1])
        if children.size:
            most = spouse_agreement(p, int(children[-1]))
            spouses = f"; parents of {children[-1]:,} children agree with {most:.3g} by their children alone"
        implied += [sibling_agreement(p, 2, int(k)) for k in children]
        known = np.where(father >= 0, father, mother)[one]
        if known.size > np.unique(known).size:
            implied.append(sibling_agreement(p, 1, 2))
    if not implied:
        return ["a sibling agreement is given, but nobody has siblings"] if "sibling" in given else []
    low, high = min(implied), max(implied)
    spread = f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"
    said = f"; {given['sibling']:g} was given" if "sibling" in given else ""
    return [
        f"sibling agreement is not a link of its own: in a family alone the links with the parents imply "
        f"{spread}{said}{spouses}"
    ]


def sibling_agreement(parent: float, shared: int, children: int) -> float:
    """Return how likely two siblings agree, if each agrees with a parent like this, in a family alone.

    Over one shared parent ``p^2 + (1-p)^2``. Over two, parents who agree give each child their value with
    ``q = 1/(1 + e^(-4J))``; if they differ, children are fair coins.

    Examples
    --------
    >>> sibling_agreement(0.75, 1, 2), round(sibling_agreement(0.75, 2, 2), 6)
    (0.625, 0.683013)
    """
    if shared == 1:
        return parent**2 + (1 - parent) ** 2
    alike, q = _family(_family_coupling(parent, children), children)
    return float(alike * (q**2 + (1 - q) ** 2) + (1 - alike) / 2)


def spouse_agreement(parent: float, children: int) -> float:
    """Return how likely two people agree who share nothing but children, in a family alone.

    It is what a law of pairs implies, and grows with the children; inheritance implies one half.

    Examples
    --------
    >>> round(spouse_agreement(0.75, 1), 6), round(spouse_agreement(0.75, 8), 6)
    (0.625, 0.847196)
    """
    return float(_family(_family_coupling(parent, children), children)[0])


def _family(J: float, children: int) -> tuple[float, float]:
    """How likely the parents agree, and a child takes after parents who do, with one coupling for all."""
    # summing out a child ties its parents together with odds cosh(2J) to 1
    odds = children * (np.logaddexp(2 * J, -2 * J) - np.log(2))
    return float(expit(odds)), float(expit(4 * J))


def _family_coupling(parent: float, children: int) -> float:
    """The coupling with which a child agrees with each of two parents as stated."""
    from scipy.optimize import brentq

    def excess(J: float) -> float:
        alike, q = _family(J, children)
        return alike * q + (1 - alike) / 2 - parent

    return float(brentq(excess, -40.0, 40.0, xtol=1e-15, rtol=1e-14))
