"""What others print is never taken as more exact than it is: tables that once gave wrong certainties."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def attack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> Callable[..., dict[str, str]]:
    """Attack tables about people, and return who is certain and of what."""
    monkeypatch.chdir(tmp_path)

    def certain(people: str, *tables: str, options: tuple[str, ...] = ()) -> dict[str, str]:
        Path("people.csv").write_text(people)
        words: list[str] = []
        for j, text in enumerate(tables):
            Path(f"t{j}.csv").write_text(text)
            words += ["--table", f"t{j}.csv"]
        result = run("reconstruct", "tables", "--people", "people.csv", "--id", "id", *words, *options)
        if result.exit_code == 1 and "nothing is guessed" in result.output:
            return {}
        assert result.exit_code == 1, result.output
        with Path("dalenius-report/claims.csv").open(newline="") as file:
            return {row["id"]: row["guess"] for row in csv.DictReader(file) if row["certain"] == "true"}

    return certain


Attack = Callable[..., dict[str, str]]


def test_ties_to_even_are_not_read_as_ties_up(attack: Attack) -> None:
    """Sixteen people, all ill, rounded by numpy: 15 became 20, and 5 in A became 0."""
    rows = [f"p{i},{'young' if i == 15 else 'old'},{'A' if i < 4 or i == 15 else 'B'}" for i in range(16)]
    people = "\n".join(["id,age,town", *rows, ""])
    tables = ("age,no,yes\nold,0,20\nyoung,0,0\n", "town,no,yes\nA,0,0\nB,0,10\n")
    for ties in ("", ",ties=unknown", ",ties=even"):
        found = attack(people, *tables, options=("--mechanism", f"rounding:base=10{ties}"))
        assert set(found.values()) <= {"yes"}
    wrong = attack(people, *tables, options=("--mechanism", "rounding:base=10,ties=up"))
    assert wrong["p15"] == "no"  # what a wrong statement leads to


FOUR = "id,sex\n1,f\n2,f\n3,m\n4,m\n"
SHARES = "sex,no,yes\nf,0.0%,100.0%\nm,100.0%,0.0%\n"


@pytest.mark.parametrize(
    "mechanism",
    ["gaussian:sigma=2", "laplace:scale=1", "geometric:scale=1", "unknown", "subsample:rate=0.5",
     "bounded:error=2", "rounding:base=5", "rounding:base=3,how=random"],
)  # fmt: skip
def test_percentages_are_of_counts_that_the_mechanism_changed(attack: Attack, mechanism: str) -> None:
    """Nobody follows: two people who were printed as all ill may both be healthy."""
    assert attack(FOUR, SHARES, options=("--mechanism", mechanism)) == {}


def test_exact_percentages_still_give_people_away(attack: Attack) -> None:
    assert attack(FOUR, SHARES) == {"1": "yes", "2": "yes", "3": "no", "4": "no"}
    said = Path("dalenius-report/findings.json").read_text()
    assert "4 people are certain, if the numbers are exact: arithmetic alone" in said
    assert "follow by arithmetic alone, if the numbers are exact, 0 tolerated" in said
    assert attack(FOUR, SHARES, options=("--mechanism", "suppression:below=2")) == attack(FOUR, SHARES)


@pytest.mark.parametrize("of", ["true", "rounded", "sum"])
def test_percentages_of_rounded_counts_hold_the_true_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    """Whatever the rounded counts were divided by: the people, the rounded people, the sum of the parts."""
    from dalenius.mechanisms.parse import parse_mechanism
    from dalenius.printed.tables import Said
    from dalenius.reconstruction.attack.system.equations import read_counts
    from dalenius.reconstruction.published.tables import read_tables

    monkeypatch.chdir(tmp_path)
    for yes in range(1, 14):
        no = 14 - yes
        whole = {"true": 14, "rounded": 15, "sum": _to_five(yes) + _to_five(no)}[of]
        Path("people.csv").write_text("id,sex\n" + "".join(f"{i},f\n" for i in range(14)))
        Path("t.csv").write_text(
            f"sex,no,yes\nf,{100 * _to_five(no) / whole:.1f}%,{100 * _to_five(yes) / whole:.1f}%\n"
        )
        view = read_tables(
            Path("people.csv"), [Path("t.csv")], id="id", said=Said("rounding:base=5"), secret="ill"
        )
        error = read_counts(view.release.blocks[0], [14.0], parse_mechanism("rounding:base=5"))
        assert error.low[0, 1] <= yes <= error.high[0, 1]
        assert error.low[0, 0] <= no <= error.high[0, 0]
        assert error.high[0, 1] - error.low[0, 1] < 14  # and not everything is possible


def _to_five(count: int) -> int:
    return 5 * ((count + 2) // 5)


THREE_KEYS = "sex,town,work,yes\nf,A,x,0\nf,A,y,0\nf,B,x,0\nm,A,x,0\nm,A,y,0\nm,B,y,0\n"


def test_the_grand_total_of_a_crosstab_is_no_level(attack: Attack) -> None:
    """Three people of A are ill, nobody of B; ``All,,,3`` was once read as the margin of B."""
    rows = ["f,A,x", "f,A,y", "f,B,x", "m,A,x", "m,A,y", "m,B,y"]
    people = "id,sex,town,work\n" + "".join(f"p{i},{row}\n" for i, row in enumerate(rows))
    for options in ((), ("--margins", "rounding:base=3")):
        found = attack(people, THREE_KEYS + "All,,,3\n", options=("--mechanism", "rounding:base=3", *options))
        assert found == {}
        claims = Path("dalenius-report/claims.csv")
        if claims.exists():
            with claims.open(newline="") as file:
                assert all(0.05 < float(row["probability"]) < 0.95 for row in csv.DictReader(file))


def test_subtotals_under_outer_levels(attack: Attack) -> None:
    people = "id,sex,town\n1,f,A\n2,f,B\n3,m,A\n4,m,B\n5,m,B\n"
    body = ["f,A,1,0", "f,B,0,1", "f,,1,1", "m,A,0,1", "m,B,1,1", "m,,1,2", "All,,2,3"]
    for change in (str, lambda line: line.replace("f,,", "f Total,,").replace("m,,", "Total m,,")):
        text = "\n".join(["sex,town,no,yes", *map(change, body), ""])
        assert attack(people, text) == {"1": "no", "2": "yes", "3": "yes"}
    nested = [",f,,,m,,,All", ",A,B,,A,B,,", "ill,,,,,,,", "no,1,0,1,0,1,1,2", "yes,0,1,1,1,1,2,3", ""]
    found = attack(
        people, "\n".join(["sex" + nested[0], "town" + nested[1], *nested[2:]]), options=("--secret", "ill")
    )
    assert found == {"1": "no", "2": "yes", "3": "yes"}


def test_margins_that_are_sums_of_rounded_cells_say_nothing(attack: Attack, run: Run) -> None:
    """Three towns of seven people, all ill: 5 + 5 + 5 is printed as 15, and 21 people are ill."""
    people = "id,town\n" + "".join(f"{i},{'ABC'[i % 3]}\n" for i in range(21))
    body = "town,no,yes\nA,0,5\nB,0,5\nC,0,5\n"
    said = ("--mechanism", "rounding:base=5")
    summed = attack(people, body + "All,0,15\n", options=said)
    assert summed == attack(people, body, options=said) == {}
    # stated otherwise it is a contradiction: of 21 people at most 2 and at most 17
    words = ("--people", "people.csv", "--id", "id", "--table", "t0.csv", *said)
    Path("t0.csv").write_text(body + "All,0,15\n")
    wrong = run("reconstruct", "tables", *words, "--margins", "rounding:base=5")
    assert wrong.exit_code == 2
    sums = run("reconstruct", "tables", *words)
    assert "margins that are sums of its printed cells are not used" in sums.output


def test_rounded_margins_of_a_hidden_body(attack: Attack) -> None:
    people = "id,town\n" + "".join(f"{i},{'A' if i < 4 else 'B'}\n" for i in range(8))
    table = "town,no,yes\nA,*,*\nB,*,*\nAll,5,5\n"
    options = ("--mechanism", "suppression:below=5,zeros=hide", "--margins", "rounding:base=5")
    assert attack(people, table, options=options) == {}
    exact = table.replace("5,5", "0,8")
    assert len(attack(people, exact, options=(*options[:3], "exact"))) == 8


def test_an_empty_cell_may_be_a_zero_that_was_not_printed(attack: Attack) -> None:
    """A pivot table leaves out what does not occur; suppression is stated, and nothing was small."""
    people = "id,town\n" + "".join(f"{i},{'A' if i < 6 else 'B'}\n" for i in range(12))
    found = attack(people, "town,no,yes\nA,,6\nB,6,\n", options=("--mechanism", "suppression:below=5"))
    assert set(found) == {str(i) for i in range(12)}
    assert all(found[str(i)] == ("yes" if i < 6 else "no") for i in range(12))


def test_a_few_rows_that_say_something_are_no_sample(attack: Attack) -> None:
    """Five people of Z are all ill; twenty others, each alone in a town, were rounded to nothing."""
    towns = [*"ABCDEFGHIJKLMNOPQRST", *["Z"] * 5]
    people = "id,town\n" + "".join(f"p{i},{town}\n" for i, town in enumerate(towns))
    table = "town,yes\n" + "".join(f"{town},0\n" for town in towns[:20]) + "Z,6\n"
    found = attack(people, table, options=("--mechanism", "rounding:base=3"))
    assert set(found) == {f"p{i}" for i in range(20, 25)}
    with Path("dalenius-report/claims.csv").open(newline="") as file:
        others = [float(row["probability"]) for row in csv.DictReader(file) if row["certain"] == "false"]
    assert len(others) == 20
    assert max(others) < 0.9


@pytest.mark.parametrize(("answer", "certain"), [("2", False), ("2.00", False), ("2.01", True)])
def test_an_answer_has_its_own_digits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, answer: str, certain: bool
) -> None:
    """An error of at most 0.8 was added, and the sum printed: 2 may be 1.6, from one person or two."""
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text("id,sex\n1,f\n2,f\n3,m\n")
    Path("queries.csv").write_text("query,condition\nf,sex = f\nm,sex = m\n")
    Path("answers.csv").write_text(f"query,answer\nf,{answer}\nm,{answer.replace('2', '0', 1)}\n")
    files = ("--people", "people.csv", "--id", "id", "--queries", "queries.csv", "--answers", "answers.csv")
    result = run("reconstruct", "counts", *files, "--noise", "bounded:error=0.8")
    assert result.exit_code == 1, result.output
    assert ("3 people are certain" in result.output) == certain


def test_margins_of_one_table_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    """Exact cells below rounded margins, which would contradict them if they were exact, too."""
    monkeypatch.chdir(tmp_path)
    Path("releases").mkdir()
    Path("releases/people.csv").write_text("id,town\n" + "".join(f"{i},{'AB'[i % 2]}\n" for i in range(8)))
    Path("releases/t.csv").write_text("town,no,yes\nA,1,3\nB,2,2\nAll,5,5\n")
    words = ("reconstruct", "joint", "releases", "--id", "id", "--secret", "ill")
    assert run(*words).exit_code == 2
    told = run(*words, "--margins", "t.csv=rounding:base=5")
    assert told.exit_code == 1, told.output
    assert "mechanism exact or rounding:base=5" in told.output
    unnamed = run(*words, "--margins", "u.csv=rounding:base=5")
    assert unnamed.exit_code == 2
    assert "what is said of 'u.csv' must name a table" in unnamed.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--margins", "rouding:base=5"), "Did you mean 'rounding'?"),
        (("--numbers", "ratios"), "--numbers must be counts, percent, fraction or per:1000"),
        (("--of", "rows"), "--of must be one of row, column, all"),
        (("--values", "maybe,no"), "--values must name every value that is printed"),
        (("--mechanism", "rounding:base=4,ties=odd"), "rounding: ties must be one it knows"),
    ],
)
def test_statements_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run, options: tuple[str, ...], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("people.csv").write_text(FOUR)
    Path("t.csv").write_text("sex,no,yes\nf,1,1\nm,2,0\nAll,3,1\n")
    result = run(
        "reconstruct", "tables", "--people", "people.csv", "--id", "id", "--table", "t.csv", *options
    )
    assert result.exit_code == 2
    assert message in result.output
    assert not Path("dalenius-report").exists()


def test_a_table_without_numbers_is_no_bad_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Beside another table it is left out; alone nothing is learnt, which is no pass."""
    monkeypatch.chdir(tmp_path)
    Path("releases").mkdir()
    Path("releases/people.csv").write_text(FOUR)
    Path("releases/empty.csv").write_text("sex,no,yes\nf,,\nm,,\n")
    words = ("reconstruct", "joint", "releases", "--id", "id", "--mechanism", "suppression:below=2")
    alone = run(*words)
    assert alone.exit_code == 1
    assert "nothing learnt: empty.csv: no number about the secret is printed that can be used" in alone.output
    assert not Path("dalenius-report").exists()
    Path("releases/t.csv").write_text(SHARES)
    both = run(*words)
    assert both.exit_code == 1, both.output
    assert "nothing is guessed; it is left out." in both.output
    assert "4 of 4 people are given away by arithmetic alone." in both.output


def test_a_gap_where_nobody_is_says_nothing(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crosstab of shares under levels leaves a column out that nobody is in: no cell of it is hidden."""
    monkeypatch.chdir(tmp_path)
    ages = ["20-29", "30-39", "20-29", "40+", "20-29", "40+", "40+", "20-29"]
    towns = ["Bern", "Bern", "Bern", "Aarau", "Bern", "Chur", "Bern", "Chur"]
    people = "".join(f"p{i},{town},{age}\n" for i, (town, age) in enumerate(zip(towns, ages, strict=True)))
    Path("people.csv").write_text(f"id,town,age\n{people}")
    Path("t.csv").write_text(
        "town,Aarau,Bern,Bern,Chur\nill,flu,flu,none,none\nage,,,,\n20-29,0.0,,,\n30-39,0.0,,0.0,0.0\n40+,,0.0,,\n"
    )
    done = run("reconstruct", "tables", "--people", "people.csv", "--id", "id", "--table", "t.csv",
               "--mechanism", "suppression:below=5", "--of", "column", "--numbers", "percent")  # fmt: skip
    assert done.exit_code == 1, done.output
    assert "must be one that" not in done.output
