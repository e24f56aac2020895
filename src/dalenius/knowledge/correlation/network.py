"""A network of people from files, with the card that says what it rests on."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.knowledge.correlation.agreements import Agreement, Rules
from dalenius.knowledge.correlation.couplings import couple
from dalenius.knowledge.correlation.files.columns import line, listed
from dalenius.knowledge.correlation.files.edges import household_links, read_edges
from dalenius.knowledge.correlation.files.people import People, read_people
from dalenius.knowledge.correlation.links import Links, all_of, place_of
from dalenius.knowledge.correlation.model import CorrelationModel
from dalenius.knowledge.correlation.stated import PriorStanding
from dalenius.people.files.read_file import Source
from dalenius.shown import hides_people, several

Floats = NDArray[np.float64]


@hides_people()
@dataclass(frozen=True)
class Network:
    """People who are related, and what else was said about them.

    Parameters
    ----------
    model
        The attacker's prior.
    epsilon
        The epsilon of each person's data, NaN where nothing was said; None if nothing was said at all.
    kinds
        The type of each edge; empty without types.
    notes
        What a reader of the numbers should know about the files.
    agreement
        The probability that was asked for, one per edge.
    bias
        The probability that each bit is 1; None if all are fair.
    standing
        What the model implies beside what was stated; None as long as nobody looked, and couplings are those
        of each link alone.
    """

    model: CorrelationModel
    epsilon: Floats | None
    kinds: tuple[str, ...]
    notes: tuple[str, ...]
    agreement: Floats
    bias: Floats | None = None
    standing: PriorStanding | None = None

    @property
    def own_epsilons(self) -> bool:
        """Whether a file says of somebody with which epsilon their data is released."""
        return self.epsilon is not None and bool((self.epsilon > 0).any())

    @property
    def least(self) -> Floats | None:
        """The least that couplings can be, where they are only enclosed."""
        return None if self.standing is None else self.standing.least

    def epsilons(self, default: float | None = None) -> Floats:
        """The epsilon of each person: the file's, or else the default.

        Raises
        ------
        InputError
            If somebody has none, or the default is below 0.
        """
        if default is not None and not (default >= 0 and np.isfinite(default)):
            raise InputError("epsilon", "must be 0 or more", f"{default:g}")
        said = np.full(len(self.model), np.nan) if self.epsilon is None else self.epsilon
        full = said if default is None else np.where(np.isnan(said), default, said)
        none = np.flatnonzero(np.isnan(full))
        if none.size:
            raise InputError(
                "epsilon",
                "must be given for everybody",
                f"none for {several(none.size, 'person', 'people')}",
                "Give one for all with --epsilon, or fill the column; 0 for data that is not used.",
                value=listed(self.model.ids[none].tolist()),
            )
        return full


def read_network(
    edges: Source | None,
    *,
    households: Source | None = None,
    people: Source | None = None,
    agreement: Agreement | None = None,
    identical: bool = False,
) -> Network:
    r"""Read who is related to whom.

    Parameters
    ----------
    edges
        ``a,b[,agreement][,type]``: links one by one.
    households
        ``id,household``: everybody is linked with everybody else at home, with type ``household``; a pair
        that ``edges`` name keeps the agreement it has there.
    people
        ``id[,bias][,epsilon]``: everybody, also those without links. Without this file people are those
        who have links, and every bit is fair.
    agreement
        The probability that two linked people agree, for all or by type, where ``edges`` do not say it.
    identical
        Whether an agreement of 1 is meant.

    Raises
    ------
    InputError
        For what cannot be used, naming the lines or the people.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "edges.csv")
    ...     _ = path.write_text("a,b,agreement\nAnna,Beat,0.75\nBeat,Carl,0.9\n")
    ...     network = read_network(path)
    >>> network.model.ids.tolist(), network.model.coupling.round(6).tolist()
    (['Anna', 'Beat', 'Carl'], [0.549306, 1.098612])
    >>> print(*network.model.card, sep="\n")
    links from edges.csv
    2 edges with agreement 0.75 to 0.9
    every bit is fair: nobody's value is more likely 0 than 1
    3 people, 2 edges, 1 component, the largest of 3
    no loops: every agreement holds exactly
    """
    rules = Rules(agreement, identical)
    files = [read_edges(edges, rules)] if edges is not None else []
    if households is not None:
        files.append(household_links(households, rules))
    if not files:
        raise InputError("network", "must have edges or households", "neither")
    known = None if people is None else read_people(people)
    if known is not None:
        files = [own.among(known.ids, known.source) for own in files]
    elif len(files) == 2:
        everybody = all_of(files[0].ids, files[1].ids)
        files = [own.among(everybody, "the files") for own in files]
    links = files[0] if len(files) == 1 else files[0].beside(files[1])
    links = replace(links, notes=(*links.notes, *rules.unused(set(links.types))))
    stated = {"household", *(agreement if isinstance(agreement, Mapping) else ())}
    return assemble(links, known, None if known is None else known.source, stated)


def assemble(
    links: Links, people: People | None, source: str | None, stated: Collection[str] = ()
) -> Network:
    """Make the network of links, with the biases and epsilons of a file of people named ``source``.

    ``stated`` are types of links that a description may name.
    """
    bias, epsilon, notes = _by_person(links, people, source)
    coupling, field = couple(links.ids, links.edges, links.agreement, bias)
    model = CorrelationModel("id", links.ids, links.edges, coupling, field)
    lines = (*_edges_in_words(links, stated), _bias_in_words(bias, source), *_shape_in_words(model))
    kinds = tuple(np.array(links.types, object)[links.kind]) if any(links.types) else ()
    said = (*links.notes, *notes)
    return Network(replace(model, card=lines), epsilon, kinds, said, links.agreement, bias)


def _by_person(
    links: Links, people: People | None, source: str | None
) -> tuple[Floats | None, Floats | None, tuple[str, ...]]:
    """Bias and epsilon in the order of the links' people."""
    if people is None:
        return None, None, ()
    place = place_of(people.ids, links.ids)
    strange = np.flatnonzero(place < 0)
    if strange.size:
        raise InputError(
            f"people of {source}",
            f"must be in {links.source}",
            f"{several(strange.size, 'person', 'people')} not in it, first in {line(strange[0])}",
            "Add them there, or correct the id.",
            value=listed(people.ids[strange].tolist()),
        )

    def ordered(values: Floats | None) -> Floats | None:
        if values is None:
            return None
        result = np.full(links.ids.size, np.nan)
        result[place] = values
        return result

    bias, notes = ordered(people.bias), list(people.notes)
    if bias is not None and np.isnan(bias).any():
        silent = several(int(np.isnan(bias).sum()), "person", "people")
        notes.append(f"{source}: no bias for {silent}: their bit is taken as fair")
        bias = np.where(np.isnan(bias), 0.5, bias)
    return bias, ordered(people.epsilon), tuple(notes)


