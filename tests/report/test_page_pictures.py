"""Pictures of a page: marks, bars and dots, what is written beside them, and what is folded."""

from __future__ import annotations

import re

from dalenius.findings.explanation import Group, RankedRight, UnitsOfSize
from dalenius.findings.policy import Policy
from dalenius.findings.report import Price, Report, Rung
from dalenius.report.page.blocks import WIDTH, width_of
from dalenius.report.page.charts import cause_bars
from dalenius.report.page.dots import Dot, DotRow, attack_beside_guess, dot_picture
from dalenius.report.page.planes import PricedRung, price_and_people
from dalenius.report.page.render import page_html, page_of
from dalenius.report.page.units import alone_by_size, radius_strip, ranked_curves


def test_a_whole_page_has_its_pictures_each_with_words_and_a_table(whole: Report) -> None:
    page = page_html(whole)
    pictures = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
    assert len(pictures) >= 8
    for picture in pictures:
        assert 'role="img"' in picture
        assert re.search(r"<title>[^<]+</title><desc>[^<]+</desc>", picture)
        assert "style=" not in picture
        assert not re.search(r"#[0-9a-f]{3,6}|rgb", picture), "colours are classes, so that dark works"
    assert page.count("<figure>") == page.count("The numbers behind it") == len(pictures)
    for said in (
        "44 − 43 = 1",
        "Cheapest change that passes your rules: round to 10",
        "Move along the noise",
    ):
        assert said in page
    first = page.split("<h2>")[0]
    assert "MSP×RAC1P" in first
    assert "has it: 54" in first


def test_a_promise_is_a_filled_mark_and_a_bound_is_drawn(whole: Report) -> None:
    section = page_html(whole).split("<h2>3 ")[1].split("<h2>")[0]
    people, gains = re.findall(r"<svg .*?</svg>", section, re.DOTALL)
    marks = dict(re.findall(r'class="dal-([\w-]+)" data-step="(\d)"', people)[::-1])
    filled_marks = re.findall(r'class="dal-accent" data-step="(\d)"', people)
    assert filled_marks == ["5", "6", "7"]
    assert set(re.findall(r'class="dal-open" data-step="(\d)"', people)) == {"1", "2", "3", "4"}
    assert marks
    assert gains.count('class="dal-bound"') == 6, "a T of two lines for each theorem"


def test_marks_on_one_place_share_their_numbers_and_people_are_whole(whole: Report) -> None:
    assert whole.ladder is not None
    rung = whole.ladder.rungs[1].model_copy(update={"sure": 1, "nearly": 0})
    drawn = price_and_people([PricedRung(j, rung, float(j > 4)) for j in range(6)], "mean error", 0)
    words = re.findall(r"<text[^>]*>([^<]*)</text>", str(drawn.svg))
    assert "0, 1, 2 and 2 more" in words
    assert "5" in words
    assert words[2:5] == ["0", "1", "0"], "0 and 1 upwards, then those across: no halves of people"


def test_what_is_written_after_a_bar_stays_in_the_picture(whole: Report) -> None:
    found = next(one.explanation.why for one in whole.findings if one.explanation.why is not None)
    first = found.causes[0].model_copy(update={"without": 0.0})
    drawn = cause_bars(found.model_copy(update={"whole": 1_234_567.0, "causes": (first,)}))
    assert drawn is not None
    ((x, said),) = re.findall(r'<text x="([\d.]+)"[^>]*>([^<]*fewer)</text>', str(drawn.svg))
    assert said == "1,234,567 fewer"
    assert float(x) + width_of(said) <= WIDTH


def test_columns_whose_groups_differ_most_come_first_and_others_are_folded(whole: Report) -> None:
    finding = next(one for one in whole.findings if one.explanation.groups)
    groups = tuple(
        Group(column=f"column {apart}", value=value, people=100, at_risk=at_risk)
        for apart in (5, 40, 10, 20)
        for value, at_risk in (("a", 50), ("b", 50 - apart))
    )
    explained = finding.explanation.model_copy(update={"groups": groups})
    report = whole.model_copy(update={"findings": (finding.model_copy(update={"explanation": explained}),)})
    *open_now, folded = page_of(report).sections[3].blocks
    assert [block.title for block in open_now if block.kind == "drawing"] == [
        f"Share at risk by column {apart}" for apart in (40, 20, 10)
    ]
    assert folded.kind == "folded"
    assert [block.title for block in folded.blocks if block.kind == "drawing"] == [
        "Share at risk by column 5"
    ]


