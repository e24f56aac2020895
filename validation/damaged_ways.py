"""Which ways of damage make sense for which file."""

from __future__ import annotations

from validation.damaged_bytes import BYTES, Way, bomb
from validation.damaged_containers import ARROW, IPC, XLSX
from validation.damaged_text import JSON, TEXT, TOML


def ways(name: str) -> tuple[Way, ...]:
    """Every way that makes sense for a file of this name."""
    end = name.rsplit(".", 1)[-1]
    if end in ("csv", "tsv", "txt", "vcf", "bim", "fam"):
        return BYTES + TEXT
    if end in ("feather", "arrow"):
        return BYTES + IPC
    special: dict[str, tuple[Way, ...]] = {
        "toml": TOML,
        "json": JSON,
        "parquet": ARROW,
        "xlsx": XLSX,
        "gz": (bomb,),
    }
    return BYTES + special.get(end, ())
