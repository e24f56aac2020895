import pytest

from dalenius.errors import InputError
from dalenius.findings.policy import percent
from dalenius.findings.tally import Comparison, Tally, clopper_pearson, share_confidence
from dalenius.reconstruction.build import make_finding
from dalenius.reconstruction.words import sentence


def test_the_sentence_has_the_number_and_its_baseline(finding):
    assert finding(certain=Tally(1204, 1204)).sentence == (
        "From the release 'exact tables' an attacker names the secret of 5,912 of 6,366 people (92.9%); "
        "guessing without the release gets 4,581 (72.0%). "
        "1,204 people are certain: arithmetic alone, no probability."
    )


def test_an_attack_that_does_not_beat_its_baseline_says_so(finding):
    found = finding(attack=4570)
    assert found.severity == "none"
    assert found.sentence.endswith("The attack does not beat guessing.")


def test_one_certain_person_is_one_person(judgement):
    words = sentence("r", judgement(certain=Tally(1, 1)), established=True)
    assert words.endswith("1 person is certain: arithmetic alone, no probability.")


def test_a_control_that_gains_is_called_correlation(finding):
    found = finding(control=Comparison(Tally(900, 1000), Tally(700, 1000), 220, 20))
    assert found.details.judged.control_gains
    assert "correlation, not leak" in found.sentence
    assert "correlation, not leak" in found.severity_reason
    assert found.severity == "none"


def test_a_control_that_loses_or_ties_is_no_flag(finding):
    for more, less in [(20, 220), (0, 0), (51, 50)]:
        control = Comparison(Tally(500 + more, 1000), Tally(500 + less, 1000), more, less)
        assert not finding(control=control).details.judged.control_gains


def test_intervals_pay_for_every_look(finding):
    one, ten = finding(looks=1), finding(looks=10)
    assert ten.advantage.confidence == pytest.approx(0.995)
    assert ten.advantage.low < one.advantage.low < one.advantage.value == ten.advantage.value
    expected = clopper_pearson(5912, 6366, share_confidence(0.95, 10))
    assert (ten.decisive.attack.low, ten.decisive.attack.high) == (expected.low, expected.high)


def test_facts_come_from_the_release_and_the_judgement(finding):
    found = finding(certain=Tally(3, 3))
    assert (found.release, found.details.secret, found.numbers, found.mechanism) == (
        "exact tables",
        "affair",
        2,
        "exact",
    )
    assert found.promise == "promises nothing"
    assert (found.certain, found.people, found.details.judged.certain_right) == (3, 6366, 3)
    assert (found.details.exposed.people, found.details.exposed.right) == (10, 8)
    assert (
        found.details.judged.rare.guessed,
        found.details.judged.rare.guessed_right,
        found.details.judged.rare.people,
    ) == (4, 3, 9)
    assert found.details.judged.best_baseline == "population"
    assert found.decisive.baseline == found.details.judged.baseline_population
    assert found.assumptions[0] == "The attacker knows the public columns."


def test_a_refuted_certainty_is_the_headline(finding):
    found = finding(certain=Tally(3000, 4000))
    headline = (
        "1,000 of 4,000 claims said to follow by arithmetic are wrong: the release was not made as stated."
    )
    assert found.sentence.startswith(headline)
    assert found.notes[-1] == headline
    assert "certain: arithmetic alone" not in found.sentence
    assert "follow by arithmetic" not in found.severity_reason
    right = finding(certain=Tally(4000, 4000))
    assert right.notes == ("a note",)
    assert "4,000 people are certain" in right.sentence
    assert "follow by arithmetic" in right.severity_reason


def test_a_population_without_its_source_is_refused(judgement, release):
    with pytest.raises(InputError, match="population_source"):
        make_finding(judgement(), release, looks=1)


@pytest.mark.parametrize(
    ("hits", "trials", "text"),
    [
        (0, 5, "0%"),
        (5, 5, "100%"),
        (0, 0, "0%"),
        (1, 3, "33.3%"),
        (1, 9999, "under 0.1%"),
        (1999, 2000, "over 99.9%"),
    ],
)
def test_percentages_never_round_to_all_or_nothing(hits, trials, text):
    assert percent(Tally(hits, trials)) == text
