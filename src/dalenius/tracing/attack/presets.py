"""Tests by the name they have in the literature: weights and a calibration each."""

from __future__ import annotations

from dataclasses import dataclass

from dalenius.errors import InputError, nearest

LEVEL = 0.05
"""False accusations tolerated, where nobody says otherwise."""


@dataclass(frozen=True)
class Preset:
    """A named test.

    Parameters
    ----------
    weights, calibration
        As in `~dalenius.tracing.attack.attack.trace`; a calibration ending in ``sd=`` waits for a number.
    source
        Where it is from.
    """

    weights: str
    calibration: str
    source: str


RT = "Dwork, Smith, Steinke, Ullman, Vadhan 2015"
SV = "Dwork, Smith, Steinke, Ullman 2017"

PRESETS: dict[str, Preset] = {
    "fig1": Preset("raw", "paper:rule=fig1", f"{RT}, Figure 1, threshold as printed"),
    "fig1-proof": Preset("raw", "paper:rule=proof", f"{RT}, Figure 1, threshold of its proof"),
    "fig2": Preset("clip", "paper:rule=fig2", f"{RT}, Figure 2"),
    "fig3": Preset("raw", "paper:rule=fig3", f"{RT}, Figure 3; give the standard deviation"),
    "robust": Preset("raw", "flip:tail=bd", f"{SV}, Figure 1, with the sharpest proved threshold"),
    "pool": Preset("corr", "norm:comparators=1", f"{SV}, after Theorem 15"),
    "sankararaman": Preset("llr", "known-p:tail=normal", f"Sankararaman et al. 2009; {SV}, Theorem 10"),
    "sankararaman-pool": Preset(
        "llr", "pooled:tail=saddlepoint", "Sankararaman et al. 2009, with a reference for the means"
    ),
    "homer": Preset("homer", "paper:rule=homer", "Homer et al. 2008"),
}


def find_preset(name: str) -> Preset:
    """Return a preset by name.

    Examples
    --------
    >>> find_preset("fig1").weights
    'raw'
    """
    if name not in PRESETS:
        raise InputError(f"preset {name!r}", "must be a known one", name, nearest(name, PRESETS))
    return PRESETS[name]
