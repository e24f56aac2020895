"""Are couplings that cannot be fitted enclosed rightly, and what is that worth in a large genealogy?

Run: python -m validation.enclosed_couplings [--models 3000] [--people 40000] [--agreement 0.6]

Random networks of three to eight people with loops, which can be fitted: fitted couplings must lie between
those that `enclose` gives, and everybody's nu between what these give. The same question is put to limits
that are too narrow by a hundredth: they must be broken. Then a simulated genealogy (families of up to
fourteen, second marriages, cousins who marry) is asked for the largest epsilon at a target of 1, beside
group privacy.
Exit code 1 if a limit is broken, the wrong ones are not, or the genealogy is not decided.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from dalenius.inference.answers.privacy_loss import spend
from dalenius.inference.answers.promise import promise
from dalenius.inference.attack.fit.enclosed import enclose
from dalenius.inference.attack.fit.fit import fit
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.priors.prior import read_pedigree
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.random import stream

SLACK = 1e-7
"""What the digits of the fit leave open."""


def draw(rng: np.random.Generator) -> tuple[CorrelationModel, np.ndarray]:
    """A network with loops, of all agreements or of one; couplings are those of each link alone."""
    people, dense = int(rng.integers(3, 9)), rng.uniform(0.3, 1.0)
    links = [(i, j) for i in range(people) for j in range(i) if rng.random() < dense] or [(0, 1)]
    agreement = np.full(len(links), rng.uniform(0.5, 0.9))
    if rng.random() < 0.6:
        agreement = 0.5 + 0.5 * rng.beta(1, rng.choice([2, 5, 10]), len(links))
    ids, coupling = np.arange(people), np.arctanh(2 * agreement - 1)
    return CorrelationModel("id", ids, np.array(links), coupling, np.zeros(people)), agreement


def compare(models: int) -> tuple[int, int, int]:
    """How many are enclosed, how many of these are broken, and how many with limits that are too narrow."""
    rng, shown, broken, wrong = stream(15, "enclosed couplings"), 0, 0, 0
    for _ in range(models):
        model, agreement = draw(rng)
        found = enclose(model)
        if found is None:
            continue
        shown += 1
        fitted = fit(model, agreement).model
        epsilon = rng.exponential(0.5, len(model))
        low, nu, high = (
            inferential_privacy(replace(model, coupling=each), epsilon).nu
            for each in (found.least, fitted.coupling, found.most)
        )
        below, above = fitted.coupling - found.least, found.most - fitted.coupling
        least = min(float(each.min()) for each in (below, above, nu - low, high - nu))
        broken += least < -SLACK
        wrong += min(float(below.min()), float(above.min())) < 0.01 - SLACK
    return shown, broken, wrong


def genealogy(people: int, rng: np.random.Generator) -> str:
    """A pedigree in which men marry from their neighbourhood, some twice, cousins too, but no siblings."""
    father, mother, sex = [], [], []

    def add(own: int, one: int = -1, other: int = -1) -> int:
        father.append(one)
        mother.append(other)
        sex.append(own)
        return len(sex) - 1

    generation = [add(int(rng.integers(2))) for _ in range(people // 12)]
    while len(sex) < people:
        men, women = ([p for p in generation if sex[p] == own] for own in (0, 1))
        born: list[int] = []
        for man in rng.permutation(men).tolist():
            for _ in range(1 + int(rng.random() < 0.1)):
                near = [w for w in women[:40] if father[w] < 0 or father[w] != father[man]]
                wife = near[int(rng.integers(len(near)))] if near and rng.random() < 0.65 else -1
                if wife >= 0:
                    women.remove(wife)
                else:
                    wife = add(1)
                children = min(int(rng.geometric(0.3)) - 1, 14, people - len(sex))
                born += [add(int(rng.integers(2)), man, wife) for _ in range(children)]
        generation = born or [add(int(rng.integers(2))) for _ in range(50)]
    text = StringIO("")
    text.write("id,father,mother\n")
    for who, (one, other) in enumerate(zip(father[:people], mother[:people], strict=True)):
        text.write(f"{who},{'' if one < 0 else one},{'' if other < 0 else other}\n")
    return text.getvalue()


def large(people: int, agreement: float) -> bool:
    """Print what a target of 1 allows in a genealogy; return whether it is decided."""
    started = time.process_time()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "family.csv"
        path.write_text(genealogy(people, stream(15, "genealogy", people)))
        prior = read_pedigree(path, agreement={"parent": agreement})
    sizes = np.bincount(prior.model.components())
    found = promise(prior, spend([]), 1.0, source="family.csv").finding.details
    chosen, groups = found.chosen, 1 / int(sizes.max())
    assert chosen is not None
    print(f"{people:,} people, {len(prior.model.edges):,} links, {sizes.max():,} of them in one group")
    print(
        f"agreement {agreement:g}: epsilon {chosen.epsilon:.4g} keeps nu = 1; group privacy {groups:.3g}, ",
        end="",
    )
    print(f"{chosen.epsilon / groups:.0f} times less; {time.process_time() - started:.0f} CPU s")
    print(found.prior.how)
    return found.regardless is None


def main() -> int:
    """Compare, then measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=3000)
    parser.add_argument("--people", type=int, default=40_000)
    parser.add_argument("--agreement", type=float, default=0.6)
    asked = parser.parse_args()
    shown, broken, wrong = compare(asked.models)
    print(f"{asked.models:,} networks, {shown:,} enclosed: broken {broken} times")
    print(f"with limits narrower by a hundredth: broken {wrong:,} times")
    decided = large(asked.people, asked.agreement) if asked.people else True
    return int(broken > 0 or wrong == 0 or not decided)


if __name__ == "__main__":
    sys.exit(main())
