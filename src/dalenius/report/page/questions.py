"""What was asked, in plain words: how attacks work, and the regulators' three questions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dalenius.findings.measure import Measure, Verdict
from dalenius.findings.policy import from_to, points, worst_of
from dalenius.findings.report import Finding, Report
from dalenius.shown import people

OPINION = "the three questions of the Article 29 Working Party (Opinion 05/2014)"


@dataclass(frozen=True)
class FamilyWords:
    """What a family is called for people who do not know it, and how its attack works, in three sentences.

    ``attack`` and ``baseline`` name the two marks of its picture, ``parts`` those of the bar of all people.
    """

    title: str
    attack: str
    baseline: str
    how: tuple[str, str, str]
    parts: tuple[str, str, str] = (
        "guessable anyway",
        "only because of the publication",
        "still hidden",
    )


FAMILY_WORDS = {
    "reconstruction": FamilyWords(
        "learning what must not be learned",
        "guessed right with the publication",
        "guessable anyway",
        (
            "Every published number says how many people of some group have a value; somebody with a list of "
            "the people can read all numbers together, as equations.",
            "Where only one value fits, it follows by arithmetic; elsewhere the attack works out which value "
            "is likelier, starting from what people with the same public columns usually have.",
            "A referee, who alone holds the true values, counts how many guesses are right, and how many "
            "would be right without the publication.",
        ),
    ),
    "tracing": FamilyWords(
        "recognising who is in the data",
        "members recognised",
        "other people accused",
        (
            "Averages lean a little towards everybody who was averaged; somebody who has "
            "a person's record can measure how far they lean towards it.",
            "People who are not in the data show how far that happens by chance, so that false alarms stay "
            "at a stated rate.",
            "A referee counts how many members are recognised, and how many people who are not in the data.",
        ),
        (
            "accused by a false alarm, in the data or not",
            "recognised only because of the publication",
            "not recognised",
        ),
    ),
    "singling-out": FamilyWords(
        "pointing at exactly one person",
        "conditions that match exactly one person",
        "by luck",
        (
            "From the publication alone the attack writes down conditions, each so rare that by luck it "
            "would hardly ever match exactly one person of the data.",
            "It tries groups that the publication shows to be small, and columns left as they are.",
            "A referee counts how many conditions match exactly one person, beside what luck would do.",
        ),
        ("pointed at by luck alone", "pointed at because of the publication", "not pointed at"),
    ),
    "inference": FamilyWords(
        "what related people give away",
        "nu: what the promise is worth",
        "epsilon: what is promised",
        (
            "Relatives, housemates and friends are alike, so what is published about one of them says "
            "something about the others.",
            "Given who is linked and how often linked people agree, it is worked out how far anything that "
            "keeps to the promise can move the odds about one person.",
            "The result, nu, is the epsilon that would protect an unrelated person as much.",
        ),
    ),
    "records": FamilyWords(
        "putting whole records together",
        "records named rightly, the likeliest first",
        "the same by the strongest guess from single tables",
        (
            "Everybody is counted in several tables at once, and only some ways to put people together fit "
            "all of them.",
            "A record is certain if it is in every data set that fits; nobody has a list of the people.",
            "Whoever knows a few columns of somebody finds the rest in such a record. A referee holds the "
            "claims against the true records where these are given.",
        ),
    ),
    "amounts": FamilyWords(
        "coming close to somebody's amount",
        "estimated closely with the publication",
        "estimated closely anyway",
        (
            "Every sum or mean of a group says something about everybody in it; somebody with a list of the "
            "people can read all of them together, and may know one amount, their own.",
            "Linear programs find between which ends each amount must lie; the single number is the one "
            "that is most likely near, given what is usual for such people and what the tables say.",
            "A referee, who alone holds the true amounts, counts whose ends are too close, and how often the "
            "number is near, with the publication and without it.",
        ),
    ),
}
"""By the goal of a finding."""

QUESTION = "question"
"""What a finding calls its rows if each is an attack of its own, on another question."""

THREE_QUESTIONS = FamilyWords(
    "singling out, linking, inferring",
    "the attack succeeds",
    "the same on people who are not in it, or by luck",
    (
        "Singling out: a released row is taken as a description, and a referee counts how often it fits "
        "exactly one person of the data.",
        "Linking: two files with different columns of the same people are joined where the nearest released "
        "row is the same; inferring: what is not known about somebody is read off the nearest released rows.",
        "All of it is done as well to people who are not behind the released rows: only what succeeds more "
        "often about those of the data is counted as a leak.",
    ),
    FAMILY_WORDS["singling-out"].parts,
)
"""Of released rows, about which all three are asked."""

PROMISE = "whether it keeps its promise"
"""What a finding asks that is about a program, not about people."""

PROMISE_WORDS = FamilyWords(
    "whether a promise is kept",
    "data sets told apart",
    "mistaken for each other",
    (
        "The program is run many times on two sets of made-up data that differ in one record.",
        "A promise of differential privacy limits how often anybody can tell from what comes out which of "
        "the two went in; rules for telling are learnt on some of the releases.",
        "On the others it is counted how often they are right: more often than the promise allows refutes "
        "it, not more often proves nothing.",
    ),
)

BEACON_WORDS = replace(
    FAMILY_WORDS["tracing"],
    how=(
        "Somebody who has a person's record asks whether anybody in the data has the rarest of that person's "
        "alleles; each yes about an allele that few people have points to the person.",
        *FAMILY_WORDS["tracing"].how[1:],
    ),
)
"""Of answers of yes and no about alleles."""

SERIES = "what do other moments give away about one"
"""What a finding asks that is about one person's values over time."""

