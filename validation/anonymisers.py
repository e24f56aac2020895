"""Anonymisers that other people made, driven as they are: CSV in, CSV out.

anonypyx (MIT) and anjana (Apache 2.0) run in environments of their own. What they write is attacked by
`validation.singling_out_rows` and `validation.singling_out_million`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from validation.environments import environment, run

from dalenius.mechanisms.anonymise.hierarchy import Hierarchy

ANONYPYX = """
import json, sys
from concurrent.futures import ProcessPoolExecutor
import anonypyx
import pandas as pd
jobs, quasi, text, k, block = json.loads(sys.argv[1])

def recoded(frame):
    features = [name for name in quasi if name != block]
    found = anonypyx.Anonymiser(
        frame, k=k, algorithm="Mondrian", feature_columns=features, generalisation_strategy="human-readable",
    ).anonymise()
    return found.loc[found.index.repeat(found.pop("count"))]

def parts(source):
    frame = pd.read_csv(source, dtype=dict.fromkeys(text, str))
    for name in set(text) & set(quasi):
        frame[name] = frame[name].astype("category")
    if not block:
        return [frame]
    return [own.reset_index(drop=True) for _, own in frame.groupby(block, observed=True)]

with ProcessPoolExecutor(2) as pool:
    found = [(out, [pool.submit(recoded, part) for part in parts(source)]) for source, out in jobs]
    for out, recodings in found:
        pd.concat(one.result() for one in recodings).to_csv(out, index=False)
print(json.dumps(len(jobs)))
"""

ANJANA = """
import json, sys
import pandas as pd
from anjana.anonymity import k_anonymity
jobs, quasi, k, suppress, ladders = json.loads(sys.argv[1])
for source, out in jobs:
    frame = pd.read_csv(source, dtype=str)
    levels = {name: {i: list(labels) for i, labels in enumerate(own)} for name, own in ladders.items()}
    k_anonymity(frame, [], quasi, k, suppress, levels)[list(frame.columns)].to_csv(out, index=False)
print(json.dumps(len(jobs)))
"""

Jobs = Sequence[tuple[Path, Path]]
"""Files to read and to write."""


def anonypyx_mondrian(jobs: Jobs, quasi: Sequence[str], text: Sequence[str], k: int, block: str = "") -> bool:
    """Let anonypyx's Mondrian recode files; False if it cannot be installed here.

    It writes a line for each different record with a ``count``; here each line is repeated as often, cells as
    it wrote them (``18-22``, ``10047,10423``). With ``block`` the people of each value of that column are
    recoded by themselves, as if the first cuts were along it. The columns of ``text`` are labels.
    """
    python = environment("anonypyx")
    if python is None:
        return False
    run(python, ANONYPYX, json.dumps([_texts(jobs), list(quasi), list(text), k, block]))
    return True


def anjana_recoding(
    jobs: Jobs, quasi: Sequence[str], k: int, hierarchies: Mapping[str, Hierarchy], suppress: int = 0
) -> bool:
    """Let anjana recode whole columns of files along hierarchies; False if it cannot be installed here.

    It leaves out the rows that it suppresses, up to a number of per cent.
    """
    python = environment("anjana")
    if python is None:
        return False
    ladders = {name: list(zip(*own.labels.values(), strict=True)) for name, own in hierarchies.items()}
    run(python, ANJANA, json.dumps([_texts(jobs), list(quasi), k, suppress, ladders]))
    return True


def _texts(jobs: Jobs) -> list[list[str]]:
    return [[str(source), str(out)] for source, out in jobs]
