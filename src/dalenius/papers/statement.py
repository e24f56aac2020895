"""One statement of a paper: where it stands, what it says and assumes, what can be set."""

from __future__ import annotations

from dataclasses import dataclass

from dalenius.papers.settings import Parameter


@dataclass(frozen=True)
class Heading:
    """A line of a paper's contents; listing them loads no statement.

    Attributes
    ----------
    id
        Short name, for example ``exposed-7``.
    paper
        Authors, year and title.
    number
        What the paper calls it, for example ``Theorem 7``.
    title
        A few words.
    module
        The file that holds ``STATEMENT`` and ``run``, a function from `Settings` to `Result`.
    """

    id: str
    paper: str
    number: str
    title: str
    module: str


@dataclass(frozen=True)
class Statement:
    """A theorem, claim or definition in plain words, and what can be set in its experiment.

    Attributes
    ----------
    says
        What follows, with the constants this library uses.
    assumptions
        What must hold, one sentence each.
    parameters
        What can be set besides runs and seed.
    runs
        How often it is repeated when nobody says.
    errata
        Where our statement differs from the print.
    """

    says: str
    assumptions: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    runs: int
    errata: tuple[str, ...] = ()


def contents(paper: str, folder: str, *entries: tuple[str, str, str, str]) -> tuple[Heading, ...]:
    """Return the headings of a paper.

    Parameters
    ----------
    paper
        Authors, year and title.
    folder
        The package that holds its statements.
    entries
        Id, number, title and file of each statement.

    Examples
    --------
    >>> heading, = contents("Doe (2020), A Paper", "doe", ("doe-1", "Lemma 1", "It holds", "lemma_1"))
    >>> heading.module
    'doe.lemma_1'
    """
    return tuple(Heading(id, paper, number, title, f"{folder}.{file}") for id, number, title, file in entries)
