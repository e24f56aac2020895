"""Alleles that nobody behind a release has: who carries them is not in it, unless by an error.

Exact frequencies of a dense file say of many rare alleles that nobody of the group has one. Everybody else
carries some, of ancestors whom the group lacks; a member carries none, but for errors of genotyping. So the
number of such alleles is ranked among the references. It depends on the release and on one record alone, so
target and references are exchangeable whatever variants and people have in common, and the rank is a proved
p-value. Errors make members carry a few and shift the rank a little; they need no model for that.

Beside the adjusted score of the same people it is added to what is ranked, in units of its spread in the
pool and `COUNTED` times as heavy, so that the score decides among those who carry about as many. Where values
are missing, or the score has a tail of its own, it is a second look, and both are paid for: each p-value is
divided by its share of the level, and the smaller counts (Bonferroni, with weights set before anybody is
looked at).
With an error rate stated, whoever carries more than errors explain is not a member: relatives of members are
told from members by that, also where their score is high.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.grammar import Options
from dalenius.knowledge.tracing import TracingView
from dalenius.people.traits.missing import lacks_any
from dalenius.people.traits.traits import CodedTraits
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.calibrations.conformal_targets import run_conformal
from dalenius.tracing.attack.tails.column_sums import column_sums
from dalenius.tracing.attack.test_case import Outcome, Setting
from dalenius.tracing.attack.weights import WEIGHTS

Values = NDArray[np.float64]

WORTH = 20.0
"""Such alleles that an outsider must be expected to carry for the count to be worth a look.

With fewer, linkage leaves too many outsiders with none: on simulated genomes of constant size 1.6% at 14."""

SHARE = 0.9
"""Of the level, what the count gets; the other test has the rest. Where the count tells, it tells most."""

COUNTED = 10.0
"""How much heavier the count is than the score: chosen on one simulated genome, confirmed on another."""

BEYOND = 1e-3
"""How unlikely as many errors are, in the record of a member who is taken for an outsider."""


def expected_absent(release: MeansRelease) -> float:
    """How many alleles that nobody behind a release has an outsider carries, by the release alone.

    Good and Turing: an allele of the next person is new as often as alleles were seen once. Not a number
    where the release does not count people.

    Examples
    --------
    >>> means = np.array([-1.0, -0.9, -0.9, 0.4, 0.9])  # of 10 people: three alleles stand once
    >>> names = np.array(["a", "b", "c", "d", "e"])
    >>> expected_absent(MeansRelease("r", names, means, "genotype", 10))
    0.3
    """
    if release.n is None:
        return np.nan
    once = np.abs(1 - np.abs(release.means) - 1 / release.n) < 0.25 / release.n
    return float(once.sum()) / release.n


def tells_absent(release: MeansRelease) -> bool:
    """Whether a release says of many alleles that nobody has them; decided by the release alone.

    Where digits are few no frequency is that of a single allele, and a frequency of 0 means little; with
    noise it means nothing.
    """
    if release.kind != "genotype" or release.sigma or release.mechanism not in ("exact", "unknown"):
        return False
    return expected_absent(release) >= WORTH and bool((np.abs(release.means) >= 1).any())


def counts_fit(view: TracingView) -> bool:
    """Whether everybody's count is of the same alleles: nobody lacks values."""
    people = view.targets, view.reference
    return all(isinstance(each, CodedTraits) and not lacks_any(each) for each in people)


def not_carried(setting: Setting) -> tuple[Values, Values]:
    """How many alleles that nobody has references and targets do not carry, up to a constant."""
    sign = WEIGHTS["absent"](setting.q, setting.q, setting.q, setting.facts)

    def counted(people: CodedTraits) -> Values:
        return column_sums(people, lambda x, part: (sign[part] * x)[None])[:, 0]

    reference, targets = setting.view.reference, setting.view.targets
    return counted(cast(CodedTraits, reference)), counted(cast(CodedTraits, targets))


