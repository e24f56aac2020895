"""What passes where people are related: priors that leak never do, those that do not stop as often as stated.

``python -m validation.passes_inference [--share 0.1] [--only WORD ...] [--kept FILE]`` prints two tables. The
first has releases with a pure epsilon whose nu is above a limit by construction: every one must be stopped or
left undecided. The truth is worked out by writing down every combination of values, or by two people alone.
The second has releases whose nu is below the limit by construction, 40 seeds each.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
from validation.kept import Kept, asked
from validation.markdown import table

from dalenius.auditing.case import Asked
from dalenius.auditing.decide import decide
from dalenius.auditing.plan_parts import PriorPlan
from dalenius.auditing.run import run_case
from dalenius.findings.policy import Policy
from dalenius.inference.attack.fit import implied as simulation
from dalenius.inference.case import open_related
from dalenius.inference.finding import Related
from dalenius.people.dataset import read
from dalenius.release.publish import publish

SEEDS = 40
ROUNDS = 5_000
"""Of the simulation of what a wide network implies: what it says decides nothing here."""

EPSILON = 0.5
OF_PEOPLE = {"secret": "ill", "id": "id"}

Files = dict[str, str]
Made = tuple[Files, dict[str, object], float]
"""Files of a prior, what else the plan says of it, and the limit on nu."""

Make = Callable[[np.random.Generator], Made]


def _homes(
    rng: np.random.Generator, members: int, bias: float | None, agreement: float
) -> tuple[Files, dict]:
    groups = int(rng.integers(10, 40))
    people = [(f"p{g}x{i}", g) for g in range(groups) for i in range(members)]
    files = {"households": "id,household\n" + "".join(f"{p},{g}\n" for p, g in people)}
    if bias is not None:
        files["people"] = "id,bias\n" + "".join(f"{p},{bias}\n" for p, _ in people)
    return files, {"agreement": {"household": agreement}}


def _household(members: int, bias: float | None, agreement: float, limit: float, **more: object) -> Make:
    def make(rng: np.random.Generator) -> Made:
        files, said = _homes(rng, members, bias, agreement)
        return files, said | more, limit

    return make


def _family(children: int, bias: float | None, agreement: float, limit: float) -> Make:
    def make(rng: np.random.Generator) -> Made:
        lines, people = [], []
        for g in range(int(rng.integers(8, 30))):
            ids = [f"f{g}x{i}" for i in range(children + 2)]
            lines += [f"{ids[0]},,", f"{ids[1]},,", *(f"{c},{ids[0]},{ids[1]}" for c in ids[2:])]
            people += ids
        files = {"pedigree": "id,father,mother\n" + "\n".join(lines) + "\n"}
        if bias is not None:
            files["people"] = "id,bias\n" + "".join(f"{p},{bias}\n" for p in people)
        return files, {"agreement": {"parent": agreement}}, limit

    return make


def _wide(agreement: float, limit: float) -> Make:
    def make(rng: np.random.Generator) -> Made:
        pairs = np.array(list(itertools.combinations(range(60), 2)))
        kept = pairs[rng.random(len(pairs)) < 0.5]
        text = "a,b\n" + "".join(f"w{a},w{b}\n" for a, b in kept)
        return {"edges": text}, {"agreement": agreement}, limit

    return make


def _pairs(agreement: float, limit: float) -> Make:
    def make(rng: np.random.Generator) -> Made:
        count = int(rng.integers(20, 60))
        text = "a,b\n" + "".join(f"u{i},v{i}\n" for i in range(count))
        return {"edges": text}, {"agreement": agreement}, limit

    return make


LEAKS: dict[str, tuple[str, Make]] = {
    "household of 8, bias 0.05, agreement 0.93": ("2.253", _household(8, 0.05, 0.93, 0.6)),
    "the same, limit 2.2": ("2.253", _household(8, 0.05, 0.93, 2.2)),
    "household of 5, bias 0.05, agreement 0.93": ("1.285", _household(5, 0.05, 0.93, 0.6)),
    "household of 8, bias 0.3, agreement 0.75": ("1.995", _household(8, 0.3, 0.75, 0.6)),
    "the first, coupled link by link": ("2.253", _household(8, 0.05, 0.93, 0.6, fit=False)),
    "the first, link by link, limit 1": ("2.253", _household(8, 0.05, 0.93, 1.0, fit=False)),
    "household of 40, bias 0.1, agreement 0.9": ("above 2, by counting", _household(40, 0.1, 0.9, 2.0)),
    "parents and 8 children, bias 0.05, agreement 0.93": ("2.324", _family(8, 0.05, 0.93, 0.6)),
    "60 people, half of all pairs linked, agreement 0.55": ("unknown, at most 30", _wide(0.55, 0.6)),
    "60 people, half of all pairs linked, agreement 0.8": ("above 0.79, by a pair", _wide(0.8, 0.75)),
    "pairs of agreement 0.8": ("0.796", _pairs(0.8, 0.7)),
}
SOUND: dict[str, tuple[str, Make]] = {
    "pairs of agreement 0.8": ("0.796", _pairs(0.8, 0.9)),
    "household of 8, bias 0.05, agreement 0.93": ("2.253", _household(8, 0.05, 0.93, 2.4)),
    "household of 3, fair, agreement 0.6": ("0.694", _household(3, None, 0.6, 0.9)),
    "parents and 2 children, agreement 0.75": ("1.150", _family(2, None, 0.75, 1.2)),
    "60 people, half of all pairs linked, agreement 0.55": ("at most 30", _wide(0.55, 30.0)),
    "household of 8, coupled link by link, group privacy": (
        "at most 4",
        _household(8, 0.05, 0.93, 4.0, fit=False),
    ),
}


def verdict_on(make: Make, seed: int) -> tuple[str, float | None]:
    """Publish a table with Laplace noise of epsilon 0.5: the verdict on nu, and nu itself."""
    rng = np.random.default_rng([29, seed])
    files, said, limit = make(rng)
    simulation.MOST_ROUNDS = ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder, f"{name}.csv") for name in files}
        for name, text in files.items():
            paths[name].write_text(text)
        related = open_related(PriorPlan.model_validate({**said, **paths}))
    ids = related.networks[0].model.ids
    rows = {"id": ids, "age": rng.integers(0, 3, ids.size), "ill": rng.choice(["no", "yes"], ids.size)}
    with read(pa.table(rows), **OF_PEOPLE) as people:
        release = publish(people, "tables:k=1", f"laplace:epsilon={EPSILON}", rng=rng)
    (case,) = related.ask([Asked(published={"release": release}, ids=ids)], seed=seed).cases
    _, finding = run_case(case, 1)
    verdict, _ = decide([finding], Policy(max_nu=limit))
    found = cast(Related, finding.details)
    return verdict, None if found.nu is None or found.regardless else found.nu.worst


def counted(cases: dict[str, tuple[str, Make]], kind: str, kept: Kept) -> Iterator[tuple[list[str], bool]]:
    """One row a case: its nu by construction, the limit, what was computed, how often each verdict came.

    With it, whether the row is wrong: a leak that passes, or a sound release that stops.
    """
    for name, (truth, make) in cases.items():
        if not kept.wants(name):
            continue
        found = list(kept.results(f"{kind}: {name}", partial(verdict_on, make)))
        said = [verdict for verdict, _ in found]
        nus = [nu for _, nu in found if nu is not None]
        limit = make(np.random.default_rng(0))[2]
        yield (
            [
                name,
                truth,
                f"{limit:g}",
                f"{max(nus):.4g}" if nus else "not computed",
                *(f"{said.count(verdict)}" for verdict in ("pass", "undecided", "stop")),
            ],
            ("pass" if cases is LEAKS else "stop") in said,
        )


def main() -> int:
    """Print both tables; exit 1 if a leak passes or a sound release stops."""
    kept = asked(SEEDS)
    wrong = False
    for cases, kind in ((LEAKS, "above the limit"), (SOUND, "below the limit")):
        line = table(kind, "nu by construction", "limit", "computed", "pass", "undecided", "stop")
        for cells, is_wrong in counted(cases, kind, kept):
            line(cells)
            wrong |= is_wrong
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
