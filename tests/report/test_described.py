"""Files of pictures carry a title and the numbers behind them; what is told apart has marks of its own."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dalenius.inference import pictures
from dalenius.report.picture import draw
from dalenius.tracing.pictures import surprise

SVG = "{http://www.w3.org/2000/svg}"
RNG = np.random.default_rng(5)
STEPS = np.geomspace(0.1, 2.0, 30)


def words(svg: str) -> tuple[str, str]:
    """Title and description, which must be the first children of the picture that names them."""
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own picture
    title, told = root[0], root[1]
    assert (title.tag, told.tag) == (f"{SVG}title", f"{SVG}desc")
    assert root.get("aria-labelledby") == f"{title.get('id')} {told.get('id')}"
    assert root.get("role") == "img"
    return title.text or "", told.text or ""


def painted(paint: Callable[[Any], Any]) -> tuple[str, str]:
    return words(draw(paint))


def test_lines_bars_and_areas_in_numbers() -> None:
    def paint(axes: Any) -> None:
        axes.plot([1, 2, 3], [10, 20, 30], label="found < & >")
        axes.plot([0, 0], [1, 1])
        axes.axhline(0.25, label="limit")
        axes.axvline(7, label="chosen")
        axes.axvspan(1, 2.5, label="safe")
        axes.fill_between([0, 1], [2, 3], [4, 5], label="between")
        axes.errorbar([4], [5], yerr=[[1], [2]], label="shown")
        axes.set(xlabel="people\nin it", ylabel="right (%)", title="A title\nof two lines")

    title, told = painted(paint)
    assert title == "A title of two lines"
    for sentence in (
        "Across: people in it. Up: right (%).",
        "found < & >: (1, 10), (2, 20), (3, 30).",
        "limit: at 0.25 all across.",
        "chosen: at 7 all the way up.",
        "safe: across from 1 to 2.5.",
        "between: across from 0 to 1, up from 2 to 5.",
        "shown: (4, 5) from 4 to 7.",
    ):
        assert sentence in told


def test_bars_have_the_names_of_their_ticks() -> None:
    def paint(axes: Any) -> None:
        axes.bar([0, 1], [40, 60.5])
        axes.set_xticks([0, 1], ["1-9\n3 units", "10+\n2 units"])
        axes.set(xlabel="size", ylabel="share")

    assert painted(paint) == (
        "share against size",
        "Across: size. Up: share. Bars: (1-9 3 units, 40), (10+ 2 units, 60.5). "
        "(Numbers in brackets: across, up.)",
    )


def test_of_long_lines_some_points_and_both_ends() -> None:
    _, told = painted(lambda axes: axes.plot(np.arange(1000.0), 2 * np.arange(1000.0), label="many"))
    assert "many: (0, 0), " in told
    assert ", (999, 2e+03); 12 of 1,000 marks." in told


PICTURES: dict[str, tuple[Callable[[], str], str]] = {
    "targets": (lambda: surprise(RNG.random(300), 0.01, 3), "the targets: 300 marks"),
    "network": (
        lambda: pictures.network(np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0, 3.0]), np.full(3, 0.5)),
        "Points: 3 marks, shades from 1 to 3.",
    ),
    "nu": (
        lambda: pictures.nu_epsilon(STEPS, {"the worst-off": 2 * STEPS}, target=1.0, title="nu"),
        "target nu = 1: at 1 all across.",
    ),
    "generations": (
        lambda: pictures.generations(np.repeat([0, 1], 20), RNG.random(40) + 1, np.full(40, 1.0)),
        "middle of a generation: (0, ",
    ),
    "beliefs": (lambda: pictures.beliefs(RNG.random(50), RNG.random(50)), "people: 50 marks"),
}


@pytest.mark.parametrize("name", PICTURES)
def test_every_family_s_pictures_speak(name: str) -> None:
    make, told = PICTURES[name]
    title, description = words(make())
    assert title
    assert told in description


def test_lines_of_several_people_differ_without_their_colours() -> None:
    svg = pictures.nu_epsilon(STEPS, {"a": 2 * STEPS, "b": 3 * STEPS, "c": 4 * STEPS})
    root = ElementTree.fromstring(svg)  # noqa: S314 - our own picture
    styles = [node.get("style", "") for node in root.iter(f"{SVG}path")]
    thick = [style for style in styles if "stroke-width: 2" in style]
    dashes = {style.partition("dasharray: ")[2].partition(";")[0] for style in thick}
    assert len(dashes) == 3
