"""What may be changed where people are related: whole-number noise, by the epsilon that keeps their nu."""

from __future__ import annotations

import math

import numpy as np

from dalenius.auditing.changes.candidate import Candidate
from dalenius.auditing.changes.proposals import Proposals, ToChange
from dalenius.auditing.plan_parts import PriorPlan
from dalenius.auditing.plan_releases import STATISTICS
from dalenius.inference.attack.epsilon_for import epsilon_for
from dalenius.inference.attack.nu import prepare
from dalenius.inference.case import among_people, open_related
from dalenius.inference.priors.settle import regardless
from dalenius.knowledge.correlation.files.people import LEAST_EPSILON
from dalenius.knowledge.correlation.network import Network
from dalenius.progress import Progress

SMALLER = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Shares of the largest epsilon that are tried, from little noise to much."""

ONLY_NOISE = (
    "round, hide, fewer, coarser: numbers without a promise leave nu infinite, whatever is rounded, "
    "hidden or left out."
)
OUT = "noise: what is out already has no limit on nu, and noise on the rest does not change that."


def propose(asked: ToChange, progress: Progress) -> Proposals:
    """Propose the largest epsilon whose nu a policy tolerates, and smaller ones; nothing without a limit."""
    prior, limit = asked.plan.knowledge.prior, asked.plan.policy.max_nu
    if prior is None or prior.over_time or prior.law != "agreement":
        return Proposals()
    if limit is None or not asked.of_kind(STATISTICS):
        return Proposals()
    if asked.out:
        return Proposals(not_tried=(ONLY_NOISE, OUT), alone=True)
    largest = _largest(asked, prior, limit, progress)
    noise = [_noisy(asked, share * largest, limit) for share in SMALLER if share * largest > LEAST_EPSILON]
    return Proposals({}, noise, noise[0] if noise else None, (ONLY_NOISE,), alone=True)


def _largest(asked: ToChange, prior: PriorPlan, limit: float, progress: Progress) -> float:
    """The largest epsilon, all releases together, with which nobody's nu passes the limit."""
    networks = open_related(prior, why=False).networks
    return min(_of_network(asked, network, limit, progress) for network in networks)


def _of_network(asked: ToChange, prior: Network, limit: float, progress: Progress) -> float:
    """The same where agreement is known."""
    network, present = among_people(prior, None if asked.opened is None else asked.opened.ids)
    used = present.astype(np.float64)
    if network.standing is None or not network.standing.as_stated:  # then only group privacy is known
        return limit / regardless(network, used).most
    return epsilon_for(prepare(network.model, network.least), limit, used, progress=progress).epsilon


def _noisy(asked: ToChange, epsilon: float, limit: float) -> Candidate:
    releases = asked.of_kind(STATISTICS)
    each = _rounded_down(epsilon / len(releases))
    plan = asked.with_releases({one.name: {"mechanism": f"geometric:epsilon={each:g}"} for one in releases})
    said = f"whole-number noise with epsilon {each * len(releases):.4g}"
    return Candidate("noise", said, asked.called, plan, draws=True)


def _rounded_down(epsilon: float) -> float:
    """An epsilon with four digits that is not above it."""
    unit = 10.0 ** (math.floor(math.log10(epsilon)) - 3)
    return float(f"{math.floor(epsilon / unit) * unit:.6g}")
