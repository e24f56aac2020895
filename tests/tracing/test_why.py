"""Which means make members recognisable: what is the cause by construction is named, noise is not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from dalenius.people.traits.traits import CodedTraits, coded_from_values
from dalenius.release.means import MeansRelease
from dalenius.tracing.attack.accusations import Accusations
from dalenius.tracing.case import MembersSettings
from dalenius.tracing.finding import MembersFinding
from dalenius.tracing.questions.members import trace_members
from dalenius.tracing.why import MOST_COLUMNS, look_for_causes, parts_of

TELLING = 150


def drawn(n: int, telling: float, seed: int, prefix: str) -> CodedTraits:
    """Attributes of which the first ones tell people apart, and as many that are the same for everybody."""
    rng = np.random.default_rng(seed)
    values = np.ones((n, 2 * TELLING), np.int64)
    values[:, :TELLING] = np.where(rng.random((n, TELLING)) < telling, 1, -1)
    names = np.array([f"a{j}" for j in range(2 * TELLING)])
    return coded_from_values("id", np.array([f"{prefix}{i}" for i in range(n)]), names, values, "binary")


@pytest.fixture(scope="module")
def finding() -> MembersFinding:
    members, reference = drawn(30, 0.5, 1, "m"), drawn(120, 0.5, 2, "r")
    return trace_members(members, reference, how=MembersSettings(rounds=2, levels=(0.05,), why=True)).finding


def test_sets_without_which_nobody_is_recognised_are_named(finding: MembersFinding) -> None:
    why = finding.explanation.why
    assert why is not None
    assert why.whole == finding.decisive.attack.hits > 15
    alone = {cause.name: cause.alone for cause in why.causes}
    assert alone["columns 181 to 240"] in (None, 0)
    assert alone["columns 241 to 300"] in (None, 0)
    assert (alone["columns 1 to 60"] or 0) > 0
    harmless = {cause.name: cause.without for cause in why.causes[-2:]}
    assert harmless == {"columns 181 to 240": why.whole, "columns 241 to 300": why.whole}


def test_fewer_means_recognise_fewer_and_all_of_them_as_many_as_were_found(finding: MembersFinding) -> None:
    why = finding.explanation.why
    assert why is not None
    assert [at.numbers for at in why.curve] == [4, 9, 18, 37, 75, 150, 300]
    assert why.curve[-1].at_risk == why.whole
    assert why.curve[0].at_risk < why.whole / 2  # four means point at nobody
    assert why.curve[-2].at_risk > why.curve[0].at_risk


def test_what_is_learnt_adds_up_and_agrees_with_the_counts(finding: MembersFinding) -> None:
    (row,) = finding.explanation.learned
    assert row.people == finding.people == row.anyway + row.only_by_release + row.hidden
    assert finding.decisive.left_out is not None
    assert row.anyway == finding.decisive.left_out.hits
    assert row.only_by_release <= finding.decisive.attack.hits


def test_without_a_control_false_alarms_are_what_happens_anyway(finding: MembersFinding) -> None:
    members, reference = drawn(30, 0.5, 1, "m"), drawn(120, 0.5, 2, "r")
    names, means = members.names, members.values(slice(None)).mean(axis=0)
    made = MeansRelease("r", names, means, "binary", 30, "exact", 0.0)
    found = trace_members(members, reference, made, how=MembersSettings(rounds=2, levels=(0.05,))).finding
    (row,) = found.explanation.learned
    assert row.anyway + row.only_by_release == found.decisive.attack.hits
    assert found.explanation.why is None


def release(names: list[str], kind: str = "genotype") -> MeansRelease:
    return MeansRelease("r", np.array(names), np.zeros(len(names)), kind)  # type: ignore[arg-type]


def test_every_mean_is_in_one_set() -> None:
    for made in (
        release([f"{c}:{p}" for c in (1, 2, "X") for p in range(4)]),
        release([f"rs{j}" for j in range(23)]),
        release([f"c{j}" for j in range(MOST_COLUMNS)], "binary"),
        release([f"c{j}" for j in range(MOST_COLUMNS + 1)], "real"),
        release(["1:5"]),
    ):
        places = np.concatenate([part.places for part in parts_of(made)])
        assert sorted(places.tolist()) == list(range(made.size))
    assert [part.name for part in parts_of(release(["1:1", "X:2", "1:9"]))] == [
        "chromosome 1",
        "chromosome X",
    ]
    assert parts_of(release(["a", "b"], "binary"))[1].kind == "column"


def test_names_of_a_file_are_cut_by_chromosome_too() -> None:
    named = np.array(["1:1", "X:2", "1:9"], np.dtypes.StringDType())
    made = MeansRelease("r", named, np.zeros(3), "genotype")
    assert [part.name for part in parts_of(made)] == ["chromosome 1", "chromosome X"]


def test_what_would_take_too_long_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dalenius.tracing.why.MOST_WORK", 1)
    asked: list[int] = []

    def trace(places: NDArray[np.intp]) -> list[Accusations]:
        asked.append(places.size)
        p = np.full(4, 0.001)
        ids = np.array(list("abcd"))
        return [Accusations("id", ids, p, p, np.log(p), "w", "c", False, 9, 9)]

    why = look_for_causes(release([f"c{j}" for j in range(40)], "binary"), trace, 0.01, 10)
    assert (why.whole, why.causes, asked) == (4, (), [40])
    assert why.left_out == "5 sets of means: they would take too long"
