"""What only a finding about records says: units, certain records, radius, and what the referee counted."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from dalenius.findings.measure import Plain
from dalenius.findings.report import Details, Finding


class JudgedRecords(Plain):
    """What the referee counted: there only where the truth is known.

    ``claims`` certain claims were held against the truth, ``wrong`` of them are not true; the reconstruction
    differs from the truth in ``distance`` records, and ``kept`` says that this is within its radius.
    """

    claims: int
    wrong: int
    distance: int
    kept: bool


class MatchRate(Plain):
    """Of the first ``k`` claims so many are true."""

    k: int
    hits: int


class CalibrationBin(Plain):
    """Claims with a probability between two ends: what they say on average, and how many came true."""

    low: float
    high: float
    mean: float
    hits: int
    trials: int


class JudgedRanking(Plain):
    """Ranked claims against the truth.

    ``distinct`` counts records that somebody has, at a quarter, half, three quarters and all of as many as
    there are in truth; ``copies`` counts every copy. ``uncertain`` claims are those that do not follow by
    arithmetic; ``uncertain_true`` is how many copies there are in truth besides the certain ones, and
    ``uncertain_match``, ``brier`` and ``calibration`` are about uncertain claims alone.
    """

    distinct: tuple[MatchRate, ...]
    copies: tuple[MatchRate, ...]
    uncertain: int
    uncertain_true: int
    uncertain_match: tuple[MatchRate, ...]
    brier: float | None
    calibration: tuple[CalibrationBin, ...]


class RankedBaseline(Plain):
    """What somebody gets who ranks records in a simpler way, at the same numbers of claims."""

    name: str
    said: str
    distinct: tuple[MatchRate, ...]


class NamedBaseline(Plain):
    """How many of the same people a simpler guess gets right; expected where it is drawn."""

    name: str
    hits: float


class MatchedNames(Plain):
    """Named people, of whom some columns are ``known``, beside the reconstruction; who is right is not known.

    ``putative`` match one person of it alone, and of ``certain`` all other columns follow by arithmetic.
    """

    known: tuple[str, ...]
    named: int
    putative: int
    certain: int


class Reidentified(Plain):
    """Named people, of whom some columns are ``known``, beside the reconstruction.

    ``putative`` match one person of it alone, and ``confirmed`` of these are in the truth with the other
    columns that were claimed. ``certain`` were claimed by arithmetic. ``uniques`` are alone in the truth
    with what is known of them; ``non_modal`` of these are unlike most of their unit, of whom a modal guess
    gets nobody, ``non_modal_expected`` one drawn by the unit's shares, and ``non_modal_right`` the attack.
    """

    known: tuple[str, ...]
    named: int
    putative: int
    confirmed: int
    certain: int
    certain_right: int
    uniques: int
    non_modal: int
    non_modal_right: int
    non_modal_expected: float
    baselines: tuple[NamedBaseline, ...]
    control: int | None = None


class RecordDetails(Details):
    """What only a finding about records says.

    Parameters
    ----------
    units, unique_units, unique_people
        How many units there are, those that one data set alone fits, and the people in them.
    open_units
        Units of which it is not decided whether another data set fits.
    tied_units
        Units that tables of larger units leave open together.
    partial
        Certain partial records that neither whole ones nor a single cell say.
    data_sets
        How many data sets fit; None if they were not counted to the end.
    radius_low, radius_high
        In how many records the truth can differ from the reconstruction.
    records, domain
        Records that no zero forbids, of how many combinations; as text, since they may be 10^12 and more.
    drawn, unranked, apart
        Open records whose probability was drawn, those that have none, and how far parts of the draws differ.
    others
        How many other people the attacker knows; None if nobody.
    noisy
        Whether some tables have noise: then no data set is excluded, and there is no radius.
    wide, searches, missed
        Whether the domain was too wide for anything to be decided; how many searches for people who fit
        were made, and by how much the best of them misses the tables.
    fewest_people, most_people
        How many people there can be, as far as the tables say it.
    assumed
        What must be so for anything to be certain, though nobody said it; empty if all is stated.
    by_word
        Answers of an integer solver that were not proven again in whole numbers.
    lost, lost_walks
        Open records that were not attacked, and walks or searches that were not made, because whoever did it
        was lost again and again: nothing is guessed of these records.
    unproved
        Records that every data set found has more often than is proven: whether others have fewer is open.
    judged, ranking, baselines, control
        What the referee counted: certain claims, ranked ones, simpler rankings, and the same attack on
        tables of other people, held against the truth of these.
    named, matched
        Named people beside the reconstruction, where the truth is known, and where it is not.
    """

    model_config = ConfigDict(extra="forbid")

    units: int
    unique_units: int
    unique_people: int
    open_units: int
    tied_units: int
    partial: int
    data_sets: str | None
    radius_low: int
    radius_high: int
    records: int
    domain: str
    drawn: int = 0
    unranked: int = 0
    apart: float = 0.0
    others: int | None = None
    noisy: bool = False
    assumed: str = ""
    by_word: int = 0
    unproved: int = 0
    wide: bool = False
    searches: int = 0
    missed: int = 0
    fewest_people: int = 0
    most_people: int = 0
    lost: int = 0
    lost_walks: int = 0
    judged: JudgedRecords | None = None
    ranking: JudgedRanking | None = None
    baselines: tuple[RankedBaseline, ...] = ()
    control: tuple[MatchRate, ...] | None = None
    named: Reidentified | None = None
    matched: MatchedNames | None = None


class RecordsFinding(Finding):
    """What published tables say about whole records, without a list of people."""

    goal: Literal["records"] = "records"
    details: RecordDetails
