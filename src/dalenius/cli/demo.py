"""``dalenius demo``: the audit of a real survey, and stories of simulated people in files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.errors import InputError, nearest

if TYPE_CHECKING:
    from dalenius.console.finish import Outputs


TABLES = """seed = 1
[data]
path = "people.csv"
[schema]
secret = "ill"
[[release]]
name = "as planned"
statistics = ["tables:k=2"]
mechanism = "rounding:base=3"
[[release]]
name = "with noise"
statistics = ["tables:k=2"]
mechanism = "gaussian:rho=0.002"
alternative_to = "as planned"
"""


@dataclass(frozen=True)
class Story:
    """What is told, and what makes its files and returns the words of its command."""

    title: str
    told: str
    make: Callable[[Path], list[str]]


def tables(folder: Path) -> list[str]:
    """Write people with an illness, and a plan for tables of it by age, sex and town."""
    import numpy as np

    rng = np.random.default_rng(1)
    n = 120
    columns = [rng.integers(20, 32, n), rng.choice(["f", "m"], n), rng.choice(["north", "south", "west"], n)]
    ill = np.where(rng.random(n) < 0.3, "yes", "no")
    _write(folder / "people.csv", "age,sex,town,ill", zip(*columns, ill, strict=True))
    (folder / "audit.toml").write_text(TABLES)
    return ["audit", str(folder / "audit.toml")]


def genomes(folder: Path) -> list[str]:
    """Write the genotypes of a small study, and of other people."""
    import numpy as np

    from dalenius.genomes.plink import write_plink
    from dalenius.genomes.variants import Genotypes, Variants
    from dalenius.people.traits.traits import coded_from_values

    rng = np.random.default_rng(2)
    snps = 300
    names, places = np.array([f"rs{j}" for j in range(snps)]), np.arange(snps) + 1
    variants = Variants(names, np.full(snps, "1"), places, np.full(snps, "A"), np.full(snps, "G"))
    frequency = rng.uniform(0.1, 0.9, snps)
    for name, n in (("cases", 40), ("others", 120)):
        values = rng.binomial(2, frequency, (n, snps)) - 1.0
        ids = np.array([f"{name}{i}" for i in range(n)])
        traits = coded_from_values("IID", ids, names, values, "genotype")
        write_plink(folder / f"{name}.bed", Genotypes(traits, variants))
    cases, others = str(folder / "cases.bed"), str(folder / "others.bed")
    return ["trace", "members", "--members", cases, "--reference", others, "--mechanism", "exact"]


def anonymised(folder: Path) -> list[str]:
    """Write rows without names, with age and zip as they are, and the town they come from."""
    import numpy as np

    rng = np.random.default_rng(3)
    town = list(zip(rng.integers(18, 90, 2000), rng.integers(100, 140, 2000), strict=True))
    _write(folder / "all.csv", "age,zip", town)
    _write(folder / "people.csv", "age,zip", town[:80])
    people, everybody = str(folder / "people.csv"), str(folder / "all.csv")
    files = ["--original", people, "--anonymised", people, "--population", everybody]
    return ["single-out", "rows", *files, "--quasi", "age,zip"]


def family(folder: Path) -> list[str]:
    """Write three generations."""
    relatives = [("g1", "", ""), ("g2", "", ""), ("p1", "g1", "g2"), ("p2", "", "")]
    children = [(f"c{i}", "p2", "p1") for i in (1, 2, 3)]
    _write(folder / "family.csv", "id,father,mother", relatives + children)
    words = ["infer", "pedigree", "--people", str(folder / "family.csv"), "--agreement", "parent=0.75"]
    return [*words, "--epsilon", "0.5", "--target-nu", "1"]


def census(folder: Path) -> list[str]:
    """Write tables as of 2010 about 12 blocks with sizes, ages and races as in the nation; nobody is real."""
    import numpy as np

    from dalenius.records.simulated.tables import write_census

    return write_census(folder, 12, rng=np.random.default_rng(5))


def _write(path: Path, head: str, rows: Iterable[Sequence[Any]]) -> None:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n")


STORIES = {
    "tables": Story(
        "Tables of an illness", "By age, sex and town, rounded to base 3, and the same with noise.", tables
    ),
    "genomes": Story(
        "Frequencies of a study", "Allele frequencies of 40 cases, published as they are.", genomes
    ),
    "anonymised": Story(
        "An anonymised file", "Rows without names, with age and zip as they are.", anonymised
    ),
    "family": Story("A family", "What epsilon = 0.5 is worth to people whose relatives answer too.", family),
    "census": Story(
        "Tables of a census", "twelve blocks with national shapes: which records do the tables prove?", census
    ),
}
"""By the name that ``dalenius demo`` takes."""

MECHANISMS = {"exact": "exact", "rounded": "rounding:base=5", "suppressed": "suppression:below=10"}
"""What is done to the tables of each release of the demo."""

DEFAULT = Path("dalenius-demo")

HELP = """Audit a real survey, or tell another story with simulated people.

