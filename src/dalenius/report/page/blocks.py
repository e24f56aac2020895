"""What a page is made of: a few kinds of block, the same for every way to write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

Cells = tuple[str, ...]


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str
    kind: Literal["prose"] = "prose"


@dataclass(frozen=True)
class Subheading:
    """A heading inside a section."""

    text: str
    kind: Literal["subheading"] = "subheading"


@dataclass(frozen=True)
class Items:
    """A list of sentences."""

    items: Cells
    kind: Literal["items"] = "items"


@dataclass(frozen=True)
class CellGrid:
    """A table; columns after the first ``words`` ones hold numbers."""

    caption: str
    head: Cells
    rows: tuple[Cells, ...]
    words: int = 1
    kind: Literal["grid"] = "grid"


@dataclass(frozen=True)
class Drawing:
    """A picture as SVG, with the numbers behind it as a table."""

    title: str
    description: str
    svg: Markup
    behind: CellGrid
    kind: Literal["drawing"] = "drawing"


@dataclass(frozen=True)
class Listing:
    """Text whose lines stay as they are."""

    label: str
    text: str
    kind: Literal["listing"] = "listing"


@dataclass(frozen=True)
class Blank:
    """A field that somebody fills in and signs; it prints."""

    label: str
    lines: int = 1
    kind: Literal["blank"] = "blank"


@dataclass(frozen=True)
class Slider:
    """Steps of noise to move along; each a sentence about the change of that number."""

    label: str
    steps: tuple[tuple[str, str], ...]
    kind: Literal["slider"] = "slider"


@dataclass(frozen=True)
class Folded:
    """Blocks that are shown on demand."""

    summary: str
    blocks: tuple[Block, ...]
    kind: Literal["folded"] = "folded"


Block = Prose | Subheading | Items | CellGrid | Drawing | Listing | Blank | Slider | Folded


@dataclass(frozen=True)
class Section:
    """One of the nine sections, with its heading."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class VerdictBox:
    """The first thing that is read: the verdict and what it rests on."""

    verdict: str
    word: str
    headline: str
    sentences: Cells
    reasons: Cells
    releases: CellGrid


@dataclass(frozen=True)
class Page:
    """All that a page says."""

    title: str
    about: Cells
    external: bool
    box: VerdictBox
    sections: tuple[Section, ...]
