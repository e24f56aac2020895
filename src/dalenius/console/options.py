"""Options that belong together, as one frozen object instead of a parameter each."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, Protocol, TypeVar, get_type_hints, runtime_checkable

T = TypeVar("T")


@runtime_checkable
class Checked(Protocol):
    """Options that can be refused before the work, by looking at more than themselves."""

    def check(self) -> None:
        """Refuse them if they cannot be used."""
        ...


def grouped(command: Callable[..., T]) -> Callable[..., T]:
    """Show every field of a command's options objects to typer as an option of its own.

    A parameter annotated with a dataclass is one options object: its fields are declared as options are,
    ``Annotated[..., typer.Option(...)]`` and a default, and stand in the help where the parameter stands. A
    field may be such an object again. What the class refuses when it is made ends as any bad input does, and
    so does what its ``check`` refuses, see `Checked`: it is called before the command.

    Parameters
    ----------
    command
        The function of a command. Commands that share options share the class.

    Returns
    -------
    Callable
        The same function for ``app.command``, which is called with one keyword per option.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Asked:
    ...     seed: int = 1
    ...     quiet: bool = False
    >>> @grouped
    ... def show(path: str, asked: Asked) -> tuple[str, Asked]:
    ...     return path, asked
    >>> print(inspect.signature(show))
    (*, path: str, seed: int = 1, quiet: bool = False)
    >>> show(path="people.csv", seed=7, quiet=True)
    ('people.csv', Asked(seed=7, quiet=True))
    """
    hints = get_type_hints(command, include_extras=True)
    given = {
        name: (hints[name], parameter.default)
        for name, parameter in inspect.signature(command).parameters.items()
    }
    options = list(_spread(given))

    @functools.wraps(command)
    def flat(**values: Any) -> T:
        return command(**{name: _gather(name, hint, values) for name, (hint, _) in given.items()})

    # typer asks for both: what inspect.signature says, and the annotations
    flat.__dict__["__signature__"] = inspect.Signature(options)
    flat.__annotations__ = {option.name: option.annotation for option in options}
    return flat


def _spread(given: Mapping[str, tuple[Any, Any]]) -> Iterator[inspect.Parameter]:
    """Name every option, in order: those of an options object in its place."""
    for name, (hint, default) in given.items():
        if _is_group(hint):
            hints = get_type_hints(hint, include_extras=True)
            yield from _spread({field.name: (hints[field.name], _default(field)) for field in fields(hint)})
        else:
            yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _gather(name: str, hint: Any, values: Mapping[str, Any]) -> Any:
    """Take one value, or make the options object from the values of its fields."""
    if not _is_group(hint):
        return values[name]
    hints = get_type_hints(hint, include_extras=True)
    made = hint(**{field.name: _gather(field.name, hints[field.name], values) for field in fields(hint)})
    if isinstance(made, Checked):
        made.check()
    return made


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)


def _default(field: Field[Any]) -> Any:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default
