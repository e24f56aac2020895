"""What every ``dalenius reconstruct`` command does with its view: diagnose if asked, attack, write, print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import typer
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dalenius.attacks.reconstruction.forecast import Forecast
    from dalenius.audit.single import Single
    from dalenius.cli.notices import Notices
    from dalenius.knowledge.view import View


def attack_view(
    view: View,
    truth: NDArray[np.int32] | None,
    *,
    decoder: str,
    confidence: float,
    seed: int,
    diagnosed: bool,
    out: Path,
    assumed: tuple[str, ...] = (),
) -> None:
    """Attack a view, write ``claims.csv`` and ``findings.json`` (and ``diagnosis.json``), and print both.

    What was ``assumed`` to read the numbers stands first among the notes.
    """
    from dalenius.atomic_write import write_files
    from dalenius.attacks.reconstruction.diagnostics import diagnose
    from dalenius.audit.single import attack_one
    from dalenius.cli.notices import Notices
    from dalenius.cli.progress import bar
    from dalenius.random import stream

    files: dict[str, str] = {}
    notices = Notices()
    said: tuple[str, ...] = ()
    with bar() as progress:
        if diagnosed:
            diagnosis = diagnose(view, rng=stream(seed, "diagnosis"), progress=progress)
            said, files["diagnosis.json"] = diagnosis.lines(), diagnosis.to_json()
        expected = hold_forecast(view, notices)
        result, claims = attack_one(
            view,
            truth,
            decoder=decoder,
            confident=confidence,
            seed=seed,
            progress=progress,
            announce=notices.say,
            expected=expected,
        )
    notices.release()
    result = result.model_copy(update={"notes": (*assumed, *result.notes)})
    files |= {"claims.csv": claims.to_csv(), "findings.json": result.to_json()}
    write_files(out, files)
    say_refuted(result)
    for line in said:
        typer.echo(line)
    print_result(result)
    typer.echo(f"Written: {', '.join(str(out / name) for name in files)}")
    end(result)


def hold_forecast(view: View, notices: Notices) -> Forecast | None:
    """Say before the attack what to expect of it, where there are far fewer equations than people."""
    from dalenius.attacks.reconstruction.forecast import forecast

    expected = forecast(view)
    if expected is not None:
        notices.hold(expected.sentence)
    return expected


def say_refuted(result: Single) -> None:
    """Say before anything else that the truth contradicts what followed by arithmetic."""
    if result.refuted is not None:
        typer.echo(
            f"{result.refuted}\nCheck what is said of the mechanism, the digits and the margins, and the "
            "list of people; nothing below is certain.\n"
        )


def end(result: Single) -> None:
    """End with exit code 1 if the release was not made as stated: nothing that was found holds then."""
    if result.refuted is not None:
        raise typer.Exit(1)


def print_result(result: Single) -> None:
    """Print what an attack found."""
    typer.echo(f"{result.people:,} people, {result.numbers:,} answers, mechanism {result.mechanism}")
    typer.echo(f"decoder {result.attack_method}")
    for note in result.notes:
        typer.echo(f"  {note}")
    share = result.expected_right / result.people
    typer.echo(f"The attack expects {share:.1%} of its guesses to be right.")
    typer.echo(f"{result.exposed:,} people are guessed with probability {result.confident:g} or more.")
    if result.refuted is None:
        typer.echo(f"{result.certain:,} people are certain: arithmetic alone, no probability.")
    if result.finding is not None:
        typer.echo(f"\n{result.finding.sentence}")
        gain = result.finding.advantage
        typer.echo(
            f"Advantage {100 * gain.value:+.1f} points ({100 * gain.low:+.1f} to {100 * gain.high:+.1f}); "
            f"severity {result.finding.severity}: {result.finding.severity_reason}."
        )
    typer.echo("")
