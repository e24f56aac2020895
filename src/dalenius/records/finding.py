"""What only a finding about records says: units, certain records, radius, and what the referee counted."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict

from dalenius.findings.finding import Details, Finding
from dalenius.findings.plain import Plain


class JudgedRecords(Plain):
    """What the referee counted: there only where the truth is known.

    ``claims`` certain claims were held against the truth, ``wrong`` of them are not true; the reconstruction
    differs from the truth in ``distance`` records, and ``kept`` says that this is within its radius.
    """

    claims: int
    wrong: int
    distance: int
    kept: bool


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
    judged: JudgedRecords | None = None


class RecordsFinding(Finding):
    """What published tables say about whole records, without a list of people."""

    goal: Literal["records"] = "records"
    details: RecordDetails
