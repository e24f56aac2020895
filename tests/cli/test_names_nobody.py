"""What stands in a file is no part of an error: a level, a label, a term or a header may be a person."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
SOMEBODY = "ZQ17x"

PEOPLE = "id,age,sex\n" + "".join(f"p{i},{20 + i % 3},{'fm'[i % 2]}\n" for i in range(12))
TABLE = "sex,ill,count\nf,no,3\nf,yes,3\nm,no,3\nm,yes,3\n"
TRUTH = "id,ill\n" + "".join(f"p{i},{'no' if i % 4 < 2 else 'yes'}\n" for i in range(12))
TREE = "|--- sex <= 0.50\n|   |--- class: 0\n|--- sex >  0.50\n|   |--- class: 1\n"
COEFFICIENTS = "term,estimate\nIntercept,0.1\nage,0.2\nsex[T.m],0.3\n"

LISTED = ("--people", "people.csv", "--id", "id")
TABLES = ("reconstruct", "tables", *LISTED, "--table", "table.csv", "--truth", "truth.csv")
REGRESSION = ("reconstruct", "regression", *LISTED, "--coefficients", "coef.csv", "--model", "linear")
SCORES = ("reconstruct", "scores", *LISTED, "--predictions", "tree.txt", "--error-rate", "0.4")
COUNTS = ("reconstruct", "counts", *LISTED, "--queries", "asked.csv", "--answers", "said.csv")


@pytest.mark.parametrize(
    ("words", "file", "old", "new"),
    [
        (TABLES, "table.csv", "m,yes,3", f"{SOMEBODY},yes,3"),
        (TABLES, "table.csv", "f,yes,3\nm,no,3\nm,yes,3", f"f,{SOMEBODY},3\nm,no,3\nm,maybe,3"),
        (TABLES, "table.csv", TABLE, f"{SOMEBODY},71,3\nb,72,4\n"),
        (TABLES, "table.csv", "sex,ill,count\n", f"sex,{SOMEBODY},{SOMEBODY}2\n"),
        (TABLES, "people.csv", "p5,22,m", f"p5,22,{SOMEBODY}"),
        (TABLES, "truth.csv", "p5,no", f"p5,{SOMEBODY}"),
        (TABLES, "truth.csv", "id,ill\n", f"id,ill,{SOMEBODY}\n"),
        (REGRESSION, "coef.csv", "age,0.2", f"{SOMEBODY},0.2"),
        (REGRESSION, "coef.csv", "[T.m]", f"[T.{SOMEBODY}]"),
        (REGRESSION, "coef.csv", "Intercept", SOMEBODY),
        (REGRESSION, "people.csv", ",m\n", f",{SOMEBODY}\n"),
        (SCORES, "tree.txt", "sex", SOMEBODY),
        (SCORES, "people.csv", "p5,22,m", f"p5,22,{SOMEBODY}"),
        (COUNTS, "people.csv", ",f\n", f",{SOMEBODY}\n"),
        (COUNTS, "asked.csv", "sex = f", "sex < 3"),
    ],
)
def test_an_error_names_nobody_unless_asked(
    words: tuple[str, ...],
    file: str,
    old: str,
    new: str,
    tmp_path: Path,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {"people.csv": PEOPLE, "table.csv": TABLE, "truth.csv": TRUTH, "coef.csv": COEFFICIENTS}
    files |= {
        "tree.txt": TREE,
        "asked.csv": "query,condition\nq,sex = f\n",
        "said.csv": "query,answer\nq,3\n",
    }
    for name, text in files.items():
        Path(name).write_text(text.replace(old, new) if name == file else text)
    result = run(*words)
    assert result.exit_code == 2, result.output
    assert result.output.startswith("error: ")
    assert len(result.output.splitlines()) == 1
    assert SOMEBODY.casefold() not in result.output.casefold()
    assert not Path("dalenius-report").exists()
