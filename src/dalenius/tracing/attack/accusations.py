"""What tracing says about people: a score and a p-value each, so that a referee can check them."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InputError
from dalenius.people.schema import Ids
from dalenius.shown import hides_people
from dalenius.tracing.attack.presets import LEVEL


@hides_people("weights", "calibration")
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
    doubts
        What speaks against the level here, as sentences without an end. Where there is any, no p-value is a
        chance, and nobody is accused.
    unlike
        Targets whose record is unlike the references': of them nothing is said. ``None`` if not looked at.
    member_odds
        By score, the log-likelihood ratio of a member against a parent, child or sibling of one; below 0 a
        relative is likelier. ``None`` if not known.
    group
        Where a release is of several groups of people, the one that each record is most like.
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
    doubts: tuple[str, ...] = ()
    unlike: NDArray[np.bool_] | None = None
    member_odds: NDArray[np.float64] | None = None
    group: NDArray[Any] | None = None

    def __post_init__(self) -> None:
        for name in ("score", "p_value", "log_p"):
            if getattr(self, name).shape != self.ids.shape:
                raise InputError(name, "must be one per target", f"shape {getattr(self, name).shape}")

    def verdict(self, level: float) -> NDArray[np.bool_]:
        """Return who is accused at a level, each target taken alone."""
        return self.p_value <= check_level(level)

    def take(self, order: NDArray[np.intp]) -> Accusations:
        """Return what is said of these targets, in this order."""
        parts: dict[str, Any] = {
            name: None if (part := getattr(self, name)) is None else part[order]
            for name in ("ids", "score", "p_value", "log_p", "certificate", "unlike", "member_odds", "group")
        }
        return replace(self, **parts)

    def q_values(self, method: str = "bh") -> NDArray[np.float64]:
        """Adjust the p-values for the number of targets: ``bh``, ``by``, ``holm`` or ``bonferroni``."""
        from dalenius.tracing.attack.multiple_testing import q_values

        return q_values(self.p_value, method)

    def accused(self, level: float, method: str = "bh") -> NDArray[np.bool_]:
        """Return who is accused by q-value: nobody where the level is doubted, nobody who is unlike."""
        found = self.q_values(method) <= check_level(level)
        if self.doubts:
            return np.zeros_like(found)
        return found if self.unlike is None else found & ~self.unlike

    def to_csv(self, level: float = LEVEL, method: str = "bh") -> str:
        """Return the accusations as ``<id>,score,p_value,q_value,verdict``; the verdict is by q-value.

        Where it was looked at, ``unlike`` and ``relative_odds`` stand before the verdict: how many times
        likelier the score is for a relative of a member than for a member. The verdict is ``undecided``
        for everybody where the level is doubted, and for targets unlike the references. Nobody is said to
        be absent: a member among many targets may have a large q-value, so others are ``not accused``.

        Examples
        --------
        >>> p = np.array([0.001, 0.5])
        >>> said = Accusations("id", np.array(["a", "b"]), np.array([9.0, 1.0]), p, np.log(p), "raw",
        ...                    "flip:tail=bd", True, 1, 1)
        >>> print(said.to_csv(0.05), end="")
        id,score,p_value,q_value,verdict
        a,9,0.001,0.002,in
        b,1,0.5,0.5,not accused
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        q_values, accused = self.q_values(method), self.accused(level, method)
        columns: dict[str, list[str]] = {
            self.id_name: [str(name) for name in self.ids],
            "score": _printed(self.score),
            "p_value": _printed(self.p_value),
            "q_value": _printed(q_values),
        }
        open_ = np.full(accused.shape, bool(self.doubts))
        if self.unlike is not None:
            columns["unlike"] = ["yes" if each else "no" for each in self.unlike]
            open_ = open_ | self.unlike
        if self.member_odds is not None:
            columns["relative_odds"] = _printed(np.exp(np.clip(-self.member_odds, -700, 700)))
        if self.group is not None:
            columns["group"] = self.group.tolist()
        words = np.where(accused, "in", "not accused")
        columns["verdict"] = np.where(open_, "undecided", words).tolist()
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
        return text.getvalue()


def _printed(values: NDArray[np.float64]) -> list[str]:
    return [f"{value:.6g}" for value in values]


def check_level(level: float) -> float:
    """Refuse a level that is not strictly between 0 and 1."""
    if not 0 < level < 1:
        raise InputError("level", "must lie between 0 and 1", f"{level:g}", "Use for example 0.01.")
    return level
