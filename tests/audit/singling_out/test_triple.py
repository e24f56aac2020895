"""Original, synthetic, control: copies are caught, luck is not, whatever the size of the control."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from dalenius.audit.singling_out.triple import read_triple, single_out_triple
from dalenius.errors import InputError
from dalenius.records.rows import Rows

N = 400


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


def test_a_copy_is_caught_and_luck_is_not() -> None:
    original, others = people(N, 1), people(4 * N, 2)
    copied = single_out_triple(original, original, others, attacks=300)
    assert copied.verdict == "stop"
    assert copied.successes == copied.attacks == 300
    assert "single out real people beyond luck" in copied.sentence
    fresh = single_out_triple(original, people(N, 3), others, attacks=1000)
    assert fresh.advantage.low < 0 < fresh.advantage.high
    assert fresh.verdict in ("pass", "undecided")


@pytest.mark.parametrize("mode", ["multivariate", "univariate"])
def test_intervals_hold_zero_when_there_is_only_luck(mode: Literal["univariate", "multivariate"]) -> None:
    missed = {4 * N: 0, N: 0, N // 2: 0}
    for size in missed:
        for seed in range(30):
            original, synthetic, control = (people(m, 100 * seed + i) for i, m in enumerate((N, N, size)))
            found = single_out_triple(original, synthetic, control, mode=mode, attacks=150, seed=seed)
            missed[size] += not found.advantage.low <= 0 <= found.advantage.high
    assert all(count <= 4 for count in missed.values()), missed  # 30 at 95%: more than 4 has chance 0.016


def test_the_size_of_the_control_moves_the_width_alone() -> None:
    original, synthetic, crowd = people(N, 1), joined(people(N, 1), people(N, 5), N // 4), people(40 * N, 9)
    truth = single_out_triple(original, synthetic, crowd, attacks=500).luck.value
    widths = {}
    for size in (4 * N, 2 * N, N, N // 2, N // 8):
        values, holds = [], 0
        for part in range(10):
            control = crowd.take(np.arange(size) + size * part % (len(crowd) - size))
            found = single_out_triple(original, synthetic, control, attacks=500)
            values.append(found.luck.value)
            holds += found.luck.low <= truth <= found.luck.high
        widths[size] = found.advantage.high - found.advantage.low
        assert holds >= len(values) - 1
        assert abs(np.mean(values) - truth) < 4 * np.std(values) / math.sqrt(9) + 0.005, size
    assert list(widths.values()) == sorted(widths.values())
    assert found.verdict == "undecided"


def test_a_control_of_other_people_is_found_out() -> None:
    """The check of coverage can fail: towns that the control lacks are no measure of luck."""
    original, synthetic, control = people(N, 1), people(N, 3), people(4 * N, 4)
    elsewhere = replace(control.columns[3], levels=tuple(f"u{i}" for i in range(40)))
    strange = Rows((*control.columns[:3], elsewhere, control.columns[4]))
    found = single_out_triple(original, synthetic, strange, columns=4, attacks=1000)
    assert found.advantage.low > 0


def test_plain_values_name_people_only_when_asked() -> None:
    original = people(N, 1)
    found = single_out_triple(original, original, people(N, 2), attacks=50, columns=2)
    plain = found.to_json()
    assert (plain["attacks"], plain["successes"], plain["requested"]) == (50, 50, 50)
    assert "isolating" not in plain
    assert len(found.to_json(show_people=True)["isolating"]) == 50
    claims = found.claims(original)
    assert len(claims) == 50
    assert claims[0].text.startswith("the only person with ")
    assert claims[0].weight.tag == "cp"
    assert 0 < claims[0].weight.value < 0.1


def test_nothing_to_try_is_undecided() -> None:
    same = Rows.of_table(pa.table({"a": ["x", "x", "y", "y"], "b": ["u", "u", "u", "u"]}))
    found = single_out_triple(people_like(same), same, people_like(same), mode="univariate")
    assert found.attacks in (0, 2, 3)
    empty = Rows.of_table(pa.table({"a": ["x", "x", "y", "y"], "b": ["u", "v", "u", "v"]}))
    nothing = single_out_triple(people_like(empty), empty, people_like(empty), mode="univariate")
    assert nothing.attacks == 0
    assert nothing.verdict == "undecided"
    assert "nothing was tried" in nothing.sentence


def people_like(rows: Rows) -> Rows:
    return rows.take(np.arange(len(rows)))


def test_files_agree_on_what_is_text(tmp_path: Path) -> None:
    for name, zips in (("o", ["01234", "99999"]), ("s", ["12345", "99999"]), ("c", ["12345", "11111"])):
        csv.write_csv(pa.table({"id": ["a", "b"], "zip": zips, "age": [30, 40]}), tmp_path / f"{name}.csv")
    rows = read_triple(*(tmp_path / f"{name}.csv" for name in "osc"), leave_out=["id"])
    assert [own.names for own in rows] == [("zip", "age")] * 3
    found = single_out_triple(*rows, mode="univariate")
    assert found.attacks == 6  # both labels, both ages, and both ends of age


def test_bad_input(tmp_path: Path) -> None:
    good = people(20, 1)
    with pytest.raises(InputError, match=r"column 'age' must be in the control"):
        single_out_triple(good, good, good.select(["pay", "sex"]))
    text = Rows.of_table(pa.table({"age": ["old"] * 3}))
    with pytest.raises(InputError, match=r"column 'age' must hold numbers here as there; got text"):
        single_out_triple(good, good.select(["age"]), text, mode="univariate")
    with pytest.raises(InputError, match="confidence must lie strictly"):
        single_out_triple(good, good, good, confidence=1.0)
    csv.write_csv(pa.table({"id": [1, 2]}), tmp_path / "a.csv")
    with pytest.raises(InputError, match="must keep at least one column"):
        read_triple(*[tmp_path / "a.csv"] * 3, leave_out=["id"])
    with pytest.raises(InputError, match="column 'name' must be one of the columns"):
        read_triple(*[tmp_path / "a.csv"] * 3, leave_out=["name"])
