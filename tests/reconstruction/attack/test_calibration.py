"""Stated probabilities come true: a decoder that errs is mended, one that is right is left alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

from dalenius.errors import InputError
from dalenius.progress import silent
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.cost import ComputeBudget
from dalenius.reconstruction.attack.decoders import chains
from dalenius.reconstruction.attack.guesses import Guesses, StatedClaims, calibrate
from dalenius.reconstruction.attack.simulated import Shift, draw_secrets, fit_shift, publish_about
from dalenius.reconstruction.attack.system.system import CHAINS_NOTE
from dalenius.statistics.tables import tables_of

NOT_CALIBRATED = "probabilities not calibrated"


def claimed(n, seed, sharper=1.0, most=0.999):
    """Claims about a yes/no secret whose log odds are so many times what they should be, and the truth."""
    rng = np.random.default_rng(seed)
    true = rng.uniform(0.5, most, n)
    return expit(sharper * logit(true)), rng.random(n) < true, true


@pytest.mark.parametrize("sharper", [1.6, 0.6])
def test_planted_errors_are_mended(sharper):
    again, _, true = claimed(4_000, 99, sharper, 0.97)
    shifts = [fit_shift(*claimed(4_000, seed, sharper, 0.97)[:2], 2) for seed in range(8)]
    moved = np.mean([shift.of(again) for shift in shifts], axis=0)
    for low, high in ((0.55, 0.7), (0.7, 0.85), (0.85, 0.93)):
        these = (true >= low) & (true < high)
        assert abs(again[these].mean() - true[these].mean()) > 0.04
        assert abs(moved[these].mean() - true[these].mean()) < 0.015


def test_a_timid_decoder_is_believed_more_and_nobody_becomes_known():
    """What two decoders state of intervals on average, as found on tables rounded to 5, and what is true."""
    stated, true = np.array(
        [[0.45, 0.55, 0.65, 0.75, 0.85, 0.925, 0.97], [0.5, 0.65, 0.83, 0.94, 0.98, 0.995, 0.998]]
    )
    moved = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        which = rng.integers(0, 7, 600)
        moved.append(fit_shift(stated[which], rng.random(600) < true[which], 5).of(stated))
    assert (np.abs(np.mean(moved, axis=0) - true)[3:6] < 0.025).all()
    assert (np.array(moved) < 0.99).all()


@pytest.mark.parametrize("n", [50, 300, 4_000])
def test_a_decoder_that_is_right_is_left_alone(n):
    at = np.array([0.6, 0.7, 0.8, 0.9, 0.97, 0.995])
    moved = [np.abs(fit_shift(*claimed(n, seed)[:2], 2).of(at) - at).max() for seed in range(40)]
    assert np.mean(moved) < 0.02
    assert np.median(moved) < 0.01


def test_few_people_move_little():
    stated = np.full(10, 0.9)
    assert fit_shift(stated, np.arange(10) < 8, 2).of(stated)[0] > 0.88
    assert fit_shift(np.zeros(0), np.zeros(0, np.bool_), 2).of(stated)[0] == pytest.approx(0.9)


def test_nobody_becomes_known_or_ceases_to_be_by_the_luck_of_a_simulation():
    """Claims of 0.985 that all come true, or miss three times more than they should, say nothing yet."""
    rng = np.random.default_rng(3)
    middle, too_timid, _ = claimed(3_000, 4, 0.5, 0.95)
    top = np.full(100, 0.985)
    at = np.array([0.98, 0.9899, 0.9901, 0.998])
    for wrong in (0, 3):
        stated = np.concatenate([middle, top])
        right = np.concatenate([too_timid, rng.permutation(100) >= wrong])
        moved = fit_shift(stated, right, 2).of(at)
        assert np.array_equal(moved >= 0.99, at >= 0.99)


@pytest.mark.parametrize(("wrong", "known"), [(400, False), (2, True)])
def test_the_top_moves_where_the_simulation_leaves_no_doubt(wrong, known):
    stated = np.full(8_000, 0.985 if known else 0.995)
    assert (fit_shift(stated, np.arange(8_000) >= wrong, 2).of(stated)[0] >= 0.99) == known


def test_order_and_guesses_stay_and_rows_sum_to_one():
    rng = np.random.default_rng(5)
    probability = rng.dirichlet(np.full(4, 0.5), 500)
    probability[0] = [0.5, 0.5, 0.0, 0.0]
    probability[1] = [0.0, 0.0, 1.0, 0.0]
    who = np.arange(500) != 7
    for by in ([-3.0] * 5, [2.0] * 5, [1.5, 0.0, -1.5, 1.0, 0.0]):
        moved = Shift(np.array(by)).applied(probability, who)
        assert np.allclose(moved.sum(axis=1), 1.0)
        assert (moved >= 0).all()
        assert np.array_equal(moved.argmax(axis=1), probability.argmax(axis=1))
        assert np.array_equal(moved[[0, 7]], probability[[0, 7]])
        assert (np.diff(Shift(np.array(by)).of(np.linspace(0.01, 0.999, 300))) >= 0).all()


def asked(people, n=60, levels=("a", "b", "c"), seed=1):
    rng = np.random.default_rng(seed)
    roster = people(np.stack([rng.integers(0, size, n) for size in (2, 3, 4)], axis=1))
    prior = rng.dirichlet(np.ones(len(levels)), n)
    return roster, tables_of(roster.attributes.columns, 2), prior, draw_secrets(prior, rng)


def test_a_decoder_that_overstates_is_mended_on_simulated_releases(people, view):
    """A decoder that knows the prior alone and squares its odds: right about the guess, too sure of it."""
    roster, tables, prior, secrets = asked(people, 400)
    seen = view([tables], roster, secrets, "rounding:base=5", levels=("a", "b", "c"), prior=prior)

    def stated(which, sharper):
        sure = which.knowledge.prior**sharper
        nobody = np.zeros(400, np.bool_)
        table = sure / sure.sum(axis=1, keepdims=True)
        claims = Guesses("id", roster.ids, ("a", "b", "c"), table, nobody, "test")
        return StatedClaims(claims, ~nobody, 0.1)

    def after(sharper):
        return calibrate(
            seen, stated(seen, sharper), lambda other, rng: stated(other, sharper),
            budget=ComputeBudget(), rng=np.random.default_rng(1), progress=silent,
        )  # fmt: skip

    true, alone = prior.max(axis=1), stated(seen, 2.0).claims.confidence
    assert alone.mean() - true.mean() > 0.08
    assert abs(after(2.0).confidence.mean() - true.mean()) < 0.02
    assert np.abs(after(1.0).confidence - true).mean() < 0.01
    assert np.array_equal(after(2.0).guess, stated(seen, 2.0).claims.guess)


def test_a_decoding_learns_from_releases_that_were_decoded_as_it_was(people, view):
    """Every second simulated release is decoded in another way, and by that way nothing comes true."""
    roster, tables, prior, secrets = asked(people, 400)
    seen = view([tables], roster, secrets, "rounding:base=5", levels=("a", "b", "c"), prior=prior)
    nobody, turn = np.zeros(400, np.bool_), iter(range(100))

    def stated(which, by_chains):
        claims = Guesses("id", roster.ids, ("a", "b", "c"), which.knowledge.prior, nobody, "test")
        return StatedClaims(claims, ~nobody, 0.1, by_chains)

    def attack(other, rng):
        got, odd = stated(other, by_chains=False), next(turn) % 2
        wrong = np.roll(got.claims.probability, 1, axis=0)  # somebody else's chances
        return replace(got, claims=replace(got.claims, probability=wrong), by_chains=True) if odd else got

    def after(by_chains):
        first = stated(seen, by_chains)
        how = {"budget": ComputeBudget(), "rng": np.random.default_rng(1), "progress": silent}
        return calibrate(seen, first, attack, **how)

    true = prior.max(axis=1)
    own, other = after(False), after(True)
    assert np.abs(own.confidence - true).mean() < 0.02
    assert true.mean() - other.confidence.mean() > 0.1
    assert (own.shift.by_chains, other.shift.by_chains) == (False, True)


@pytest.mark.parametrize("same", [True, False])
def test_a_shift_learnt_of_another_decoding_is_not_used(people, view, same):
    roster, tables, prior, secrets = asked(people)
    seen = view([tables], roster, secrets, "gaussian:sigma=1", levels=("a", "b", "c"), prior=prior)
    before = reconstruct(seen, rng=np.random.default_rng(1))
    assert before.shift is not None
    learnt = Shift(np.full(5, -1.0), before.shift.by_chains == same)
    again = reconstruct(seen, rng=np.random.default_rng(1), calibrated=learnt)
    assert (again.shift is learnt) == same


def test_chains_that_stay_apart_have_no_say_under_noise_either(people, view, monkeypatch):
    """Each is sure of secrets of its own: their mean states less of everybody than propagation would."""
    roster, tables, prior, secrets = asked(people, levels=("no", "yes"))
    seen = view([tables], roster, secrets, "gaussian:sigma=0.5", levels=("no", "yes"), prior=prior)
    said = reconstruct(seen, decoder="posterior", rng=np.random.default_rng(1), calibrated=False).notes
    monkeypatch.setattr(chains, "apart", lambda _: True)
    then = reconstruct(seen, decoder="posterior", rng=np.random.default_rng(1), calibrated=False).notes
    assert any(CHAINS_NOTE in note for note in said)
    assert not any(CHAINS_NOTE in note for note in then)


def test_certain_people_and_guesses_stay_what_they_are(people, view):
    roster, tables, prior, secrets = asked(people)
    seen = view([tables], roster, secrets, "rounding:base=5", levels=("a", "b", "c"), prior=prior)
    before = reconstruct(seen, rng=np.random.default_rng(1), calibrated=False)
    after = reconstruct(seen, rng=np.random.default_rng(1))
    assert np.array_equal(before.guess, after.guess)
    assert np.array_equal(before.certain, after.certain)
    assert np.array_equal(before.probability[before.certain], after.probability[before.certain])
    assert any(note.startswith("probabilities calibrated on") for note in after.notes)
    again = reconstruct(seen, rng=np.random.default_rng(1))
    assert np.array_equal(after.probability, again.probability)


def test_what_is_not_calibrated_is_said(people, view):
    roster, tables, prior, secrets = asked(people)
    seen = view([tables], roster, secrets, "gaussian:sigma=2", levels=("a", "b", "c"), prior=prior)
    unknown = replace(seen, release=replace(seen.release, mechanism="unknown"))
    for which, budget in ((unknown, ComputeBudget()), (seen, ComputeBudget(0.02))):
        try:
            notes = reconstruct(which, decoder="posterior", budget=budget, rng=np.random.default_rng(1)).notes
        except InputError:  # pragma: no cover
            pytest.fail("a decoder asked for by name is not refused")
        assert any(note.startswith(NOT_CALIBRATED) for note in notes)


@pytest.mark.parametrize("mechanism", ["subsample:rate=0.5 | gaussian:sigma=1", "suppression:below=5"])
def test_a_release_is_made_again_as_it_was_made(mechanism, people, view):
    """About the true secrets: where nothing is drawn, the same numbers."""
    roster, tables, prior, secrets = asked(people)
    seen = view([tables], roster, secrets, "suppression:below=5", levels=("a", "b", "c"), prior=prior)
    again = publish_about(seen, np.asarray(secrets), np.random.default_rng(1))
    assert np.array_equal(again.release.blocks[0].answers, seen.release.blocks[0].answers, equal_nan=True)
    other = replace(seen, release=replace(seen.release, mechanism=mechanism))
    counts = publish_about(other, np.asarray(secrets), np.random.default_rng(2)).release.blocks[0].answers
    most = 0.75 * 3 * 60 if "subsample" in mechanism else 3 * 60
    assert np.nansum(counts) < most