def pool_counts(references: Values, targets: Values) -> Values:
    """Return, for each target's pool, everybody's count in units of its spread there; the target last.

    Examples
    --------
    >>> pool_counts(np.array([-3.0, -1.0]), np.array([1.0])).round(6)
    array([[-12.247449,   0.      ,  12.247449]])
    """
    pool = np.concatenate([np.broadcast_to(references, (targets.size, references.size)), targets[:, None]], 1)
    apart = pool - pool.mean(axis=1, keepdims=True)
    spread = np.sqrt((apart**2).mean(axis=1, keepdims=True))
    return np.asarray(COUNTED * apart / np.where(spread > 0, spread, 1.0))


def counted_with(setting: Setting, found: Outcome) -> Outcome:
    """Say that alleles which nobody has were counted, and exclude who carries too many of them."""
    nobody = int((np.abs(setting.q) >= 1).sum())
    note = (
        f"of {nobody:,} alleles the release says that nobody has them: how few of those somebody carries is "
        "ranked together with the score, in one rank"
    )
    return _excluding(setting, replace(found, notes=(*found.notes, note)))


def with_absent(setting: Setting, found: Outcome) -> Outcome:
    """Look a second time, at alleles that nobody has, and pay for both looks."""
    second = run_conformal(
        replace(setting, weights="absent", weigh=WEIGHTS["absent"], options=Options("conformal", {}))
    )
    paid = found.log_p - np.log1p(-SHARE), second.log_p - np.log(SHARE)
    log_p = np.minimum(np.minimum(*paid), 0.0)
    nobody = int((np.abs(setting.q) >= 1).sum())
    note = (
        f"of {nobody:,} alleles the release says that nobody has them: targets are also ranked by how "
        f"many of those they carry, and the smaller p-value counts, after {1 - SHARE:.0%} of the level for "
        f"the score and {SHARE:.0%} for the count"
    )
    both = replace(
        found,
        log_p=log_p,
        notes=(*found.notes, note),
        rigorous=found.rigorous and second.rigorous,
        smallest=min(found.smallest / (1 - SHARE), second.smallest / SHARE),
    )
    return _excluding(setting, both)


def _excluding(setting: Setting, found: Outcome) -> Outcome:
    """Take everybody for an outsider who carries more such alleles than a stated error rate explains."""
    rate = error_rate(setting.options)
    if rate is None:
        return found
    excluded = carries_too_many(setting, rate)
    note = (
        f"{int(excluded.sum()):,} targets carry more of them than an error rate of {rate:g} explains: "
        "they are not in the data"
    )
    return replace(found, log_p=np.where(excluded, 0.0, found.log_p), notes=(*found.notes, note))


def error_rate(options: Options) -> float | None:
    """Return the stated share of alleles that records have wrong; None where none is stated."""
    said = options.text("absent", "no")
    if said in ("yes", "no"):
        return None
    try:
        rate = float(said)
    except ValueError:
        rate = np.nan
    if not 0 <= rate < 0.5:
        raise InputError("absent", "must be yes, no, or an error rate from 0 to below 0.5", said)
    return rate


def carries_too_many(setting: Setting, rate: float) -> NDArray[np.bool_]:
    """Whether targets carry more alleles that nobody has than errors give all but one member in 1,000."""
    from scipy.stats import binom

    targets = setting.view.targets
    if not isinstance(targets, CodedTraits):
        raise InputError("absent", "is about genotypes", "real values", "Leave it out.")
    sign = WEIGHTS["absent"](setting.q, setting.q, setting.q, setting.facts)
    counted = column_sums(
        targets,
        lambda x, part: np.stack([np.abs(sign[part]) - sign[part] * x, 2 * np.abs(sign[part]) + 0 * x]),
    )
    most = binom.isf(BEYOND, np.rint(counted[:, 1]), rate)
    return np.asarray(np.rint(counted[:, 0]) > most)
