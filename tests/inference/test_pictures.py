"""Pictures of related people: places that show distances, what is drawn, and that nobody is named."""

from __future__ import annotations

import re

import numpy as np
import pytest

from dalenius.inference.answers.bounded_degree import CurveOfTrees
from dalenius.inference.layout import place
from dalenius.inference.pictures import around_worst, beliefs, evenly, generations, network, nu_epsilon

CYCLE = np.array([[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]])


def stress(spots: np.ndarray, links: np.ndarray) -> float:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import shortest_path

    n = len(spots)
    far = shortest_path(
        coo_array((np.ones(len(links)), links.T), shape=(n, n)), directed=False, unweighted=True
    )
    a, b = np.triu_indices(n, 1)
    gap = np.linalg.norm(spots[a] - spots[b], axis=1)
    return float((((gap - far[a, b]) / far[a, b]) ** 2).mean())


def test_a_path_is_drawn_straight() -> None:
    links = np.column_stack([np.arange(6), np.arange(1, 7)])
    spots = place(7, links)
    assert stress(spots, links) < 0.01
    assert np.ptp(spots[:, 1]) < 1.0 < 5.0 < np.ptp(spots[:, 0])  # its long side lies flat


def test_a_cycle_is_drawn_round() -> None:
    spots = place(6, CYCLE)
    from_centre = np.linalg.norm(spots - spots.mean(axis=0), axis=1)
    assert from_centre.std() < 0.05 * from_centre.mean()


def test_no_two_people_share_a_place() -> None:
    star = np.array([[0, leaf] for leaf in range(1, 15)])
    spots = place(15, star)
    a, b = np.triu_indices(15, 1)
    assert np.linalg.norm(spots[a] - spots[b], axis=1).min() > 0.2


def test_groups_do_not_overlap() -> None:
    links = np.concatenate([CYCLE, CYCLE + 6])
    spots = place(13, links)
    boxes = [(spots[i:j].min(axis=0), spots[i:j].max(axis=0)) for i, j in ((0, 6), (6, 12), (12, 13))]
    for k, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:k]:
            assert (low > other_high).any() or (high < other_low).any()


def test_groups_fill_a_wide_page() -> None:
    side_by_side = place(12, np.concatenate([CYCLE, CYCLE + 6]))
    assert np.ptp(side_by_side[:, 0]) > 2 * np.ptp(side_by_side[:, 1])
    many = np.ptp(place(400, np.arange(400).reshape(-1, 2)), axis=0)
    assert 1.2 < many[0] / many[1] < 2.2


def places_in(picture: str) -> np.ndarray:
    """Where the first dots painted are in an SVG; ticks are dots to it, too."""
    dots = picture.split('id="PathCollection_1"')[1].split('<g id="')[0]
    return np.array(re.findall(r'<use [^>]*x="([0-9.]+)" y="([0-9.]+)"', dots), np.float64)


@pytest.mark.parametrize("groups", [1, 2, 150])
def test_a_drawing_stands_in_the_middle_and_its_title_at_the_left(groups: int) -> None:
    links = np.concatenate([CYCLE + 6 * at for at in range(groups)])
    picture = network(links, np.linspace(0.5, 2.0, 6 * groups), np.full(6 * groups, 0.005))
    (page,) = map(float, re.findall(r'viewBox="0 0 ([0-9.]+)', picture))
    (title,) = re.findall(r"<text [^>]*>[^<]*released with[^<]*</text>", picture)
    assert "text-anchor: start" in title
    assert float(re.findall(r' x="([0-9.]+)"', title)[0]) < 0.05 * page
    x = places_in(picture)[:, 0]
    assert x.size == 6 * min(groups, 50)
    assert 0.35 * page < (x.min() + x.max()) / 2 < 0.5 * page
    assert np.ptp(x) > (0.75 if groups > 1 else 0.4) * page


def test_a_long_title_is_wrapped() -> None:
    links = np.column_stack([np.arange(1999), np.arange(1, 2000)])
    epsilon = np.linspace(0.00123456, 0.00987654, 2000)
    picture = network(links, epsilon * 2, epsilon)
    lines = re.findall(r"<text [^>]*>([^<]*)</text>", picture) + re.findall(r"<tspan[^>]*>([^<]*)", picture)
    assert any("of 2,000 people around the worst-off" in each for each in lines)
    assert max(map(len, lines)) <= 80


