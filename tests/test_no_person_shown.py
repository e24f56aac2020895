"""No repr, str or page of any object shows a person; people come out by methods that say so."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.auditing.decide import Reported
from dalenius.errors import InputError
from dalenius.inference.answers.beliefs import SeenOutput, believe
from dalenius.inference.attack.beliefs.beliefs import after_answers
from dalenius.inference.attack.epsilon_for import epsilon_for
from dalenius.inference.attack.nu import inferential_privacy
from dalenius.inference.priors.prior import read_network
from dalenius.knowledge.tracing import TracingView
from dalenius.knowledge.view import Knowledge, View
from dalenius.people.dataset import read
from dalenius.people.opening import read_rows
from dalenius.random import stream
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.audit import audit
from dalenius.reconstruction.opened import Planned, Scenario
from dalenius.release.desk.open_desk import open_desk
from dalenius.release.publish import publish, roster_of
from dalenius.shown import hides_people
from dalenius.singling_out.rows.rows import single_out_rows
from dalenius.tracing.attack.attack import trace
from dalenius.tracing.case import MembersSettings
from dalenius.tracing.files.groups import open_groups
from dalenius.tracing.files.opening import Opening
from dalenius.tracing.questions.members import trace_members

NAMES = [f"person{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(40)]
TOWNS = [f"town{chr(97 + i)}" for i in range(10)]
AGES = [7771 + i for i in range(40)]


def shown(one: object) -> str:
    """Everything that a prompt, a log or a notebook would print of an object."""
    page = getattr(one, "_repr_html_", str)
    report = [one.summary(), one.to_json()] if isinstance(one, Reported) else []
    measured = re.compile(r"\d+\.\d+")  # digits of a rate may be those of an age
    return " ".join([repr(one), str(one), f"{one}", page(), *(measured.sub("", text) for text in report)])


def shows_people(text: str) -> bool:
    """Whether somebody's id, town or age stands in a text."""
    return bool(re.search(r"person[a-z]{2}\b|town[a-z]\b|777\d|778\d|77[89]\d|\b78[01]\d", text))


def table() -> pa.Table:
    rng = np.random.default_rng(3)
    return pa.table(
        {
            "name": NAMES,
            "town": [TOWNS[i % 10] for i in range(40)],
            "age": AGES,
            "ill": [("no", "yes")[i] for i in rng.integers(2, size=40)],
        }
    )


def of_secrets() -> Iterator[object]:
    with read(table(), secret="ill", id="name") as people:
        yield from (people, people.schema, people.attributes(), roster_of(people))
        done = audit(people, Planned("random-subsets:m=30"), Scenario(resamples=0))
        yield from (done, done.report, done.claims["reconstruction", "release"])
        rng = stream(1, "noise")
        for asked in ("tables:k=1", "random-subsets:m=9", "hadamard", "classifier-score:trees=3"):
            release = publish(people, asked, "exact", rng=rng)
            yield from (release, *release.blocks, *(block.statistic for block in release.blocks))
        view = View(publish(people, "tables:k=2", "exact", rng=rng), Knowledge(roster_of(people)))
        yield from (view, view.knowledge, reconstruct(view, rng=rng))
        yield open_desk(people, "exact", rng=rng)


def of_members() -> Iterator[object]:
    rng = np.random.default_rng(1)

    def drawn(names: list[str]) -> pa.Table:
        values = {f"x{j}": rng.integers(2, size=len(names)) for j in range(60)}
        return pa.table({"name": names} | values)

    ours = open_groups(drawn(NAMES), drawn([f"{n}x" for n in NAMES]), Opening("name"))
    members, others = ours.members, ours.reference
    traced = trace_members(members, others, how=MembersSettings(rounds=2))
    view = TracingView(traced.release, members, others)
    accused = trace(view, rng=stream(1, "attack"))
    yield from (ours, members, traced, traced.release, traced.accusations, view, accused)


def of_rows() -> Iterator[object]:
    original = read_rows(table())
    released = read_rows(pa.table({"age": [str(age) for age in AGES], "town": table()["town"]}))
    found = single_out_rows(released, ["age"], original=original)
    yield from (original, released, found, *found.conditions)


