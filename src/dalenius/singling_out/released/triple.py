"""Original, synthetic and control: do synthetic or perturbed rows single out real people beyond luck?

The conditions come from the released rows alone: some that match one of them, as in
`dalenius.singling_out.attack.released_rows`, and one around every row, as in
`dalenius.singling_out.attack.near`. Here they are counted in the original and in a control: people of the
same population who are neither in the original nor behind the released rows. Two things are asked. By how
much do more conditions single out an original than luck would, and do released rows point at originals more
than at controls at all? The second is the sharper one: a few copies among thousands of rows move no average,
yet are people.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dalenius.conditions.boxes.boxes import check_same_columns
from dalenius.findings.default_policy import CONFIDENCE
from dalenius.findings.tally import share_confidence
from dalenius.people.files.read_file import Source
from dalenius.people.rows.rows import Rows
from dalenius.people.sealed import SealedRows, sealed_rows
from dalenius.progress import Progress, silent
from dalenius.random import stream
from dalenius.singling_out.attack.near import REACHES, around, different_rows
from dalenius.singling_out.attack.released_rows import GuessedConditions, Mode, guess
from dalenius.singling_out.referee.columns.alike import MOST as MOST_CHOICES
from dalenius.singling_out.referee.columns.alike import SecretAsked, alike_in_columns
from dalenius.singling_out.referee.columns.recoded import recoded_columns
from dalenius.singling_out.referee.counted_conditions import BothSides, CountedConditions, together_on
from dalenius.singling_out.referee.disguised import disguised_copies
from dalenius.singling_out.referee.file_order import in_file_order
from dalenius.singling_out.referee.pooled import PooledRows
from dalenius.singling_out.referee.row_names import called_as
from dalenius.singling_out.released.files import TripleRows, read_triple
from dalenius.singling_out.released.result import Copies, Triple

WIDTH = 3
"""Columns of a condition on several."""

USUAL, MOST = 2000, 10_000
"""Conditions of a family, and how many where a small control makes each say less."""


@dataclass(frozen=True)
class TripleSettings:
    """Which conditions are tried.

    Parameters
    ----------
    mode
        Conditions on one column or on several.
    attacks
        How many conditions of a family to try; by default 2,000, and more for a control smaller than the
        original, where each says less.
    columns
        Columns of a multivariate condition; three if there are as many.
    confidence
        With which all intervals hold together.
    seed
        The same seed gives the same conditions.
    """

    mode: Mode = "multivariate"
    attacks: int | None = None
    columns: int | None = None
    confidence: float = CONFIDENCE
    seed: int = 1


def single_out_triple(
    original: Rows | SealedRows | Source,
    synthetic: Rows | Source,
    control: Rows | Source,
    *,
    how: TripleSettings = TripleSettings(),
    progress: Progress = silent,
) -> Triple:
    """Attack the original by conditions made from released rows, and compare with luck.

    Parameters
    ----------
    original
        The people behind the released rows.
    synthetic
        What was released, synthetic or perturbed; its columns are the ones that conditions speak of.
    control
        Other people of the same population.
    how
        Which conditions are tried, how many, and the seed.
    progress
        Told how far it is.

    Raises
    ------
    InputError
        If columns do not agree, or the control holds people of the original.
    """
    if isinstance(original, Rows | SealedRows) and isinstance(synthetic, Rows) and isinstance(control, Rows):
        rows = TripleRows(sealed_rows(original), synthetic, control)
    else:
        rows = read_triple(original, synthetic, control)
    return run_triple(rows, how, progress)


def run_triple(
    rows: TripleRows,
    how: TripleSettings,
    progress: Progress = silent,
    *,
    secret: SecretAsked | None = None,
    choices: int = MOST_CHOICES,
) -> Triple:
    """Do the same with rows that were read by `read_triple`.

    Parameters
    ----------
    rows
        The three files.
    how
        Which conditions are tried, how many, and the seed.
    progress
        Told how far it is.
    secret
        What is read off rows that are alike in a few columns, if anything.
    choices
        Choices of columns that are looked at, of each number of them.
    """
    half = share_confidence(how.confidence, 2)  # one half for the conditions asked for, one for all reaches
    each = share_confidence(half, len(REACHES))
    check_same_columns(rows.original, rows.synthetic, "the original")
    check_same_columns(rows.control, rows.synthetic, "the control")
    rows = rows.select(rows.synthetic.names)
    synthetic, mode = rows.synthetic, how.mode
    attacks = how.attacks
    if attacks is None:
        attacks = round(min(USUAL * max(1.0, len(rows.original) / len(rows.control)), MOST))
    pool = PooledRows(rows.original, rows.control)
    pool.check_apart("control")
    progress(0.0, "conditions from the released rows")
    sides = BothSides(rows.original, rows.control)
    guesses, asked = conditions_asked(synthetic, sides, replace(how, attacks=attacks, confidence=half))
    some = replace(how, attacks=attacks, confidence=each)
    near, copies = _near(rows, pool, sides, some, progress)
    progress(0.9, "copies in disguise")
    hidden = disguised_copies(pool, synthetic, stream(how.seed, "control", "triple", "disguised"))
    copies += [Copies(name, seen, len(rows.original), len(rows.control)) for name, seen in hidden]
    progress(0.95, "rows alike in a few columns")
    alike, few = alike_in_columns(
        pool, synthetic, stream(how.seed, "control", "triple", "columns"), secret, choices
    )
    copies += [Copies.of_columns(one, len(pool.rows) - pool.control, pool.control) for one in [alike] if one]
    copies += [Copies.of_order(one) for one in [in_file_order(pool, synthetic)] if one]
    called = [called_as(one.released, one.original, one.control, pool, synthetic) for one in rows.named]
    copies += [copy for one in called for copy in Copies.of_called(one, pool.original, pool.control)]
    progress(1.0, "done")
    return Triple(
        mode=mode,
        guesses=guesses,
        requested=attacks,
        asked=asked,
        near=tuple(near),
        copies=tuple(copies),
        original=len(rows.original),
        synthetic=len(synthetic),
        control=len(rows.control),
        confidence=how.confidence,
        seed=how.seed,
        recoded=recoded_columns(synthetic, rows.control),
        unjudged=tuple(one.column for one in called if one.unjudged),
        apart=rows.apart,
        few=few,
    )


def conditions_asked(
    synthetic: Rows, sides: BothSides, how: TripleSettings
) -> tuple[GuessedConditions, CountedConditions]:
    """Conditions that match one released row alone, and how many of them match one person on either side.

    Parameters
    ----------
    synthetic
        The released rows.
    sides
        The people behind them, and others.
    how
        Which conditions are tried, how many, the confidence of these alone, and the seed.
    """
    attacks = USUAL if how.attacks is None else how.attacks
    columns = min(WIDTH, len(synthetic.columns)) if how.columns is None else how.columns
    rng = stream(how.seed, "attack", "triple", how.mode)
    guesses = guess(synthetic, how.mode, attacks, rng, columns=columns)
    name = "one column" if how.mode == "univariate" else f"{columns} columns"
    together = together_on(guesses.rows)
    return guesses, sides.compare(f"conditions on {name}", guesses.boxes, together, how.confidence)


def _near(
    triple: TripleRows, pool: PooledRows, sides: BothSides, how: TripleSettings, progress: Progress
) -> tuple[list[CountedConditions], list[Copies]]:
    """Conditions around released rows: of some the advantage is measured, of all whom they point at."""
    rng = stream(how.seed, "attack", "triple", "near")
    rows = different_rows(triple.synthetic, rng)
    some = rng.permutation(len(rows))[: how.attacks]
    near, copies = [], []
    for j, reach in enumerate(REACHES):
        progress(0.3 + 0.6 * j / len(REACHES), reach.name)
        boxes = around(rows, triple.synthetic, reach)
        near.append(sides.compare(reach.name, boxes.take(some), 1.0, how.confidence))
        pointed = pool.pointed_at(boxes, stream(how.seed, "control", "triple", reach.name))
        copies.append(Copies(reach.name, pointed, len(triple.original), len(triple.control)))
    return near, copies