def test_names_of_rows_are_whole_up_to_two_lines() -> None:
    name = "singling out: rows within 2% of the ranks"
    drawn = dot_picture("t", "d", [DotRow(name, (Dot("circle", "dark", "m", 0.5),))], str)
    words = re.findall(r"<text[^>]*>([^<]*)</text>", str(drawn.svg))
    assert words[:2] == ["singling out: rows", "within 2% of the ranks"]
    assert "\N{HORIZONTAL ELLIPSIS}" not in drawn.svg


def test_several_questions_in_one_picture_have_words_of_their_own(reports: dict[str, Report]) -> None:
    finding = reports["singling-out"].findings[0]
    words = finding.headings.model_copy(update={"at": "question", "over": "people outside"})
    drawn = attack_beside_guess(finding.model_copy(update={"headings": words}), Policy())
    own = attack_beside_guess(finding, Policy())
    assert drawn is not None
    assert own is not None
    assert (drawn.title, own.title[:10]) == (
        "The attack succeeds; for comparison: people outside",
        "Conditions",
    )


def test_units_are_drawn_by_size_and_one_by_one() -> None:
    classes = (
        UnitsOfSize(least=1, most=9, units=5, people=20, alone=15),
        UnitsOfSize(least=1000, most=None, units=1, people=1200, alone=0),
    )
    drawn = alone_by_size(classes)
    assert [row[-1] for row in drawn.behind.rows] == ["75.0%", "0.0%"]
    assert "1,000+ people: 0% of 1,200, 1 unit" in drawn.description
    few = radius_strip([0.0, 0.1, 0.11, 0.31, 0.0, 1.0])
    assert dict(few.behind.rows) == {
        "nothing: its tables are its records": "2",
        "up to 10% of its records": "1",
        "up to 30%": "1",
        "more": "2",
    }
    squares = re.findall(r'<rect x="([\d.]+)" y="0" [^>]*class="dal-([\w-]+)"', str(few.svg))
    assert [look for _, look in squares] == ["accent", "dark", "light", "open", "accent", "open"]
    assert all(float(x) < WIDTH for x, _ in squares)
    many = str(radius_strip([0.0] * 1_000 + [0.5] * 1_000).svg)
    assert many.count("<rect") == 40 + 4, "forty lines of units that are alike, and what the looks mean"


def test_the_likeliest_claims_stand_beside_simpler_orders() -> None:
    attack = RankedRight(name="this attack", kind="attack", claims=(5, 10), right=(5, 9))
    simple = RankedRight(name="modal", kind="baseline", said="the commonest", claims=(5, 10), right=(4, 5))
    check = RankedRight(name="check", kind="control", claims=(), right=())
    drawn = ranked_curves([attack, simple, check])
    assert drawn.description == "this attack: 90% of 10; modal: 50% of 10."
    assert ("modal: the commonest", "10", "5", "50%") in drawn.behind.rows
    assert str(drawn.svg).count('class="dal-accent"') == 3, "two places and the legend"


def test_people_of_other_values_are_not_held_against_what_is_tolerated(whole: Report) -> None:
    assert "tolerated: 0" in page_html(whole)
    about_yes = whole.policy.model_copy(update={"sensitive": ("yes",)})
    page = page_html(whole.model_copy(update={"policy": about_yes}))
    assert "tolerated: 0" not in page
    assert "your rules are about yes alone" in page


def test_a_limit_is_written_where_no_mark_stands() -> None:
    made = [(1, 0.0), (30, 0.5), (1, 1.0)]
    rungs = [
        PricedRung(at, Rung(kind="round", change="c", release="r", verdict="stop", sure=sure, tried=0, kept=0,
                            price=Price()), price)
        for at, (sure, price) in enumerate(made)
    ]  # fmt: skip
    svg = str(price_and_people(rungs, "mean error", 1).svg)
    written = re.search(r'<text x="([0-9.]+)"[^>]*>tolerated: 1<', svg)
    assert written is not None
    x = float(written[1])
    marks = [float(at) for at in re.findall(r'translate\(([0-9.]+) [0-9.]+\)"', svg)][:3]
    assert x > marks[0] + 5, "beside the mark at the limit, not on it"
    assert x + width_of("tolerated: 1") < marks[2] - 5
