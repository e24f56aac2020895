"""Audit releases of statistics about a secret from Python, without a plan."""

from __future__ import annotations

from collections.abc import Mapping

from dalenius.auditing.case import Opened, Question
from dalenius.auditing.run import Audit, run
from dalenius.people.dataset import Dataset
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.reconstruction.opened import GivenRelease, Planned, Scenario, SecretsOpened
from dalenius.release.release import Release


def audit(
    people: Dataset,
    releases: Planned | Release | Mapping[str, Planned | Release | GivenRelease],
    scenario: Scenario | None = None,
    *,
    related: Question | None = None,
    progress: Progress = silent,
    announce: Announce = unsaid,
) -> Audit:
    """Attack planned or published releases, and say what they give away.

    Parameters
    ----------
    people
        The people the releases are about.
    releases
        Planned or published ones by name, or one, which is called ``release``. All are attacked together as
        well, but of those that are said to be alternatives one at a time.
    scenario
        What the attacker knows, what is tolerated, and the seed.
    related
        Who is related to whom: then every release's promise is also said as what it is worth to them.
    progress
        Is told how far the audit is.
    announce
        Is told before a long attack which decoder was taken and what it is predicted to need; and, where a
        release has far fewer numbers than people, what to expect.

    Raises
    ------
    InputError
        If something given cannot be used; it never shows a person.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from dalenius.people.dataset import read
    >>> rows = pa.table({"age": [32, 47, 51, 60], "ill": ["no", "yes", "no", "no"]})
    >>> with read(rows, secret="ill") as people:
    ...     result = audit(people, Planned("tables:k=1", "exact"))
    >>> result.verdict, result.report.findings[0].certain
    ('stop', 4)
    """
    named = releases if isinstance(releases, Mapping) else {"release": releases}
    held = scenario or Scenario()
    with SecretsOpened(people, named, held, progress) as opened:
        asked: list[Opened] = [opened]
        if related is not None:
            asked.append(related.ask(asked, seed=held.seed))
        return run(asked, held.policy, seed=held.seed, progress=progress, announce=announce)
