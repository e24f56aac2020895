"""Singling out: can somebody point at exactly one person? Rows, counts or synthetic data in."""

from __future__ import annotations

from dalenius.registry import face

_HOMES = {
    "GameSettings": "dalenius.singling_out.game.rounds",
    "Recoding": "dalenius.singling_out.rows.settings",
    "RowsSettings": "dalenius.singling_out.rows.settings",
    "SingledOutRows": "dalenius.singling_out.rows.result",
    "TripleSettings": "dalenius.singling_out.released.triple",
    "WeightLimits": "dalenius.singling_out.rows.settings",
    "anonymity": "dalenius.people.rows.equivalence",
    "parse_anonymiser": "dalenius.mechanisms.anonymise.parse",
    "read_rows": "dalenius.people.opening",
    "single_out_counts": "dalenius.singling_out.game.counts",
    "single_out_game": "dalenius.singling_out.game.anonymisers",
    "single_out_rows": "dalenius.singling_out.rows.rows",
    "single_out_triple": "dalenius.singling_out.released.triple",
}

__all__ = sorted(_HOMES)

__getattr__, __dir__ = face(__name__, _HOMES)
