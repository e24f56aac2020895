"""Two truths with the same view give the same claims, to the last byte."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dalenius.knowledge.view import Knowledge, View
from dalenius.people.schema import Roster
from dalenius.reconstruction.attack.attack import reconstruct
from dalenius.reconstruction.attack.choose import DECODERS
from dalenius.reconstruction.attack.guesses import Guesses
from dalenius.release.files import read_release, write_release
from dalenius.release.release import Block, Release
from dalenius.statistics.counts.subsets import HadamardQueries
from dalenius.statistics.tables import tables_of
from dalenius.testing import check_blind

EVERY = ["auto", *DECODERS]
GENERAL = [name for name in EVERY if name != "hadamard"]

Attack = Callable[[View], Guesses]


def published(release: Release) -> bytes:
    return b"|".join(block.answers.tobytes() for block in release.blocks)


def attack_with(decoder: str) -> Attack:
    return lambda view: reconstruct(view, decoder=decoder, rng=np.random.default_rng(17))


def tells_apart(attack: Attack, releases: list[Release], roster: Roster) -> bool:
    """Whether claims differ between truths with one release, asked in this order and in the other."""
    try:
        check_blind(attack, [View(release, Knowledge(roster)) for release in releases])
    except AssertionError:
        return True
    return False


CODES = np.array([[0, 1], [0, 1], [1, 0], [1, 1], [2, 1], [2, 1], [2, 0], [0, 0], [1, 2], [1, 2]])
ONE = np.array([1, 0, 1, 0, 0, 1, 1, 0, 1, 0])
OTHER = ONE[[1, 0, 2, 3, 5, 4, 6, 7, 9, 8]]  # people with the same records have changed places

MECHANISMS = [
    "exact", "rounding:base=3", "rounding:base=3,how=random", "suppression:below=3", "bounded:error=1.5",
    "gaussian:sigma=1.5", "laplace:scale=1", "geometric:scale=1",
]  # fmt: skip


@pytest.mark.parametrize("decoder", GENERAL)
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_people_with_one_record_who_exchange_their_secrets(decoder, mechanism, people, release):
    roster = people(CODES)
    tables = tables_of(roster.attributes.columns, 2)
    releases = [release([tables], roster, truth, mechanism) for truth in (ONE, OTHER)]
    assert (ONE != OTHER).any()
    assert published(releases[0]) == published(releases[1])
    assert not tells_apart(attack_with(decoder), releases, roster)


@pytest.mark.parametrize("decoder", GENERAL)
@pytest.mark.parametrize(
    "mechanism",
    [
        "rounding:base=5",
        pytest.param(
            "rounding:base=4", marks=pytest.mark.slow(beside="test_all_truths_that_collide_in_one_release")
        ),
        "suppression:below=4",
    ],
)
def test_all_truths_that_collide_in_one_release(decoder, mechanism, people, subsets, release):
    """Every secret vector of six people, sorted by what is published: within each class the claims agree."""
    roster = people(np.zeros((6, 0)))
    asked = subsets(np.random.default_rng(2).integers(0, 2, (4, 6)))
    classes = defaultdict(list)
    for truth in itertools.product(range(2), repeat=6):
        made = release([asked], roster, np.array(truth), mechanism)
        classes[published(made)].append(made)
    shared = [made for made in classes.values() if len(made) > 1]
    assert sum(map(len, shared)) > 30
    for made in sorted(shared, key=len)[-2:]:
        assert not tells_apart(attack_with(decoder), made[:3], roster)


@pytest.mark.parametrize("decoder", EVERY)
def test_two_truths_whose_noise_makes_up_for_the_difference(decoder, people, release):
    """Whole-number noise: another truth and other noise give the very same published numbers."""
    roster = people(np.zeros((8, 0)))
    asked = HadamardQueries(roster.ids)
    first, second = np.array([1, 0, 1, 1, 0, 0, 1, 0]), np.array([0, 1, 1, 0, 0, 1, 1, 1])
    noisy = release([asked], roster, first, "geometric:scale=2")
    other = release([asked], roster, second, "exact")
    noise = noisy.blocks[0].answers - other.blocks[0].answers
    again = Block(asked, ("yes",), other.blocks[0].answers + noise)
    releases = [noisy, Release(noisy.name, noisy.secret, (again,), noisy.mechanism)]
    assert published(releases[0]) == published(releases[1])
    assert not tells_apart(attack_with(decoder), releases, roster)


@pytest.mark.parametrize("decoder", ["auto", "posterior", "lp"])
def test_through_files(decoder, people, release, tmp_path: Path):
    """What is written is the same for both truths, byte by byte, and what is read gives the same claims."""
    roster = people(CODES)
    tables = tables_of(roster.attributes.columns, 2)
    releases = [release([tables], roster, truth, "suppression:below=3") for truth in (ONE, OTHER)]
    for name, made in zip(("one", "other"), releases, strict=True):
        write_release(made, tmp_path / name)
    files = [
        {path.name: path.read_bytes() for path in sorted((tmp_path / name).iterdir())}
        for name in ("one", "other")
    ]
    assert files[0] == files[1]
    back = [read_release(tmp_path / name) for name in ("one", "other")]
    assert not tells_apart(attack_with(decoder), [*releases, *back], roster)


def test_an_attack_that_remembers_is_noticed(people, release):
    """Planted faults: one that counts its calls, one that finds the truth lying about."""
    roster = people(CODES)
    tables = tables_of(roster.attributes.columns, 2)
    releases = [release([tables], roster, truth, "exact") for truth in (ONE, OTHER)]
    truths = {id(made): truth for made, truth in zip(releases, (ONE, OTHER), strict=True)}
    honest = attack_with("auto")

    def altered(claims: Guesses, share: np.ndarray) -> Guesses:
        both = np.stack([1 - share, share], axis=1)
        return Guesses(claims.id_name, claims.ids, claims.levels, both, claims.certain, claims.method)

    calls: list[int] = []

    def remembers(view: View) -> Guesses:
        calls.append(1)
        return altered(honest(view), np.full(10, 1 / len(calls)))

    def finds(view: View) -> Guesses:
        return altered(honest(view), truths[id(view.release)].astype(float))

    assert not tells_apart(honest, releases, roster)
    assert tells_apart(remembers, releases, roster)
    assert tells_apart(finds, releases, roster)
