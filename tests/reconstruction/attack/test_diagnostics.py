"""What is said before an attack: golden values, predictions held against attacks, refused sizes."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from dalenius.knowledge.view import Knowledge, View
from dalenius.matrices.answers import LinearForm
from dalenius.people.schema import Column, Kind, Role
from dalenius.reconstruction.attack.decoders import least_squares, posterior
from dalenius.reconstruction.attack.forecast import diagnostics
from dalenius.reconstruction.attack.forecast.diagnostics import diagnose
from dalenius.reconstruction.attack.linalg.lanczos import Lanczos
from dalenius.reconstruction.attack.system.build import build
from dalenius.reconstruction.attack.system.rank_bound import describe, rank_at_most
from dalenius.release.release import Block, Release
from dalenius.statistics.cells import CellCounts
from dalenius.statistics.counts.boolean import BooleanFunction, named_function
from dalenius.statistics.counts.boolean_counts import counts_of
from dalenius.statistics.counts.subsets import random_subsets
from dalenius.statistics.tables import tables_of
from dalenius.theory.reconstruction.lp import section_lower_bound, section_upper_estimate, tau1

SECRET = Column("ill", Role.SECRET, Kind.BINARY, ("no", "yes"))


def looked(view: View, seconds: float = 10.0):
    return diagnose(view, rng=np.random.default_rng(1), seconds=seconds)


def test_golden_least_squares(people, subsets, view):
    """A of four rows and three people: sigma_min 1, predicted accuracy and the bound of every attack."""
    asked = subsets([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 1, 1]])
    roster = people(np.zeros((3, 0)))
    found = looked(view([asked], roster, [1, 0, 1], "gaussian:sigma=1", prior=0.5))
    assert (found.spectrum.rank, found.spectrum.identified) == (3, 3)
    assert found.spectrum.sigma_min == pytest.approx(1)
    assert found.spectrum.condition == pytest.approx(7**0.5)
    assert found.prediction.least_squares == pytest.approx(0.7229434350, abs=1e-9)
    assert found.limits.any_attack == pytest.approx(0.8067618846, abs=1e-9)
    assert found.limits.noise_to_stop == pytest.approx(3**0.5 * 3.9789, rel=1e-3)
    assert found.limits.noise_for_rho["0.1"] == pytest.approx((3 / 0.2) ** 0.5)
    bounded = looked(_bare(asked, np.array([1.2, 0.9, 2.1, 1.7]), 0.3, roster))
    assert bounded.prediction.kind == "bounded"
    assert bounded.prediction.wrong_at_most == pytest.approx(1.44)
    whole = looked(view([asked], roster, [1, 0, 1], "bounded:error=0.3", prior=0.5))
    assert (whole.prediction.kind, whole.prediction.wrong_at_most) == ("exact", 0.0)


def test_golden_wild_answers(people, subsets, view):
    rows = ["1100", "0110", "0011", "1001", "1010", "0101", "1111", "1110", "0111", "1011"]
    asked = subsets([[int(c) for c in row] for row in rows])
    found = looked(view([asked], people(np.zeros((4, 0))), [1, 0, 0, 1]))
    assert found.proofs.tau1 == pytest.approx(2 / 7)
    assert found.proofs.wild_answers == 1
    assert found.proofs.verdict == "possible"


@pytest.mark.parametrize(("error", "verdict"), [(0.49, "possible"), (0.51, "impossible")])
def test_golden_discrepancy(error, verdict, people, subsets, view):
    """Prefix sums of eight people: D is 1 for every share, so half a unit of chosen error decides."""
    asked = subsets(np.tril(np.ones((8, 8))))
    roster = people(np.zeros((8, 0)))
    answers = np.tril(np.ones((8, 8))) @ np.array([1, 0, 1, 1, 0, 0, 1, 0]) + 0.25
    found = looked(_bare(asked, answers, error, roster))
    assert found.proofs.discrepancy == (1.0, 1.0)
    assert found.proofs.verdict == verdict
    # counts are whole numbers: within half a unit every one of them is known after all
    release = Release("r", SECRET, (Block(asked, ("yes",), answers[:, None]),), "bounded:error=0.49")
    assert looked(View(release, Knowledge(roster))).proofs.verdict == "possible"


def _bare(asked, answers, error, roster) -> View:
    """The same rows as numbers that need not be whole."""

    class Bare:
        kind, rows = "bare", asked.rows

        def labels(self):
            return asked.labels()

        def fingerprint(self, roster):
            return asked.fingerprint(roster)

        def to_json(self):
            return {}

        def compute(self, roster, secret):
            return asked.operator(roster).apply(secret)

        def linear(self, roster, published):
            eye = np.eye(asked.rows)
            return LinearForm(asked.operator(roster).explicit().toarray(), published, eye, eye)

    release = Release(
        "r", SECRET, (Block(Bare(), ("estimate",), answers[:, None]),), f"bounded:error={error}"
    )
    return View(release, Knowledge(roster))


@pytest.mark.parametrize(("m", "c"), [(512, 0.3), (512, 1.0), (96, 0.3)])
def test_predictions_are_met_by_the_attack(m, c, people, view):
    n, own = 128, {"ls": [], "linear": []}
    for seed in range(4):
        rng = np.random.default_rng(100 + seed)
        roster, secrets = people(np.zeros((n, 0))), rng.integers(0, 2, n)
        asked = random_subsets(roster.ids, m, rng=rng)
        made = view([asked], roster, secrets, f"gaussian:sigma={c * n**0.5}", seed=seed, prior=0.5)
        system = build(made).systems[0]
        own["linear"].append(np.mean((posterior.State(system).gaussian()[0] >= 0.5) == secrets))
        own["ls"].append(np.mean((least_squares.decode(system, rng=rng).share >= 0.5) == secrets))
    found = looked(made, seconds=0.1)
    assert abs(np.mean(own["linear"]) - found.prediction.linear) < 4 * 0.04 / 2 + 0.01
    if m > n:
        assert abs(np.mean(own["ls"]) - found.prediction.least_squares) < 4 * 0.04 / 2 + 0.01
        assert found.prediction.least_squares < found.limits.any_attack
    else:
        assert found.prediction.least_squares is None
        assert found.spectrum.rank == 96
        assert found.spectrum.condition is None
        assert 0 < found.spectrum.resolution < 1


def test_noise_of_the_wrong_size_would_be_seen(people, view):
    """Planted: the prediction for half the noise is far from what the attack reaches."""
    rng = np.random.default_rng(1)
    roster, secrets = people(np.zeros((128, 0))), rng.integers(0, 2, 128)
    asked = random_subsets(roster.ids, 512, rng=rng)
    made = [view([asked], roster, secrets, f"gaussian:sigma={s}", prior=0.5) for s in (5.0, 10.0)]
    predicted = [looked(v, seconds=0.1).prediction.least_squares for v in made]
    assert predicted[0] - predicted[1] > 0.1


def test_unknown_noise_is_estimated(people, view):
    rng = np.random.default_rng(1)
    roster, secrets = people(np.zeros((60, 0))), rng.integers(0, 2, 60)
    asked = random_subsets(roster.ids, 300, rng=rng)
    made = view([asked], roster, secrets, "gaussian:sigma=3", prior=0.5)
    told = View(Release("r", SECRET, made.release.blocks, "unknown"), made.knowledge)
    found = looked(told, seconds=0.1)
    assert found.prediction.kind == "unknown"
    assert found.prediction.tau == pytest.approx(3, rel=0.15)
    assert found.limits.any_attack is None


def test_merged_people_cannot_all_be_right(people, view):
    roster = people(np.repeat(np.eye(5, dtype=int), 2, axis=0))
    made = view([tables_of(roster.attributes.columns, 1)], roster, [0, 1] * 5, prior=0.5)
    found = looked(made)
    assert (found.people, found.unknowns, found.merged) == (10, 5, 10)
    assert found.spectrum.identified == 0
    # of two people with a known sum: both right if it is 0 or 2, one right if it is 1
    assert found.prediction.linear == pytest.approx(0.75)
    assert found.proofs.discrepancy == (0.0, 0.0)
    assert found.proofs.verdict == "impossible"


def test_structure_of_tables_and_functions(people, view):
    rng = np.random.default_rng(2)
    roster, secrets = people(rng.integers(0, 2, (40, 12))), rng.integers(0, 2, 40)
    columns = roster.attributes.columns
    made = view([tables_of(columns, 1)], roster, secrets, prior=0.5)
    found = looked(made, seconds=0.1)
    assert found.rank_at_most == found.spectrum.rank == 13
    assert "24 combinations of levels have rank at most 13" in found.about[0]
    three = people(rng.integers(0, 3, (60, 4)))
    made = view([tables_of(three.attributes.columns, 2)], three, rng.integers(0, 2, 60), prior=0.5)
    assert looked(made, seconds=0.1).spectrum.rank == rank_at_most(made.release) == 1 + 4 * 2 + 6 * 4
    for name, degree, kind in (("and", 2, "non-degenerate"), ("not-all-equal", 1, "degenerate")):
        asked = counts_of(columns, named_function(name, 2))
        release = Release("r", SECRET, (Block(asked, ("estimate",), np.zeros((66, 1))),))
        (said,) = describe(release)
        assert f"is {kind}: what multiplies the secret has degree {degree} of 2; all sets of 12" in said
    nothing = counts_of(columns, BooleanFunction((0, 0, 1, 1)))
    assert "say nothing" in describe(Release("r", SECRET, (Block(nothing, ("e",), np.zeros((12, 1))),)))[0]


def both_ways(made: View, monkeypatch) -> tuple:
    """The same diagnosis by decomposing the matrix, and by products with it alone."""
    exact = looked(made, seconds=0.01)
    monkeypatch.setattr(diagnostics, "DENSE_SIDE", 5)
    return exact, looked(made, seconds=0.01)


@pytest.mark.parametrize(("n", "m"), [(300, 1200), (400, 800), (400, 300)])
def test_products_alone_bound_what_the_decomposition_finds(n, m, people, view, monkeypatch):
    rng = np.random.default_rng(n + m)
    roster, secrets = people(np.zeros((n, 0))), rng.integers(0, 2, n)
    asked = random_subsets(roster.ids, m, rng=rng)
    made = view([asked], roster, secrets, f"gaussian:sigma={0.5 * n**0.5}", prior=0.5)
    exact, found = both_ways(made, monkeypatch)
    assert found.spectrum is None
    low, high = found.estimate.ends.least
    if m < n:
        assert low == high == exact.spectrum.sigma_min == 0
        assert found.prediction.least_squares is None
    else:
        assert 0.9 * high < low <= exact.spectrum.sigma_min <= high * (1 + 1e-6)
        top = exact.spectrum.sigma_min * exact.spectrum.condition
        assert found.estimate.ends.largest[0] <= top * (1 + 1e-6)
        assert top <= found.estimate.ends.largest[1] * (1 + 1e-6)
        off = abs(found.prediction.least_squares - exact.prediction.least_squares)
        assert off <= 2 * found.prediction.give + 1e-4
        assert exact.proofs.discrepancy[0] >= found.proofs.discrepancy[0] > 0
    assert abs(found.prediction.linear - exact.prediction.linear) <= 2 * found.prediction.give + 1e-4
    assert 0 < found.prediction.give < 0.01
    assert found.estimate.resolution[1] == pytest.approx(exact.spectrum.resolution)
    assert found.limits.any_attack == pytest.approx(exact.limits.any_attack)


def test_products_alone_on_tables(people, view, monkeypatch):
    rng = np.random.default_rng(3)
    roster, secrets = people(rng.integers(0, 2, (150, 30))), rng.integers(0, 2, 150)
    made = view([tables_of(roster.attributes.columns, 2)], roster, secrets, "gaussian:sigma=3", prior=0.5)
    exact, found = both_ways(made, monkeypatch)
    low, high = found.estimate.ends.least
    assert 0 < low <= exact.spectrum.sigma_min <= high * (1 + 1e-9)
    assert abs(found.prediction.linear - exact.prediction.linear) <= 2 * found.prediction.give + 1e-4
    again = json.loads(found.to_json())
    assert again["estimate"]["ends"]["missed"] == 1e-3
    assert any("except with probability 0.001" in line for line in found.lines())
    few = view([tables_of(roster.attributes.columns, 1)], roster, secrets, prior=0.5)
    assert looked(few).estimate.ends.least == (0.0, 0.0)
    told = View(Release("r", SECRET, made.release.blocks, "unknown"), made.knowledge)
    assert looked(told).prediction.tau == pytest.approx(3 / 2**0.5, rel=0.5)


def test_quadratures_enclose_entries_of_the_inverse():
    rng = np.random.default_rng(4)
    A = rng.normal(size=(80, 50))
    G = A.T @ A
    start = np.eye(50)[7]
    least = float(np.linalg.eigvalsh(G)[0])
    true = [float(np.linalg.inv(G)[7, 7]), float(np.linalg.inv(G + np.eye(50))[7, 7])]
    for steps in (3, 10, 25):
        seen = Lanczos(lambda x: G @ x, start).run(steps)
        (x, w), (y, v) = seen.gauss(), seen.radau(0.9 * least)
        for f, value in zip((lambda t: 1 / t, lambda t: 1 / (1 + t)), true, strict=True):
            assert f(x) @ w <= value * (1 + 1e-9)
            assert f(y) @ v >= value * (1 - 1e-9)
    # planted: an end above the least eigenvalue encloses nothing
    wrong_x, wrong_w = Lanczos(lambda x: G @ x, start).run(10).radau(3 * least)
    assert (1 / wrong_x) @ wrong_w < true[0]


def test_proofs_that_take_too_long_are_said_and_not_made(people, view):
    roster = people(np.random.default_rng(1).integers(0, 2, (40, 8)))
    made = view([tables_of(roster.attributes.columns, 2)], roster, [0, 1] * 20, prior=0.5)
    slow = looked(made, seconds=0.01)
    assert any("linear programs take about" in reason for reason in slow.not_computed)


def test_plain_values(people, view):
    roster = people(np.random.default_rng(1).integers(0, 2, (12, 6)))
    made = view([tables_of(roster.attributes.columns, 2)], roster, [0, 1] * 6, "rounding:base=3", prior=0.5)
    found = looked(made)
    again = json.loads(found.to_json())
    assert again["spectrum"]["rank"] == found.spectrum.rank
    assert "Infinity" not in found.to_json()
    assert len(found.lines()) > 5
    other = view([tables_of(roster.attributes.columns, 2)], roster, [0, 1] * 6, "rounding:base=3", prior=0.5)
    assert looked(other) == found


def test_the_section_estimate_lies_above_the_proven_bound_and_finds_spikes():
    rng = np.random.default_rng(5)
    A = rng.integers(0, 2, (48, 12)).astype(float)
    estimate = section_upper_estimate(A, rng=rng)
    assert section_lower_bound(48, tau1(A)) <= estimate < 0.8
    spiked = np.vstack([A, np.zeros((48, 12))])
    spiked = np.column_stack([spiked, np.eye(96)[-1]])
    assert section_upper_estimate(spiked, rng=rng) == pytest.approx(96**-0.5)
    flat = np.array([[1.0, 1.0], [1.0, -1.0]]) / 2**0.5
    assert section_upper_estimate(flat, rng=rng) == pytest.approx(2**-0.5)
    large = rng.choice([-1.0, 1.0], (320, 80))
    assert section_upper_estimate(large, rng=rng) == pytest.approx(0.56, abs=0.06)


@pytest.mark.parametrize(("d", "parities", "conjunctions"), [(16, 0.76, 0.62), (32, 0.78, 0.49)])
def test_conjunctions_are_not_flat_along_an_attribute_and_parities_are(d, parities, conjunctions):
    """The least flat attribute, all pairs of d attributes, n = d^2 / 4: along x = V_j, not over all x."""
    found = []
    for seed in range(3):
        V = np.random.default_rng(seed).choice([-1.0, 1.0], (d, d * d // 4))
        i, j = np.triu_indices(d, 1)
        for bits in (V, (V + 1) / 2):
            along = bits[i] * bits[j] @ V.T
            flat = np.abs(along).sum(axis=0) / (len(i) ** 0.5 * np.linalg.norm(along, axis=0))
            found.append(float(flat.min()))
    assert np.mean(found[::2]) == pytest.approx(parities, abs=0.02)
    assert np.mean(found[1::2]) == pytest.approx(conjunctions, abs=0.02)


def crossed(*columns: tuple[Column, list[tuple[str, ...]]]) -> CellCounts:
    """All cells of these columns, as they are banded, with all margins."""
    parts = [[None, *((column.name, band) for band in bands)] for column, bands in columns]
    cells = tuple(tuple(c for c in cell if c is not None) for cell in itertools.product(*parts))
    return CellCounts(tuple(column for column, _ in columns), cells, tuple(map(str, range(len(cells)))))


def test_printed_tables_share_their_margins(people):
    """Two tables with margins, one with bands of levels: as many equations as numpy finds independent."""
    roster = people(np.stack([np.arange(60) % 3, np.arange(60) // 3 % 4, np.arange(60) // 12 % 5], axis=1))
    a, b, c = roster.attributes.columns
    single = {column.name: [(level,) for level in column.levels] for column in (a, b)}
    one = crossed((a, single["a0"]), (b, single["a1"]))
    two = crossed((a, single["a0"]), (c, [("0", "1"), ("2",), ("3", "4")]))
    blocks = tuple(Block(s, ("no", "yes"), np.zeros((s.rows, 2))) for s in (one, two))
    matrix = np.vstack([s.operator(roster).explicit().toarray() for s in (one, two)])
    assert rank_at_most(Release("r", SECRET, blocks, "exact")) == 1 + 2 + 3 + 6 + 2 + 4
    assert np.linalg.matrix_rank(matrix) == 18
    assert len(matrix) == 36