SERIES_WORDS = replace(
    FAMILY_WORDS["inference"],
    title="what other moments give away",
    how=(
        "Values that follow each other are alike, so what is published about one moment says something about "
        "those before and after it.",
        "Given how often a value changes from one moment to the next, it is worked out how far anything that "
        "keeps to the promise can move the odds about one moment.",
        "The result, nu, is the epsilon that would protect a moment as much if no other told about it.",
    ),
)

BELIEFS = "beliefs"
"""What the details of a finding ask that compares beliefs about people before and after one output."""

BELIEFS_WORDS = FamilyWords(
    "what is believed of related people",
    "the likelier value is right after the release",
    "the same before the release",
    (
        "Relatives, housemates and friends are alike, so what is published about one of them says something "
        "about the others.",
        "Given who is linked, how often linked people agree and what was published, it is worked out how "
        "likely each value of each person is, before and after.",
        "A referee, who alone holds the true values, counts how often the likelier value is right; where "
        "they are not given, only how far the odds moved is told.",
    ),
)

UNKNOWN_FAMILY = FamilyWords(
    "what an attack gets out of it",
    "with the publication",
    "without it",
    (
        "The attack gets the publication and what an attacker may know, nothing else.",
        "The same is tried without the publication, so that what could be guessed anyway is no leak.",
        "A referee, who alone holds the truth, counts how often each is right.",
    ),
)


def words_of(goal: str) -> FamilyWords:
    """Return the words of a family; general ones for a family from outside.

    Examples
    --------
    >>> words_of("tracing").title
    'recognising who is in the data'
    """
    return FAMILY_WORDS.get(goal, UNKNOWN_FAMILY)


def words_for(finding: Finding) -> FamilyWords:
    """Return the words of a finding: those of its family, unless it asks something else."""
    if finding.headings.asks == PROMISE:
        return PROMISE_WORDS
    if finding.headings.asks == SERIES:
        return SERIES_WORDS
    if getattr(finding.details, "asked", None) == BELIEFS:
        return BELIEFS_WORDS
    if finding.goal == "tracing" and finding.mechanism.partition(":")[0] == "presence":
        return BEACON_WORDS
    return THREE_QUESTIONS if finding.headings.at == QUESTION else words_of(finding.goal)


