"""The papers' contents: every statement complete, in a file that says so, and listed without loading it."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dalenius import papers
from dalenius.errors import InputError
from dalenius.papers.registry import HEADINGS, PAPERS, heading, parameters, statement


def test_ids() -> None:
    assert list(HEADINGS) == [
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


@pytest.mark.parametrize("id", HEADINGS)
def test_each_statement_is_complete(id: str) -> None:
    found, entry = statement(id), heading(id)
    assert entry is HEADINGS[id]
    named = id.split("-")[1]
    assert named == "zeus" or _flat(entry.number).split()[-1] == named
    assert found.assumptions
    assert all(text.endswith(".") for text in (*found.assumptions, found.says))
    names = [parameter.name for parameter in parameters(id)]
    assert len(set(names)) == len(names)
    assert all(parameter.meaning for parameter in parameters(id))


def _flat(number: str) -> str:
    return re.sub(r"A\.|[()]", _plain, number)


@pytest.mark.parametrize("id", HEADINGS)
def test_a_statement_is_one_file_whose_name_and_first_line_say_it(id: str) -> None:
    """Theorem 4.6 of the paper on singling out is ``singling_out/composition/theorem_4_6_*.py``."""
    entry = heading(id)
    module = importlib.import_module(entry.module)
    assert module.__doc__ == f"{entry.number}. {entry.title}."
    number = "example_zeus" if id == "infer-zeus" else re.sub(r"[ .]", "_", _flat(entry.number)).lower()
    assert re.fullmatch(rf"{number}(_\w+)?", Path(module.__file__ or "").stem)


def test_every_file_of_a_paper_is_listed_or_shared() -> None:
    """What no contents page lists is shared by several statements, and its name is that of no statement."""
    folder = Path(papers.__file__).parent
    kinds = "claim|theorem|definition|proposition|lemma|remark|example"
    files = {path.relative_to(folder).with_suffix("") for path in folder.glob("*/**/[a-z]*.py")}
    named = {".".join(path.parts) for path in files if re.match(kinds, path.name)}
    assert named == {entry.module.removeprefix("dalenius.papers.") for entry in HEADINGS.values()}
    for room in (path for path in folder.rglob("*") if path.is_dir()):
        assert len(list(room.glob("*.py"))) <= 12, room.name


def test_unknown_id_proposes_the_nearest() -> None:
    with pytest.raises(InputError, match=r"got 'krs-2\.3'\. Did you mean 'krs-[23]\.[123]'"):
        heading("krs-2.3")


def test_contents_load_no_statement() -> None:
    code = (
        "import sys, dalenius.papers.registry;"
        "print(*sorted(m for m in sys.modules if m.startswith(('dalenius', 'numpy', 'scipy'))))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names = loaded.stdout.split()
    assert not {"numpy", "scipy"} & set(names)
    ours = {name.removeprefix("dalenius.papers.") for name in names if ".papers." in name}
    assert ours == {paper.__name__.split(".")[-1] for paper in PAPERS} | {"registry", "settings", "statement"}
