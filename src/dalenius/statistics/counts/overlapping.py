"""What lists of questions have in common that may overlap: no two of them are parts of one table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.matrices.counts import Sensitivity


class Overlapping(ABC):
    """Questions each of which stands alone."""

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many questions there are."""

    @property
    def table(self) -> NDArray[np.int64]:
        """Every question stands alone."""
        return np.arange(self.rows)


class OnRecords(Overlapping):
    """Questions by public columns, each with a name."""

    names: tuple[str, ...]

    def labels(self) -> Iterator[str]:
        """Name every question."""
        return iter(self.names)

    def sensitivity(self, values: int) -> Sensitivity:
        """A replaced record may meet all questions or none: the value left and the one taken move by one."""
        changed = float(self.rows * min(2, values))
        return Sensitivity(changed, changed)
