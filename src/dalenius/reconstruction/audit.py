"""Audit releases of statistics about a secret from Python, without a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalenius.auditing.case import Opened, Question
from dalenius.auditing.plan import RESAMPLES
from dalenius.auditing.run import Audit, run
from dalenius.findings.policy import Policy
from dalenius.people.dataset import Dataset
from dalenius.progress import Announce, Progress, silent, unsaid
from dalenius.reconstruction.attack.budget import Budget
from dalenius.reconstruction.case import Given, Planned, SecretsOpened
from dalenius.release.release import Release
from dalenius.statistics.statistic import Statistic


def audit(
    people: Dataset,
    *,
    statistics: Statistic | str | Sequence[Statistic | str] = (),
    mechanism: str = "exact",
    releases: Mapping[str, Planned | Release] | None = None,
    known: Sequence[str] | None = None,
    reference: Dataset | None = None,
    policy: Policy | None = None,
    seed: int = 1,
    progress: Progress = silent,
    announce: Announce = unsaid,
    budget: Budget | None = None,
    related: Question | None = None,
    resamples: int = RESAMPLES,
) -> Audit:
    """Attack planned or published releases, and say what they give away.

    Parameters
    ----------
    people
        The people the releases are about.
    statistics, mechanism
        One planned release; it is called ``release``.
    releases
        Several, planned or published, by name; instead of the two above. Unless two of them answer the
        same statistic, and so are alternatives, all are attacked together as well.
    known
        The public columns the attacker knows; all of them by default.
    reference
        Other people, whose secrets the attacker knows: they teach what is usual for people like these.
    policy
        What is tolerated.
    seed
        The same seed gives the same findings.
    progress
        Is told how far the audit is.
    announce
        Is told before a long attack which decoder was taken and what it is predicted to need; and, where a
        release has far fewer numbers than people, what to expect.
    budget
        What a decoder may be predicted to take; two minutes and half of the memory by default.
    related
        Who is related to whom: then every release's promise is also said as what it is worth to them.
    resamples
        A release that passes without a theorem is tried again on so many random nine tenths of the people,
        since it may pass by luck.

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
    ...     result = audit(people, statistics="tables:k=1")
    >>> result.verdict, result.report.findings[0].certain
    ('stop', 4)
    """
    if releases is None:
        releases = {"release": Planned(statistics, mechanism)}
    rules = policy or Policy()
    given = Given(known, reference, rules, seed, budget, resamples)
    with SecretsOpened(people, releases, given, progress) as opened:
        asked: list[Opened] = [opened]
        if related is not None:
            asked.append(related.ask(asked, seed=seed))
        return run(asked, rules, seed=seed, progress=progress, announce=announce)
