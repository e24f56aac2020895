from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.genomes.match import check_counted, match_variants
from dalenius.genomes.variants import Variants

TURN = {"A": "T", "C": "G", "G": "C", "T": "A", "": ""}


def variants(*rows: str) -> Variants:
    """Rows like ``rs1 1 100 A G``; ``.`` for nothing."""
    cells = [[("" if c == "." else c) for c in row.split()] for row in rows]
    ids, chromosomes, places, counted, other = (list(c) for c in zip(*cells, strict=True))
    return Variants(
        np.array(ids),
        np.array(chromosomes),
        np.array([int(p) for p in places]),
        np.array(counted),
        np.array(other),
    )


ONE = variants("rs1 1 10 A G", "rs2 1 20 C T", "rs3 2 30 A T", "rs4 2 40 G A", "rs5 X 50 G T")


def test_flips_strands_and_ambiguous_ones_are_told_apart() -> None:
    two = variants(
        "rs5 X 50 C A", "rs4 2 40 A G", "rs3 2 30 A T", "rs2 1 20 A G", "rs1 1 10 A C", "rs9 3 1 A G"
    )
    found = match_variants(ONE, two)
    # rs1: another allele; rs2: C/T against A/G, other strand and turned; rs3 ambiguous; rs4 turned; rs5
    assert found.first.tolist() == [1, 3, 4]
    assert found.second.tolist() == [3, 1, 0]
    assert found.flip.tolist() == [True, True, False]
    report = found.report
    assert (report.common, report.matched, report.flipped, report.strand) == (5, 3, 2, 2)
    assert (report.ambiguous, report.different) == (1, 1)
    assert "1 dropped because A/T and C/G do not tell the strand" in str(report)


def test_strands_that_agree_keep_ambiguous_ones() -> None:
    two = variants("rs3 2 30 T A", "rs1 1 10 A G", "rs2 1 20 G A")
    found = match_variants(ONE, two, strands_agree=True)
    assert found.first.tolist() == [0, 2]
    assert found.flip.tolist() == [False, True]
    assert found.report.different == 1


def test_places_match_whatever_the_chromosome_is_called() -> None:
    two = variants("a chr1 10 G A", "b chr01 20 C T", "c 23 50 G T", "d chr2 41 G A")
    found = match_variants(ONE, two)
    assert found.report.by == "place"
    assert found.first.tolist() == [0, 1, 4]
    assert found.flip.tolist() == [True, False, False]


def test_a_place_with_two_variants_matches_only_if_alleles_tell_them_apart() -> None:
    one = variants("a 1 10 A G", "b 1 10 C G", "c 1 20 A G")
    assert match_variants(
        one, variants("x 1 10 C G", "y 1 20 A G"), by="place", strands_agree=True
    ).first.tolist() == [1, 2]
    found = match_variants(one, variants("x 1 10 A .", "y 1 20 A ."), by="place")
    assert found.first.tolist() == [2]
    assert found.report.repeated == 2


def test_a_file_that_names_only_the_counted_allele_can_be_matched() -> None:
    two = variants("rs1 . 0 A .", "rs2 . 0 T .", "rs5 . 0 A .")
    found = match_variants(ONE, two)
    assert found.first.tolist() == [0, 1, 4]
    assert found.flip.tolist() == [False, True, True]
    assert found.report.strand == 1


@settings(deadline=None)
@given(st.integers(1, 40), st.integers(0, 2**32))
def test_turned_files_match_back_to_the_truth(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counted = rng.choice(list("ACGT"), size)
    # the other allele is never the complement: no ambiguous ones
    other = np.array([rng.choice([x for x in "ACGT" if x not in (c, TURN[c])]) for c in counted])
    ids = np.array([f"rs{j}" for j in range(size)])
    one = Variants(ids, np.full(size, "1"), np.arange(size) + 1, counted, other)
    flip, strand, order = rng.random(size) < 0.5, rng.random(size) < 0.5, rng.permutation(size)
    a, b = np.where(flip, other, counted), np.where(flip, counted, other)
    a, b = (np.where(strand, [TURN[x] for x in each], each) for each in (a, b))
    two = Variants(ids, np.full(size, "chr1"), one.places, a, b).take(order)
    for by in ("id", "place"):
        found = match_variants(one, two, by=by)
        assert found.first.tolist() == list(range(size))
        assert np.array_equal(order[found.second], np.arange(size))
        assert np.array_equal(found.flip, flip)
        assert found.report.strand == strand.sum()


@pytest.mark.parametrize(
    ("two", "message"),
    [
        (variants("rs8 1 11 A G"), "genome build"),
        (variants("1:10 . 0 A G"), "rs numbers in the other, and one file has no places"),
        (variants("rs9 . 0 A G"), "ids are of the same kind"),
        (variants("rs3 2 30 A T"), "1 in common, 1 ambiguous"),
    ],
)
def test_nothing_in_common_says_why(two: Variants, message: str) -> None:
    with pytest.raises(InputError) as caught:
        match_variants(ONE, two)
    assert message in str(caught.value)


def test_frequencies_of_the_other_allele_are_noticed() -> None:
    rng = np.random.default_rng(3)
    reference = rng.beta(0.6, 1.2, 500)
    sample = rng.binomial(200, reference) / 200
    check_counted("freqs.tsv", sample, reference)
    check_counted("freqs.tsv", 1 - sample[:20], reference[:20])
    with pytest.raises(InputError, match="those of the other allele"):
        check_counted("freqs.tsv", 1 - sample, reference)
