"""Options of commands: several as one object, places, workers, and the command as it can be typed again."""

from __future__ import annotations

import functools
import inspect
import itertools
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from pathlib import Path, PurePath
from typing import Annotated, Any, Protocol, TypeVar, get_type_hints, runtime_checkable

import typer
from typer.core import TyperGroup

from dalenius.errors import InputError

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


Place = Any
"""A path, or the address of a database as text; a table of a database follows after ``#``."""


def place(text: str) -> Path | str:
    """Take a text for a path, unless it is the address of a database, which a path would shorten.

    Examples
    --------
    >>> place("people.csv").name, place("postgres://host/clinic#patients")
    ('people.csv', 'postgres://host/clinic#patients')
    """
    return text if "://" in text else Path(text)


def named_files(texts: Sequence[str]) -> dict[str, Path]:
    """Read ``name=file`` texts.

    Examples
    --------
    >>> {name: path.name for name, path in named_files(["relatives=kin.bed"]).items()}
    {'relatives': 'kin.bed'}
    """
    found: dict[str, Path] = {}
    for text in texts:
        name, sign, path = text.partition("=")
        if not (name and sign and path) or name in found:
            raise InputError("group", "must be NAME=FILE, each name once", repr(text))
        found[name] = Path(path)
    return found


_asked: ContextVar[tuple[str, ...]] = ContextVar("asked", default=())

WRITES = ("--out", "--junit", "--summary", "--workers", "--cluster")
"""Options that say where results go and who does the work, each with a value: the findings are the same."""

COLUMNS = ("--link",)
"""Options whose value is columns: what looks like a folder in it is a sign between two lists."""

SHOWS = ("--quiet", "--show-people")
"""Options that change what is shown, and nothing that is found."""

_PASSWORD = re.compile(r"(?<=://)[^/@]*@")


def remember(words: Sequence[str]) -> None:
    """Keep the words of the command that is being run."""
    _asked.set(tuple(words))


def asked() -> tuple[str, ...]:
    """The words as they were typed."""
    return _asked.get()


def typed_again() -> str | None:
    """The command that makes the same findings of the same files; nothing where no command was typed."""
    return command_text(asked()) if asked() else None


def command_text(words: Sequence[str]) -> str:
    """Write a command in one line.

    Examples
    --------
    >>> command_text(["audit", "plans/audit.toml", "--out", "found", "--quiet"])
    'dalenius audit audit.toml'
    >>> command_text(["trace", "plan", "--n=500"])
    'dalenius trace plan --n=500'
    >>> print(command_text(["init", "postgres://anna:word@host/clinic#patients"]))
    dalenius init 'postgres://host/clinic#patients'
    >>> command_text(["rows", "--link", "age,sex/town,pay", "--link=a/b"])
    'dalenius rows --link age,sex/town,pay --link=a/b'
    """
    return shlex.join(["dalenius", *_kept(words)])


def option(words: Sequence[str], name: str) -> str | None:
    """The value of an option among words, the last one if it is given twice.

    Examples
    --------
    >>> option(["audit", "--junit=a.xml"], "--junit"), option(["--junit", "b.xml"], "--junit")
    ('a.xml', 'b.xml')
    """
    given = [word.removeprefix(f"{name}=") for word in words if word.startswith(f"{name}=")]
    given += [after for word, after in itertools.pairwise(words) if word == name]
    return given[-1] if given else None


def _kept(words: Sequence[str]) -> Iterator[str]:
    skip, before = False, ""
    for word in words:
        name = word.partition("=")[0]
        if skip or name in WRITES or word in SHOWS:
            skip = not skip and word in WRITES
            continue
        yield word if name in COLUMNS or before in COLUMNS else _named(word)
        before = word


def _named(word: str) -> str:
    """A file without its folders: these are of one machine."""
    if "://" in word:
        return _PASSWORD.sub("", word)
    before, sign, path = word.rpartition("=")
    return f"{before}{sign}{PurePath(path).name}" if "/" in path or "\\" in path else word


@dataclass(frozen=True)
class WorkPlace:
    """Processes of this machine, or a cluster."""

    workers: Annotated[
        int,
        typer.Option(min=1, help="Processes that share the work that can be cut into parts; same results."),
    ] = 1
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            envvar="DALENIUS_CLUSTER",
            help="Dask scheduler that does so instead: tls://host:8786, with Dask's certificates.",
        ),
    ] = None

    @property
    def given(self) -> bool:
        """Whether anything but this process is to work."""
        return self.workers > 1 or self.cluster is not None

    def begun(self) -> AbstractContextManager[object]:
        """Let them work within the block."""
        if not self.given:
            return nullcontext()
        from dalenius.spread.places import working

        return working(self.workers, self.cluster)

    def or_of_plan(self, workers: int, cluster: str | None) -> WorkPlace:
        """These, or those of a plan where none are given."""
        return self if self.given else WorkPlace(workers, cluster)


THIS_PROCESS = WorkPlace()
"""This process alone."""


WHOLE = 10_000
"""Letters that no sentence has: beyond them it would be cut."""


class WholeSentences(TyperGroup):
    """Lists its commands with whole sentences: one that is cut at the right says less than its name."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands, each with its sentence on as many lines as that takes."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [(name, each.get_short_help_str(WHOLE)) for name, each in found if each and not each.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
