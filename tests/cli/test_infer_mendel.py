"""``dalenius infer pedigree --law mendel``: what passes, what must not, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run, squeeze

GENES = (
    "infer",
    "pedigree",
    "--people",
    "family.csv",
    "--out",
    "o",
    "--law",
    "mendel",
    "--frequency",
    "0.05",
)
FAMILY = "id,father,mother\nEva,,\nAdam,,\n" + "".join(f"Kid{i},Adam,Eva\n" for i in range(14))


@pytest.fixture(autouse=True)
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("family.csv").write_text(FAMILY)


def test_a_family_is_stopped_and_nobody_is_named(run: Run) -> None:
    done = run(*GENES, "--epsilon", "0.5", "--max-nu", "4.05")
    assert done.exit_code == 1
    said = squeeze(done.output)
    assert "nu is 4.1 for the worst-off, limit 4.05: above the limit" in said
    assert "Genes are not covered" not in said
    assert "Kid" not in done.output
    lines = Path("o/nu.csv").read_text().splitlines()
    assert lines[0] == "id,epsilon,nu,method,bound"
    assert lines[-1].startswith("Kid13,0.5,4.098")


def test_a_target_is_kept(run: Run) -> None:
    Path("family.csv").write_text("id,father,mother\na,,\nb,,\nc,a,b\n")
    assert run(*GENES, "--target-nu", "1").exit_code == 0


def test_impossible_children_are_refused_and_named_only_on_request(run: Run) -> None:
    Path("family.csv").write_text(
        "id,father,mother,genotype\nEva,,,0\nAdam,,,0\nKain,Adam,Eva,1\nAbel,Adam,Eva,0\n"
    )
    for more, named in (((), False), (("--show-people",), True)):
        done = run(*GENES, "--epsilon", "0.5", *more)
        assert done.exit_code == 2
        assert "what a child can have of its parents; got a child who cannot in line 4" in squeeze(
            done.output
        )
        assert ("Kain" in done.output) is named
    assert not Path("o").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--law", "mendle"), "--law must be a law that is known"),
        (("--law", "mendel"), "--frequency must be given"),
        (("--law", "mendel", "--frequency", "1"), "--frequency must lie strictly between"),
        (("--law", "mendel", "--frequency", "0.1", "--agreement", "0.8"), "must not stand beside"),
        (("--frequency", "0.1", "--agreement", "0.8"), "must come with --law mendel"),
        (("--law", "mendel", "--frequency", "0.1", "--rho", "1"), "must be agreement with --delta or --rho"),
        (("--law", "mendel", "--frequency", "0.1"), "--epsilon or --target-nu must be given"),
    ],
)
def test_refused(run: Run, words: tuple[str, ...], message: str) -> None:
    done = run("infer", "pedigree", "--people", "family.csv", "--out", "o", *words)
    assert done.exit_code == 2
    assert message in squeeze(done.output)
    assert not Path("o").exists()


def test_epsilons_of_a_file_are_what_is_released(run: Run) -> None:
    """A limit without --epsilon replaced them by the largest epsilon that keeps it, and passed."""
    everybody = [line.split(",")[0] for line in FAMILY.splitlines()[1:]]
    about = Path("about.csv")
    about.write_text("id,epsilon\n" + "".join(f"{who},0.5\n" for who in everybody))
    told = run(*GENES, "--about", "about.csv", "--max-nu", "0.4", "--quiet")
    assert (told.exit_code, told.output) == (1, "stop\n")
    about.write_text("id,epsilon\nEva,0.5\n")
    refused = run(*GENES, "--about", "about.csv", "--max-nu", "0.4")
    assert (refused.exit_code, "Kid" in refused.output) == (2, False)
