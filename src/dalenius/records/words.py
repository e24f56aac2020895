"""What a finding about records says beside its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.plural import people, several
from dalenius.records.finding import RecordDetails

NOT_SHOWN = (
    "Who the people are: nobody is on a list here. Whoever knows a few columns of somebody finds the rest "
    "in a record that is certain.",
    "The file before people were swapped in it, if they were: certain is what the tables were made of.",
)

ASSUMED = (
    "All tables count the same people, each within its universe.",
    "Levels that no table has do not exist.",
    "Counts were changed by nothing but the mechanism that is stated.",
)


def sentence(details: RecordDetails, certain: int, all_people: int) -> str:
    """Say what the tables give away, the units that they give away whole first."""
    share = f" ({certain / all_people:.1%})" if all_people else ""
    first = f"The tables prove the whole record of {certain:,} of {people(all_people)}{share}."
    if details.units > 1 and details.unique_units:
        units = several(details.unique_units, "unit")
        first += (
            f" One data set alone fits {units} of {details.units:,}, with {people(details.unique_people)}: "
            "their tables are their microdata."
        )
    elif details.data_sets == "1":
        first += " One data set alone fits them: the tables are the microdata."
    return first


def facts(details: RecordDetails, all_people: int, *, fits: bool) -> Iterator[str]:
    """Say the numbers one by one."""
    if details.data_sets is not None and details.units == 1:
        yield f"{details.data_sets} data sets fit." if details.data_sets != "1" else "One data set fits."
    if details.partial:
        more = several(details.partial, "partial record is", "partial records are")
        yield f"{more} certain besides, which no single cell says: some columns known, others not."
    if fits:
        yield _radius(details, all_people)
    else:
        yield "For some records no data set was found that fits: there is no reconstruction to measure from."
    if details.tied_units:
        yield f"Tables of larger units leave {several(details.tied_units, 'unit')} open together."
    if details.open_units:
        yield (
            f"Whether another data set fits was not decided for {several(details.open_units, 'unit')}: not "
            "decided is not safe."
        )
    if details.judged is not None:
        yield _judged(details)


def _radius(details: RecordDetails, all_people: int) -> str:
    low, high = details.radius_low, details.radius_high
    if high == 0:
        return "No other reconstruction is possible: its radius is 0."
    share = f" ({high / all_people:.1%})" if all_people else ""
    if low == high:
        return f"The truth can differ from the reconstruction in {several(high, 'record')} at most{share}."
    return (
        f"The truth can differ from the reconstruction in at most {several(high, 'record')}{share}; a data "
        f"set that differs in {low:,} is known."
    )


def _judged(details: RecordDetails) -> str:
    judged = details.judged
    if judged is None:
        return ""
    within = "within its radius" if judged.kept else "beyond its radius"
    return (
        f"Held against the truth, {judged.wrong:,} of {several(judged.claims, 'certain claim')} are wrong; "
        f"the reconstruction differs in {several(judged.distance, 'record')}, {within}."
    )
