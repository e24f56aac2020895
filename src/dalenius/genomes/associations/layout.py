"""Which columns a file of summary statistics has: PLINK 1.9 and 2, GWAS-SSF, daner and what others write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dalenius.genomes.printed_columns import NAMES

STUDY = {
    "odds": "or oddsratio",
    "beta": "beta logor logodds effect",
    "error": "se standarderror logorse stderr selogor",
    "cases frequency": "fa a1casefreq eafcases eafcase effectallelefrequencycases afcase frqa",
    "controls frequency": "fu a1ctrlfreq eafcontrols eafcontrol effectallelefrequencycontrols afcontrol frqu",
    "cases counted": "ca a1casect",
    "controls counted": "cu a1ctrlct",
    "cases alleles": "caseallelect",
    "controls alleles": "ctrlallelect",
    "cases": "nca ncases ncase casecount",
    "controls": "nco ncontrols ncontrol ncontrol controlcount",
    "people": "n obsct nmiss samplesize ntotal totaln",
    "omitted": "omitted",
    "ref": "ref",
    "alt": "alt",
    "test": "test",
    "failed": "errcode",
}
"""What headers call each column, in small letters and digits alone; beside `NAMES`."""

EFFECTS = ("odds", "beta", "cases frequency", "cases counted")
"""A file with one of these is of a study."""

OF_CONTROLS = "effectallelefrequency"
"""What GWAS-SSF calls the frequency, which is that of the controls where there are any."""

SIZED = re.compile(r"^frq([au])(\d+)$")
"""The frequencies of daner files, which name how many people they are of."""


@dataclass(frozen=True)
class StudyColumns:
    """Where each column is, and how many people the header says there are."""

    where: dict[str, int]
    cases: int | None = None
    controls: int | None = None
    of_controls: bool = False
    odds: bool = False

    def __contains__(self, key: str) -> bool:
        return key in self.where


def find_columns(header: Sequence[str]) -> StudyColumns | None:
    """Find the columns of a file of summary statistics by their names; nothing if it is none.

    Examples
    --------
    >>> found = find_columns("CHR SNP BP A1 A2 FRQ_A_120 FRQ_U_340 INFO OR SE P".split())
    >>> found.where["cases frequency"], found.cases, found.controls
    (5, 120, 340)
    >>> find_columns("SNP A1 MAF NCHROBS".split()) is None
    True
    """
    plain = ["".join(c for c in cell.lower() if c.isalnum()) for cell in header]
    where: dict[str, int] = {}
    for key, names in (NAMES | STUDY).items():
        known = [plain.index(name) for name in names.split() if name in plain]
        if known:
            where[key] = known[0]
    sizes: dict[str, int] = {}
    for at, name in enumerate(plain):
        sized = SIZED.match(name)
        if sized:
            group = "cases" if sized[1] == "a" else "controls"
            where[f"{group} frequency"] = at
            sizes[group] = int(sized[2])
    if not any(key in where for key in EFFECTS):
        return None
    where.pop("observations", None)  # people here, alleles in files of frequencies
    named = plain[where["frequency"]] if "frequency" in where else ""
    of_odds = "odds" in where or "logorse" in plain or any(key in where for key in EFFECTS[2:])
    return StudyColumns(where, sizes.get("cases"), sizes.get("controls"), named == OF_CONTROLS, of_odds)