def test_where_all_are_alike_there_is_no_scale() -> None:
    alone = network(np.zeros((0, 2), np.int64), np.full(4, 0.3), np.full(4, 0.3))
    assert "equivalent epsilon" not in alone
    assert "2 people, 1 link, released" in network(np.array([[0, 1]]), np.full(2, 0.4), np.full(2, 0.3))


def test_of_a_large_network_the_worst_off_and_their_neighbours_are_shown() -> None:
    links = np.column_stack([np.arange(999), np.arange(1, 1000)])
    nu = np.ones(1000)
    nu[500] = 2.0
    shown = around_worst(links, nu, limit=21)
    assert shown.tolist() == list(range(490, 511))


def test_far_apart_groups_fill_what_is_shown() -> None:
    pairs = np.arange(1000).reshape(-1, 2)
    assert around_worst(pairs, np.arange(1000.0), limit=6).tolist() == [994, 995, 996, 997, 998, 999]


@pytest.mark.parametrize("people", [6, 400])
def test_network(people: int) -> None:
    links = np.column_stack([np.arange(people - 1), np.arange(1, people)])
    nu = np.linspace(0.5, 1.25, people)
    picture = network(links, nu, np.full(people, 0.5))
    assert picture == network(links, nu, np.full(people, 0.5))
    assert "like epsilon = 1.25" in picture
    assert ("300 of 400 people around the worst-off" in picture) is (people == 400)


def test_a_network_without_links() -> None:
    assert "0 links" in network(np.zeros((0, 2), np.int64), np.full(4, 0.3), np.full(4, 0.3))


def test_nu_against_epsilon_says_the_floor_and_the_target() -> None:
    epsilon = np.geomspace(0.01, 1, 5)
    trees = CurveOfTrees("trees", epsilon + 1, 1.68)
    picture = nu_epsilon(epsilon, {"worst-off": 3 * epsilon}, trees=trees, target=2.0)
    for words in ("worst-off", "trees", "under 1.68", "target nu = 2"):
        assert words in picture
    assert "trees under" not in nu_epsilon(epsilon, {"worst-off": 3 * epsilon})


def test_generations() -> None:
    generation = np.array([0, 0, 1, 1, 1, 2])
    picture = generations(generation, np.array([1.0, 1.1, 1.5, 1.4, 1.4, 1.2]), np.full(6, 0.5))
    assert "(3)" in picture
    assert "nu = epsilon = 0.5" in picture


def test_of_a_large_generation_a_sample_is_drawn_with_its_extremes() -> None:
    nu = np.r_[0.01, np.random.default_rng(1).uniform(1, 2, 1200), 7.0]
    assert evenly(np.sort(nu))[[0, -1]].tolist() == [0.01, 7.0]
    assert evenly(np.sort(nu)).size == 400
    picture = generations(np.zeros(nu.size, np.int64), nu, np.full(nu.size, 0.01))
    y = places_in(picture)[:, 1]
    assert y.size == 400
    apart = np.sort(y)
    assert apart[-1] - apart[-2] > 0.1 * np.ptp(y)  # the best-off, alone at the bottom
    assert apart[1] - apart[0] > 0.5 * np.ptp(y)  # the worst-off, alone at the top
    assert "a sample" in picture
    assert "a sample" not in generations(np.zeros(40, np.int64), nu[:40], np.full(40, 0.01))


def test_beliefs() -> None:
    before, after = np.array([0.1, 0.5]), np.array([0.2, 0.4])
    assert "within nu = 1.5" in beliefs(before, after, np.array([1.5, 0.7]))
    assert "within nu" not in beliefs(before, after)
    many = beliefs(np.linspace(0, 1, 100_000), np.full(100_000, 0.6))
    assert "100,000 people, one in 34 drawn" in many
    assert len(many) < 1_000_000


def test_people_who_were_believed_the_same_are_counted_by_what_is_believed_now() -> None:
    picture = beliefs(np.full(3, 0.5), np.array([0.4, 0.6, 0.6]), np.full(3, 1.5))
    assert "everybody, before the release" in picture
    assert "within nu = 1.5" in picture
