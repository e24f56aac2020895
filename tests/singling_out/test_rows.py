"""A released table attacked from end to end: verdicts, what they rest on, and the wall."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from dalenius.conditions.predicate import Between, evaluate, from_json
from dalenius.errors import InputError
from dalenius.findings.measure import dump
from dalenius.findings.policy import Policy
from dalenius.findings.tally import Tally
from dalenius.mechanisms.anonymise.parse import anonymise
from dalenius.people.rows.rows import Rows
from dalenius.release.rows.classes import find_classes
from dalenius.singling_out.attack.planner import plan
from dalenius.singling_out.referee.classes import OriginalRows
from dalenius.singling_out.rows.at_limit import Judging
from dalenius.singling_out.rows.rows import single_out_rows
from dalenius.singling_out.rows.settings import RowsSettings, WeightLimits, weigh_with
from dalenius.singling_out.rows.to_finding import finding_of_rows
from dalenius.singling_out.rules import rulings
from dalenius.theory.isolation import isolation

QUASI = ["age", "zip", "sex"]


def population(n: int = 60_000, seed: int = 1) -> Rows:
    rng = np.random.default_rng(seed)
    return Rows.of_table(
        pa.table(
            {
                "age": rng.integers(18, 95, n),
                "zip": [f"{z:04}" for z in rng.integers(0, 3000, n)],
                "sex": rng.choice(["f", "m"], n),
                "ill": rng.choice([f"d{i}" for i in range(40)], n),
            }
        )
    )


PEOPLE = population()

ORIGINAL = PEOPLE.take(np.random.default_rng(2).choice(60_000, 400, replace=False))


def recoded(rows: Rows, width: int, digits: int, *, ill: bool) -> Rows:
    """Everybody's age in bands and the first digits of the postcode: one recoding for all."""
    ages = [int(rows.column("age").text(i)) // width * width for i in range(len(rows))]
    table = {
        "age": [f"{a}-{a + width - 1}" for a in ages],
        "zip": [rows.column("zip").text(i)[:digits] + "*" * (4 - digits) for i in range(len(rows))],
        "sex": ["*"] * len(rows),
    }
    if ill:
        table["ill"] = [rows.column("ill").text(i) for i in range(len(rows))]
    return Rows.of_table(pa.table(table))


def test_a_verbatim_column_gives_people_away():
    made = single_out_rows(
        recoded(ORIGINAL, 20, 2, ill=True),
        QUASI,
        original=ORIGINAL,
        population=PEOPLE,
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    assert made.evidence == "demonstrated"
    at = made.deciding
    assert at.hits == at.isolating == at.people == at.trials
    assert at.baseline == pytest.approx(isolation(400, 0.1 / 400), rel=0.02)
    assert at.answer is not None
    assert (at.answer.claim.kind, at.answer.matches) == ("unique value", 1)
    assert made.check is not None
    assert (made.check.more, made.check.fewer) == (0, 0)
    finding = finding_of_rows(made, "released.csv")
    assert finding.sentence.endswith("The release allows people to be singled out.")
    assert finding.severity == "critical"
    assert any("Opinion 05/2014" in text for text in finding.not_shown)
    assert any("Recital 26" in text for text in finding.details.law)
    assert finding.details.control is not None
    assert finding.details.control.kept


def test_a_coarse_recoding_gives_no_advantage():
    made = single_out_rows(
        recoded(ORIGINAL, 40, 0, ill=False),
        QUASI,
        original=ORIGINAL,
        population=PEOPLE,
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    assert made.evidence == "no advantage"
    assert 0.8 < made.ratios[1] < 1.25
    assert made.undecided is None
    assert "no advantage over luck" in finding_of_rows(made, "released.csv").sentence


def test_tight_boxes_are_singled_out_at_their_ends():
    released = anonymise(ORIGINAL.select(QUASI), QUASI, "mondrian:k=5", rng=np.random.default_rng(3)).rows
    made = single_out_rows(
        released,
        QUASI,
        original=ORIGINAL,
        population=PEOPLE,
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    assert made.k >= 5
    assert made.evidence == "demonstrated"
    assert made.deciding.answer is not None
    assert made.deciding.answer.claim.kind in ("interval end", "full set")


def test_what_is_written_can_be_read_and_checked():
    made = single_out_rows(
        recoded(ORIGINAL, 20, 2, ill=True),
        QUASI,
        original=ORIGINAL,
        population=PEOPLE,
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    body = json.loads(made.predicates_json())
    assert body["evidence"] == "demonstrated"
    for at in made.limits:
        counted = [one for one in body["predicates"] if at.c in one["limits"]]
        assert len(counted) == at.trials, "every condition that is counted is there"
        hits = [one for one in counted if one["isolates"] and one["at_most"] <= at.limit * 1.0001]
        assert len(hits) == at.hits
    for one in body["predicates"][::7]:
        condition = from_json(one["predicate"])
        assert evaluate(condition, ORIGINAL).sum() == one["matches"]
        assert max(evaluate(condition, PEOPLE).sum(), 1) / len(PEOPLE) == one["at_most"]
        assert one["text"].startswith("the only person with age at least")
    said = dump(finding_of_rows(made, "released.csv"))
    assert not any(one["text"] in said for one in body["predicates"])


def test_conditions_that_need_no_weights_are_written_too():
    """What stops a release by itself can be checked by others: all who are alone, and columns as they are."""
    released = recoded(ORIGINAL, 40, 1, ill=True)
    apart = single_out_rows(released, QUASI, original=ORIGINAL, holdout=population(2000, 5))
    assert apart.together is not None
    counted = [one for one in json.loads(apart.predicates_json())["predicates"] if one["together"]]
    assert len(counted) == apart.together.success.trials
    assert not all(one["limits"] for one in counted), "some are met by more than 1 in n"
    assert sum(one["isolates"] for one in counted) == apart.together.success.hits
    for one in counted[::10]:
        assert evaluate(from_json(one["predicate"]), ORIGINAL).sum() == one["matches"]
    own = Rows.of_table(pa.table({"ssn": [f"{9000 + i}" for i in range(len(ORIGINAL))]})).columns
    numbered = Rows((*ORIGINAL.columns, *own))
    lacking = single_out_rows(Rows((*released.columns, *own)), QUASI, original=numbered, population=PEOPLE)
    assert lacking.as_they_are is not None
    said = json.loads(lacking.predicates_json())["predicates"]
    whole = [one for one in said if one["attack"] == "columns as they are"]
    assert len(whole) == lacking.as_they_are.people == len(ORIGINAL)
    for one in whole[::50]:
        assert evaluate(from_json(one["predicate"]), numbered).sum() == one["matches"] == 1
        assert one["text"].startswith("the only person with")


def test_a_holdout_certifies_only_what_it_can():
    """400 people need more than a few thousand others to certify a weight of 0.1/400."""
    released = recoded(ORIGINAL, 20, 3, ill=True)
    small = single_out_rows(
        released,
        QUASI,
        original=ORIGINAL,
        holdout=population(4_000, 5),
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    assert not any(at.shown for at in small.limits)
    assert small.undecided is not None
    assert "that takes 64,052 rows of holdout" in small.undecided
    assert small.together is not None
    assert small.together.success.hits > 100
    assert small.together.low > 0.5, "all of them together are shown to be singled out"
    assert small.evidence == "demonstrated"
    large = single_out_rows(
        released,
        QUASI,
        original=ORIGINAL,
        holdout=population(200_000, 6),
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    assert large.evidence == "demonstrated"
    assert large.deciding.answer is not None
    assert large.deciding.answer.claim.weight.tag in ("cp", "frechet")


@pytest.mark.parametrize("given", ["original", "population"])
def test_no_verdict_without_original_or_others(given: str):
    rows = {"original": ORIGINAL, "population": PEOPLE}
    made = single_out_rows(
        recoded(ORIGINAL, 20, 2, ill=True),
        QUASI,
        original=rows["original"] if given == "original" else None,
        population=rows["population"] if given == "population" else None,
    )
    assert made.evidence == "not counted"
    assert finding_of_rows(made, "released.csv").sentence.startswith(
        "Nothing is shown about 'released.csv': "
    )
    if given == "original":
        answers = [at.answer for at in made.limits if at.answer is not None]
        assert {answer.claim.weight.tag for answer in answers} == {"assumed"}
        assert not any(answer.claim.weight.rigorous for answer in answers)


def test_two_originals_with_one_release_are_attacked_alike():
    """The wall: conditions follow from the release and from other people; the original only judges them."""
    released = recoded(ORIGINAL, 20, 2, ill=True)
    shifted = Rows(
        tuple(
            column if column.name != "sex" else column.take(np.arange(len(ORIGINAL))[::-1])
            for column in ORIGINAL.columns
        )
    )
    first, second = (
        single_out_rows(released, QUASI, original=rows, population=PEOPLE, how=RowsSettings(seed=4))
        for rows in (ORIGINAL, shifted)
    )
    conditions = [[at.answer.claim if at.answer else None for at in made.limits] for made in (first, second)]
    assert conditions[0] == conditions[1]
    assert any(conditions[0])


def test_the_hash_attack_meets_theory_where_cells_are_fine():
    """Classes of k = 2 that fit these people alone: B(2, 1/2) = 1/2 isolate, far above luck."""
    rng = np.random.default_rng(8)
    points = np.sort(rng.random(2000))
    cells = [
        f"({a!r}, {b!r})"
        for a, b in zip((points[::2] - 1e-9).tolist(), (points[1::2] + 1e-9).tolist(), strict=True)
    ]
    made = single_out_rows(
        Rows.of_table(pa.table({"x": np.repeat(cells, 2).astype(object)})),
        ["x"],
        original=Rows.of_table(pa.table({"x": points})),
        population=Rows.of_table(pa.table({"x": np.concatenate([points, rng.random(400_000)])})),
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    at = made.deciding
    assert at.answer is not None
    assert at.answer.claim.kind == "hash"
    assert at.isolating is not None
    assert abs(at.isolating / at.trials - 0.5) < 4 * np.sqrt(0.25 / at.trials)
    assert made.evidence == "demonstrated"


def test_the_control_counts_what_conditions_match_among_other_people():
    """By hand: the same draw of other people, every condition evaluated on its own."""
    released = anonymise(ORIGINAL, QUASI, "mondrian:k=5", rng=np.random.default_rng(3)).rows
    weighing = weigh_with(PEOPLE, None, WeightLimits(), 1)
    classes = find_classes(released, QUASI, known=PEOPLE)
    planned = plan(classes, known=PEOPLE, rng=np.random.default_rng(4))
    judging = Judging(
        400, planned, weighing, weighing.certifier(planned), OriginalRows(ORIGINAL, classes), 0.95
    )
    others = PEOPLE.take(np.random.default_rng(5).choice(len(PEOPLE), 400, replace=False, shuffle=False))
    trials = hits = 0
    at = judging.at(1.0)
    for attack, which in judging.written(1 / 400, each=at.each):
        for i in which.tolist():
            condition = planned.predicate(attack, i)
            if evaluate(condition, PEOPLE).sum() <= len(PEOPLE) / 400:
                trials += 1
                hits += int(evaluate(condition, others).sum() == 1)
    assert judging.control(at, np.random.default_rng(5)) == Tally(hits, trials)
    assert 0 < hits < trials
    assert hits / trials < isolation(400, 1 / 400), "lighter than the limit, so luckier they cannot be"


def test_a_control_needs_as_many_others_with_the_same_columns():
    released = recoded(ORIGINAL, 20, 2, ill=True)
    for others in (PEOPLE.take(np.arange(399)), PEOPLE.select(QUASI)):
        assert single_out_rows(released, QUASI, original=ORIGINAL, population=others).control is None


def test_a_small_population_is_warned_of():
    made = single_out_rows(
        recoded(ORIGINAL, 20, 2, ill=True), QUASI, original=ORIGINAL, population=PEOPLE.take(np.arange(3000))
    )
    assert any("fewer than 10 times" in warning for warning in made.warnings)
    assert made.undecided is not None
    assert "take a rarity limit of 0.2" in made.undecided


def test_bad_input():
    released = recoded(ORIGINAL, 20, 2, ill=True)
    old = np.flatnonzero(evaluate(Between("age", 60, None), ORIGINAL))
    with pytest.raises(
        InputError, match=r"must generalise original rows; got 64 of 121 classes.*single-out triple"
    ):
        single_out_rows(released, QUASI, original=ORIGINAL.take(np.resize(old, 400)))
    with pytest.raises(InputError, match="must be as many as the 399 original rows; got 400"):
        single_out_rows(released, QUASI, original=ORIGINAL.take(np.arange(399)))
    with pytest.raises(InputError, match="as many as the 400 original rows"):
        single_out_rows(released.take(np.arange(399)), QUASI, original=ORIGINAL)
    with pytest.raises(InputError, match="weight limit must be above 0 and at most 1/n"):
        single_out_rows(released, QUASI, how=RowsSettings(limits=WeightLimits(grid=(2.0,))))
    with pytest.raises(InputError, match="must not be given together"):
        single_out_rows(released, QUASI, population=PEOPLE, holdout=PEOPLE)
    with pytest.raises(InputError, match="column 'town'"):
        single_out_rows(released, ["town"], original=ORIGINAL)
    text = Rows.of_table(
        pa.table({name: PEOPLE.column(name).codes.astype(str).astype(object) for name in QUASI})
    )
    with pytest.raises(InputError, match="must be of one type in the original"):
        single_out_rows(released, QUASI, original=ORIGINAL, population=text)


def test_what_is_not_known_of_the_population_is_not_shown():
    """A coarse column that nobody can weigh: not a leak by itself, and no pass either."""
    released = recoded(ORIGINAL, 40, 0, ill=True)
    known = single_out_rows(
        released,
        QUASI,
        original=ORIGINAL,
        population=PEOPLE,
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    lacking = single_out_rows(
        released,
        QUASI,
        original=ORIGINAL,
        population=PEOPLE.select(QUASI),
        how=RowsSettings(limits=WeightLimits(registered=0.1)),
    )
    assert known.undecided is None
    assert lacking.evidence == "not shown"
    assert lacking.undecided is not None
    assert "ill is released, but not known of the population" in lacking.undecided
    assert rulings(finding_of_rows(lacking, "released.csv"), Policy())[0][0] == "undecided"


def test_everybody_who_is_alone_is_attacked_and_counted():
    """One recoding for all: many rows are alone by their values, several in a class; people are counted."""
    released = recoded(ORIGINAL, 20, 1, ill=True)
    made = single_out_rows(released, QUASI, original=ORIGINAL, population=PEOPLE)
    assert made.unique_rows > 3 * made.classes
    widest = made.limits[0]
    assert widest.people == widest.hits == widest.trials > 2 * made.classes
    assert rulings(finding_of_rows(made, "released.csv"), Policy())[0][0] == "stop"


def test_a_holdout_that_holds_originals_is_refused():
    mixed = Rows.of_table(
        pa.table({name: [PEOPLE.column(name).text(i) for i in range(2000)] for name in PEOPLE.names})
    )
    own = mixed.take(np.arange(400))
    released = recoded(own, 20, 2, ill=True)
    with pytest.raises(InputError, match="holdout must be other people than the original rows"):
        single_out_rows(released, QUASI, original=own, holdout=mixed)


def test_words_that_look_like_ranges_are_no_ranges():
    wards = np.random.default_rng(7).choice(["10-12", "13-15", "16-18"], 60)
    people = Rows.of_table(pa.table({"ward": wards, "age": np.arange(60) % 30}))
    with pytest.raises(InputError, match=r"'ward' must hold numbers where its released cells are ranges"):
        single_out_rows(people, ["ward", "age"], original=people)
    areas = Rows.of_table(pa.table({"area": np.char.replace(wards, "-", "-007"), "age": np.arange(60) % 30}))
    assert single_out_rows(areas, ["area", "age"], original=areas).check is not None
