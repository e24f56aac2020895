"""One question about a network: what is an epsilon worth, is a target kept, which epsilon keeps it?"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from dalenius import __version__
from dalenius.attacks.inference.choose import epsilon_for
from dalenius.attacks.inference.nu import prepare
from dalenius.audit.inference.measure import Measured, measure
from dalenius.audit.inference.regardless import regardless
from dalenius.audit.inference.spent import Spent
from dalenius.errors import InputError
from dalenius.findings.inference import Chosen, InferenceFinding, InferenceReport
from dalenius.knowledge.correlation.network import Network
from dalenius.progress import Progress, silent, within

ROUNDING = 1e-9
"""Slack of a target: the epsilon found keeps it to this many digits."""


_BY_GROUPS = (
    "the stated prior was not fitted, and this is what group privacy allows whatever people agree on; a "
    "larger one may keep the target too, but that is not shown"
)


@dataclass(frozen=True)
class Promised:
    """The answer about a network.

    Parameters
    ----------
    measured
        nu of everybody.
    report
        The same without anybody in it, and what it means for the target.
    """

    measured: Measured
    report: InferenceReport


def promise(
    network: Network, spent: Spent, target: float | None, *, source: str, progress: Progress = silent
) -> Promised:
    """Measure what was spent; where a target is given, say whether it is kept and which epsilon keeps it.

    Without an epsilon nu is measured at the one found: the same for everybody whose data is used.

    Raises
    ------
    InputError
        If there is neither an epsilon nor a target.
    """
    if spent.epsilon is None and network.epsilon is None and target is None:
        raise InputError("--epsilon or --target-nu", "must be given", "neither", "Try --epsilon 0.5.")
    if network.epsilon is not None and (network.epsilon == 0).all():
        raise InputError("epsilon", "must be above 0 for somebody", "0 for all", "Nobody's data is released.")
    prepared = prepare(network.model, progress=within(progress, 0.0, 0.4))
    chosen = None
    if target is not None:
        used = np.ones(len(network.model)) if network.epsilon is None else (network.epsilon != 0) * 1.0
        if network.standing is not None and network.standing.as_stated:
            found = epsilon_for(prepared, target, used, progress=within(progress, 0.4, 0.7))
            epsilon, reason = found.epsilon, found.reason
        else:  # of another prior the largest epsilon would say nothing
            epsilon, reason = target / regardless(network, used).most, _BY_GROUPS
        chosen = Chosen(target=target, epsilon=epsilon, reason=_in_words(epsilon, reason))
        if spent.epsilon is None:
            network = replace(network, epsilon=epsilon * used)
            spent = replace(spent, epsilon=epsilon, releases=1)
    rest = within(progress, 0.7, 1.0)
    measured = measure(network, spent, source=source, release=source, prepared=prepared, progress=rest)
    return Promised(measured, report_on(measured.finding, target, chosen))


def _in_words(epsilon: float, reason: str) -> str:
    return f"The largest epsilon, for everybody whose data is used, is {epsilon:.6g}: {reason}."


def report_on(
    finding: InferenceFinding, target: float | None, chosen: Chosen | None = None
) -> InferenceReport:
    """Put a finding beside its target; an infinite nu keeps none.

    Where the prior in use is not the stated one, only what holds in any case decides, if it does.
    """
    kept, known = None, finding.regardless
    if target is not None:
        enough = target * (1 + ROUNDING)
        kept = finding.nu is not None and finding.nu.worst <= enough
        if known is not None:
            kept = True if known.most <= enough else False if known.least > enough else None
    return InferenceReport(
        dalenius_version=__version__, finding=finding, target=target, kept=kept, chosen=chosen
    )
