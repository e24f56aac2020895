"""Association studies for tests: people, the regression of every variant, and files as tools write them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dalenius.genomes.plink import write_plink
from dalenius.genomes.variants import Genotypes, Variants
from dalenius.people.traits.traits import coded_from_values


@dataclass(frozen=True)
class Study:
    """Copies of the counted allele of every person, by group."""

    cases: np.ndarray
    controls: np.ndarray
    others: dict[str, np.ndarray]

    @property
    def size(self) -> int:
        return int(self.cases.shape[1])

    @property
    def a(self) -> np.ndarray:
        return np.asarray(self.cases.mean(axis=0) / 2)

    @property
    def u(self) -> np.ndarray:
        return np.asarray(self.controls.mean(axis=0) / 2)

    @property
    def both(self) -> np.ndarray:
        return np.asarray(np.concatenate([self.cases, self.controls]).mean(axis=0) / 2)


def draw_study(sizes: dict[str, int], variants: int, seed: int, low: float = 0.1) -> Study:
    """Draw people of one population."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(low, 1 - low, variants)
    drawn = {name: rng.binomial(2, share, (n, variants)) for name, n in sizes.items()}
    return Study(drawn.pop("cases"), drawn.pop("controls"), drawn)


def logistic(study: Study) -> tuple[np.ndarray, np.ndarray]:
    """Fit the logistic regression of being a case on each variant alone: effect and standard error."""
    g = np.concatenate([study.cases, study.controls]).astype(float)
    y = np.repeat([1.0, 0.0], [len(study.cases), len(study.controls)])[:, None]
    level, slope = np.full(study.size, np.log(y.mean() / (1 - y.mean()))), np.zeros(study.size)
    for _ in range(8):
        p = 1 / (1 + np.exp(-(level + slope * g)))
        w = p * (1 - p)
        s0, s1, s2 = w.sum(0), (w * g).sum(0), (w * g * g).sum(0)
        r0, r1 = (y - p).sum(0), ((y - p) * g).sum(0)
        det = s0 * s2 - s1**2
        level, slope = level + (s2 * r0 - s1 * r1) / det, slope + (s0 * r1 - s1 * r0) / det
    return slope, np.sqrt(s0 / det)


def table(path: Path, header: str, columns: Sequence[Sequence[object]], between: str = "\t") -> Path:
    """Write a table."""
    lines = [between.join(header.split())]
    lines += [between.join(str(cell) for cell in row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


def variants_of(size: int) -> Variants:
    """Return variants A/G at places 1,000 apart."""
    ids = np.array([f"rs{j}" for j in range(size)])
    counted, other = np.full(size, "A"), np.full(size, "G")
    return Variants(ids, np.full(size, "1"), 1000 * (1 + np.arange(size)), counted, other)


def write_people(path: Path, copies: np.ndarray, prefix: str) -> None:
    """Write genotypes."""
    ids = np.array([f"{prefix}{i}" for i in range(len(copies))])
    variants = variants_of(copies.shape[1])
    traits = coded_from_values("IID", ids, variants.ids, copies - 1.0, "genotype")
    write_plink(path, Genotypes(traits, variants))
