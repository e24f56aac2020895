"""An agreement that is only known roughly: ``0.6..0.8`` asks what holds wherever in between it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dalenius.errors import InputError
from dalenius.inference.answers.measure import Measured, measure
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.answers.promise import promise
from dalenius.inference.build import with_facts
from dalenius.inference.finding import AgreementScan, ScannedAgreement
from dalenius.inference.priors.prior import PriorFiles, open_prior
from dalenius.knowledge.correlation.agreements import Agreement, parse_agreement
from dalenius.knowledge.correlation.network import Network
from dalenius.progress import Progress, saying, silent, within

STEPS = 5
"""Agreements that are tried, both ends among them."""

BETWEEN = ".."


@dataclass(frozen=True)
class RoughAgreement:
    """Two ends, for all links or for each type; those without a range are the same at both."""

    low: Agreement
    high: Agreement

    def at(self, share: float) -> Agreement:
        """What lies this share of the way from the lower end to the upper."""
        if isinstance(self.low, float) and isinstance(self.high, float):
            return self.low + share * (self.high - self.low)
        assert not isinstance(self.low, float)  # noqa: S101 -- both are by type
        assert not isinstance(self.high, float)  # noqa: S101
        return {kind: low + share * (self.high[kind] - low) for kind, low in self.low.items()}

    def tried(self) -> list[Agreement]:
        """Those that are tried, from end to end."""
        return [self.at(float(share)) for share in np.linspace(0, 1, STEPS)]


def parse_rough(text: str | None) -> RoughAgreement | None:
    """Read ``0.6..0.8`` or ``parent=0.7..0.8,contact=0.6``; None where nothing is said to be rough.

    Examples
    --------
    >>> parse_rough("parent=0.7..0.8,contact=0.6").at(0.5), parse_rough("0.8")
    ({'parent': 0.75, 'contact': 0.6}, None)
    """
    if text is None or BETWEEN not in text:
        return None
    ends = []
    for pick in (0, -1):
        parts = []
        for part in text.split(","):
            kind, equals, value = part.rpartition("=")
            parts.append(f"{kind}{equals}{value.split(BETWEEN)[pick]}")
        ends.append(parse_agreement(",".join(parts)))
    rough = RoughAgreement(*ends)
    low, high = (np.array([*(end.values() if isinstance(end, dict) else [end])], float) for end in ends)
    if text.count(BETWEEN) > len(text.split(",")) or (low > high).any():
        raise InputError("--agreement", "must go from a lower end to a higher", repr(text), "Write 0.6..0.8.")
    return rough


def scan(
    files: PriorFiles,
    rough: RoughAgreement,
    spent: Spent,
    target: float | None,
    *,
    progress: Progress = silent,
) -> Measured:
    """Measure at some agreements from end to end; the one where the worst-off is worst is returned.

    With an epsilon to be found it is the smallest of those found, and nu is that of the agreement which
    asks for it.
    """
    found = []
    for k, agreement in enumerate(rough.tried()):
        own = replace(files, agreement=agreement)
        part = saying(within(progress, k / STEPS, (k + 1) / STEPS), f"agreement {k + 1} of {STEPS}")
        found.append(promise(open_prior(own), spent, target, source=files.source, progress=part))
    return worst_of(found, rough, spent, files.source)


def worst_of(found: Sequence[Measured], rough: RoughAgreement, spent: Spent, source: str) -> Measured:
    """Of what was measured from end to end, the agreement where the worst-off is worst, with all of them."""
    tried = tuple(
        ScannedAgreement(
            agreement=_in_words(agreement),
            nu=_worst(one),
            epsilon=None if one.finding.details.chosen is None else one.finding.details.chosen.epsilon,
        )
        for agreement, one in zip(rough.tried(), found, strict=True)
    )
    worst = found[int(np.argmax([_demand(one, spent) for one in found]))]
    rises = all(_rises_with_agreement(one.network) for one in found)
    if _is_found(worst, spent):
        if not rises:
            worst = _with_room(worst, [one.epsilon or 0.0 for one in tried], spent, source)
        most = _worst(worst)
    else:
        most = _most([_worst(one) for one in found], rises)
    scanned = AgreementScan(tried=tried, most=most, rises=rises)
    details = worst.finding.details.model_copy(update={"scan": scanned})
    return replace(worst, finding=with_facts(worst.finding.model_copy(update={"details": details})))


def _with_room(worst: Measured, epsilons: Sequence[float], spent: Spent, source: str) -> Measured:
    """The worst again at a smaller epsilon: agreements between those tried may ask for less.

    Half of the largest step between neighbours is more than a smooth curve bends beyond its points.
    """
    steps = np.abs(np.diff(epsilons)) / np.minimum(epsilons[1:], epsilons[:-1])
    epsilon = min(epsilons) / (1 + float(steps.max()) / 2)
    network = replace(worst.network, epsilon=np.where(worst.nus.epsilon > 0, epsilon, 0.0))
    own = replace(spent, epsilon=epsilon, releases=1)
    measured = measure(network, own, source=source, prepared=worst.prepared)
    chosen = worst.finding.details.chosen
    assert chosen is not None  # noqa: S101 -- the caller looked
    said = (
        f"The epsilon for everybody whose data is used is {epsilon:.6g}: the least of those found, less half "
        "of the largest step between two agreements that were tried."
    )
    kept = chosen.model_copy(update={"epsilon": epsilon, "reason": said})
    details = measured.finding.details.model_copy(update={"chosen": kept})
    return replace(measured, finding=with_facts(measured.finding.model_copy(update={"details": details})))


def _worst(measured: Measured) -> float:
    details = measured.finding.details
    if details.regardless is not None:
        return details.regardless.most
    assert details.nu is not None  # noqa: S101 -- of a pure epsilon nu is finite
    return details.nu.worst


def _demand(measured: Measured, spent: Spent) -> float:
    """What makes one agreement worse than another: a larger nu, or a smaller epsilon for the target."""
    chosen = measured.finding.details.chosen
    return -chosen.epsilon if chosen is not None and _is_found(measured, spent) else _worst(measured)


def _is_found(measured: Measured, spent: Spent) -> bool:
    """Whether nu is at an epsilon that was found for a target, rather than at one that was given."""
    chosen = measured.finding.details.chosen
    if chosen is None or spent.epsilon is not None:
        return False
    used = measured.nus.epsilon[measured.nus.epsilon > 0]
    return bool((used == chosen.epsilon).all())


def _most(nus: Sequence[float], rises: bool) -> float:
    """The most that nu is between the ends: at the upper one where it rises, else with room for a bend.

    Half of the largest step between neighbours is more than a smooth curve bends above its points.
    """
    largest = float(max(nus))
    if rises:
        return largest
    return largest + float(np.max(np.abs(np.diff(nus)))) / 2


def _rises_with_agreement(network: Network) -> bool:
    """Whether nu is known to rise with every agreement: positive links without loops and fair bits.

    There couplings rise with agreements one by one, and the log-odds of Equation 6 with couplings
    (Griffiths' inequalities). On loops fitted couplings may fall when an agreement rises.
    """
    model = network.model
    groups = int(np.unique(model.components()).size)
    forest = len(model.edges) == len(model) - groups
    return bool(forest and (model.coupling >= 0).all() and network.bias is None)


def _in_words(agreement: Agreement) -> str:
    if isinstance(agreement, float):
        return f"{agreement:.4g}"
    return ", ".join(f"{kind} {value:.4g}" for kind, value in agreement.items())
