"""Tables that are already printed, attacked as they are; judged where the true amounts are given."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalenius.amounts.attack.claims import AmountClaims, claim_amounts
from dalenius.amounts.attack.flat import flat_prior
from dalenius.amounts.build import make_amounts_finding
from dalenius.amounts.finding import AmountsFinding
from dalenius.amounts.published.groups import Listed
from dalenius.amounts.referee.court import AmountCourt, AmountWeights
from dalenius.amounts.terms import AmountTerms
from dalenius.knowledge.amounts import AmountView
from dalenius.people.truth_file import read_true_numbers
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.release.amounts import AmountRelease


def attack_published(
    release: AmountRelease,
    listed: Listed,
    terms: AmountTerms,
    truth: Any,
    id: str,
    weighing: AmountWeights | None = None,
    *,
    progress: Progress = silent,
) -> tuple[AmountsFinding, AmountClaims]:
    """Bound everybody's amount; with a file of true amounts also count who is bounded too closely."""
    court = None
    if truth is not None:
        true = read_true_numbers(truth, np.array(listed.ids), id)
        rng = stream(terms.seed, "usual", release.name)
        ends = terms.least, terms.top
        court = AmountCourt.about(true, release.amount, listed.codes(), ends, rng, weighing)
    if court is None:
        said = None if weighing is None else weighing.said
        view = AmountView(release, flat_prior(release, terms.least, terms.top, said), (), said)
    else:
        view = court.view(release, terms.within)
    claims = claim_amounts(
        view, listed.ids, within=terms.within, known_at=terms.policy.known_at, progress=progress
    )
    counted = None if court is None else court.judge(release, claims, None, terms.within)
    return make_amounts_finding(release, claims, counted, terms), claims