@dataclass(frozen=True)
class Answered:
    """One of the three questions, whether it was tested and what came out."""

    question: str
    tested: str
    results: tuple[str, ...]


_QUESTIONS = (
    (
        "Singling out: can one person be pointed at?",
        ("singling-out",),
        "",
    ),
    (
        "Linking: can a record be linked to the person's other records?",
        ("tracing",),
        " whether a record that somebody holds can be recognised as being in the data. Linking two records "
        "of one person in different files was not tested",
    ),
    (
        "Inferring: can something be concluded about a person?",
        ("reconstruction", "inference", "records", "amounts"),
        "",
    ),
)

_VERDICTS: dict[Verdict, str] = {
    "pass": "keeps to the rules",
    "stop": "breaks the rules",
    "undecided": "is not decided",
}


def three_questions(report: Report, *, external: bool = False) -> tuple[Answered, ...]:
    """Answer each question from the findings, or name it as not tested."""
    answered = []
    for question, goals, only in _QUESTIONS:
        own = [finding for finding in report.findings if finding.goal in goals]
        found = [one for one in own if one.headings.at != QUESTION and one.headings.asks != PROMISE]
        asked = _asked_beside(report, question)
        partly = only and not asked
        tested = "Not tested." if not (found or asked) else f"Partly tested:{only}." if partly else "Tested."
        results = tuple(_result(one, *_verdict_on(one, report), external=external) for one in found)
        results += tuple(_told(one, rows, external=external) for one, rows in asked)
        answered.append(Answered(question, tested, results))
    return tuple(answered)


_ROWS = {"Singling out": "singling out", "Linking": "linkability", "Inferring": "inference of"}
"""How the rows of a finding begin that answer each question."""


def _asked_beside(report: Report, question: str) -> list[tuple[Finding, list[Measure]]]:
    """Findings of another goal with rows about this question: released rows answer all three."""
    start = _ROWS[question.split(":")[0]]
    asking = [one for one in report.findings if one.headings.at == QUESTION]
    rows = [(one, [row for row in one.measures if row.label.startswith(start)]) for one in asking]
    return [(one, own) for one, own in rows if own]


def _told(finding: Finding, rows: list[Measure], *, external: bool) -> str:
    """The row of a question that gains most; the verdict is about all rows together."""
    gains = [row.advantage for row in rows if row.advantage is not None]
    if external or not gains:
        return f"{finding.release}: tested."
    most = max(gains, key=lambda gain: gain.value)
    return (
        f"{finding.release}: gain {points(most.value)} points ({from_to(most.low, most.high)}) at the most."
    )


def _verdict_on(finding: Finding, report: Report) -> tuple[Verdict | None, str]:
    """What the rules about one question say of a release, and how it is called: alone, or as a whole.

    A release that is asked several questions may keep to the rules of one and break those of another. Where
    findings do not tell which rules are whose, its verdict is that of the whole.
    """
    about = next((each for each in report.verdicts if each.release == finding.release), None)
    if about is None:
        return None, ""
    own = [rule.verdict for rule in about.rules if rule.goal == finding.goal]
    if own:
        return worst_of(own), ""
    alone = sum(one.release == finding.release for one in report.findings) == 1
    return about.verdict, "" if alone else "as a whole it "


def _result(finding: Finding, verdict: Verdict | None, whole: str, *, external: bool) -> str:
    """One line on one release: what was tried, and, inside the house, what came out."""
    said = f"{finding.release}, {words_for(finding).title}: "
    said += "no rule is about it" if verdict is None else f"{whole}{_VERDICTS[verdict]}"
    gain = finding.decisive.advantage if finding.measures else None
    if not external and finding.certain:
        said += f"; {people(finding.certain)} sure, by arithmetic"
    if not external and finding.known:
        said += f"; {people(finding.known)} nearly sure"
    if external or gain is None:
        return f"{said}."
    if finding.decisive.unit == "nu":
        return f"{said}; nu is {gain.value:+.3g} beside epsilon."
    return f"{said}; gain {points(gain.value)} points ({from_to(gain.low, gain.high)})."
