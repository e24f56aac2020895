"""What a finding about records says beside its numbers, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from dalenius.records.finding import MatchedNames, RecordDetails, Reidentified
from dalenius.shown import people, several

NOT_SHOWN = (
    "Who the people are: nobody is on a list here. Whoever knows a few columns of somebody finds the rest "
    "in a record that is certain.",
    "The file before people were swapped in it, if they were: certain is what the tables were made of.",
)

ASSUMED = (
    "All tables count the same people, each within its universe.",
    "Levels that no table has do not exist.",
)

STATED = "Counts were changed by nothing but the mechanism that is stated."

ASSUMED_OTHERS = (
    "Other people are no constraint: they say what is usual, and what nobody of them has may still be."
)


def if_assumed(details: RecordDetails) -> str:
    """The condition that nobody stated, to stand behind what is certain; nothing if all is stated."""
    return f", if {details.assumed}, as nothing else was said" if details.assumed else ""


def taken_for_granted(details: RecordDetails) -> Iterator[str]:
    """Say what is assumed, and how it could be otherwise where nobody said it."""
    yield from ASSUMED
    if details.assumed:
        yield (
            f"{details.assumed[0].upper()}{details.assumed[1:]}: nobody said what was done to counts. If "
            "some were moved by one or two, records called certain may be wrong, and tables that share no "
            "margin cannot show it. State it by --mechanism, also if it is exact."
        )
    else:
        yield STATED
    if details.others is not None:
        yield ASSUMED_OTHERS


def sentence(details: RecordDetails, certain: int, all_people: int) -> str:
    """Say what the tables give away, the units that they give away whole first."""
    if details.noisy and not certain:
        return "Under noise no record is certain: records are ranked by how likely the numbers make them."
    if details.wide:
        return (
            "Nothing was proven: there are too many combinations of columns to be looked through. "
            "Not decided is not safe."
        )
    if details.judged is not None and details.judged.wrong:
        return (
            "The tables were not made as stated: of "
            f"{several(details.judged.claims, 'certain claim')} {details.judged.wrong:,} are wrong about "
            "the true records."
        )
    of = f"the whole record of {certain:,} of {_people_of(details, certain, all_people)}"
    first, one = f"The tables prove {of}.", "One"
    if details.assumed and certain:
        first, one = f"If {details.assumed}, as nothing else was said, {of} is proven.", "Then one"
    if details.units > 1 and details.unique_units:
        units = several(details.unique_units, "unit")
        first += (
            f" {one} data set alone fits {units} of {details.units:,}, with {people(details.unique_people)}: "
            "their tables are their microdata."
        )
    elif details.data_sets == "1":
        first += f" {one} data set alone fits them: the tables are the microdata."
    return first


def _people_of(details: RecordDetails, certain: int, all_people: int) -> str:
    """How many people there are, and the share who are certain, where the tables say it."""
    if details.fewest_people < details.most_people:
        return f"{details.fewest_people:,} to {people(details.most_people)}"
    return people(all_people) + (f" ({certain / all_people:.1%})" if all_people else "")


def not_attacked(lost: int) -> str:
    """Say how many records nobody attacked, and why."""
    verb = several(lost, "open record was", "open records were")
    return f"{verb} not attacked: whoever did it was lost three times"


def facts(details: RecordDetails, all_people: int, *, fits: bool) -> Iterator[str]:
    """Say the numbers one by one."""
    if details.lost:
        yield f"{not_attacked(details.lost)}. Nothing is guessed of them: not attacked is not safe."
    if details.lost_walks:
        made = several(details.lost_walks, "walk or search was", "walks or searches were")
        yield f"{made} not made: whoever did it was lost three times. Probabilities are by the others."
    if details.data_sets is not None and details.units == 1:
        yield f"{details.data_sets} data sets fit." if details.data_sets != "1" else "One data set fits."
    if details.fewest_people < details.most_people and not details.lost:
        yield (
            f"The tables do not say how many people there are: {details.fewest_people:,} to "
            f"{details.most_people:,}."
        )
    if details.partial:
        more = several(details.partial, "partial record is", "partial records are")
        yield f"{more} certain besides, which no single cell says: some columns known, others not."
    if details.searches:
        fit = "all tables fit" if not details.missed else f"the tables are missed by {details.missed:,}"
        yield (
            f"{several(details.searches, 'search', 'searches')} for people who fit the tables rank the "
            f"records: in the best {fit}. Shares of searches are no probabilities."
        )
    if details.noisy:
        yield "Every data set fits tables with noise, some better than others: there is no radius."
    elif fits and not details.wide:
        yield _radius(details, all_people)
    elif not details.wide:
        yield "For some records no data set was found that fits: there is no reconstruction to measure from."
    if details.tied_units:
        yield f"Tables of larger units leave {several(details.tied_units, 'unit')} open together."
    if details.open_units and not details.noisy:
        yield (
            f"Whether another data set fits was not decided for {several(details.open_units, 'unit')}: not "
            "decided is not safe."
        )
    if details.unproved:
        yield (
            f"{several(details.unproved, 'record is', 'records are')} in every data set that was "
            "found. Whether others lack them was not decided: not decided is not safe."
        )
    if details.by_word:
        yield (
            f"That nothing else fits is an integer solver's word in {several(details.by_word, 'answer')}; "
            "all others are proven in whole numbers."
        )
    yield from _drawn(details)
    if details.judged is not None:
        yield from _judged(details, fits=fits)
        yield from _ranking(details)
    if details.named is not None:
        yield from _named(details.named)
    if details.matched is not None:
        yield from _matched(details.matched)


def _radius(details: RecordDetails, all_people: int) -> str:
    low, high = details.radius_low, details.radius_high
    if high == 0:
        return "No other reconstruction is possible: its radius is 0."
    said = all_people and details.fewest_people == details.most_people
    share = f" ({high / all_people:.1%})" if said else ""
    if low == high:
        return f"The truth can differ from the reconstruction in {several(high, 'record')} at most{share}."
    return (
        f"The truth can differ from the reconstruction in at most {several(high, 'record')}{share}; a data "
        f"set that differs in {low:,} is known."
    )


def _judged(details: RecordDetails, *, fits: bool) -> Iterator[str]:
    judged = details.judged
    if judged is None:
        return
    wrong = [f"{judged.wrong:,} of {several(judged.claims, 'certain claim')} are wrong"] * bool(judged.claims)
    within = "" if details.noisy else ", within its radius" if judged.kept else ", beyond its radius"
    differs = [f"the reconstruction differs in {several(judged.distance, 'record')}{within}"] * fits
    if said := "; ".join([*wrong, *differs]):
        yield f"Held against the truth, {said}."


def _drawn(details: RecordDetails) -> Iterator[str]:
    if details.drawn:
        what = f"of {several(details.drawn, 'record')} "
        yield (
            f"The probabilities {what}are shares of data sets that were drawn; two parts of "
            f"these differ by {details.apart:.2f} at most."
        )
    if details.unranked:
        verb = "has" if details.unranked == 1 else "have"
        yield f"{several(details.unranked, 'open record')} {verb} no probability: not decided is not safe."


def _ranking(details: RecordDetails) -> Iterator[str]:
    ranking = details.ranking
    if ranking is None:
        return
    last = ranking.distinct[-1]
    first = f"Of the {several(last.k, 'likeliest record')}, as many as there are, {last.hits:,} are there"
    best = max(details.baselines, key=lambda each: each.distinct[-1].hits, default=None)
    if best is not None:
        first += f"; the strongest baseline, {best.said}, has {best.distinct[-1].hits:,}"
    if details.control is not None:
        first += f"; the same attack on tables of other people {details.control[-1].hits:,}"
    yield f"{first}."
    if details.control is None:
        yield (
            "There is no control: tables of other people take other people (--population, or population "
            "under [knowledge] of a plan) or several units, and must be tables that can be attacked."
        )
    if ranking.brier is not None:
        expected = sum(bin.mean * bin.trials for bin in ranking.calibration)
        hits = sum(bin.hits for bin in ranking.calibration)
        yield (
            f"Of {several(ranking.uncertain, 'claim')} that do not follow by arithmetic {expected:,.0f} "
            f"should come true by their probabilities, and {hits:,} do (Brier score {ranking.brier:.3f})."
        )


def _matched(matched: MatchedNames) -> Iterator[str]:
    on = ", ".join(matched.known)
    yield (
        f"Of {people(matched.named)} named with {on}, {matched.putative:,} match one record alone. How "
        "many of these matches are right only the true records say (--truth)."
    )
    if matched.certain:
        yield f"Of {people(matched.certain)} of them all other columns follow by arithmetic."


def _named(named: Reidentified) -> Iterator[str]:
    on = ", ".join(named.known)
    share = f" ({named.confirmed / named.putative:.1%})" if named.putative else ""
    best = max(named.baselines, key=lambda each: each.hits, default=None)
    first = (
        f"Of {people(named.named)} named with {on}, {named.putative:,} match one record alone; in "
        f"{named.confirmed:,}{share} all other columns are right"
    )
    if best is not None:
        first += f", with the strongest guess ({best.name}) in {best.hits:,.0f}"
    if named.control is not None:
        first += f", from tables of other people in {named.control:,}"
    yield f"{first}."
    if named.certain:
        right = f"{named.certain_right:,} of these are right."
        yield f"{named.certain:,} of them follow by arithmetic, and {right}"
    if named.non_modal:
        yield (
            f"{people(named.uniques)} are alone with {on}; {named.non_modal:,} of these unlike most of "
            f"their unit. Of them the attack gets {named.non_modal_right:,}, a guess by the unit's shares "
            f"{named.non_modal_expected:,.1f}, a modal guess nobody."
        )
