"""What an attack says about people, so that a referee can check it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dalenius.people.roster import Ids
from dalenius.private_repr import hides_people

if TYPE_CHECKING:
    from dalenius.reconstruction.attack.calibration.shift import Shift


@hides_people("method")
@dataclass(frozen=True)
class Guesses:
    """A guess of every person's secret.

    Parameters
    ----------
    id_name, ids
        Who the guesses are about.
    levels
        The values that the secret can take.
    probability
        For every person and value, how likely the attack holds it to be; rows sum to 1.
    certain
        Whether the guess follows from the release by arithmetic alone, with no probability in it.
    method
        Which decoder made them.
    notes
        What a reader should know about how they were made.
    shift
        How stated probabilities were moved to what comes true, where that was learnt.
    """

    id_name: str
    ids: Ids
    levels: tuple[str, ...]
    probability: NDArray[np.float64]
    certain: NDArray[np.bool_]
    method: str
    notes: tuple[str, ...] = ()
    shift: Shift | None = field(default=None, repr=False)

    @property
    def guess(self) -> NDArray[np.int32]:
        """The code of the likeliest value of each person; a tie goes to the later value."""
        from_the_end = self.probability[:, ::-1].argmax(axis=1)
        return np.asarray(len(self.levels) - 1 - from_the_end, np.int32)

    @property
    def confidence(self) -> NDArray[np.float64]:
        """The probability of the guessed value."""
        best: NDArray[np.float64] = self.probability.max(axis=1)
        return best

    def to_csv(self) -> str:
        """Return the claims as ``<id>,probability,guess,certain``.

        Examples
        --------
        >>> claims = Guesses("id", np.array(["a"]), ("no", "yes"), np.array([[0.25, 0.75]]),
        ...                  np.array([False]), "least-squares")
        >>> print(claims.to_csv(), end="")
        id,probability,guess,certain
        a,0.75,yes,false
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([self.id_name, "probability", "guess", "certain"])
        for name, p, code, sure in zip(self.ids, self.confidence, self.guess, self.certain, strict=True):
            writer.writerow([name, f"{p:.6g}", self.levels[code], "true" if sure else "false"])
        return text.getvalue()
