"""Beliefs before and after a release: never beyond nu, and judged by the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dalenius.errors import InputError
from dalenius.inference.answers.beliefs import SeenOutput, believe, read_bits
from dalenius.inference.priors.prior import PriorFiles, open_prior
from dalenius.knowledge.correlation.network import Network


@pytest.fixture
def loop(tmp_path: Path) -> Network:
    path = tmp_path / "edges.csv"
    path.write_text("a,b\na,b\nb,c\nc,a\nc,d\nx,y\n")
    return open_prior(PriorFiles(edges=path, agreement=0.75))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", ["laplace:epsilon=0.4", "geometric:epsilon=0.4"])
def test_no_output_of_a_sum_moves_anybody_beyond_nu(loop: Network, seed: int, noise: str) -> None:
    total = float(np.random.default_rng(seed).integers(-3, 9))
    found = believe(loop, SeenOutput(noisy_sum=total, noise=noise), source="e")
    assert found.nu is not None
    assert (np.abs(found.beliefs.shift) <= found.nu + 1e-9).all()
    assert found.finding.details.limit is not None


def test_an_extreme_sum_attains_nu(loop: Network) -> None:
    found = believe(loop, SeenOutput(noisy_sum=-5, noise="laplace:epsilon=0.4"), source="e")
    assert np.abs(found.beliefs.shift) == pytest.approx(found.nu, abs=1e-9)


def test_answers_that_all_agree_attain_nu(loop: Network, tmp_path: Path) -> None:
    path = tmp_path / "said.csv"
    path.write_text("id,answer\n" + "".join(f"{name},1\n" for name in loop.model.ids))
    found = believe(loop, SeenOutput(answers=path, epsilon=0.4), source="e")
    assert -found.beliefs.shift == pytest.approx(found.nu, abs=1e-9)


def test_the_referee_says_how_right_beliefs_are(loop: Network, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("id,ill\n" + "".join(f"{name},1\n" for name in loop.model.ids))
    right = believe(loop, SeenOutput(noisy_sum=6, noise="laplace:epsilon=2"), source="e", truth=truth)
    wrong = believe(loop, SeenOutput(noisy_sum=0, noise="laplace:epsilon=2"), source="e", truth=truth)
    assert right.judgement is not None
    assert wrong.judgement is not None
    assert right.judgement.nearer == 6
    assert wrong.judgement.farther == 6
    assert right.finding.details.judged is not None
    assert right.finding.details.judged["log_score"]["change"] > 0
    said = " ".join([right.finding.sentence, *right.finding.facts])
    assert "Closer to the truth: 6 people; farther: 0" in said
    assert "every bit is fair" in right.finding.assumptions[0]


def test_beliefs_are_written_in_the_order_of_the_people(loop: Network) -> None:
    found = believe(loop, SeenOutput(noisy_sum=3, noise="gaussian:sigma=1"), source="e")
    rows = found.to_csv().splitlines()
    assert rows[0] == "id,before,after"
    assert [row.split(",")[0] for row in rows[1:]] == loop.model.ids.tolist()
    assert found.nu is None
    assert found.finding.details.limit is None


def test_answers_of_some(tmp_path: Path) -> None:
    path = tmp_path / "said.csv"
    path.write_text("id,answer\nb,0\n007,1\n")
    bits = read_bits(path, np.array(["7", "b", "007"]))
    assert np.isnan(bits[0])
    assert bits[1:].tolist() == [0.0, 1.0]
    path.write_text("id,answer\nb,0\nb,1\n")
    with pytest.raises(InputError, match="somebody twice"):
        read_bits(path, np.array(["b", "c"]))
