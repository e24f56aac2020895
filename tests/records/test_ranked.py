"""Ranked claims: drawn as they would be weighed, judged beside baselines and control; named people."""

from __future__ import annotations

import dataclasses
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.records.attack.certain.settle import SettledPiece, settle
from dalenius.records.attack.claims import claim_records
from dalenius.records.attack.ranked.copies import weights_of
from dalenius.records.attack.ranked.gibbs import draw_piece
from dalenius.records.attack.system import make_system
from dalenius.records.cells.grid import grids_of
from dalenius.records.published.read import read_records
from dalenius.records.published.said import SaidOfTables
from dalenius.records.referee.ranking import calibrate
from dalenius.records.run import BesideTables, attack_and_examine
from helpers.census_like import NAMES, people, write, write_tables
from helpers.records_golden import GOLDEN


def tails(settled: SettledPiece, log_shares: np.ndarray) -> list[np.ndarray]:
    """The probability of every copy, all data sets weighed."""
    weights, piece = weights_of(settled.points, log_shares), settled.piece
    return [
        np.array([weights[settled.points[:, j] > count].sum() for count in range(piece.lo[j], piece.hi[j])])
        for j in range(piece.size)
    ]


@pytest.mark.parametrize("name", ["R2", "R4", "R5 without women", "R8", "R11"])
@pytest.mark.parametrize("flat", [True, False])
def test_what_is_drawn_is_what_weighing_gives(name: str, flat: bool) -> None:
    """R2 needs four people to move at once, R5 has rows that are intervals."""
    golden = GOLDEN[name]
    found = settle(make_system(golden.record_columns, grids_of(golden.record_columns, golden.published)))
    for settled in found.pieces:
        rng = np.random.default_rng(5)
        logs = np.zeros(settled.piece.size) if flat else np.log(rng.uniform(0.5, 2, settled.piece.size))
        drawn = draw_piece(settled, logs, rng=rng)
        assert drawn is not None
        for said, true in zip(drawn.above, tails(settled, logs), strict=True):
            assert np.abs(said - true).max(initial=0) < 0.05
        assert settled.piece.fits(drawn.mode)
        assert drawn.apart < 0.15


def test_a_piece_without_a_known_data_set_is_not_drawn() -> None:
    golden = GOLDEN["R11"]
    found = settle(make_system(golden.record_columns, grids_of(golden.record_columns, golden.published)))
    none = dataclasses.replace(found.pieces[0], points=found.pieces[0].points[:0])
    assert draw_piece(none, np.zeros(none.piece.size), rng=np.random.default_rng(1)) is None


def test_overconfident_claims_are_noticed() -> None:
    rng = np.random.default_rng(1)
    stated = np.full(400, 0.9)
    good, bad = (list(calibrate(stated, rng.random(400) < share)) for share in (0.9, 0.6))
    assert abs(good[0].hits / 400 - 0.9) < 0.05
    assert bad[0].hits / 400 < 0.7


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("census")
    rng = np.random.default_rng(3)
    rows = people(rng, [4, 9, 14, 20])
    write_tables(folder, rows)
    write(folder / "truth.csv", ("id", *NAMES), [(at, *row) for at, row in enumerate(rows)])
    write(folder / "named.csv", ("id", *NAMES[:3]), [(at, *row[:3]) for at, row in enumerate(rows)])
    write(folder / "others.csv", NAMES, people(rng, [40] * 8, "B") + rows[:5])
    write(folder / "inside.csv", NAMES, rows)
    return folder


def release(place: Path) -> object:
    return read_records(sorted(place.glob("P*.csv")), SaidOfTables(geography=("block",)))


