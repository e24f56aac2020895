"""The same release about secrets that are drawn from what is usual for these people.

An attacker who is told the questions and the mechanism can publish too: about secrets of his own making,
drawn from the prior that he starts from. Of those he knows who was right.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import UnsupportedError
from dalenius.knowledge.view import View
from dalenius.matrices.answers import Counts
from dalenius.mechanisms.parse import parse_mechanism
from dalenius.reconstruction.attack.system.build import build
from dalenius.release.release import Block
from dalenius.statistics.statistic import Counting

Codes = NDArray[np.intp]


def assumed_prior(view: View) -> NDArray[np.float64]:
    """For every person and value, its probability as decoders take it: known, or as common as it seems."""
    if view.knowledge.prior is not None:
        return view.knowledge.prior
    problem = build(view)
    shares = np.stack([system.prior for system in problem.systems], axis=1)[problem.group]
    if shares.shape[1] == 1:
        return np.concatenate([1 - shares, shares], axis=1)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)


def draw_secrets(prior: NDArray[np.float64], rng: np.random.Generator) -> Codes:
    """Everybody's value, each by itself."""
    with np.errstate(divide="ignore"):
        return np.asarray((np.log(prior) + rng.gumbel(size=prior.shape)).argmax(axis=1), np.intp)


def publish_about(view: View, secrets: Codes, rng: np.random.Generator) -> View:
    """The view of somebody to whom the same was published about these secrets.

    Raises
    ------
    UnsupportedError
        If that cannot be made again: answers that are no counts, what others print, unknown mechanisms.
    """
    release, people = view.release, len(view.knowledge.roster)
    samples: dict[str, NDArray[np.bool_]] = {}  # the blocks of one mechanism count the same people
    blocks = []
    for block in release.blocks:
        text = release.mechanism_of(block)
        if text not in samples:
            sample = parse_mechanism(text).sample_rows(people, rng=rng)
            samples[text] = np.ones(people, np.bool_) if sample is None else sample
        blocks.append(replace(block, answers=_answers(view, block, secrets, samples[text], rng)))
    return View(replace(release, blocks=tuple(blocks)), view.knowledge)


def _answers(
    view: View, block: Block, secrets: Codes, counted: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.float64]:
    statistic, levels = block.statistic, view.release.secret.levels
    if not isinstance(statistic, Counting):
        raise UnsupportedError(f"answers of the kind {statistic.kind} are not simulated")
    if any(limits is not None for limits in (block.low, block.high, block.least, block.most)):
        raise UnsupportedError("what is printed beside the numbers is not simulated")
    operator = statistic.operator(view.knowledge.roster)
    columns = [
        operator.apply(((secrets == levels.index(value)) & counted).astype(np.float64))
        for value in block.values
    ]
    counts = np.rint(np.stack(columns, axis=1)).astype(np.int64)
    true = Counts(counts, statistic.table, statistic.sensitivity(len(block.values)))
    return parse_mechanism(view.release.mechanism_of(block)).protect(true, rng=rng)
