"""Which column is the id, the secret, public or ignored: checked by name before any row is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalenius.errors import InputError, nearest_column
from dalenius.people.schema import Role

MOST_PUBLIC = 1_000
"""Each public column is several questions to the engine: more would take hours before anything is counted."""


def assign_roles(
    names: Sequence[str],
    *,
    secret: str,
    id: str | None = None,
    public: Sequence[str] | None = None,
    ignored: Sequence[str] = (),
) -> dict[str, Role]:
    """Give every column one role; without a list of public columns, all that remain are public.

    Raises
    ------
    InputError
        For an unknown column, a column listed twice, and a column in two roles.

    Examples
    --------
    >>> roles = assign_roles(["name", "age", "ill"], secret="ill", id="name")
    >>> [str(role) for role in roles.values()]
    ['id', 'public', 'secret']
    """
    given = [(Role.SECRET, [secret]), (Role.ID, [] if id is None else [id])]
    given += [(Role.PUBLIC, list(public or ())), (Role.IGNORED, list(ignored))]
    roles: dict[str, Role] = {}
    for role, columns in given:
        for name in columns:
            _check(name, role, names, roles)
            roles[name] = role
    rest = Role.PUBLIC if public is None else Role.IGNORED
    if (count := len(public) if public is not None else len(names) - len(roles)) > MOST_PUBLIC:
        fix = "List those that an attacker may know."
        raise InputError("public columns", f"must be at most {MOST_PUBLIC:,}", f"{count:,}", fix)
    return {name: roles.get(name, rest) for name in names}


def check_bins(given: Mapping[str, object], roles: Mapping[str, Role], what: str = "bins") -> None:
    """Refuse bins, or levels, for a column that is not there or is never counted by."""
    for name in given:
        if name not in roles:
            raise InputError(
                f"{what} for {name!r}",
                "must be for a column of the data",
                "no such column",
                nearest_column(name, roles),
            )
        if roles[name] in (Role.ID, Role.IGNORED):
            raise InputError(
                f"{what} for {name!r}", "must be for a public column or the secret", f"the role {roles[name]}"
            )


def _check(name: str, role: Role, names: Sequence[str], roles: Mapping[str, Role]) -> None:
    if name not in names:
        raise InputError(
            f"{role} column {name!r}", "must be in the data", "no such column", nearest_column(name, names)
        )
    if roles.get(name) is role:
        raise InputError(f"column {name!r}", "must be listed once", f"twice as {role}")
    if name in roles:
        raise InputError(
            f"column {name!r}",
            "must have one role",
            f"{roles[name]} and {role}",
            "Take it out of one of the two.",
        )