def test_named_people_beside_baselines_and_control(place: Path) -> None:
    files = BesideTables(
        place / "others.csv", place / "named.csv", "block,sex,age", "id", place / "truth.csv"
    )
    done = attack_and_examine(release(place), files)
    details, named = done.finding.details, done.finding.details.named
    assert details.judged is not None
    assert (details.judged.wrong, details.judged.kept) == (0, True)
    assert any("5 people of the units attacked are left out" in note for note in done.finding.notes)
    assert details.others == 320
    assert {each.name for each in details.baselines} == {
        "independent", "modal", "proportional", "others", "on the support"
    }  # fmt: skip
    assert details.ranking is not None
    attack, control = details.ranking.distinct[-1].hits, details.control[-1].hits
    assert attack > control, "tables of other people say less about these"
    assert named is not None
    assert named.certain_right == named.certain > 0
    assert named.putative >= named.confirmed > named.control
    assert [measure.label for measure in done.finding.measures] == ["records, ranked", "named people"]
    assert {"match.svg", "calibration.svg", "units_by_size.svg"} <= set(done.pictures())
    told = done.finding.explanation
    assert sum(own.alone for own in told.units) == details.unique_people
    assert sum(own.units for own in told.units) == len(told.radii) == details.units
    assert [own.kind for own in told.ranked] == ["attack", *["baseline"] * 5, "control"]
    assert told.ranked[0].right[-1] == attack


def test_named_people_are_matched_without_a_truth(place: Path) -> None:
    """Who matches is the same; how many are right nobody says, and no measure claims it."""
    files = {"named": place / "named.csv", "on": "block,sex,age"}
    judged = attack_and_examine(release(place), BesideTables(**files, truth=place / "truth.csv"))
    alone = attack_and_examine(release(place), BesideTables(**files))
    matched, named = alone.finding.details.matched, judged.finding.details.named
    assert matched is not None
    assert named is not None
    assert (alone.finding.details.named, judged.finding.details.matched) == (None, None)
    for what in ("known", "named", "putative", "certain"):
        assert getattr(matched, what) == getattr(named, what)
    assert matched.putative > matched.certain > 0
    assert not alone.finding.measures
    assert any("only the true records say (--truth)" in fact for fact in alone.finding.facts)


def test_two_truths_with_one_release_give_the_same_claims(place: Path) -> None:
    alone, judged = (
        attack_and_examine(release(place), BesideTables(truth=truth)) for truth in (None, place / "truth.csv")
    )
    assert list(alone.claims.ranked_rows()) == list(judged.claims.ranked_rows())
    certain = Counter(tuple(row) for row in alone.claims.certain_rows())
    assert certain == Counter(tuple(row) for row in judged.claims.certain_rows())


def test_a_wrong_truth_is_noticed(place: Path, tmp_path: Path) -> None:
    """Claims about these people are not true of others: the referee must say so."""
    rows = people(np.random.default_rng(9), [4, 9, 14, 20])
    write(tmp_path / "truth.csv", NAMES, rows)
    done = attack_and_examine(release(place), BesideTables(truth=tmp_path / "truth.csv"))
    assert done.finding.details.judged is not None
    assert done.finding.details.judged.wrong > 5


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"named": "named.csv"}, "--on must say which columns"),
        ({"named": "named.csv", "truth": "truth.csv"}, "--on must say which columns"),
        (
            {"named": "named.csv", "on": "block,zip", "truth": "truth.csv"},
            "--on must be columns of the tables",
        ),
        ({"named": "named.csv", "on": "sex,age", "truth": "truth.csv"}, "--on must have 'block'"),
        ({"named": "named.csv", "on": ",".join(NAMES), "truth": "truth.csv"}, "--on must leave a column"),
        ({"named": "named.csv", "on": "block,race", "truth": "truth.csv"}, "must have the column 'race'"),
        ({"population": "truth.csv", "truth": "truth.csv"}, "--population must be people who are not"),
        ({"population": "inside.csv"}, "--population must be people who are not in the tables; got nobody"),
        ({"population": "named.csv"}, "must have the column 'race'"),
    ],
)
def test_files_that_cannot_be_used_are_refused(files: dict[str, str], message: str, place: Path) -> None:
    given = {name: value if name == "on" else place / value for name, value in files.items()}
    with pytest.raises(InputError) as refused:
        attack_and_examine(release(place), BesideTables(**given))
    assert message in str(refused.value)


def test_other_people_are_no_constraint(place: Path) -> None:
    """What nobody else has may still be there: certain claims are the same whoever others are."""
    published = release(place)
    with_others = attack_and_examine(published, BesideTables(population=place / "others.csv"))
    alone = claim_records(published, rng=np.random.default_rng(1))
    assert alone.whole == with_others.claims.whole
