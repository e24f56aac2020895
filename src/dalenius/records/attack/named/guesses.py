"""What somebody would guess about named people without putting tables together: the baselines."""

from __future__ import annotations

from collections import Counter

import numpy as np

from dalenius.records.attack.claims import RecordClaims
from dalenius.records.attack.named.match import NamedClaims
from dalenius.records.attack.ranked.others import Floats, PopulationShares
from dalenius.records.attack.ranked.simple import OneWay
from dalenius.records.cells.grid import Codes

Key = tuple[int, ...]


class SimpleGuesses:
    """Guesses of the columns that are not known, unit by unit."""

    def __init__(
        self, claims: RecordClaims, named: NamedClaims, unit: int | None, others: PopulationShares | None
    ) -> None:
        self.claims, self.named, self.unit, self.others = claims, named, unit, others
        system = claims.bounds.system
        rest = system.records[:, list(named.rest)].tolist()
        of = [0] * len(rest) if unit is None else system.records[:, unit].tolist()
        self.rest: dict[int, Counter[Key]] = {}
        for each, record, count in zip(of, rest, claims.guess.tolist(), strict=True):
            if count:
                self.rest.setdefault(each, Counter())[tuple(record)] += count

    def unit_of(self, person: int) -> int:
        """The unit that a person is known to live in."""
        return 0 if self.unit is None else int(self.named.people[person, self.named.known.index(self.unit)])

    def modal(self, person: int) -> Key | None:
        """The most frequent combination of the unit."""
        own = self.rest.get(self.unit_of(person))
        return own.most_common(1)[0][0] if own else None

    def share(self, person: int, values: Key) -> float:
        """The share of a combination in the unit: how often a guess drawn by shares is right."""
        own = self.rest.get(self.unit_of(person), Counter())
        return own[values] / max(own.total(), 1)

    def all(self, people: list[int]) -> dict[str, list[Key | None]]:
        """Every guess about some people, by name; those that draw are not among them."""
        found = {"independent": self._independent(people), "modal": [self.modal(at) for at in people]}
        if self.others is not None:
            found["others"] = self._elsewhere(people, self.others)
        found["on the support"] = self._on_support(people)
        return found

    def _independent(self, people: list[int]) -> list[Key | None]:
        one_way = OneWay.of(self.claims, self.unit)
        return [
            tuple(int(one_way.share(self.unit_of(at), column).argmax()) for column in self.named.rest)
            for at in people
        ]

    def _elsewhere(self, people: list[int], others: PopulationShares) -> list[Key | None]:
        """The most frequent combination of other people with the same known columns, else of all others."""
        shared = [at for at in self.named.known if at in others.columns]
        if not set(self.named.rest) <= set(others.columns):
            return [None] * len(people)
        by_key: dict[Key, Counter[Key]] = {}
        every: Counter[Key] = Counter()
        place = {column: at for at, column in enumerate(others.columns)}
        for record in others.records.tolist():
            values = tuple(record[place[at]] for at in self.named.rest)
            by_key.setdefault(tuple(record[place[at]] for at in shared), Counter())[values] += 1
            every[values] += 1
        own = [self.named.known.index(at) for at in shared]
        keys = [tuple(self.named.people[at, own].tolist()) for at in people]
        return [(by_key.get(key) or every).most_common(1)[0][0] for key in keys]

    def _on_support(self, people: list[int]) -> list[Key | None]:
        """The likeliest record, before tables are put together, of those that no zero cell forbids."""
        system = self.claims.bounds.system
        share = self._support_shares(system.records)
        best: dict[Key, tuple[float, Key]] = {}
        known, rest = list(self.named.known), list(self.named.rest)
        for key, values, own in zip(
            system.records[:, known].tolist(), system.records[:, rest].tolist(), share.tolist(), strict=True
        ):
            if own > best.get(tuple(key), (-1.0, ()))[0]:
                best[tuple(key)] = own, tuple(values)
        keys = [tuple(self.named.people[at].tolist()) for at in people]
        return [best[key][1] if key in best else None for key in keys]

    def _support_shares(self, records: Codes) -> Floats:
        if self.others is not None:
            return self.others.shares(self.claims.bounds.system.columns, records)
        one_way = OneWay.of(self.claims, self.unit)
        of = np.zeros(len(records), np.int64) if self.unit is None else records[:, self.unit].astype(np.int64)
        share = np.ones(len(records))
        for at in self.named.rest:
            share *= one_way.counts[at][of, records[:, at]]
        return share
