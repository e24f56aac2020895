"""Original, synthetic, control: copies are caught, luck is not, whatever the size of the control."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from validation.perturbed import people as survey
from validation.perturbed import with_copies

from dalenius.auditing.decide import decide
from dalenius.errors import InputError
from dalenius.findings.policy import Policy
from dalenius.people.rows.rows import Rows
from dalenius.singling_out.referee.pooled import PooledRows
from dalenius.singling_out.released.files import read_triple
from dalenius.singling_out.released.result import Triple
from dalenius.singling_out.released.to_finding import finding_of_triple
from dalenius.singling_out.released.triple import TripleSettings, run_triple, single_out_triple
from validation import perturbed

N = 400
rows_of = Rows.of_table


def people(rows: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(45, 18, rows).round(), 0, 99)
    return Rows.of_table(
        pa.table(
            {
                "age": age,
                "hours": np.clip(rng.normal(40 - age / 10, 12).round(), 0, 99),
                "pay": np.round(rng.lognormal(8, 1, rows) / 10),
                "town": [f"t{i}" for i in rng.integers(0, 40, rows)],
                "sex": rng.choice(["f", "m"], rows),
            }
        )
    )


def joined(first: Rows, second: Rows, copies: int) -> Rows:
    """Synthetic rows of which the first are copies of real ones."""
    tables = []
    for rows in (first.take(np.arange(copies)), second.take(np.arange(copies, len(second)))):
        own = {c.name: [c.text(i) for i in range(len(c))] for c in rows.columns}
        typed = {k: v if k in ("town", "sex") else [float(x) for x in v] for k, v in own.items()}
        tables.append(pa.table(typed))
    return Rows.of_table(pa.concat_tables(tables))


def decided(found: Triple, **policy: float) -> tuple[str, tuple[str, ...]]:
    return decide([finding_of_triple(found, "released")], Policy(**policy))


def verdict(found: Triple, **policy: float) -> str:
    return decided(found, **policy)[0]


def test_a_copy_is_caught_and_luck_is_not() -> None:
    original, others = people(N, 1), people(4 * N, 2)
    copied = single_out_triple(original, original, others, how=TripleSettings(attacks=300))
    assert verdict(copied) == "stop"
    assert copied.asked.successes == copied.asked.attacks == 300
    equal = copied.copies[0]
    assert (equal.name, equal.pointed.original, equal.pointed.control) == ("equal rows", N, 0)
    assert "copies or near copies of people" in " ".join(decided(copied)[1])
    fresh = single_out_triple(original, people(N, 3), others, how=TripleSettings(attacks=1000))
    assert fresh.asked.advantage.low < 0 < fresh.asked.advantage.high
    assert verdict(fresh) in ("pass", "undecided")


@pytest.mark.parametrize(
    ("mode", "sizes"),
    [
        ("multivariate", (N // 2,)),
        pytest.param(
            "multivariate",
            (2 * N,),
            marks=pytest.mark.slow(beside="test_intervals_hold_zero_when_there_is_only_luck"),
        ),
        pytest.param(
            "univariate",
            (N // 2,),
            marks=pytest.mark.slow(beside="test_intervals_hold_zero_when_there_is_only_luck"),
        ),
    ],
    ids=lambda x: str(x),
)
def test_intervals_hold_zero_when_there_is_only_luck(
    mode: Literal["univariate", "multivariate"], sizes: tuple[int, ...]
) -> None:
    missed, stopped = dict.fromkeys(sizes, 0), 0
    for size in missed:
        for seed in range(20):
            original, synthetic, control = (people(m, 100 * seed + i) for i, m in enumerate((N, N, size)))
            found = single_out_triple(
                original, synthetic, control, how=TripleSettings(mode=mode, attacks=100, seed=seed)
            )
            own = found.asked.advantage
            missed[size] += not own.low <= 0 <= own.high
            stopped += verdict(found) == "stop"
    assert all(count <= 3 for count in missed.values()), missed  # 20 at 95%: more than 3 has chance 0.016
    assert stopped == 0


@pytest.mark.parametrize(
    "size",
    [
        *(
            pytest.param(
                size, marks=pytest.mark.slow(beside="test_the_size_of_the_control_moves_the_width_alone")
            )
            for size in (4 * N, N)
        ),
        N // 4,
    ],
)
def test_the_size_of_the_control_moves_the_width_alone(size: int) -> None:
    """As many originals are drawn as the control has: the copies are seen at their share, luck at 0."""
    original, crowd = people(N, 1), people(40 * N, 9)
    copied = joined(original, people(N, 5), N // 4)
    seen = []
    for part in range(6):
        control = crowd.take(np.arange(size) + size * part % (len(crowd) - size))
        equal = (
            single_out_triple(original, copied, control, how=TripleSettings(attacks=200)).near[0].advantage
        )
        assert equal.low < 0.25 < equal.high
        own, luck = people(N, 2000 + part), people(N, 3000 + part)
        seen.append(
            single_out_triple(own, luck, control, how=TripleSettings(attacks=200)).asked.advantage.value
        )
    assert abs(np.mean(seen)) < 4 * np.std(seen) / 6**0.5, size
    assert abs(equal.value - 0.25) < 0.02, size


@pytest.mark.slow(beside="test_the_limits_limit")
def test_a_control_of_a_quarter_decides() -> None:
    """Eighty to twenty, the usual split: luck passes, a tenth of copies does not."""
    rng = np.random.default_rng(4)
    original, others, control = (survey(rows, rng) for rows in (4000, 4000, 1000))
    said = single_out_triple(rows_of(original), rows_of(others), rows_of(control))
    assert verdict(said, max_advantage=0.1) == "pass", decided(said)[1]
    assert "compared among 1,000 people" in said.sentence
    copied = with_copies(others, original, 400)
    assert verdict(single_out_triple(rows_of(original), rows_of(copied), rows_of(control))) == "stop"


def test_a_small_control_that_leaves_it_open_says_what_would_decide() -> None:
    rng = np.random.default_rng(6)
    original, others, control = (rows_of(survey(rows, rng)) for rows in (800, 800, 100))
    said = single_out_triple(original, others, control, how=TripleSettings(attacks=300))
    assert verdict(said) == "undecided"
    assert any("scaled by 8.0: a larger control says more" in why for why in decided(said)[1])


@pytest.mark.parametrize(
    ("share", "seeds"),
    [
        (0.001, [0]),
        pytest.param(0.001, [1], marks=pytest.mark.slow(beside="test_planted_copies_never_pass")),
        pytest.param(0.01, [0], marks=pytest.mark.slow(beside="test_planted_copies_never_pass")),
        (0.25, [0]),
    ],
)
def test_planted_copies_never_pass(share: float, seeds: list[int]) -> None:
    for seed in seeds:
        rng = np.random.default_rng(seed)
        original, others, control = (survey(8000, rng) for _ in range(3))
        released = with_copies(others, original, round(8000 * share))
        found = single_out_triple(
            rows_of(original), rows_of(released), rows_of(control), how=TripleSettings(attacks=300, seed=seed)
        )
        assert verdict(found) != "pass", (share, seed)
        assert share < 0.01 or verdict(found) == "stop"
        assert found.copies[0].pointed.original >= round(8000 * share) * 0.9


@pytest.mark.parametrize(
    "perturb",
    [
        lambda table, rng: perturbed.noisy(table, 0.01, rng),
        lambda table, rng: perturbed.noisy(table, 0.1, rng),
        lambda table, rng: perturbed.microaggregated(table, 3),
        lambda table, rng: perturbed.rank_swapped(table, 0.05, rng),
        lambda table, rng: perturbed.relabelled(table, 0.8, rng),
    ],
    ids=["noise 1%", "noise 10%", "microaggregation", "rank swapping", "pram"],
)
def test_perturbed_people_are_singled_out_by_boxes(perturb: Any) -> None:
    rng = np.random.default_rng(3)
    original, control = survey(1000, rng), survey(1000, rng)
    found = single_out_triple(
        rows_of(original), rows_of(perturb(original, rng)), rows_of(control), how=TripleSettings(attacks=300)
    )
    assert verdict(found) == "stop"
    assert found.worst.advantage.low > 0.1


def test_noise_of_a_hundredth_is_isolated_by_every_box() -> None:
    rng = np.random.default_rng(2)
    original, control = perturbed.measurements(540, rng), perturbed.measurements(540, rng)
    found = single_out_triple(
        rows_of(original), rows_of(perturbed.noisy(original, 0.01, rng)), rows_of(control)
    )
    box = next(family for family in found.near if "0.05" in family.name)
    assert box.successes == box.attacks == 540
    assert box.luck.value == 0


def test_the_limits_limit() -> None:
    rng = np.random.default_rng(6)
    original, others, control = (survey(2000, rng) for _ in range(3))
    files = [rows_of(own) for own in (original, with_copies(others, original, 500), control)]
    found = single_out_triple(*files)
    assert verdict(found) == "stop"
    assert decided(found, max_advantage=0.6, max_copies=0.5)[0] == "pass"
    assert verdict(found, max_advantage=0.6) == "stop"
    assert verdict(found, max_advantage=0.1, max_copies=0.5) == "stop"


def test_a_control_that_holds_originals_is_refused() -> None:
    rng = np.random.default_rng(8)
    original, others = survey(1000, rng), survey(1000, rng)
    for held in (1000, 500, 30):
        mixed = rows_of(with_copies(others, original, held))
        with pytest.raises(InputError, match="control must be other people than the original rows") as caught:
            single_out_triple(rows_of(original), rows_of(others), mixed)
        assert "age" not in str(caught.value)
    for seed in range(20):
        one, two = (people(N, 2 * seed + i).select(["age", "sex", "hours"]) for i in (0, 1))
        assert PooledRows(one, two).shared()[1] > 1e-3, "people who are alike are no people in both"


def test_a_control_of_other_people_is_found_out() -> None:
    """The check of coverage can fail: towns that the control lacks are no measure of luck."""
    original, synthetic, control = people(N, 1), people(N, 3), people(4 * N, 4)
    elsewhere = replace(control.columns[3], levels=tuple(f"u{i}" for i in range(40)))
    strange = Rows((*control.columns[:3], elsewhere, control.columns[4]))
    found = single_out_triple(original, synthetic, strange, how=TripleSettings(columns=4, attacks=1000))
    assert found.asked.advantage.low > 0


def test_plain_values_name_people_only_when_asked() -> None:
    original = people(N, 1)
    found = single_out_triple(original, original, people(N, 2), how=TripleSettings(attacks=50, columns=2))
    plain = finding_of_triple(found, "r", files={"original": "o.csv"}).model_dump(mode="json")
    assert plain["details"]["files"] == {"original": "o.csv"}
    assert plain["assumptions"]
    assert plain["not_shown"]
    assert "predicate" not in json.dumps(plain), "nobody is in a finding"
    assert len(json.loads(found.isolating_json())) >= 50
    claims = found.claims(original)
    assert len(claims) == 50
    assert claims[0].text.startswith("the only person with ")
    assert claims[0].weight.tag == "cp"
    assert 0 < claims[0].weight.value < 0.1


def test_what_nothing_singles_out_is_still_asked_around_rows() -> None:
    empty = Rows.of_table(pa.table({"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"]}))
    nothing = single_out_triple(
        people_like(empty), empty, people_like(empty), how=TripleSettings(mode="univariate")
    )
    assert nothing.asked.attacks == 0
    assert verdict(nothing) == "undecided", "four rows decide nothing"
    assert any("were drawn" in line for line in nothing.facts())


def people_like(rows: Rows) -> Rows:
    return rows.take(np.arange(len(rows)))


def test_files_agree_on_what_is_text(tmp_path: Path) -> None:
    for name, zips in (("o", ["01234", "99999"]), ("s", ["12345", "99999"]), ("c", ["12345", "11111"])):
        csv.write_csv(pa.table({"id": ["a", "b"], "zip": zips, "age": [30, 40]}), tmp_path / f"{name}.csv")
    rows = read_triple(*(tmp_path / f"{name}.csv" for name in "osc"), leave_out=["id"])
    assert rows.original.names == rows.synthetic.names == rows.control.names == ("zip", "age")
    found = run_triple(rows, TripleSettings(mode="univariate"))
    assert found.asked.attacks == 6  # both labels, both ages, and both ends of age


def test_the_largest_numbers_overflow_nothing() -> None:
    for numbers in ([1e308, -1e308, 1.0, 2.0], [1.1e308] * 4):
        own = [np.array(numbers) / k for k in (1, 2, 3)]
        huge = [Rows.of_table(pa.table({"x": x, "y": x, "z": x})) for x in own]
        assert verdict(single_out_triple(*huge, how=TripleSettings(attacks=10))) == "undecided"


def test_two_columns_are_enough() -> None:
    files = [people(N, seed).select(["pay", "town"]) for seed in (1, 3, 2)]
    made = single_out_triple(*files, how=TripleSettings(attacks=50))
    assert made.asked.name == "conditions on 2 columns"


def test_bad_input(tmp_path: Path) -> None:
    good = people(20, 1)
    with pytest.raises(InputError, match=r"column 'age' must be in the control"):
        single_out_triple(good, good, good.select(["pay", "sex"]))
    text = Rows.of_table(pa.table({"age": ["old"] * 3}))
    with pytest.raises(InputError, match=r"column 'age' must hold numbers here as there; got text"):
        single_out_triple(good, good.select(["age"]), text, how=TripleSettings(mode="univariate"))
    with pytest.raises(InputError, match="confidence must lie strictly"):
        single_out_triple(good, good, good, how=TripleSettings(confidence=1.0))
    csv.write_csv(pa.table({"id": [1, 2]}), tmp_path / "a.csv")
    with pytest.raises(InputError, match="must keep at least one column"):
        read_triple(*[tmp_path / "a.csv"] * 3, leave_out=["id"])
    with pytest.raises(InputError, match="column 'name' must be one of the columns"):
        read_triple(*[tmp_path / "a.csv"] * 3, leave_out=["name"])
