"""What will be published together is attacked together, whichever of some alternatives is chosen."""

from __future__ import annotations

import pytest

from dalenius.auditing import alternatives
from dalenius.auditing.alternatives import clusters, joints, said_of_alternatives, too_many


def asked(**releases: str) -> dict[str, frozenset[str]]:
    return {name: frozenset(questions) for name, questions in releases.items()}


def test_a_shared_table_makes_no_alternatives() -> None:
    assert clusters(asked(a="st", b="su")) == [["a"], ["b"]]
    assert joints(asked(a="st", b="su"), (), "all") == {"all": ["a", "b"]}


def test_what_answers_a_part_is_an_alternative() -> None:
    assert clusters(asked(a="st", b="s", c="u")) == [["a", "b"], ["c"]]


def test_alternatives_alone_are_not_attacked_together() -> None:
    assert joints(asked(a="s", b="s", c="s"), (), "all") == {}
    assert joints(asked(a="s"), (), "all") == {}


def test_each_choice_is_attacked_with_everything_else() -> None:
    found = joints(asked(a="s", b="s", c="t", d="t", e="u"), (), "all")
    assert sorted(found.values()) == [["e", x, y] for x in "ab" for y in "cd"]
    assert "a, d, with all others" in found


def test_what_is_out_is_no_alternative_and_in_every_choice() -> None:
    found = joints(asked(a="s", b="s", c="s"), ("a",), "all")
    assert found == {"b, with what is out": ["a", "b"], "c, with what is out": ["a", "c"]}


@pytest.mark.parametrize(("most", "many"), [(3, True), (4, False)])
def test_too_many_choices_are_said(monkeypatch: pytest.MonkeyPatch, most: int, many: bool) -> None:
    monkeypatch.setattr(alternatives, "MOST_CHOICES", most)
    releases = asked(a="s", b="s", c="t", d="t")
    assert too_many(releases) is many
    assert bool(joints(releases, (), "all")) is not many
    assert not too_many(asked(**{f"r{i}": "s" for i in range(20)}))  # one set is as many attacks as releases


def test_what_is_assumed_of_alternatives() -> None:
    releases = asked(a="s", b="s", c="t")
    assert "One of this and b is published" in said_of_alternatives("a", releases)[0]
    assert said_of_alternatives("c", releases) == []
    assert said_of_alternatives("a, with all others", releases) == []
