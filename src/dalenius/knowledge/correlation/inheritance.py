"""Mendel's law on a family tree: who is in which nuclear family, and what a child can have.

Alleles: one bit per person, and a child copies that of one parent, either with probability one half.
Genotypes: how many of two alleles are the one in question, of which a child gets one from each parent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.correlation.files.columns import Columns, line, listed, read_columns
from dalenius.knowledge.correlation.files.descent import Pedigree
from dalenius.knowledge.correlation.files.people import read_people
from dalenius.knowledge.correlation.pedigree import read_descent
from dalenius.people.files.read_file import Source
from dalenius.people.schema import Ids
from dalenius.shown import hides_people

Floats = NDArray[np.float64]

UNKNOWN = -1
"""A parent who has no line: somebody without data, of whom nothing else is known."""


@dataclass(frozen=True, eq=False)
class MendelLaw:
    """What people have, and what their children get.

    Parameters
    ----------
    kind
        Alleles of two values, or genotypes of three.
    frequency
        How common the allele in question is.
    founder
        How likely each value is of anybody, as long as nothing of relatives is known.
    child
        By father's, mother's and child's value: how likely the child has it.
    """

    kind: Literal["alleles", "genotypes"]
    frequency: float
    founder: Floats
    child: Floats

    @property
    def values(self) -> int:
        """How many values there are."""
        return self.founder.size


def mendel(frequency: float, *, genotypes: bool = False) -> MendelLaw:
    """Return the law for an allele this common.

    Examples
    --------
    >>> mendel(0.1).child[0, 1], mendel(0.1, genotypes=True).founder.round(2)
    (array([0.5, 0.5]), array([0.81, 0.18, 0.01]))
    """
    if not 0 < frequency < 1:
        fix = "It is how common the allele is, such as 0.05."
        raise InputError("--frequency", "must lie strictly between 0 and 1", f"{frequency:g}", fix)
    q, p = frequency, 1 - frequency
    if not genotypes:
        ones = np.add.outer([0, 1], [0, 1]) / 2
        return MendelLaw("alleles", q, np.array([p, q]), np.stack([1 - ones, ones], axis=-1))
    gives = np.array([0.0, 0.5, 1.0])
    one, other = gives[:, None], gives[None, :]
    child = np.stack([(1 - one) * (1 - other), one * (1 - other) + other * (1 - one), one * other], axis=-1)
    return MendelLaw("genotypes", q, np.array([p * p, 2 * p * q, q * q]), child)


@hides_people("source")
@dataclass(frozen=True, eq=False)
class Lineage:
    """Who descends from whom, with identical twins as one.

    Parameters
    ----------
    ids
        The people.
    stands_for
        The first of each set of identical twins; everybody else stands for themselves.
    father, mother
        Of everybody; -1 if not known.
    epsilon
        Where the file of people gives them; NaN where it does not, None without a file.
    source, notes
        What it was read from, and what of it was not used.
    """

    ids: Ids
    stands_for: NDArray[np.int64]
    father: NDArray[np.int64]
    mother: NDArray[np.int64]
    epsilon: Floats | None
    source: str
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return int(self.ids.size)


def read_lineage(family: Source, law: MendelLaw, *, people: Source | None = None) -> Lineage:
    """Read a family tree ``id,father,mother[,sex][,twin][,genotype]`` for Mendel's law.

    A column ``genotype`` (``0``, ``1``, of genotypes also ``2``) is held against the law and not used.

    Raises
    ------
    InputError
        For what `read_pedigree` refuses, a bias beside the law, and children whom their parents cannot have.
    """
    columns = read_columns(family, ("id", "father", "mother"), ("sex", "twin", "genotype"))
    pedigree = read_descent(columns)
    _check_children(columns, pedigree, law)
    first = np.arange(pedigree.ids.size)
    for twins in np.unique(pedigree.twins[pedigree.twins >= 0]):
        first[pedigree.twins == twins] = np.flatnonzero(pedigree.twins == twins)[0]
    fathers, mothers = (np.where(own >= 0, first[own], UNKNOWN) for own in (pedigree.father, pedigree.mother))
    return Lineage(
        pedigree.ids,
        first,
        fathers,
        mothers,
        None if people is None else _epsilons(people, pedigree.ids),
        columns.name,
        columns.notes,
    )


def _epsilons(people: Source, ids: Ids) -> Floats:
    known = read_people(people)
    if known.bias is not None and np.isfinite(known.bias).any():
        rule, fix = "must have no column 'bias' beside Mendel's law", "--frequency says how common it is."
        raise InputError(known.source, rule, "one", fix)
    place = {str(name): at for at, name in enumerate(ids)}
    found = np.full(ids.size, np.nan)
    strange = [str(name) for name in known.ids if str(name) not in place]
    if strange:
        got = f"{len(strange):,} without a line in the family"
        raise InputError(known.source, "must name people of the family", got, value=listed(strange))
    if known.epsilon is not None:
        found[[place[str(name)] for name in known.ids]] = known.epsilon
    return found


def _check_children(columns: Columns, pedigree: Pedigree, law: MendelLaw) -> None:
    """Refuse children whom their parents cannot have: the file or the family is wrong."""
    if "genotype" not in columns:
        return
    told = columns.numbers("genotype")
    known = np.isfinite(told)
    odd = np.flatnonzero(known & ~np.isin(told, np.arange(law.values)))
    if odd.size:
        rule = f"must be 0 to {law.values - 1}"
        raise InputError(f"{columns.name}: column 'genotype'", rule, f"another in {line(odd[0])}")
    value = np.where(known, told, 0).astype(np.int64)
    bad = []
    for at in np.flatnonzero(known):
        table = law.child[:, :, value[at]]
        rows = [
            own if own >= 0 and known[own] else None for own in (pedigree.father[at], pedigree.mother[at])
        ]
        some = table if rows[0] is None else table[[value[rows[0]]]]
        some = some if rows[1] is None else some[:, [value[rows[1]]]]
        if not (some > 0).any():
            bad.append(int(at))
    if bad:
        more = f" and {len(bad) - 1:,} more" if len(bad) > 1 else ""
        raise InputError(
            f"{columns.name}: column 'genotype'",
            "must be what a child can have of its parents",
            f"a child who cannot in {line(bad[0])}{more}",
            "Correct the values or the parents; by Mendel's law such a child is not theirs.",
            value=listed([str(pedigree.ids[at]) for at in bad]),
        )
