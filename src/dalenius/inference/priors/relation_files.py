"""Files of relations with columns of any name: ``--columns a=source,b=target`` says which are which."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from dalenius.errors import InputError, nearest
from dalenius.knowledge.correlation.files.edge_list import read_edge_list
from dalenius.people.files.read_file import Source
from dalenius.people.files.sheet import Sheet
from dalenius.people.opening import open_sheet
from dalenius.shown import several

KNOWN = ("a", "b", "agreement", "type", "id", "household", "bias", "epsilon",
         "father", "mother", "sex", "twin", "genotype")  # fmt: skip
"""The names that readers of relations know."""

UNNAMED = {"a": "1", "b": "2"}
"""What an edge list without names has first."""


def parse_columns(text: str | None) -> dict[str, str]:
    """Read ``a=source,b=target``: what a column is, and how the file calls it.

    Examples
    --------
    >>> parse_columns("a=source, b=target"), parse_columns(None)
    ({'a': 'source', 'b': 'target'}, {})
    """
    found: dict[str, str] = {}
    for part in (text or "").split(",") if text else ():
        known, equals, own = (piece.strip() for piece in part.partition("="))
        if not (known and equals and own):
            raise InputError("--columns", "must be such as a=source,b=target", "something else")
        if known not in KNOWN:
            rule = f"must name columns that are read: {', '.join(KNOWN)}"
            raise InputError("--columns", rule, repr(known), nearest(known, KNOWN))
        if known in found or own in found.values():
            raise InputError("--columns", "must name every column once", repr(part.strip()))
        found[known] = own
    return found


@dataclass
class RelationFiles:
    """Opens files under the names of a person's own, and remembers which of these were found."""

    columns: Mapping[str, str] = field(default_factory=dict)
    found: set[str] = field(default_factory=set)

    def open(self, source: Source | None, *, edges: bool = False) -> Sheet | None:
        """Open a file with its columns renamed; an edge list without names too, where edges are meant."""
        if source is None:
            return None
        listed = read_edge_list(source) if edges else None
        sheet = open_sheet(source) if listed is None else listed
        names = dict(self.columns) if listed is None else UNNAMED | dict(self.columns)
        return self._renamed(sheet, {own: known for known, own in names.items() if own in sheet})

    def _renamed(self, sheet: Sheet, called: Mapping[str, str]) -> Sheet:
        self.found |= {known for known in called.values() if known in self.columns}
        if not called:
            return sheet
        new = [
            called.get(name, f"{name} (not used)" if name in called.values() else name)
            for name in sheet.names
        ]
        return sheet.renamed(new)

    def check(self) -> None:
        """Refuse names that no file has."""
        lost = [known for known in self.columns if known not in self.found]
        if lost:
            got = f"{several(len(lost), 'name')} that no file has, first that of {lost[0]!r}"
            raise InputError("--columns", "must name columns of the files", got)
