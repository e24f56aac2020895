"""Releases of means as files: frequencies of alleles as geneticists exchange them, others as name and mean.

Numbers in files are as printed: fractions and frequencies, not signed means.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dalenius.atomic_write import write_files
from dalenius.errors import InputError
from dalenius.genomes.frequencies import Frequencies, write_frequencies
from dalenius.genomes.variants import Variants
from dalenius.mechanisms.means import noise_sd
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.files.reading import read_text, split_rows
from dalenius.release.means import Kind, MeansRelease, from_fractions

HEAD = ["attribute", "mean"]


def means_of_frequencies(
    frequencies: Frequencies, *, name: str = "release", people: int | None = None, mechanism: str = "unknown"
) -> MeansRelease:
    """Read published frequencies of alleles as a release of means.

    Parameters
    ----------
    frequencies
        As `read_frequencies` gives them.
    name
        What the release is called.
    people
        How many people it is of; by default half of the largest number of alleles that the file counts.
    mechanism
        What is said to have been done, in the units of the frequencies.

    Examples
    --------
    >>> variants = Variants(*(np.array([x]) for x in ("rs1", "1", 100, "A", "G")))
    >>> release = means_of_frequencies(Frequencies(variants, np.array([0.25]), np.array([80])))
    >>> release.means, release.n
    (array([-0.5]), 40)
    """
    if people is None and frequencies.observations is not None and frequencies.observations.max() > 1:
        people = int(frequencies.observations.max()) // 2
    return _described(name, frequencies.variants.ids, frequencies.frequency, "genotype", people, mechanism)


def write_means(path: str | Path, release: MeansRelease, variants: Variants | None = None) -> None:
    """Write a release, whole or not at all.

    Parameters
    ----------
    path
        A new file, columns between tabs.
    release
        What is published.
    variants
        For genotypes what the attributes are, by id, so that others know which allele was counted.

    Raises
    ------
    InputError
        If a variant of the release is not among ``variants``, or genotypes come without any.
    """
    path = Path(path)
    if release.kind != "genotype":
        lines = [
            f"{name}\t{float(mean)!r}" for name, mean in zip(release.names, release.fractions, strict=True)
        ]
        write_files(path.parent, {path.name: "\n".join(["\t".join(HEAD), *lines]) + "\n"})
        return
    if variants is None:
        raise InputError("variants", "must be given for a release of genotypes", "none")
    where = {str(name): j for j, name in enumerate(variants.ids)}
    strange = [str(name) for name in release.names if str(name) not in where]
    if strange:
        raise InputError(
            "variants", "must name all of the release", f"{len(strange):,} missing: {strange[0]!r}"
        )
    kept = variants.take(np.array([where[str(name)] for name in release.names]))
    counted = None if release.n is None else np.full(release.size, 2 * release.n)
    write_frequencies(path, Frequencies(kept, release.fractions, counted))


def read_means(
    path: str | Path,
    kind: Kind = "binary",
    *,
    name: str = "release",
    people: int | None = None,
    mechanism: str = "unknown",
) -> MeansRelease:
    r"""Read a table of attribute and mean, between tabs or commas.

    Raises
    ------
    InputError
        If the header or a line is another, or a mean is not a number.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     _ = Path(place, "m.tsv").write_text("attribute\tmean\nsmokes\t0.25\n")
    ...     read_means(f"{place}/m.tsv", people=8).means
    array([-0.5])
    """
    text = read_text(path)
    sign = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = split_rows(path, text, sign)
    if not rows or rows[0] != HEAD:
        got = "others" if rows else "an empty file"
        raise InputError(str(path), "must begin with the columns attribute and mean", got)
    names, means = [], []
    for j, row in enumerate(rows[1:], start=2):
        if len(row) != 2 or not _is_number(row[1]):
            raise InputError(str(path), "must have an attribute and a number in every line", f"line {j}")
        names.append(row[0])
        means.append(float(row[1]))
    return _described(name, np.array(names, np.str_), np.array(means), kind, people, mechanism)


def _described(
    name: str,
    names: np.ndarray[tuple[int], np.dtype[np.str_]],
    printed: np.ndarray[tuple[int], np.dtype[np.float64]],
    kind: Kind,
    people: int | None,
    mechanism: str,
) -> MeansRelease:
    """Fill in what the stated mechanism says about the noise."""
    chain = parse_mechanism(mechanism, "means")
    spread = noise_sd(chain, printed)
    real = kind == "real"
    return MeansRelease(
        name,
        names,
        printed if real else from_fractions(printed),
        kind,
        people,
        str(chain),
        spread if real or spread is None else 2 * spread,
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
