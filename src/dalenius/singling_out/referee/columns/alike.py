"""Released rows that are somebody's in a few columns, while all others are made up or other people's.

Such a row is near nobody as a whole, and whoever knows these columns of somebody has it. So people and
released rows are cut into cells by one to four columns. In a cell of t people of the pool and r released rows
everybody there scores r/(r + t), about as much as copies there would make it likelier that they are originals
(the locally best test of a small share of copies), and the scores of originals are added up.

Whoever is an original is not looked at in the scores, so that by luck any n of the pool's people would be the
originals. Their variance is known exactly, and for the most telling columns the sharpened bound of Chernoff
(Bahadur and Ranga Rao, 1960) says how likely luck adds up as much. Every choice of columns is paid for, each
number of columns with a share of its own.

Copies may be of some people only, as those of one region, or the oldest. So the same is asked of the people
with one value of one of the columns by themselves, and of those at one end of a number.

A model that knows how often each value occurs among originals is no leak. What a value tells by itself is
therefore taken out of the scores, unless so few people have it that it is their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dalenius.findings.tally import Interval, Tally, share_confidence
from dalenius.people.rows.rows import Rows, stacked
from dalenius.singling_out.referee.asked_people import Success
from dalenius.singling_out.referee.columns.cells import (
    MET,
    Cells,
    CellTally,
    CodedColumn,
    Weighed,
    coded_columns,
    coded_secret,
)
from dalenius.singling_out.referee.columns.choices import WIDEST, Choice, possible, wider
from dalenius.singling_out.referee.pooled import PooledRows

Floats = NDArray[np.float64]

MOST_ROWS = 20_000
"""Rows of every file that are looked at; of more, so many are drawn."""

VISITED, FEWEST, MOST = 7_000_000, 100, 1000
"""Rows that are put into cells, about, and choices of as many columns that are looked at."""

KNOWN = WIDEST - 1
"""Columns from which a secret is read at most."""

KEPT = 2
"""Choices of as many columns whose chances are worked out: those of the largest scores."""

LEAST = 1e-300
"""Chances below are written as this."""

METHOD = "difference of two means, normal"


class AlikeInColumns(NamedTuple):
    """The columns in which released rows are originals' most clearly, or might be by luck.

    Parameters
    ----------
    columns
        The columns, as a sentence names them.
    among
        What all these people have, if not everybody is looked at.
    original, control
        People whose values in these columns some released row has.
    chance
        How likely luck would meet originals as clearly, for any columns.
    beyond
        The share of originals who stand in released rows with these columns beyond luck, and two standard
        errors below and above it.
    """

    columns: tuple[str, ...]
    among: str | None
    original: int
    control: int
    chance: float
    beyond: tuple[float, float, float]

    @property
    def name(self) -> str:
        """What was looked for."""
        some = "" if self.among is None else f", of people with {self.among}"
        return f"rows alike in {', '.join(self.columns)}{some}"


class FewColumns(NamedTuple):
    """The columns that tell the secret of originals most beyond that of others."""

    columns: tuple[str, ...]
    success: Success


class SecretAsked(NamedTuple):
    """A secret that is read off rows alike in few columns.

    Parameters
    ----------
    name
        The column.
    within
        How near a number must be.
    confidence
        With which the intervals of all choices hold together.
    """

    name: str
    within: float
    confidence: float


class FoundInColumns(NamedTuple):
    """Where rows are alike, and what they tell; ``None`` where there is nothing to look at."""

    alike: AlikeInColumns | None
    told: FewColumns | None


@dataclass(frozen=True, eq=False)
class _SeenAlike:
    """What one choice of columns showed."""

    choice: Choice
    z: float
    scores: Floats
    originals: int
    met: tuple[int, int]
    among: str | None = None

    @property
    def chance(self) -> float:
        """How likely luck adds up as much."""
        return chance_of(self.scores, self.originals, float(self.scores[: self.originals].sum()))


def alike_in_columns(
    pool: PooledRows,
    released: Rows,
    rng: np.random.Generator,
    secret: SecretAsked | None = None,
    most: int = MOST,
) -> FoundInColumns:
    """Look for columns in which released rows are originals' rather than others', and read a secret there.

    Parameters
    ----------
    pool
        Originals and others.
    released
        What was released.
    rng
        Draws rows, where there are too many.
    secret
        What is read off rows that are alike in other columns.
    most
        Choices of columns that are looked at.
    """
    search = _AlikeSearch(pool, released, rng, secret)
    search.run(int(np.clip(VISITED // search.rows, FEWEST, most)))
    return FoundInColumns(search.alike(), search.told())


class _AlikeSearch:
    """One search over choices of columns."""

    def __init__(
        self, pool: PooledRows, released: Rows, rng: np.random.Generator, secret: SecretAsked | None
    ) -> None:
        own, others = _some(pool.original, rng), pool.original + _some(pool.control, rng)
        together = stacked(
            pool.rows.take(np.concatenate([own, others])), released.take(_some(len(released), rng))
        )
        self.n, self.people, self.rows = own.size, own.size + others.size, len(together)
        self.columns = [*coded_columns(together, self.people)]
        self.names = [column.name for column in self.columns]
        self.secret = secret
        if secret is not None:
            self._secret = coded_secret(together.column(secret.name), secret.within, self.people)
            self._asked = ~together.column(secret.name).missing[: self.people]
            often = np.bincount(self._secret.codes[self.people :], minlength=self._secret.size)
            self._usual = (often / max(often.sum(), 1))[self._secret.codes[: self.people]]
        self._counts = CellTally(self.rows, self.people)
        self._values = [
            int((np.bincount(c.codes[: self.people], minlength=c.size) >= MET).sum()) for c in self.columns
        ]
        self._best: dict[tuple[int, bool], list[_SeenAlike]] = {}
        self._told: dict[Choice, tuple[float, float, float]] = {}

    def run(self, most: int) -> None:
        """Look at every column, then at more together, as many choices as there is time for."""
        everybody = np.zeros(self.rows, np.int32)
        seen: dict[Choice, float] = {}
        cells: dict[Choice, Cells] = {(): everybody}
        todo: list[Choice] = [(j,) for j in range(len(self.columns))]
        for width in range(1, WIDEST + 1):
            found: dict[Choice, Cells] = {}
            for choice in todo[:most]:
                parent = next((cells[part] for part in _parts(choice) if part in cells), None)
                if parent is None:
                    continue
                last = next(j for j in choice if tuple(i for i in choice if i != j) in cells)
                mine = self._counts.cut(parent, self.columns[last])
                z = self._look(choice, mine)
                if z is not None:
                    seen[choice], found[choice] = z, mine
            if width == WIDEST or not found:
                return
            cells = found
            todo = wider({one: z for one, z in seen.items() if len(one) <= width}, self.names, most)

    def _look(self, choice: Choice, cells: Cells) -> float | None:
        """Score one choice; ``None`` if released rows meet too few people there."""
        scores, raw = np.empty(self.people), np.empty(self.people)
        seen = self._counts.weigh(cells, [self.columns[j] for j in choice], self.n, scores, raw)
        if sum(seen.met) < MET:
            return None
        self._read(choice, cells)
        if self._is_kept(len(choice), False, seen.z):
            self._keep(_SeenAlike(choice, seen.z, scores, self.n, seen.met))
        if len(choice) > 1 and seen.column >= 0 and self._is_kept(len(choice), True, seen.some_z):
            self._keep(self._of_some(choice, seen, scores, raw > 0))
        return seen.z

    def _of_some(self, choice: Choice, seen: Weighed, scores: Floats, met: NDArray[np.bool_]) -> _SeenAlike:
        """The people with one value of a column, or at one end of it."""
        column = self.columns[choice[seen.column]]
        what, these = f"one value of {column.name}", column.codes[: self.people] == seen.value
        if seen.end >= 0:
            end = column.ends[seen.end]
            what, these = end.what, np.zeros(self.people, np.bool_)
            these[end.people[: seen.value]] = True
        n, some = int(these[: self.n].sum()), scores[these]
        both = int((met & these)[: self.n].sum()), int((met & these)[self.n :].sum())
        return _SeenAlike(choice, seen.some_z, some - some.mean(), n, both, what)

    def _is_kept(self, width: int, of_some: bool, z: float) -> bool:
        kept = self._best.get((width, of_some), [])
        return len(kept) < KEPT or z > kept[-1].z

    def _keep(self, one: _SeenAlike) -> None:
        kept = self._best.setdefault((len(one.choice), one.among is not None), [])
        kept.append(one)
        kept.sort(key=lambda seen: (-seen.z, seen.choice))
        del kept[KEPT:]

    def _read(self, choice: Choice, cells: Cells) -> None:
        """Read the secret off rows alike in these columns, by lot: of originals and of others."""
        if self.secret is None or len(choice) > KNOWN or self.secret.name in {self.names[j] for j in choice}:
            return
        right = self._counts.told(cells, self._counts.cut(cells, self._secret), self._usual)
        own, others = (right[part][self._asked[part]] for part in (slice(None, self.n), slice(self.n, None)))
        if own.size and others.size:
            spread = float(own.var() / own.size + others.var() / others.size) ** 0.5
            self._told[choice] = (float(own.sum()), float(others.sum()), spread)

    def alike(self) -> AlikeInColumns | None:
        """The choice that luck explains least."""
        looks = {key: 2 * WIDEST * self._choices(*key) for key in self._best}
        found = [(min(1.0, looks[key] * one.chance), one) for key, best in self._best.items() for one in best]
        if not found:
            return None
        chance, one = min(found, key=lambda pair: (pair[0], -pair[1].z))
        (own, others), n, N = one.met, one.originals, one.scores.size - one.originals
        luck = others / max(N, 1)
        # a share q of copies meets luck + q (1 - luck) of the originals; its error is that of the score
        share = max(0.0, (own / n - luck) / max(1 - luck, 1 / self.people)) * n / self.n
        wide = 2 * share / one.z if one.z > 0 else share
        said = tuple(self.columns[j].said for j in one.choice)
        beyond = tuple(round(end, 6) for end in (share, share - wide, share + wide))
        return AlikeInColumns(
            said, one.among, own, others, float(f"{chance:.4g}"), (beyond[0], beyond[1], beyond[2])
        )

    def _choices(self, width: int, of_some: bool) -> int:
        """How many choices of so many columns there are, and of people with one value or at an end of one."""
        if not of_some:
            return possible(self.names, width)
        others = {name: possible([o for o in self.names if o != name], width - 1) for name in {*self.names}}
        each = zip(self._values, self.columns, strict=True)
        return sum((values + _ends(column)) * others[column.name] for values, column in each)

    def told(self) -> FewColumns | None:
        """The columns that tell most of originals beyond others, cautiously."""
        if self.secret is None or not self._told:
            return None
        from scipy.special import ndtri

        names = [name for name in self.names if name != self.secret.name]
        paid = sum(possible(names, width) for width in range(1, KNOWN + 1))
        each = share_confidence(self.secret.confidence, paid)
        far = float(ndtri((1 + each) / 2))
        n, N = int(self._asked[: self.n].sum()), int(self._asked[self.n :].sum())
        # nobody seen is not nobody: a change of the usual size stands for what was not met, as with Wilson
        rare = far * far * (1 / n + 1 / N) / 4

        def low(one: Choice) -> tuple[float, Choice]:
            own, others, spread = self._told[one]
            return -(own / n - others / N - far * spread), one

        best = min(self._told, key=low)
        own, others, spread = self._told[best]
        gain, wide = own / n - others / N, far * spread + rare
        held = Interval(gain, max(-1.0, gain - wide), min(1.0, gain + wide), each, METHOD)
        said = tuple(self.columns[j].said for j in best)
        return FewColumns(said, Success(Tally(round(own), n), Tally(round(others), N), held))


def chance_of(scores: Floats, n: int, total: float) -> float:
    """How likely n of the scores, all of which add up to nothing, add up to at least a total.

    Everybody is an original with the same chance p, by themselves: ``K(h) = sum log(1 - p + p exp(h a))`` is
    the logarithm of ``E exp(h S)``, and where ``K'(h) = total`` the chance is about ``exp(K(h) - h total)``
    over ``(1 - exp(-h d)) / d sqrt(2 pi K''(h))`` if scores lie d apart, and less if they lie closer: d is
    taken as far as the largest.
    """
    p, largest = n / scores.size, float(np.abs(scores).max())
    square = float(scores @ scores)
    if total <= 0 or square <= 0:
        return 1.0
    lean, far = total / (p * (1 - p) * square), 500 / largest
    exponent = curve = 0.0
    for _ in range(50):
        lean = min(lean, far)
        grown = p * np.exp(lean * scores)
        likely = grown / (1 - p + grown)
        exponent = float(np.log(1 - p + grown).sum()) - lean * total
        curve = float((likely * (1 - likely)) @ scores**2)
        step = (total - float(likely @ scores)) / curve if curve > 0 else 0.0
        if abs(step) < 1e-6 * lean or lean == far:
            break
        lean = max(lean / 2, min(lean + step, 2 * lean))
    sharper = max(1.0, float(-np.expm1(-lean * largest)) / largest * (2 * np.pi * curve) ** 0.5)
    return float(np.clip(np.exp(min(exponent, 0.0)) / sharper, LEAST, 1.0))


def _ends(column: CodedColumn) -> int:
    """Groups of people at the ends of a column."""
    return sum(end.sizes.size for end in column.ends)


def _parts(choice: Choice) -> list[Choice]:
    return [tuple(i for i in choice if i != j) for j in choice]


def _some(size: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return np.sort(rng.permutation(size)[:MOST_ROWS])
