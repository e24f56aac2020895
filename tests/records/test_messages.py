"""Bad input and pitfalls, one by one: each has a message that says what to do, or is dealt with and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalenius.errors import InputError
from dalenius.records.finding import RecordsFinding
from dalenius.records.published.nesting import read_nesting
from dalenius.records.published.read import read_records
from dalenius.records.published.said import SaidOfTables
from dalenius.records.run import BesideTables, attack_and_examine


def found(folder: Path, said: SaidOfTables | None = None, **tables: str) -> RecordsFinding:
    paths = []
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
        paths.append(folder / f"{name}.csv")
    return attack_and_examine(read_records(paths, said), BesideTables()).finding


def said(found: RecordsFinding) -> str:
    return " ".join([found.sentence, *found.facts, *found.notes, *found.assumptions, *found.not_shown])


def test_noisy_tables_read_as_exact_are_told_from_their_totals(tmp_path: Path) -> None:
    noisy = {"sex": "sex,count\nf,3\nm,5\n", "age": "age,count\nchild,2\nadult,7\n"}
    with pytest.raises(InputError) as refused:
        found(tmp_path, **noisy)
    text = str(refused.value)
    assert "tables sex and age must count the same people; got 8 and 9 people" in text
    assert "The mechanism as stated is not what was done" in text
    assert "unknown" in text
    assert "--universe" in text
    assert found(tmp_path, SaidOfTables(mechanism={"": "exact", "age": "unknown"}), **noisy).certain == 0


def test_the_smallest_set_of_tables_that_contradict_is_named(tmp_path: Path) -> None:
    """The third table says nothing against either of the others."""
    tables = {
        "inner": "a,b,count\nx,0,2\nx,1,0\ny,0,0\ny,1,2\n",
        "wrong": "b,count\n0,1\n1,3\n",
        "fine": "a,count\nx,2\ny,2\n",
    }
    with pytest.raises(InputError, match="tables inner and wrong must fit one data set; got cells that"):
        found(tmp_path, **tables)


def test_a_universe_that_is_not_stated_is_asked_for(tmp_path: Path) -> None:
    tables = {"sex": "sex,count\nf,3\nm,5\n", "work": "work,count\nyes,4\nno,1\n"}
    with pytest.raises(InputError, match="must count the same people; got 8 and 5 people") as refused:
        found(tmp_path, **tables)
    assert "--universe TABLE=column=levels" in str(refused.value)


def test_names_that_look_like_bands_are_not_read_as_bands(tmp_path: Path) -> None:
    """As bands the fourteen people of three blocks would be seven, and each of them would be certain."""
    blocks = "block,count\n101-1001,2\n101-1002,5\n101-1003,7\n"
    with pytest.raises(InputError, match="'101-1002' in table t, which read as numbers") as refused:
        found(tmp_path, t=blocks)
    assert "--geography" in str(refused.value)
    assert "--nesting FILE" in str(refused.value)
    assert found(tmp_path, SaidOfTables(geography=("block",)), t=blocks).people == 14
    (tmp_path / "names.csv").write_text("block\n101-1001\n101-1002\n101-1003\n")
    listed = SaidOfTables(nestings=(read_nesting(tmp_path / "names.csv"),))
    assert found(tmp_path, listed, t=blocks).people == 14


@pytest.mark.parametrize("total", ["Total", "Insgesamt", "Persons", "_T", "Everyone here"])
def test_a_total_is_no_level(tmp_path: Path, total: str) -> None:
    """In whatever words: its people would be counted twice, and those of the second time be certain."""
    sexes = f"block,sex,count\nA1,{total},17\nA1,m,10\nA1,f,7\nA2,{total},25\nA2,m,12\nA2,f,13\n"
    listed = tmp_path / "within.csv"
    listed.write_text(f"sex,all\nm,{total}\nf,{total}\n")
    said = SaidOfTables(nestings=(read_nesting(listed),))
    if total == "Everyone here":
        with pytest.raises(
            InputError, match="must call a total Total, or say what lies within what"
        ) as refused:
            found(tmp_path, t=sexes)
        assert "--nesting FILE" in str(refused.value)
        assert found(tmp_path, said, t=sexes).people == 42
    else:
        assert found(tmp_path, t=sexes).people == 42


def test_a_subtotal_is_no_level(tmp_path: Path) -> None:
    """Also where it was rounded; by chance a number may be the sum of others, and a level of its own."""
    work = "block,work,count\nA,active,41\nA,at work,30\nA,seeking,11\nA,neither,14\n"
    more = "B,active,52\nB,at work,33\nB,seeking,19\nB,neither,27\n"
    with pytest.raises(InputError, match="'active', which counts as many as 2 labels beside it together"):
        found(tmp_path, t=work + more)
    fives = "block,work,count\nA,active,885\nA,at work,605\nA,seeking,285\nA,neither,240\n"
    fives += "B,active,1205\nB,at work,800\nB,seeking,405\nB,neither,310\n"
    with pytest.raises(InputError, match="'active', which counts as many"):
        found(tmp_path, SaidOfTables({"": "rounding:base=5"}), t=fives)
    few = "work,count\nactive,3\nat work,2\nseeking,1\nneither,4\n"
    assert found(tmp_path, t=few).people == 10


def test_bands_that_are_sums_of_others_of_their_table_are_subtotals(tmp_path: Path) -> None:
    subtotals = "age,count\nunder 18,3\n0-4,1\n5-17,2\n18+,4\n"
    assert found(tmp_path, t=subtotals).people == 7
    with pytest.raises(InputError, match=r"'under 18' in table t, which .* shares some with '0-4'"):
        found(tmp_path, t=subtotals.replace("5-17,2\n", ""))


def test_labels_that_do_not_nest_need_a_file(tmp_path: Path) -> None:
    tables = {"t": "town,count\nx,3\ny,1\n", "u": "town,count\nnorth,4\n"}
    with pytest.raises(InputError, match="column 'town' must have labels that nest") as refused:
        found(tmp_path, **tables)
    assert "--nesting FILE" in str(refused.value)


def test_bands_that_overlap_are_cells_of_their_common_parts(tmp_path: Path) -> None:
    """0-9 and 5-14 do not nest: 4 of 0-4, 1 of 5-9 and 2 of 10-14 are the only whole numbers left."""
    tables = {"t": "age,count\n0-9,5\n10-14,2\n", "u": "age,count\n0-4,4\n5-14,3\n"}
    told = found(tmp_path, **tables)
    assert (told.certain, told.people, told.details.data_sets) == (7, 7, "1")


def test_levels_that_no_table_has_do_not_exist_and_are_counted(tmp_path: Path) -> None:
    (tmp_path / "races.csv").write_text("race,group\na,few\nb,few\nc,many\nd,other\n")
    nested = SaidOfTables(nestings=(read_nesting(tmp_path / "races.csv"),))
    told = found(tmp_path, nested, t="group,count\nfew,3\nmany,2\n", u="sex,count\nf,5\nm,0\n")
    left_out = "column 'race': 1 level that no table has does not exist: 2 of 8 combinations are left out."
    assert left_out in said(told)


def test_how_many_people_there_are_is_a_range_where_no_table_says_it(tmp_path: Path) -> None:
    told = found(tmp_path, SaidOfTables(mechanism={"": "rounding:base=3"}), t="a,count\nx,3\ny,6\n")
    assert "The tables do not say how many people there are: 7 to 11." in said(told)
    assert "do not say how many" not in said(found(tmp_path, t="a,count\nx,3\ny,6\n"))


def test_a_margin_that_is_rounded_by_itself_is_no_sum(tmp_path: Path) -> None:
    """Both stay, each with its own interval: 2 to 4 twice, and 8 to 10 together, are 4 and 4."""
    rounded = SaidOfTables(mechanism={"": "rounding:base=3"}, margins={"": "rounding:base=3"})
    told = found(tmp_path, rounded, t="a,count\nx,3\ny,3\nTotal,9\n")
    assert (told.certain, told.details.data_sets) == (8, "1")


def test_swapped_records_are_said_to_be_what_is_reconstructed(tmp_path: Path) -> None:
    assert "The file before people were swapped in it, if they were" in said(
        found(tmp_path, t="a,count\nx,3\n")
    )


def test_what_is_not_printed_is_zero_only_where_the_table_says_so(tmp_path: Path) -> None:
    tables = {"t": "a,b,count\nx,0,2\n", "a": "a,count\nx,2\ny,1\n", "b": "b,count\n0,2\n1,1\n"}
    assert found(tmp_path, **tables).certain == 3
    with pytest.raises(InputError, match="tables t and a must count the same people; got 2 and 3 people"):
        found(tmp_path, SaidOfTables(complete=frozenset({"t"})), **tables)


@pytest.mark.parametrize("label", ["nan", "inf", "1e400"])
def test_labels_that_are_called_like_no_number(tmp_path: Path, label: str) -> None:
    """They are words like others."""
    text = f"sex,age,count\nf,{label},1\nf,18+,2\nm,{label},0\nm,18+,3\n"
    assert found(tmp_path, t=text).certain > 0


def test_tables_about_nobody_beside_other_people(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("sex,count\nf,0\nm,0\n")
    (tmp_path / "others.csv").write_text("sex\nf\nm\n")
    beside = BesideTables(tmp_path / "others.csv")
    done = attack_and_examine(read_records([tmp_path / "t.csv"]), beside)
    assert (done.claims.people, done.finding.certain) == (0, 0)


ROUNDED = "sex,age,count\nf,child,3\nf,adult,6\nf,old,3\nf,baby,6\nm,child,9\nm,adult,3\nm,old,0\nm,baby,12\n"


def test_counts_that_look_rounded_are_asked_about(tmp_path: Path) -> None:
    """Read as exact they proved 42 records, of people who need not be there."""
    with pytest.raises(InputError) as refused:
        found(tmp_path, t=ROUNDED)
    assert "got nothing said, and multiples of 3 alone" in str(refused.value)
    assert "--mechanism t=rounding:base=3, or t=exact" in str(refused.value)
    assert found(tmp_path, SaidOfTables(mechanism={"t": "exact"}), t=ROUNDED).certain == 42
    assert found(tmp_path, t=ROUNDED.replace("m,old,0", "m,old,1")).certain == 43


def test_a_share_of_people_is_told_only_where_it_is_known_how_many_there_are(tmp_path: Path) -> None:
    """As many as there are at least are not all."""
    finding = found(tmp_path, SaidOfTables(mechanism={"": "rounding:base=3"}), t=ROUNDED)
    details = finding.details
    assert (finding.certain, details.fewest_people, details.most_people) == (35, 35, 50)  # each of seven by 1
    assert "the whole record of 35 of 35 to 50 people." in finding.sentence
    assert "%" not in " ".join([finding.sentence, *finding.facts])
    few = found(tmp_path, SaidOfTables(mechanism={"": "rounding:base=5"}), t="sex,count\nf,5\nm,5\n")
    assert (few.certain, few.details.most_people, few.severity) == (6, 14, "high")  # 6 of 14 are not half
