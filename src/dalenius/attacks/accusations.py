"""What tracing says about people: a score and a p-value each, so that a referee can check them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.records.roster import Ids


@dataclass(frozen=True)
class Accusations:
    """For every target how well an outsider explains the record; small p-values accuse.

    Parameters
    ----------
    id_name, ids
        Whom it is about.
    score
        Larger means more like a member.
    p_value, log_p
        The chance that an outsider scores as high, at least the smallest positive number; and its natural
        logarithm, which goes on below that.
    weights, calibration
        Which test made them, as a person would ask for it.
    rigorous
        Whether the p-values are proved, under ``assumptions``, for every size; otherwise approximate.
    reference, comparators
        How many reference people were used, and with how many of them each target is compared.
    assumptions
        What the p-values take for granted.
    notes
        What else a reader should know about the test: why this one, what was left out.
    remarks
        What holds of these targets taken together: how false accusations among them clump, how many of the
        accused score like relatives of members.
    certificate
        Beside approximate p-values, the logarithms of proved ones; ``None`` if there are none.
    smallest
        The smallest p-value that the test can give, where ranks or draws limit it: below it nobody can be
        accused, whoever is in the data.
    """

    id_name: str
    ids: Ids
    score: NDArray[np.float64]
    p_value: NDArray[np.float64]
    log_p: NDArray[np.float64]
    weights: str
    calibration: str
    rigorous: bool
    reference: int
    comparators: int
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    certificate: NDArray[np.float64] | None = None
    smallest: float = 0.0

    def __post_init__(self) -> None:
        for name in ("score", "p_value", "log_p"):
            if getattr(self, name).shape != self.ids.shape:
                raise InputError(name, "must be one a target", f"shape {getattr(self, name).shape}")

    def verdict(self, level: float) -> NDArray[np.bool_]:
        """Return who is accused at a level, each target taken alone."""
        return self.p_value <= check_level(level)

    def q_values(self, method: str = "bh") -> NDArray[np.float64]:
        """Adjust the p-values for the number of targets: ``bh``, ``by``, ``holm`` or ``bonferroni``."""
        from dalenius.attacks.tracing.many import q_values

        return q_values(self.p_value, method)

    def to_csv(self, level: float, method: str = "bh") -> str:
        """Return the accusations as ``<id>,score,p_value,q_value,verdict``; the verdict is by q-value.

        Examples
        --------
        >>> p = np.array([0.001, 0.5])
        >>> said = Accusations("id", np.array(["a", "b"]), np.array([9.0, 1.0]), p, np.log(p), "raw",
        ...                    "flip:tail=bd", True, 1, 1)
        >>> print(said.to_csv(0.05), end="")
        id,score,p_value,q_value,verdict
        a,9,0.001,0.002,in
        b,1,0.5,0.5,out
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([self.id_name, "score", "p_value", "q_value", "verdict"])
        q_values = self.q_values(method)
        accused = q_values <= check_level(level)
        for row in zip(self.ids, self.score, self.p_value, q_values, accused, strict=True):
            name, score, p, q, inside = row
            writer.writerow([name, f"{score:.6g}", f"{p:.6g}", f"{q:.6g}", "in" if inside else "out"])
        return text.getvalue()


def check_level(level: float) -> float:
    """Refuse a level that is not strictly between 0 and 1."""
    if not 0 < level < 1:
        raise InputError("level", "must lie between 0 and 1", f"{level:g}", "Use for example 0.01.")
    return level