def _edges_in_words(links: Links, stated: Collection[str]) -> list[str]:
    """Types that somebody stated are named; others are cells of a file."""
    lines = [f"links from {links.source}"]
    known = [code for code, name in enumerate(links.types) if not name or name in stated]
    for code in known:
        own = links.agreement[links.kind == code]
        if own.size:
            typed = f" of type {links.types[code]}" if links.types[code] else ""
            lines.append(f"{several(own.size, 'edge')}{typed} with agreement {_range(own)}")
    rest = ~np.isin(links.kind, known)
    if rest.any():
        types = several(len(links.types) - len(known), "other type")
        own = links.agreement[rest]
        lines.append(f"{several(own.size, 'edge')} of {types} with agreement {_range(own)}")
    return lines


def _bias_in_words(bias: Floats | None, source: str | None) -> str:
    if bias is None:
        return "every bit is fair: nobody's value is more likely 0 than 1"
    return f"the bit is 1 with probability {_range(bias)}, from {source}"


def _shape_in_words(model: CorrelationModel) -> list[str]:
    group = model.components()
    sizes = np.bincount(group)
    n, m = len(model), len(model.edges)
    groups = f"{several(sizes.size, 'component')}, the largest of {sizes.max():,}"
    loops = m - n + sizes.size
    return [
        f"{several(n, 'person', 'people')}, {several(m, 'edge')}, {groups}",
        "no loops: every agreement holds exactly" if not loops else several(loops, "independent loop"),
    ]


def _range(values: Floats) -> str:
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"
