"""What the actions of ``dalenius trace`` are told: options that belong together, as one object each."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from dalenius.console.finish import Outputs
from dalenius.console.options import Place, place
from dalenius.errors import InputError
from dalenius.tracing.attack.presets import LEVEL

if TYPE_CHECKING:
    from dalenius.genomes.associations.sizes import StudySizes
    from dalenius.progress import Progress
    from dalenius.tracing.attack.score_test import ScoreTest
    from dalenius.tracing.files.opening import Opening

By = Literal["auto", "id", "place"]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]


@dataclass(frozen=True)
class GenotypeFiles:
    """How files of genotypes are matched, and where they are converted."""

    match: Annotated[By, typer.Option("--match", help="Match SNPs by id or by place.")] = "auto"
    strands_agree: Annotated[
        bool, typer.Option("--strands-agree", help="Keep A/T and C/G: same strand everywhere.")
    ] = False
    cache: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for converted files.")] = None

    def opening(self, progress: Progress) -> Opening:
        """Return the same for the reader."""
        from dalenius.tracing.files.opening import Opening

        return Opening(None, self.match, self.strands_agree, self.cache, progress)


@dataclass(frozen=True)
class FilesAsked(GenotypeFiles):
    """The same where people may also be in tables."""

    id: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="Column with person ids (tables only).")
    ] = None

    def opening(self, progress: Progress) -> Opening:
        """Return the same for the reader."""
        return replace(super().opening(progress), id=self.id)


@dataclass(frozen=True)
class TestAsked:
    """Which test is run."""

    weights: Annotated[
        str, typer.Option(help="Weights of the score: auto, raw, clip, corr, opt, llr, homer or absent.")
    ] = "auto"
    calibration: Annotated[
        str, typer.Option(help="auto, adjusted, pooled, known-p, conformal, flip, norm or paper; see Tests.")
    ] = "auto"
    preset: Annotated[
        str | None, typer.Option(help="A test of the papers by name, instead of weights and calibration.")
    ] = None
    alpha: Annotated[float | None, typer.Option(help="Error of the means, for the weights clip.")] = None
    independent: Annotated[
        bool, typer.Option("--independent", help="Attributes do not depend on each other.")
    ] = False

    def score_test(self) -> ScoreTest:
        """Return the same for the attack."""
        from dalenius.tracing.attack.score_test import ScoreTest

        return ScoreTest(**asdict(self))


@dataclass(frozen=True)
class AccusingAsked:
    """Which test is run, and from which result on somebody is accused."""

    test: TestAsked
    level: Annotated[
        float, typer.Option(help="Accuse at q-values (p-values corrected for multiple testing) up to this.")
    ] = LEVEL
    correction: Annotated[
        Literal["bh", "by", "holm", "bonferroni"], typer.Option(help="Correction for multiple testing.")
    ] = "bh"


@dataclass(frozen=True)
class RecognisedOutputs(Outputs):
    """Where results go, and whether they name people."""

    show_people: Annotated[bool, typer.Option("--show-people", help="Write who is recognised.")] = False


@dataclass(frozen=True)
class PublishedAsked:
    """What somebody who traces people holds."""

    release: Annotated[Path, typer.Option(metavar="FILE", help="The published means or frequencies.")]
    targets: Annotated[Place, typer.Option(parser=place, metavar="FILE", help="The people asked about.")]
    reference: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Other people, or frequencies of others.")
    ] = None
    reference_is_population: Annotated[
        bool,
        typer.Option(
            "--reference-is-population",
            help="Reference frequencies are those of the population, without error.",
        ),
    ] = False
    n: Annotated[int | None, typer.Option(min=1, help="Number of people behind the release.")] = None
    cases: Annotated[
        int | None, typer.Option(min=1, help="Of summary statistics: cases, if the file does not say.")
    ] = None
    controls: Annotated[
        int | None, typer.Option(min=1, help="Of summary statistics: controls, if the file does not say.")
    ] = None
    frequencies_of: Annotated[
        Literal["auto", "controls", "everybody"],
        typer.Option(help="Whose frequency stands beside an odds ratio; auto: controls in GWAS-SSF."),
    ] = "auto"
    mechanism: Annotated[str, typer.Option(help="Mechanism said to be behind the means.")] = "unknown"

    def study(self) -> StudySizes:
        """Return what is said about the people behind the release."""
        from dalenius.genomes.associations.sizes import StudySizes

        return StudySizes(self.n, self.cases, self.controls, self.frequencies_of)


@dataclass(frozen=True)
class MembersAsked:
    """What is published of whom, and other people."""

    members: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The people whose means are published.")
    ]
    reference: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Others of the same population.")
    ]
    mechanism: Annotated[str, typer.Option(help="Mechanism applied to the means.")] = "exact"


@dataclass(frozen=True)
class TrialsAsked:
    """How often releases are made and from which seed, and who else is judged."""

    prior: Annotated[float | None, typer.Option(help="Prior probability that a target is a member.")] = None
    repeats: Annotated[int, typer.Option(min=1, help="Independent releases to make and attack.")] = 1
    group: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="Others to judge, such as relatives.")
    ] = None
    seed: Seed = 1


@dataclass(frozen=True)
class BeaconAsked:
    """Who is in a beacon, and how it is asked."""

    members: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The people in the beacon: genotypes.")
    ]
    reference: Annotated[
        Place,
        typer.Option(
            parser=place,
            metavar="FILE",
            help="Others of the population (default: a quarter of members).",
        ),
    ] = None
    queries: Annotated[int, typer.Option(min=1, help="Questions about one person, at most.")] = 100
    noise: Annotated[
        float, typer.Option(min=0, max=0.5, help="Probability that an answer is turned over.")
    ] = 0.0
    errors: Annotated[
        float, typer.Option(min=0, max=0.5, help="Share of alleles that records have wrong.")
    ] = 1e-3
    group: Annotated[
        list[str] | None, typer.Option(metavar="NAME=FILE", help="Others to judge, such as relatives.")
    ] = None


@dataclass(frozen=True)
class PromiseAsked:
    """What a program is said to promise, and how it is tested."""

    mechanism: Annotated[str, typer.Option(help="What it is said to do, as gaussian:rho=0.5.")]
    trials: Annotated[int, typer.Option(min=6, help="Releases in each world of each of three pairs.")] = 2000
    people: Annotated[int, typer.Option(min=2, help="People in the data it gets.")] = 50
    columns: Annotated[int, typer.Option(min=2, help="Yes/no columns of that data.")] = 10
    seconds: Annotated[
        float, typer.Option("--time-limit", min=0.1, help="Seconds that one run may take.")
    ] = 30.0


@dataclass(frozen=True)
class MeansAsked:
    """Means that are to be published, and whom they are to be safe from."""

    n: Annotated[int | None, typer.Option("--n", min=1, help="Number of people behind each mean.")] = None
    members: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Instead of --n: your own people.")
    ] = None
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="N|FILE",
            help="Number of reference people (default: the whole population); with --members their file.",
        ),
    ] = None
    fpr: Annotated[float, typer.Option(help="False-positive rate (false alarms) the attacker accepts.")] = (
        1e-3
    )
    beta: Annotated[
        float, typer.Option(help="Power (share of members recognised) that counts as tracing.")
    ] = 0.5
    sigma: Annotated[float, typer.Option(min=0, help="Noise on each fraction or frequency.")] = 0.0
    rho: Annotated[float | None, typer.Option(help="Instead: a budget for --means together.")] = None
    means: Annotated[int | None, typer.Option(min=1, help="How many means you want to publish.")] = None
    alpha: Annotated[float, typer.Option(min=0, help="Bias that the guarantee is to cover.")] = 0.0
    frequencies: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Allele frequencies; the guarantee is then computed for them."),
    ] = None

    def numbers(self) -> dict[str, Any]:
        """Return what is said in numbers, refusing what belongs to files."""
        said = asdict(self)
        del said["members"]
        if self.n is None:
            raise InputError("--n", "must be given, or --members", "neither")
        if self.reference is not None:
            if not self.reference.isascii() or not self.reference.isdigit() or int(self.reference) < 1:
                raise InputError(
                    "--reference", "must be a number of people, 1 or more, without --members", self.reference
                )
            said["reference"] = int(self.reference)
        return said

    def refuse_numbers(self) -> None:
        """Refuse what is told by the people themselves."""
        for name in ("n", "rho", "means", "frequencies"):
            if getattr(self, name) is not None:
                raise InputError(f"--{name}", "must not be given beside --members", str(getattr(self, name)))
        if self.sigma or self.alpha:
            raise InputError("--sigma and --alpha", "must not be given beside --members", "one of them")
        if self.reference is None:
            raise InputError("--reference", "must name other people, beside --members", "nothing")
