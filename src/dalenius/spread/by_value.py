"""Functions that are made while a program runs, sent to other processes as what they are."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

T = TypeVar("T")


class ByValue(Generic[T]):
    """Something with functions inside that no module has a name for; other processes get a copy of it.

    Examples
    --------
    >>> twice = ByValue(lambda n: 2 * n)
    >>> from multiprocessing.reduction import ForkingPickler
    >>> ForkingPickler.loads(ForkingPickler.dumps(twice)).value(4)
    8
    """

    def __init__(self, value: T) -> None:
        self.value = value

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle

        return _unpacked, (cloudpickle.dumps(self.value),)


def _unpacked(data: bytes) -> ByValue[Any]:
    import cloudpickle

    return ByValue(cloudpickle.loads(data))  # from the process that started this one
