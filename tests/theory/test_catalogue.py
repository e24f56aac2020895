"""The catalogue, and what importing this room costs."""

import re
import subprocess
import sys

import pytest

from dalenius.errors import InputError
from dalenius.theory.catalogue import STATEMENTS, statement


def test_ids() -> None:
    assert [entry.id for entry in STATEMENTS] == [
        "exposed-1",
        "exposed-6",
        "exposed-7",
        "exposed-8",
        "exposed-9",
        "exposed-10",
        "exposed-14",
        "exposed-15",
        "exposed-16",
        "exposed-20",
        "krs-2.1",
        "krs-2.2",
        "krs-3.2",
        "krs-3.3",
        "krs-4.1",
        "krs-4.2",
        "trace-12",
        "trace-13",
        "trace-26",
        "trace-28",
        "trace-31",
        "pso-3.1",
        "pso-3.3",
        "pso-4.1",
        "pso-4.2",
        "pso-4.5",
        "pso-4.6",
        "pso-4.7",
        "pso-4.8",
        "pso-4.9",
        "pso-5.4",
        "pso-5.6",
        "pso-6.1",
        "infer-3.4",
        "infer-3.5",
        "infer-4.2",
        "infer-A1",
        "infer-A2a",
        "infer-A2b",
        "infer-zeus",
    ]


def _plain(mark: re.Match[str]) -> str:
    """In an id the appendix' A.2(a) is A2a."""
    return "A" if mark[0] == "A." else ""


@pytest.mark.parametrize("entry", STATEMENTS, ids=lambda entry: entry.id)
def test_each_statement_is_complete(entry: object) -> None:
    found = statement(entry.id)
    assert found is entry
    named = found.id.split("-")[1]
    assert named == "zeus" or re.sub(r"A\.|[()]", _plain, found.number).split()[-1] == named
    assert found.assumptions
    assert all(text.endswith(".") for text in (*found.assumptions, found.says))


def test_unknown_id_proposes_the_nearest() -> None:
    with pytest.raises(InputError, match=r"got 'krs-2\.3'\. Did you mean 'krs-[23]\.[123]'"):
        statement("krs-2.3")


def test_import_is_light_and_knows_nobody() -> None:
    modules = "catalogue privacy limits lp discrepancy least_squares hadamard uniqueness tables"
    code = (
        f"import sys; [__import__('dalenius.theory.' + m) for m in '{modules}'.split()];"
        "print(*sorted(m for m in sys.modules if m.startswith(('dalenius', 'scipy.'))))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = loaded.stdout.split()
    assert not {"scipy.stats", "scipy.optimize"} & set(names)
    ours = {name for name in names if name.startswith("dalenius") and "theory" not in name}
    assert ours <= {"dalenius", "dalenius.errors"}
