"""What every ``dalenius reconstruct`` command does with its view: diagnose if asked, attack, write, print."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from dalenius.console.progress import Notices
    from dalenius.findings.report import Report
    from dalenius.knowledge.view import View
    from dalenius.reconstruction.published.options import AttackOptions


def attack_view(
    view: View,
    truth: NDArray[np.int32] | None,
    options: AttackOptions,
    *,
    diagnosed: bool,
    assumed: tuple[str, ...] = (),
) -> None:
    """Attack a view, and end with what follows from it: a report, ``claims.csv``, perhaps a diagnosis.

    What was ``assumed`` to read the numbers stands first among the notes.
    """
    from dalenius.console.finish import finish
    from dalenius.console.progress import Notices, bar
    from dalenius.random import stream
    from dalenius.reconstruction.attack.forecast.diagnostics import diagnose
    from dalenius.reconstruction.published.attack_one import attack_one

    files: dict[str, str] = {}
    notices = Notices(quiet=options.outputs.quiet)
    said: tuple[str, ...] = ()
    with bar(quiet=options.outputs.quiet) as progress:
        if diagnosed:
            diagnosis = diagnose(view, rng=stream(options.seed, "diagnosis"), progress=progress)
            said, files["diagnosis.json"] = diagnosis.lines(), diagnosis.to_json()
        notes = (*assumed, *hold_forecast(view, notices))
        result, claims = attack_one(
            view, truth, options, notes=notes, progress=progress, announce=notices.say
        )
    notices.release()
    files["claims.csv"] = claims.to_csv()
    finish(result, files, options.outputs, told=[*refuted_lines(result), *said])


def hold_forecast(view: View, notices: Notices) -> tuple[str, ...]:
    """Say before the attack what to expect of it, where there are far fewer equations than people."""
    from dalenius.reconstruction.attack.choose import forecast

    expected = forecast(view)
    if expected is None:
        return ()
    notices.hold(expected.sentence)
    return (expected.sentence,)


def refuted_lines(report: Report) -> list[str]:
    """What must be said before anything else, where the truth contradicts what followed by arithmetic."""
    from dalenius.findings.tally import Tally
    from dalenius.reconstruction.finding import SecretsFinding
    from dalenius.reconstruction.words import refuted

    for finding in report.findings:
        judged = finding.details.judged if isinstance(finding, SecretsFinding) else None
        said = None
        if judged is not None:
            said = refuted(Tally(judged.certain_right, judged.certain_right + judged.certain_wrong))
        if said is not None:
            return [
                said,
                "Check what is said of the mechanism, the digits and the margins, and the list of people; "
                "nothing below is certain.",
                "",
            ]
    return []
