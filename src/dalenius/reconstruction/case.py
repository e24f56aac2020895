"""One release under the question of reconstruction: what is everybody's secret?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from dalenius.findings.report import Finding
from dalenius.knowledge.view import Knowledge, View
from dalenius.progress import Announce, Progress, silent, within
from dalenius.reconstruction.attack.attack import Attempt, attempt_all
from dalenius.reconstruction.attack.choose import Forecast, forecast
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.reconstruction.build import explain, make_finding
from dalenius.reconstruction.finding import SecretsFinding
from dalenius.reconstruction.referee.judge import Thresholds
from dalenius.reconstruction.rules import Again, joined
from dalenius.reconstruction.words import bound_of
from dalenius.spread.places import side_by_side

if TYPE_CHECKING:
    from dalenius.reconstruction.opened import SecretsOpened
    from dalenius.reconstruction.referee.by_block import BlockCounts

HALF = 0.5
"""How far judging is once a pass was tried again; then the cause is looked for."""


class SecretsCase:
    """One release, or all together: what is everybody's secret?"""

    goal = "reconstruction"
    looks = 1

    def __init__(self, opened: SecretsOpened, release: str) -> None:
        self.opened, self.release = opened, release
        self.published = opened.published[release]
        self.parts = [opened.published[part] for part in opened.parts[release]]
        self._checked: tuple[View, Guesses] | None = None
        self.by_block: BlockCounts | None = None

    def publish(self, progress: Progress) -> View:
        """Return the release with what the attacker knows."""
        return View(self.published, Knowledge(self.opened.roster, self.opened.court.prior))

    def attack(self, view: View, progress: Progress, announce: Announce) -> Guesses:
        """Guess everybody's secret; where little is to be expected, say so beforehand."""
        real = view.release is self.published
        if real and self.release in self.opened.said:
            return self.opened.said[self.release]
        if self._checked is not None and view is self._checked[0]:
            return self._checked[1]
        expected = self.expected(view) if real else None
        if expected is not None:
            announce(expected.sentence)
        if not real:
            return self.opened.guess(view, progress, announce, calibrated=False)
        if side_by_side() > 1:
            return self.claimed(self._beside_control(view, progress), expected)
        return self.claimed(self.opened.guess(view, progress, announce), expected)

    def claimed(self, claims: Guesses, expected: Forecast | None) -> Guesses:
        """What the whole attack on the release says, with what was expected of it; kept for whoever asks."""
        if expected is not None:
            claims = replace(claims, notes=(expected.sentence, *claims.notes))
        self.opened.said[self.release] = claims
        return claims

    def expected(self, view: View) -> Forecast | None:
        """What is to be expected of a release that is attacked as a whole."""
        if self.opened.scenario.split is not None or self.opened.people.by_record:
            return None
        return forecast(view)

    def _beside_control(self, view: View, progress: Progress) -> Guesses:
        """Attack the release and its control at once, where several processes share the work."""
        control = self.control(silent)
        progress(0.0, "starting" if control is None else "the release and its control")
        attempts = [self.opened.whole(view)]
        if control is not None:
            attempts.append(self.opened.whole(control, calibrated=False))
        claims, *checked = attempt_all(attempts)
        if control is not None:
            self._checked = control, checked[0]
        return claims

    def control(self, progress: Progress) -> View | None:
        """Return the release with redrawn secrets; none of a release made in an unknown way."""
        if self._checked is not None:
            return self._checked[0]
        if any(part.mechanism == "unknown" for part in self.parts) or self._no_control():
            return None
        made = [self.opened.publish_again(part) for part in self.parts]
        redrawn = joined(made, self.release)
        return View(redrawn, Knowledge(self.opened.roster, self.opened.control.prior))

    def judge(
        self, claims: Guesses, control: Guesses | None, looks: int, progress: Progress
    ) -> SecretsFinding:
        """Have the court count; try a pass again on samples of the people."""
        opened = self.opened
        checked = None if control is None else opened.court.judge_control(control, opened.control)
        policy = opened.policy
        judgement = opened.court.judge(
            claims, checked, Thresholds(known=policy.known_at, named=policy.sensitive or ())
        )
        finding = make_finding(
            judgement,
            self.published,
            looks=looks,
            confidence=policy.confidence,
            population_source=opened.court.source,
            bound=bound_of(self.published),
            assumptions=self._assumptions(),
        )
        if opened.scenario.split is not None:
            from dalenius.reconstruction.blocks import counts_by_block, with_blocks

            self.by_block = counts_by_block(opened, claims, judgement)
            finding = with_blocks(opened, self.release, finding, self.by_block)
        guess = partial(opened.whole, calibrated=True if claims.shift is None else claims.shift)
        again = self._again(opened.scenario.resamples, opened.arithmetic, guess)
        confirmed = again.confirm(finding, self.parts, within(progress, 0.0, HALF))
        return explain(opened, self.release, claims, confirmed, progress=within(progress, HALF, 1.0))

    def follow_samples(self, finding: SecretsFinding, draws: int) -> SecretsFinding:
        """Say of a pass what arithmetic alone gives away on samples of the people: those of the audit."""
        return self._again(draws, self.opened.arithmetic).confirm(finding, self.parts, silent)

    def _again(self, draws: int, *attacks: Callable[[View], Attempt]) -> Again:
        opened = self.opened
        return Again(opened.court, opened.policy, opened.seed, attacks, 0 if self._no_control() else draws)

    def about_people(self, claims: Guesses) -> Guesses:
        """Return everybody's guess."""
        return claims

    def files(self, claims: Guesses, finding: Finding) -> Mapping[tuple[str, str], str]:
        """Return everybody's guess, and whom a few numbers of printed tables give away."""
        from dalenius.reconstruction.attack.certain.differencing import find_disclosures
        from dalenius.reconstruction.by_record import records_csv
        from dalenius.statistics.statistic import Among

        told = claims.to_csv() if claims.people is None else records_csv(claims, self.opened.roster)
        files = {("claims", ".csv"): told}
        if self.by_block is not None:
            files["blocks", ".csv"] = self.by_block.to_csv()
        if any(isinstance(block.statistic, Among) for block in self.published.blocks):
            view = View(self.published, Knowledge(self.opened.roster))
            files["disclosures", ".csv"] = find_disclosures(view).to_csv()
        return files

    def _assumptions(self) -> list[str]:
        opened, release = self.opened, self.published
        columns = ", ".join(column.name for column in opened.roster.attributes.columns) or "none"
        unknown = "unknown" in {release.mechanism_of(block) for block in release.blocks}
        told = "is told nothing about the mechanism" if unknown else "knows the mechanism"
        said = [f"The attacker knows who is in the data and their public columns ({columns}), and {told}."]
        if opened.court.source == "k-fold":
            said.append(
                "No other people were given: the baseline was learnt from the members themselves, nobody "
                "from their own secret, and the attacker starts from it."
            )
        else:
            said.append("The attacker and the baseline learnt from the same reference people.")
        said += [
            f"{name} alone tells the secret of {told:.1%} of the people; without it {usual:.1%} are guessed. "
            f"The attacker is taken to know {name} beforehand, so what it tells does not count against the "
            "release: if nobody outside knows it, take it out of the public columns."
            for name, told, usual in opened.court.told_by_columns()
        ]
        if opened.left_out:
            left = f"{opened.left_out:,} of the reference people have a secret that no member has"
            said.append(f"{left}, and were left out.")
        if unknown:
            said.append("There is no control: a release made in an unknown way cannot be made again.")
        said += [
            f"There is no control: {name} cannot be made again, since {why}."
            for name, why in self._no_control()
        ]
        if len(opened.stated) > 1:
            from dalenius.auditing.alternatives import said_of_alternatives

            said += said_of_alternatives(self.release, opened.stated)
        read = [text for name in opened.parts[self.release] for text in _assumed(opened, name)]
        if opened.people.by_record:
            from dalenius.reconstruction.by_record import said_of_records

            read += said_of_records(opened)
        return [*said, *read, *opened.assumed, *self._of_several()]

    def _of_several(self) -> list[str]:
        """What is assumed of releases of several dates, and of those that answer the same."""
        if len(self.opened.planned) == 1:
            return []
        from dalenius.reconstruction.together import said_of_dates, said_of_the_same

        changing = [part for part in self.parts if part.name not in self.opened.fixed]
        return said_of_dates(self.parts, self.opened.planned) + said_of_the_same(changing)

    def _no_control(self) -> list[tuple[str, str]]:
        """The parts that cannot be made again, and why."""
        given = [(name, self.opened.given.get(name)) for name in self.opened.parts[self.release]]
        return [(name, each.no_control) for name, each in given if each is not None and each.no_control]


def _assumed(opened: SecretsOpened, name: str) -> tuple[str, ...]:
    return opened.given[name].assumed if name in opened.given else ()
