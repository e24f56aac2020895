"""What an epsilon is worth to everybody in a network: solve, compare with the bounds, and say it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dalenius.inference.answers.closer import look_closer
from dalenius.inference.answers.privacy_loss import Spent
from dalenius.inference.answers.why import explain_links
from dalenius.inference.attack.bounds.influence import Bounds, bounds
from dalenius.inference.attack.nu import Nus, Prepared, by_distance, prepare
from dalenius.inference.build import NuOfPeople, PromisedRelease, make_inference_finding, with_facts
from dalenius.inference.finding import RelatedFinding, Solved
from dalenius.inference.priors.prior import describe
from dalenius.inference.priors.settle import regardless
from dalenius.knowledge.correlation.network import Network
from dalenius.knowledge.correlation.signs import contradiction
from dalenius.progress import Progress, silent, within

COMPARED = 300_000
"""Links up to which all bounds are computed beside an exact result."""

FURTHEST, NEAREST = 6, 2
"""Links up to which the contribution of distant relatives is told apart; fewer where nu is slow to find."""

NEARBY = 100_000
"""People up to which it is: each distance is a run of its own."""

OTHER_PRIOR = " of another prior than stated"
"""What stands behind every bound where the stated prior could not be fitted."""

ROWS = 500_000
"""Rows of ``nu.csv`` written at a time."""


@dataclass(frozen=True)
class Measured:
    """nu of everybody, with what is said about it.

    Parameters
    ----------
    network, prepared
        The prior, and the same ready for other epsilons.
    nus
        Person by person.
    finding
        Without anybody in it.
    """

    network: Network
    prepared: Prepared
    nus: Nus
    finding: RelatedFinding

    def worst_off(self, count: int = 5, *, show_people: bool = False) -> Iterator[str]:
        """The worst-off people, one per line: links, epsilon and nu; who, only if that is asked for."""
        nus, exact, degrees = self.nus, self.nus.exact, self.network.model.degrees
        if self.finding.details.regardless is not None:
            return
        for at in np.argsort(-nus.nu, kind="stable")[:count]:
            links = "1 link" if degrees[at] == 1 else f"{degrees[at]:,} links"
            like = "like" if exact[at] else "at least like"
            who = f"{nus.ids[at]} ({links})" if show_people else f"somebody with {links}"
            yield (f"{who}: epsilon = {nus.epsilon[at]:.4g} protects {like} epsilon = {nus.nu[at]:.4g}")

    def contradiction(self, *, show_people: bool = False) -> Iterator[str]:
        """A cycle of links that contradict each other, where there is one: whose agreements to look at."""
        cycle = contradiction(self.prepared.merged.model)
        if cycle:
            yield "Links that contradict each other: on a cycle"
            yield f"  {cycle}" if show_people else "  (--show-people names it)"
            yield "an odd number of pairs rather differ: whatever the values are, some link is not kept."

    def rows(self) -> Iterator[str]:
        """``nu.csv``: ``id,epsilon,nu,method,bound``, some rows at a time.

        Where the prior in use is not the stated one, ``bound`` says so in every row.
        """
        return rows_of(self.nus, "" if self.finding.details.regardless is None else OTHER_PRIOR)


def measure(
    network: Network,
    spent: Spent,
    *,
    source: str,
    release: PromisedRelease | None = None,
    prepared: Prepared | None = None,
    why: bool = True,
    progress: Progress = silent,
) -> Measured:
    """Find nu of everybody for what was spent; people's own epsilons, where a file gives them, come first.

    Parameters
    ----------
    network, source
        The prior, and where it comes from.
    spent
        The epsilon of everybody else; pure.
    release
        Which one it is about; without, any with this epsilon.
    prepared
        The same network, if it was looked at before.
    why
        Whether it is looked for which relations are behind it.
    """
    epsilon = network.epsilons(spent.epsilon)
    prior = describe(source, network)
    ready = prepared or prepare(network.model, network.least, progress=within(progress, 0.0, 0.3))
    nus = ready.nus(epsilon, progress=within(progress, 0.3, 0.5))
    balls = None
    if prior.as_stated:
        nus, balls = look_closer(ready, network.least, nus)
    found = NuOfPeople(
        nus.epsilon,
        nus.nu,
        solved(nus),
        bounds=_compared(network, nus) if prior.as_stated else {},
        by_distance=_distances(ready, nus, within(progress, 0.5, 1.0)) if prior.as_stated else (),
        regardless=None if prior.as_stated else regardless(network, nus.epsilon),
        balls=balls,
    )
    finding = make_inference_finding(
        found,
        release or PromisedRelease(source, f"any with {spent}"),
        prior,
        notes=(*network.notes, *(nus.notes if prior.as_stated else ())),
    )
    if prior.as_stated:
        explanation = explain_links(network, ready, nus, why=why)
        finding = with_facts(finding.model_copy(update={"explanation": explanation}))
    return Measured(network, ready, nus, finding)


def solved(nus: Nus) -> tuple[Solved, ...]:
    """Count people by method and by what their number is."""
    both = nus.method.astype(np.intp) * len(nus.bounds) + nus.bound
    counts = np.bincount(both)
    found = []
    for code in sorted(np.flatnonzero(counts).tolist(), key=lambda code: -int(counts[code])):
        method, bound = nus.methods[code // len(nus.bounds)], nus.bounds[code % len(nus.bounds)]
        exact = bound.startswith("exact")
        found.append(Solved(method=method, bound=bound, exact=exact, people=int(counts[code])))
    return tuple(found)


def _compared(network: Network, nus: Nus) -> dict[str, float | None]:
    """All bounds for the worst-off person, up to a size."""
    if len(network.model.edges) > COMPARED:
        return {}
    return bounds_of(bounds(network.model, nus.epsilon), nus.worst)


def bounds_of(found: Bounds, person: int) -> dict[str, float | None]:
    """Return every bound for one person; None where it does not hold."""
    values = {name: np.inf if each is None else float(each[person]) for name, each in found.values.items()}
    return {name: value if np.isfinite(value) else None for name, value in values.items()}


def _distances(prepared: Prepared, nus: Nus, progress: Progress) -> list[float]:
    """Find nu of the worst-off by how far away people's data is used; not where nu itself is only bounded."""
    model = prepared.model
    if len(model) > NEARBY or not len(model.edges) or not nus.exact[nus.worst]:
        return []
    furthest = NEAREST if prepared.slow else FURTHEST
    found = by_distance(prepared, nus.epsilon, nus.worst, furthest, progress=progress)
    last = int(np.argmax(found >= found[-1]))  # the rest of the group is reached
    return [float(value) for value in found[: last + 1]]


def rows_of(nus: Nus, remark: str = "") -> Iterator[str]:
    """Write everybody's nu as CSV, some rows at a time; with a remark on what every number is."""
    import io

    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import csv

    names = [pa.array(nus.methods), pa.array([f"{bound}{remark}" for bound in nus.bounds])]
    ids = pa.array(nus.ids.astype(str))
    # Arrow either quotes every text or none
    special = pc.any(pc.match_substring_regex(ids, '[",\\r\\n]')).as_py()
    options = csv.WriteOptions(include_header=False, quoting_style="needed" if special else "none")
    yield "id,epsilon,nu,method,bound\n"
    for start in range(0, nus.nu.size, ROWS):
        part = slice(start, start + ROWS)
        method, bound = (
            pa.DictionaryArray.from_arrays(pa.array(codes[part]), known).cast("string")
            for codes, known in zip((nus.method, nus.bound), names, strict=True)
        )
        table = pa.table(
            {
                "id": ids[part],
                "epsilon": nus.epsilon[part],
                "nu": nus.nu[part],
                "method": method,
                "bound": bound,
            }
        )
        text = io.BytesIO()
        csv.write_csv(table, text, options)
        yield text.getvalue().decode()
