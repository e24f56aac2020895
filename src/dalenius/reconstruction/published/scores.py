"""Scores of classifiers that somebody published, from plain files, to the view that an attack takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from dalenius.errors import InputError
from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import Vector
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.people.files.read_file import Source
from dalenius.people.opening import open_sheet
from dalenius.people.schema import Column, Kind, Role
from dalenius.reconstruction.published.counts import LEVELS, read_roster
from dalenius.reconstruction.published.options import PrintedNumbers
from dalenius.release.release import Block, Release
from dalenius.statistics.classifiers.predictions import VALUES, read_predictions
from dalenius.statistics.classifiers.score_forms import FORMS, LABELS, RATES
from dalenius.statistics.classifiers.scores import ClassifierScores, Score
from dalenius.statistics.printed_number import everyday, half_units
from dalenius.statistics.statistic import ESTIMATE

Texts = dict[Score, str]
"""Scores as they are printed."""


def read_scores(
    people: Source,
    predictions: Path,
    *,
    id: str,
    given: Mapping[str, str],
    scores: Path | None = None,
    printed: PrintedNumbers | None = None,
    secret: str,
) -> View:
    """Read published scores as a view.

    Parameters
    ----------
    people
        A table of the people: a column of ids, and public columns if a tree speaks of them.
    predictions
        What the rules say of them, see `read_predictions`.
    id
        The column of ids.
    given
        Scores of one rule as they are printed, by kind, such as ``{"error-rate": "0.137"}``.
    scores
        ``classifier,score,value``: scores of several rules.
    printed
        Decimals of the printed scores, or a mechanism; if not given, each is as exact as it is printed.
    secret
        What the secret is called.

    Raises
    ------
    InputError
        If the files do not fit together, or a score is not one that data can have.
    """
    roster = read_roster(open_sheet(people, id=id), id, secret)
    found = read_predictions(predictions, roster)
    texts: Texts = {Score(_rule_for(kind, found.rules), kind): text for kind, text in given.items()}
    if scores is not None:
        texts |= _read_file(scores)
    if not texts:
        raise InputError("scores", "must have at least one", "none", "Give --error-rate or --scores.")
    asked = tuple(sorted(texts, key=lambda score: score.kind != "positives"))
    numbers = {score: _number(score, text) for score, text in texts.items()}
    answers = np.array([numbers[score] for score in asked])[:, None]
    statistic = ClassifierScores(roster.ids, found.rules, found.values, asked, found.within)
    column = Column(secret, Role.SECRET, Kind.BINARY, LEVELS)
    said = (printed or PrintedNumbers()).mechanism
    if said is None:
        within = _within(asked, texts)[:, None]
        block = Block(statistic, ESTIMATE, answers, None, answers - within, answers + within)
        return View(Release(predictions.name, column, (block,), "stated"), Knowledge(roster))
    mechanism = parse_mechanism(said)
    resolved = str(mechanism.resolve(statistic.sensitivity(1)))
    block = Block(statistic, ESTIMATE, answers)
    return View(Release(predictions.name, column, (block,), resolved), Knowledge(roster))


def _within(asked: Sequence[Score], printed: Texts) -> Vector:
    """How far each score may be from what is printed; numbers of people are whole and exact."""
    rates = [score for score in asked if score.kind not in ("positives", "true-positives")]
    halves = dict(zip(rates, half_units([printed[score] for score in rates]), strict=True))
    # a number on the edge of its interval is stored in binary, a little inside or outside
    return np.array([halves.get(score, 0.0) * (1 + 1e-6) + 1e-12 for score in asked])


def _rule_for(kind: str, rules: Sequence[str]) -> str:
    """Whose score an option means: the only rule's, or of prediction and probability the one that fits."""
    if len(rules) == 1 or kind == "positives":
        return rules[0]
    if set(rules) == set(VALUES):
        return VALUES[0] if kind in LABELS else VALUES[1]
    raise InputError(
        f"--{kind}",
        "must be the score of one classifier",
        f"predictions of {len(rules)}",
        "Write classifier,score,value into a file and give it as --scores.",
    )


def _read_file(path: Path) -> Texts:
    table = open_sheet(path)
    names, kinds, values = (table.text(name).tolist() for name in ("classifier", "score", "value"))
    printed: Texts = {}
    for line, (name, kind, value) in enumerate(zip(names, kinds, values, strict=True), start=2):
        where = f"{path}, line {line}"
        if str(kind).strip() not in FORMS:
            fix = f"Scores are {', '.join(sorted(FORMS))}."
            raise InputError(
                f"{where}, column 'score'", "must be a known one", "another word", fix, value=kind
            )
        score = Score(str(name).strip(), str(kind).strip())
        if score in printed:
            raise InputError(where, "must be a score given once", "one given twice", value=str(score))
        printed[score] = str(value)
    return printed


def _number(score: Score, text: str) -> float:
    number = everyday(text)
    if number is None and text.strip().lower() not in ("nan", "inf", "-inf"):
        fix = "Write for example 0.137."
        raise InputError(score.kind, "must be a number", "text, or one beyond all sizes", fix, value=text)
    if number is None or (score.kind in RATES and not 0 <= number <= 1):
        raise InputError(
            score.kind, "must lie between 0 and 1", text.strip(), "Give a fraction, not a percentage."
        )
    if score.kind in ("log-loss", "sd", "positives", "true-positives") and number < 0:
        raise InputError(score.kind, "must be at least 0", text.strip())
    return number
