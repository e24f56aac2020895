"""What will be published together is attacked together, whichever of some alternatives is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalenius.auditing import alternatives
from dalenius.auditing.alternatives import clusters, joints, said_of_alternatives, too_many
from dalenius.auditing.plan import check_plan
from dalenius.errors import InputError


def stated(names: str, **of: str) -> dict[str, str | None]:
    return {name: of.get(name) for name in names}


def test_nothing_is_an_alternative_that_is_not_said_to_be() -> None:
    assert clusters(stated("ab")) == [["a"], ["b"]]
    assert joints(stated("ab"), (), "all") == {"all": ["a", "b"]}


def test_alternatives_of_one_are_alternatives_of_each_other() -> None:
    assert clusters(stated("abcde", b="a", d="b", e="d")) == [["a", "b", "d", "e"], ["c"]]
    assert clusters(stated("abcd", c="a", b="c", d="c")) == [["a", "b", "c", "d"]]


def test_alternatives_of_what_could_not_be_read_are_alternatives() -> None:
    assert clusters(stated("bc", b="a", c="a")) == [["b", "c"]]


def test_alternatives_alone_are_not_attacked_together() -> None:
    assert joints(stated("abc", b="a", c="a"), (), "all") == {}
    assert joints(stated("a"), (), "all") == {}


def test_each_choice_is_attacked_with_everything_else() -> None:
    found = joints(stated("abcde", b="a", d="c"), (), "all")
    assert sorted(found.values()) == [["e", x, y] for x in "ab" for y in "cd"]
    assert "a, d, with all others" in found


def test_what_is_out_is_in_every_choice() -> None:
    found = joints(stated("abc", c="b"), ("a",), "all")
    assert found == {"b, with what is out": ["a", "b"], "c, with what is out": ["a", "c"]}


@pytest.mark.parametrize(("most", "many"), [(3, True), (4, False)])
def test_too_many_choices_are_said(monkeypatch: pytest.MonkeyPatch, most: int, many: bool) -> None:
    monkeypatch.setattr(alternatives, "MOST_CHOICES", most)
    releases = stated("abcd", b="a", d="c")
    assert too_many(releases) is many
    assert bool(joints(releases, (), "all")) is not many
    first, *others = "abcdefghijklmnopqrst"
    assert not too_many({first: None} | dict.fromkeys(others, first))  # one set: an attack a release


def test_what_is_assumed_of_alternatives() -> None:
    releases = stated("abc", b="a")
    assert "One of a, b is published" in said_of_alternatives("a", releases)[0]
    assert said_of_alternatives("c", releases) == []
    assert said_of_alternatives("a, with all others", releases) == []


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({}, {"alternative_to": "plannd"}, "must be another release of the plan; got 'plannd'. Did you mean"),
        ({}, {"alternative_to": "other"}, "must be another release of the plan"),
        ({"fixed": True}, {"alternative_to": "planned"}, "must not be said of what is out"),
        ({}, {"alternative_to": "planned", "fixed": True}, "must not be said of what is out"),
        (
            {"kind": "amounts", "amount": "pay", "groups": ["town"], "statistics": ["sum"]},
            {"alternative_to": "planned"},
            "must be a release of the same kind",
        ),
    ],
)
def test_what_cannot_be_an_alternative_is_refused(first: dict, second: dict, said: str) -> None:
    asked = {"statistics": ["tables:k=1"], "mechanism": "exact"}
    releases = [{"name": "planned", **asked, **first}, {"name": "other", **asked, **second}]
    with pytest.raises(InputError, match=r"release\[1\].alternative_to: ") as refused:
        check_plan({"data": {"example": "fair"}, "release": releases}, Path())
    assert said in str(refused.value)
