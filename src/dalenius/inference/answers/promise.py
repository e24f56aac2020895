"""One question about a network: what is an epsilon worth, is a target kept, which epsilon keeps it?"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalenius.errors import InputError
from dalenius.inference.answers.closer import too_much
from dalenius.inference.answers.measure import Measured, measure
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.attack.epsilon_for import LargestEpsilon, epsilon_for
from dalenius.inference.attack.nu import Prepared, prepare
from dalenius.inference.build import with_facts
from dalenius.inference.finding import Chosen
from dalenius.inference.priors.settle import regardless
from dalenius.knowledge.correlation.network import Network
from dalenius.progress import Progress, silent, within

_BY_GROUPS = (
    "the stated prior was not fitted, and this is what group privacy allows whatever people agree on; a "
    "larger one may keep the target too, but that is not shown"
)


def promise(
    network: Network, spent: Spent, target: float | None, *, source: str, progress: Progress = silent
) -> Measured:
    """Measure what was spent; where a target is given, say whether it is kept and which epsilon keeps it.

    Without an epsilon nu is measured at the one found: the same for everybody whose data is used. Epsilons
    that a file gives are what is released: they are measured, and not replaced by the one found.

    Raises
    ------
    InputError
        If there is neither an epsilon nor a target.
    """
    if spent.epsilon is None and network.epsilon is None and target is None:
        raise InputError("--epsilon or --target-nu", "must be given", "neither", "Try --epsilon 0.5.")
    if network.epsilon is not None and (network.epsilon == 0).all():
        raise InputError("epsilon", "must be above 0 for somebody", "0 for all", "Nobody's data is released.")
    prepared = prepare(network.model, network.least, progress=within(progress, 0.0, 0.4))
    chosen = None
    if target is not None:
        used = np.ones(len(network.model)) if network.epsilon is None else (network.epsilon != 0) * 1.0
        if network.standing is not None and network.standing.as_stated:
            found = epsilon_for(prepared, target, used, progress=within(progress, 0.4, 0.7))
            epsilon, reason = found.epsilon, found.reason + _no_more(prepared, network, found)
        else:  # of another prior the largest epsilon would say nothing
            epsilon, reason = target / regardless(network, used).most, _BY_GROUPS
        chosen = Chosen(target=target, epsilon=epsilon, reason=_in_words(epsilon, reason))
        if spent.epsilon is None and not network.own_epsilons:
            network = replace(network, epsilon=epsilon * used)
            spent = replace(spent, epsilon=epsilon, releases=1)
    rest = within(progress, 0.7, 1.0)
    measured = measure(network, spent, source=source, prepared=prepared, progress=rest)
    if chosen is None:
        return measured
    details = measured.finding.details.model_copy(update={"chosen": chosen})
    return replace(measured, finding=with_facts(measured.finding.model_copy(update={"details": details})))


def _no_more(prepared: Prepared, network: Network, found: LargestEpsilon) -> str:
    """From which epsilon on the target is known to be missed, where the largest is only bounded."""
    known = None if found.nus.exact[found.worst] else too_much(prepared, network.least, found)
    if known is None:
        return ""
    return f"; with {known[0]:.6g} somebody's nu passes it (an exact ball of {known[1]:,} people)"


def _in_words(epsilon: float, reason: str) -> str:
    return f"The largest epsilon, for everybody whose data is used, is {epsilon:.6g}: {reason}."