def of_networks() -> Iterator[object]:
    edges = pa.table({"a": NAMES[:39], "b": NAMES[1:]})
    network = read_network(edges, agreement=0.7)
    yield from (network, network.model, inferential_privacy(network.model, 0.5))
    yield from (after_answers(network.model, np.ones(40), 0.5), epsilon_for(network.model, 1.0))
    said = SeenOutput(pa.table({"id": NAMES, "answer": [0, 1] * 20}), epsilon=0.5)
    yield from (said, believe(network, said, source="links"))


@pytest.mark.parametrize("family", [of_secrets, of_members, of_rows, of_networks])
def test_nothing_that_is_printed_shows_a_person(family) -> None:
    seen = [(type(one).__name__, shown(one)) for one in family()]
    assert len(seen) >= 4
    assert [pair for pair in seen if shows_people(pair[1])] == []


def test_people_come_out_where_they_are_asked_for() -> None:
    with read(table(), secret="ill", id="name") as people:
        done = audit(people, Planned("tables:k=2"), Scenario(resamples=0))
    assert NAMES[0] in done.claims["reconstruction", "release"].to_csv()
    assert NAMES[0] in "".join(done.people_files().values())
    assert re.fullmatch(
        r"Guesses\(ids: 40, levels: 2, probability: 40 x 2, .*\)",
        repr(done.claims["reconstruction", "release"]),
    )


def test_an_error_about_people_shows_nobody() -> None:
    broken = table().set_column(2, "age", pa.array([*AGES[:39], None]))
    with pytest.raises(InputError) as caught:
        read(broken, secret="ill", id="name")
    assert not shows_people(shown(caught.value))


HOLDS = re.compile(r"\bIds\b|np\.str_|\bSource\b")


def printed_whole() -> Iterator[str]:
    """Dataclasses of the package that hold ids or a frame, and whose repr prints every field."""
    for found in pkgutil.walk_packages(dalenius.__path__, "dalenius."):
        if found.name.endswith("__main__"):
            continue
        for one in vars(importlib.import_module(found.name)).values():
            if inspect.isclass(one) and one.__module__ == found.name and prints_ids(one):
                yield f"{found.name}.{one.__name__}"


def prints_ids(one: type) -> bool:
    if not dataclasses.is_dataclass(one) or one.__repr__.__qualname__.startswith("hides_people"):
        return False
    by_hand = "__repr__" in vars(one) and not one.__dataclass_params__.repr
    return not by_hand and any(HOLDS.search(str(each.type)) and each.repr for each in dataclasses.fields(one))


def test_no_class_that_holds_ids_prints_its_fields() -> None:
    assert list(printed_whole()) == []


def test_a_class_that_forgot_is_caught() -> None:
    @dataclasses.dataclass(frozen=True)
    class Forgot:
        ids: "Ids"  # noqa: F821, UP037  (a name is all that is looked at)

    one = Forgot(np.array(NAMES))
    assert prints_ids(Forgot)
    assert shows_people(shown(one))
    assert not prints_ids(hides_people()(Forgot))
    assert not shows_people(shown(one))


def test_a_table_that_would_have_to_be_counted_is_not() -> None:
    """A table of a database has a column for every name, also for ``shape``, and no length."""

    class Table:
        shape = NAMES

        def __len__(self) -> int:
            raise TypeError("use count()")

    @hides_people()
    @dataclasses.dataclass(frozen=True)
    class Held:
        table: Table

    assert re.fullmatch(r".*Held\(\)", repr(Held(Table())))


def test_what_cannot_be_used_is_a_value_error() -> None:
    assert issubclass(InputError, ValueError)
    assert issubclass(InputError, dalenius.DaleniusError)


def test_the_tree_of_errors_is_drawn_whole() -> None:
    from dalenius import errors

    every = [
        one for _, one in inspect.getmembers(errors, inspect.isclass) if one.__module__ == errors.__name__
    ]
    drawn = re.findall(r"(\w+Error)\b", errors.__doc__.split("Every ``InputError``")[0])
    assert {one.__name__ for one in every} | {"ValueError"} == set(drawn)
