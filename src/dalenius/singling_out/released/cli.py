"""``dalenius rows``: singling out, linkability and inference by released rows, in one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from dalenius.console.finish import OUTPUTS, Outputs
from dalenius.console.options import Place, grouped, place
from dalenius.console.policies import QuestionRules
from dalenius.singling_out.cli_help import QUESTIONS

app = typer.Typer(add_completion=False, rich_markup_mode=None)


@dataclass(frozen=True)
class ThreeFiles:
    """The people behind the released rows, the released rows, and others."""

    original: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="The people behind the released rows.")
    ]
    released: Annotated[Place, typer.Option(parser=place, metavar="FILE", help="Released rows.")]
    control: Annotated[
        Place, typer.Option(parser=place, metavar="FILE", help="Other people of the same population.")
    ]


@dataclass(frozen=True)
class AskedColumns:
    """Which columns the questions are about."""

    secret: Annotated[str, typer.Option(metavar="COLUMN", help="Column to infer from all others.")]
    link: Annotated[
        str, typer.Option(metavar="A,B/C,D", help="Columns of two files of the same people, to be linked.")
    ]
    within: Annotated[
        float | None,
        typer.Option(help="How near a guess of a secret number is right; else a twentieth of its spread."),
    ] = None
    person_id: Annotated[
        str, typer.Option("--id", metavar="COLUMN", help="Column with person ids (not attacked).")
    ] = ""
    leave_out: Annotated[str, typer.Option(metavar="A,B", help="Columns that number or name rows.")] = ""


@app.command("rows", help=QUESTIONS)
@grouped
def rows(
    files: ThreeFiles,
    asked: AskedColumns,
    tolerated: QuestionRules,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")] = 1,
    outputs: Outputs = OUTPUTS,
) -> None:
    """Ask the three questions."""
    from dalenius.auditing.decide import conclude
    from dalenius.console.finish import finish
    from dalenius.console.progress import bar
    from dalenius.findings.report import Data
    from dalenius.people.opening import place_name
    from dalenius.progress import within
    from dalenius.singling_out.released.files import read_triple
    from dalenius.singling_out.released.questions import Halves, QuestionsAsked, run_questions
    from dalenius.singling_out.released.questions_finding import finding_of_questions
    from dalenius.singling_out.released.triple import TripleSettings
    from dalenius.singling_out.released.why import explained_triple

    policy, link = tolerated.made(), Halves.parse(asked.link)
    how = TripleSettings(confidence=policy.confidence, seed=seed)
    questions = QuestionsAsked(asked.secret, link, asked.within, how)
    apart, ids = _words(asked.leave_out), _words(asked.person_id)
    with bar(quiet=outputs.quiet) as progress:
        progress(0.0, "reading")
        triple = read_triple(files.original, files.released, files.control, apart, ids, same_kinds=True)
        found = run_questions(triple, questions, within(progress, 0.0, 0.5))
        places = {"original": files.original, "synthetic": files.released, "control": files.control}
        names = {name: place_name(source) for name, source in places.items()}
        finding = finding_of_questions(found, names["synthetic"], files=names)
        finding = explained_triple(finding, triple, found.triple, how, progress=within(progress, 0.5, 1.0))
    data = Data(source=names["original"], people=found.triple.original, public=(), secret=asked.secret)
    finish(conclude([finding], policy, data=data, seed=seed), {}, outputs)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]
