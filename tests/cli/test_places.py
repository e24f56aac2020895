"""Commands read people from databases, and no password of one is written anywhere."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest


@pytest.fixture
def clinic(tmp_path: Path) -> str:
    """Members, others, rows and links in one database."""
    rng = np.random.default_rng(4)
    tables: dict[str, tuple[list[str], list[tuple[Any, ...]]]] = {
        "links": (["a", "b", "agreement"], [("u", "v", 0.75), ("v", "w", 0.6)]),
        "original": (["age", "sex"], [(20 + i % 37, "fm"[i % 2]) for i in range(60)]),
        "listed": (["id", "sex"], [(name, sex) for name, sex in zip("dcba", "ffmm", strict=True)]),
        "truth": (["id", "ill"], [(name, name in "ad") for name in "bacd"]),
        "joint": (["u", "v", "probability"], [(0, 0, 0.4), (0, 1, 0.1), (1, 0, 0.1), (1, 1, 0.4)]),
    }
    for name, n in (("members", 40), ("others", 60)):
        rows = [(f"{name}{i}", *map(int, rng.integers(0, 2, 30))) for i in range(n)]
        tables[name] = (["id", *(f"x{j}" for j in range(30))], rows)
    with sqlite3.connect(tmp_path / "clinic.db") as file:
        for name, (columns, rows) in tables.items():
            file.execute(f"create table {name} ({', '.join(columns)})")
            marks = ", ".join("?" * len(columns))
            file.executemany(f"insert into {name} values ({marks})", rows)  # noqa: S608 -- our own words
    file.close()
    return f"sqlite://{tmp_path}/clinic.db"


def test_every_family_reads_a_database(clinic: str, tmp_path: Path, run: Any) -> None:
    out = tmp_path / "out"
    trace = (
        "trace",
        "members",
        "--members",
        f"{clinic}#members",
        "--reference",
        f"{clinic}#others",
        "--id",
        "id",
    )
    done = run(*trace, "--out", str(out))
    assert done.exit_code in (0, 1), done.output
    assert json.loads((out / "findings.json").read_text())["data"]["people"] == 40
    (tmp_path / "released.csv").write_text("age,sex\n" + "20-59,f\n20-59,m\n" * 30)
    rows = ("single-out", "rows", "--anonymised", str(tmp_path / "released.csv"), "--quasi", "age")
    done = run(*rows, "--original", f"{clinic}#original", "--out", str(out))
    assert done.exit_code in (0, 1), done.output
    assert json.loads((out / "findings.json").read_text())["data"]["people"] == 60
    done = run("infer", "network", "--edges", f"{clinic}#links", "--epsilon", "0.5", "--out", str(out))
    assert done.exit_code in (0, 1), done.output
    assert "clinic.db, table links" in (out / "findings.json").read_text()


def test_targets_and_their_reference_may_be_in_a_database(clinic: str, tmp_path: Path, run: Any) -> None:
    out = tmp_path / "out"
    (tmp_path / "means.csv").write_text("attribute,mean\n" + "".join(f"x{j},0.5\n" for j in range(30)))
    asked = ("--release", str(tmp_path / "means.csv"), "--n", "40", "--id", "id", "--out", str(out))
    done = run(
        "trace", "targets", "--targets", f"{clinic}#members", "--reference", f"{clinic}#others", *asked
    )
    assert done.exit_code == 1, done.output
    assert json.loads((out / "findings.json").read_text())["data"]["people"] == 40
    accused = (out / "accusations.csv").read_text().splitlines()
    assert len(accused) == 41
    assert accused[1].startswith("members0,")


def test_a_reference_in_a_database_does_not_go_with_genotypes(tmp_path: Path, run: Any) -> None:
    """And the password in its address is not said."""
    (tmp_path / "people.vcf").write_text("##fileformat=VCFv4.2\n")
    (tmp_path / "freqs.tsv").write_text("id\tcounted\tfrequency\nrs1\tA\t0.5\n")
    there = "postgres://anna:pa55word@127.0.0.1:1/clinic#people"
    files = ("--release", str(tmp_path / "freqs.tsv"), "--targets", str(tmp_path / "people.vcf"))
    done = run("trace", "targets", *files, "--reference", there, "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    assert "reference must be a file of genotypes or frequencies" in " ".join(done.output.split())
    assert "pa55word" not in done.output
    assert not (tmp_path / "out").exists()


def test_lists_of_people_true_secrets_and_joint_priors_may_be_in_a_database(
    clinic: str, tmp_path: Path, run: Any
) -> None:
    out = tmp_path / "out"
    (tmp_path / "answers.csv").write_text("query,answer\nq1,1\nq2,1\nq3,1\n")
    (tmp_path / "queries.csv").write_text("query,id\nq1,a\nq1,b\nq2,b\nq2,d\nq3,a\nq3,c\n")
    asked = ("--answers", str(tmp_path / "answers.csv"), "--queries", str(tmp_path / "queries.csv"))
    listed = ("--people", f"{clinic}#listed", "--id", "id", "--truth", f"{clinic}#truth")
    found = []
    for truth in (listed, listed[:4]):
        done = run("reconstruct", "counts", *truth, *asked, "--out", str(out))
        assert done.exit_code in (0, 1), done.output
        found.append(json.loads((out / "findings.json").read_text()))
    assert [one["data"]["people"] for one in found] == [4, 4]
    assert [one["data"]["secret"] for one in found] == ["ill", "secret"]
    done = run("infer", "joint", "--prior", f"{clinic}#joint", "--epsilon", "0.5", "--out", str(out))
    assert done.exit_code in (0, 1), done.output
    assert "clinic.db, table joint" in (out / "findings.json").read_text()


def test_true_secrets_in_a_database_that_miss_somebody(clinic: str, tmp_path: Path, run: Any) -> None:
    (tmp_path / "answers.csv").write_text("query,answer\nq1,1\n")
    (tmp_path / "queries.csv").write_text("query,id\nq1,members1\n")
    asked = ("--answers", str(tmp_path / "answers.csv"), "--queries", str(tmp_path / "queries.csv"))
    listed = ("--people", f"{clinic}#members", "--id", "id", "--truth", f"{clinic}#truth")
    done = run("reconstruct", "counts", *listed, *asked, "--out", str(tmp_path / "out"))
    assert done.exit_code == 2
    said = " ".join(done.output.split())
    assert "clinic.db, table truth must have everybody on the list of people; got 40 missing" in said
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_opened(clinic: str, tmp_path: Path, run: Any) -> None:
    out = tmp_path / "nothing"
    done = run("infer", "network", "--edges", f"{clinic}#liks", "--epsilon", "1", "--out", str(out))
    assert done.exit_code == 2
    assert "Did you mean 'links'" in " ".join(done.output.split())
    there = "postgres://anna:pa55word@127.0.0.1:1/clinic#people"
    done = run("trace", "members", "--members", there, "--reference", there, "--out", str(out))
    assert done.exit_code == 2
    assert "must let us in" in " ".join(done.output.split())
    assert "pa55word" not in done.output
    assert not out.exists()