\b
survey      6,366 women and whether they had an affair: all tables with three public
            columns, exact, rounded to base 5, and with cells below 10 suppressed
            (real; it comes inside statsmodels, extra `demo`)
tables      tables of an illness, rounded, and the same with noise
genomes     allele frequencies of a study: who took part?
anonymised  rows without names: who can be pointed at?
family      an epsilon, and relatives who answer too
census      tables of 12 blocks shaped as the nation: which records do they prove?

\b
Examples:
  dalenius demo
  dalenius demo genomes --out genomes

DIR gets findings.json and the page, report.html; for a story of simulated people also these, in
DIR/people, and the command is printed so that you can run it yourself. Exit code: 0, whatever was
found.
"""

app = typer.Typer(add_completion=False, rich_markup_mode=None)

REAL = "survey"


@app.command(help=HELP)
def demo(
    story: Annotated[
        str,
        typer.Argument(metavar="STORY", help="Which story.", autocompletion=lambda: [REAL, *STORIES]),
    ] = REAL,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the results.")] = DEFAULT,
    seed: Annotated[int, typer.Option(min=0, help="Of the survey: the same seed, the same findings.")] = 1,
) -> None:
    """Audit the survey and write its findings, or run the command of another story."""
    from dalenius.console.finish import Outputs

    outputs = Outputs(out)
    outputs.check()
    if story == REAL:
        _survey(outputs, seed)
    else:
        _simulated(story, out)


def _survey(outputs: Outputs, seed: int) -> None:
    from dalenius.console.finish import tell
    from dalenius.console.progress import bar
    from dalenius.people.examples.examples import example
    from dalenius.reconstruction.audit import audit
    from dalenius.reconstruction.opened import Planned, Scenario

    first = next(iter(MECHANISMS))
    releases = {
        name: Planned("tables:k=3", mechanism, alternative_to=None if name == first else first)
        for name, mechanism in MECHANISMS.items()
    }
    with bar() as progress, example("fair") as people:
        result = audit(people, releases, Scenario(seed=seed), progress=progress)
    tell(result.report, {}, outputs)


def _simulated(story: str, out: Path) -> None:
    """Make the people of a story, and run its command as a person would; its verdict is not our exit code."""
    import shlex

    import typer.main

    from dalenius.cli.main import app as commands
    from dalenius.console.finish import NOT_PASSED

    if story not in STORIES:
        known = ", ".join([REAL, *STORIES])
        raise InputError("STORY", f"must be one of {known}", repr(story), nearest(story, [REAL, *STORIES]))
    people = out / "people"
    people.mkdir(parents=True, exist_ok=True)
    words = [*STORIES[story].make(people), "--out", str(out)]
    typer.echo(f"{STORIES[story].title}, of simulated people: {STORIES[story].told} The command:")
    typer.echo(f"  dalenius {shlex.join(words)}\n")
    code = typer.main.get_command(commands).main(words, prog_name="dalenius", standalone_mode=False)
    if code not in (None, 0, NOT_PASSED):  # interrupted, or a mistake
        raise typer.Exit(code)
