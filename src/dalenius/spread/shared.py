"""What many blocks hold alike, such as the list of people: sent once to each process, then named by a digest.

A process that meets a name it does not know asks the one that started it, over a socket of this user alone
and with a key of this run. Nothing is written to a disk.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from multiprocessing.reduction import ForkingPickler
from typing import Any, overload

MOST = 8
"""Things that are held by a process when no block that is under way needs them."""

Where = tuple[Any, bytes]
"""Address and key of whoever hands things out."""


class PackedBlock:
    """A block as it travels, with names in the place of things that are held already."""

    def __init__(self, block: Any, names: dict[int, str]) -> None:
        text = io.BytesIO()
        _Packing(text, names).dump(block)
        self.data = text.getvalue()

    def unpacked(self, held: Callable[[str], Any]) -> Any:
        """The block, with things that are held by name."""
        before = _held.set(held)
        try:
            return ForkingPickler.loads(self.data)
        finally:
            _held.reset(before)


class PackedBlocks(Sequence[PackedBlock]):
    """Blocks that are packed when they are asked for."""

    def __init__(self, blocks: Sequence[Any], names: dict[int, str]) -> None:
        self.blocks, self.names = blocks, names

    def __len__(self) -> int:
        return len(self.blocks)

    @overload
    def __getitem__(self, at: int) -> PackedBlock: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[PackedBlock]: ...
    def __getitem__(self, at: int | slice) -> PackedBlock | Sequence[PackedBlock]:
        if isinstance(at, slice):
            return PackedBlocks(self.blocks[at], self.names)
        return PackedBlock(self.blocks[at], self.names)


class _Packing(ForkingPickler):
    """Writes what processes of one run send each other; nothing of it is on a disk."""

    def __init__(self, file: io.BytesIO, names: dict[int, str]) -> None:
        super().__init__(file)
        self.names = names

    def reducer_override(self, thing: Any) -> Any:
        """A name in the place of what has one."""
        name = self.names.get(id(thing))
        return NotImplemented if name is None else (named, (name,))


_held: ContextVar[Callable[[str], Any]] = ContextVar("held")


def named(name: str) -> Any:
    """What has a name here."""
    return _held.get()(name)


class SharedDesk:
    """Hands things out by name, to processes that this one started."""

    def __init__(self) -> None:
        self._things: dict[str, tuple[Any, bytes]] = {}
        self._names: dict[int, tuple[Any, str]] = {}
        self._used = Counter[str]()
        self._where: Where | None = None
        self.handed = 0

    @contextlib.contextmanager
    def holding(self, things: Sequence[Any]) -> Iterator[dict[int, str]]:
        """Hold what occurs twice, or is held already, within the block; gives names by identity."""
        often = Counter(id(thing) for thing in things)
        worth = {id(thing): thing for thing in things if often[id(thing)] > 1 or id(thing) in self._names}
        names = {at: self._name(thing) for at, thing in worth.items()}
        self._used.update(names.values())
        try:
            yield names
        finally:
            self._used.subtract(names.values())
            self.forget(MOST)

    def _name(self, thing: Any) -> str:
        if id(thing) not in self._names:
            data = bytes(ForkingPickler.dumps(thing))
            name = hashlib.sha256(data).hexdigest()[:32]
            self._names[id(thing)] = thing, name  # what is held cannot leave its identity to another
            self._things.setdefault(name, (thing, data))
        return self._names[id(thing)][1]

    def forget(self, most: int = 0) -> None:
        """Let all but so many go, the oldest first, that no block under way needs."""
        idle = [name for name in self._things if not self._used[name]]
        for name in idle[: max(len(idle) - most, 0)]:
            del self._things[name]
        self._names = {at: each for at, each in self._names.items() if each[1] in self._things}

    def holds(self, name: str) -> bool:
        """Whether something has this name."""
        return name in self._things

    def thing(self, name: str) -> Any:
        """What has a name."""
        return self._things[name][0]

    def where(self) -> Where:
        """Where to ask; somebody answers from now on."""
        if self._where is None:
            from multiprocessing.connection import Listener

            key = os.urandom(32)
            listener = Listener(authkey=key)
            self._where = listener.address, key
            threading.Thread(target=self._answer, args=(listener,), daemon=True).start()
        return self._where

    def _answer(self, listener: Any) -> None:
        from multiprocessing import AuthenticationError

        while True:
            # whoever has not the key, or goes away in the middle, gets nothing and disturbs nobody
            with contextlib.suppress(OSError, EOFError, AuthenticationError), listener.accept() as asked:
                name = asked.recv_bytes().decode()
                self.handed += 1
                asked.send_bytes(self._things[name][1] if name in self._things else b"")


def ask(where: Where, name: str) -> Any:
    """Ask for what has a name."""
    from multiprocessing.connection import Client

    with Client(where[0], authkey=where[1]) as desk:
        desk.send_bytes(name.encode())
        return ForkingPickler.loads(desk.recv_bytes())


class HeldShared:
    """What a process got."""

    def __init__(self, ask: Callable[[str], Any]) -> None:
        self.ask, self.things = ask, dict[str, Any]()

    def __call__(self, name: str) -> Any:
        """What has a name; asked for the first time only."""
        if name not in self.things:
            while len(self.things) >= MOST:
                del self.things[next(iter(self.things))]
            self.things[name] = self.ask(name)
        return self.things[name]


DESK = SharedDesk()
