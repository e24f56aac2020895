from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dalenius.errors import InputError, UnsupportedError
from dalenius.grammar import parse_options
from dalenius.matrices.answers import Counts, Sensitivity
from dalenius.mechanisms.base import Promise
from dalenius.mechanisms.parse import check_mechanism, parse_mechanism, reader
from dalenius.mechanisms.stages.rounding import TIES

SCALES = st.floats(1e-3, 1e6)
STAGES = st.one_of(
    st.just("exact"),
    st.builds("rounding:base={},how={}".format, st.integers(2, 99), st.sampled_from(["nearest", "random"])),
    st.builds("rounding:base={},ties={}".format, st.integers(2, 99), st.sampled_from(TIES)),
    st.builds("bounded:error={!r},how={}".format, SCALES, st.sampled_from(["uniform", "extreme"])),
    st.builds("gaussian:sigma={!r}".format, SCALES),
    st.builds("laplace:scale={!r}".format, SCALES),
    st.builds("geometric:scale={!r}".format, SCALES),
    st.builds("suppression:below={},zeros={}".format, st.integers(2, 99), st.sampled_from(["keep", "hide"])),
)
CHAINS = st.builds(
    lambda first, rest: " | ".join([*first, *rest]),
    st.lists(st.builds("subsample:rate={!r}".format, st.floats(0.01, 1)), max_size=1),
    st.lists(STAGES, min_size=1, max_size=3),
)
MOVES = Sensitivity(l1=6, l2_squared=8)


@given(CHAINS)
def test_text_and_mechanism_say_the_same(text: str) -> None:
    mechanism = parse_mechanism(text)
    assert parse_mechanism(str(mechanism)) == mechanism


def test_the_text_is_canonical() -> None:
    text = "subsample:rate=0.50|rounding:how=nearest,base=5.0|suppression:below=10 ,zeros=keep"
    assert str(parse_mechanism(text)) == "subsample:rate=0.5 | rounding:base=5 | suppression:below=10"


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("gaussian:rho=0.5", "gaussian:sigma=2.828427125"),
        ("laplace:epsilon=0.1", "laplace:scale=60"),
        ("geometric:epsilon=7", "geometric:scale=0.8571428572"),
        (
            "gaussian:sigma=0.123456789012 | rounding:base=5",
            "gaussian:sigma=0.123456789012 | rounding:base=5",
        ),
    ],
)
def test_resolving_announces_the_scale_rounded_up_to_ten_digits(text: str, resolved: str) -> None:
    mechanism = parse_mechanism(text).resolve(MOVES)
    assert str(mechanism) == resolved
    assert parse_mechanism(resolved) == mechanism


@given(st.sampled_from(["gaussian:rho", "laplace:epsilon", "geometric:epsilon"]), st.floats(1e-3, 50))
def test_the_announced_scale_keeps_the_promise(kind: str, budget: float) -> None:
    mechanism = parse_mechanism(f"{kind}={budget!r}")
    asked, kept = mechanism.promise(MOVES), mechanism.resolve(MOVES).promise(MOVES)
    assert asked is not None
    assert kept is not None
    for before, after in ((asked.epsilon, kept.epsilon), (asked.rho, kept.rho)):
        assert (before is None) == (after is None)
        if before is not None and after is not None:
            assert before * (1 - 1e-8) <= after <= before * (1 + 1e-15)


@pytest.mark.parametrize(
    ("text", "rho", "epsilon"),
    [
        ("exact", None, None),
        ("rounding:base=5", None, None),
        ("unknown", None, None),
        ("gaussian:rho=0.5", 0.5, None),
        ("gaussian:sigma=2", 1.0, None),
        ("laplace:scale=2", None, 3.0),
        ("geometric:epsilon=0.5", None, 0.5),
        ("gaussian:rho=0.5 | rounding:base=5 | suppression:below=10", 0.5, None),
        ("subsample:rate=0.1 | gaussian:rho=0.5", 0.5, None),
        ("bounded:error=3 | laplace:epsilon=1", None, 1.0),
        ("gaussian:rho=0.5 | laplace:epsilon=1", 0.5, 1.0),
        ("laplace:epsilon=2 | laplace:epsilon=1", None, 1.0),
        ("suppression:below=10 | gaussian:sigma=2", None, None),
        ("rounding:base=5 | laplace:scale=2", None, None),
        ("gaussian:rho=0.5 | rounding:base=5 | laplace:scale=2", 0.5, None),
    ],
)
def test_promises(text: str, rho: float | None, epsilon: float | None) -> None:
    promise = parse_mechanism(text).promise(MOVES)
    if rho is None and epsilon is None:
        assert promise is None
    else:
        assert isinstance(promise, Promise)
        assert promise.rho == (None if rho is None else pytest.approx(rho))
        assert promise.epsilon == (None if epsilon is None else pytest.approx(epsilon))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gaussian:sigma=-1", "gaussian: sigma must be above 0; got -1."),
        ("gaussian:sigma=big", "gaussian: sigma must be a number; got 'big'. Write gaussian:sigma=1."),
        ("laplace:epsilon=0", "laplace: epsilon must be above 0; got 0."),
        ("geometric:epsilon=0", "geometric: epsilon must be above 0; got 0."),
        ("gaussian:rho=0", "gaussian: rho must be above 0; got 0."),
        ("gaussian:rho=inf", "gaussian: rho must be finite; got inf."),
        (
            "gaussian:sigma=1,rho=1",
            "gaussian: must have either sigma or rho; got gaussian:sigma=1,rho=1. "
            "Write gaussian:sigma=4 or gaussian:rho=0.5.",
        ),
        (
            "laplace",
            "laplace: must have either scale or epsilon; got laplace. "
            "Write laplace:scale=4 or laplace:epsilon=0.5.",
        ),
        (
            "rounding:base=4,ties=evn",
            "rounding: ties must be one it knows; got 'evn'. Did you mean 'even'?",
        ),
        (
            "rounding:base=4,how=random,ties=up",
            "rounding: ties must be given only where numbers go to the nearest multiple; got "
            "rounding:base=4,how=random,ties=up. Leave ties out.",
        ),
        ("rounding:base=1", "rounding: base must be at least 2; got 1."),
        ("rounding:base=2.5", "rounding: base must be a whole number; got 2.5."),
        ("rounding", "rounding: base must be given; got rounding. Write rounding:base=..."),
        (
            "rounding:base=5,how=randon",
            "rounding: how must be one it knows; got 'randon'. Did you mean 'random'?",
        ),
        ("subsample:rate=0", "subsample: rate must be above 0; got 0."),
        ("subsample:rate=1.5", "subsample: rate must be at most 1; got 1.5."),
        ("bounded:error=0", "bounded: error must be above 0; got 0."),
        ("suppression:below=1", "suppression: below must be at least 2; got 1."),
        ("suppression:below=0,zeros=hide", "suppression: below must be at least 1; got 0."),
        (
            "gausian:sigma=1",
            "mechanism 'gausian' must be one it knows; got gausian:sigma=1. Did you mean 'gaussian'?",
        ),
        (
            "gaussian:sigm=1",
            "gaussian: option 'sigm' must be one it knows; got gaussian:sigm=1. Did you mean 'sigma'?",
        ),
        (
            "exact:base=5",
            "exact: option 'base' must be one it knows; got exact:base=5. exact takes no options.",
        ),
        (
            "rounding:base=5 | subsample:rate=0.5",
            "subsample must come first; got 'rounding:base=5 | subsample:rate=0.5'. "
            "It chooses people, before anything is counted.",
        ),
        (
            "unknown | rounding:base=5",
            "unknown must stand alone; got 'unknown | rounding:base=5'. Name the stages that are known.",
        ),
        (
            "rounding:base=5 | gaussian:rho=1",
            "gaussian:rho=1 must come before what depends on the counts; "
            "got 'rounding:base=5 | gaussian:rho=1'. "
            "Add the noise first, or give the size of the noise, which then promises nothing.",
        ),
    ],
)
def test_bad_text_is_refused_with_the_reason(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_mechanism(text)
    assert str(caught.value) == message


def test_noise_without_a_scale_is_neither_drawn_nor_read() -> None:
    mechanism = parse_mechanism("gaussian:rho=0.5")
    counts = Counts(np.zeros((1, 1), dtype=np.int64), np.zeros(1, dtype=np.int64), MOVES)
    with pytest.raises(InputError, match="gaussian: sigma must be known before noise is drawn or read"):
        mechanism.protect(counts, rng=np.random.default_rng(1))
    with pytest.raises(InputError, match="gaussian: sigma must be known before noise is drawn or read"):
        mechanism.error(np.zeros((1, 1)))


def test_the_unknown_cannot_be_applied() -> None:
    counts = Counts(np.zeros((1, 1), dtype=np.int64), np.zeros(1, dtype=np.int64), MOVES)
    with pytest.raises(UnsupportedError, match="'unknown' can be attacked but not applied"):
        parse_mechanism("unknown").protect(counts, rng=np.random.default_rng(1))


@pytest.mark.parametrize(
    ("text", "of", "message"),
    [
        ("clip", "counts", "mechanism 'clip' must be one for counts; got clip. It is for means."),
        ("topcode:at=9", "means",
         "mechanism 'topcode' must be one for means; got topcode:at=9. It is for counts."),
        ("mondrian:k=5", "counts",
         "mechanism 'mondrian' must be one for counts; got mondrian:k=5. It is for rows."),
        (
            "gaussian:epsilon=1,delta=1e-6",
            "counts",
            "gaussian: option 'epsilon' must be one for counts; got gaussian:epsilon=1,delta=1e-6. "
            "It is for means.",
        ),
        (
            "suppression:below=5",
            "means",
            "suppression: option 'below' must be one for means; got suppression:below=5. It is for counts. "
            "For means write suppression:rare=...",
        ),
        ("clipp", "means", "mechanism 'clipp' must be one it knows; got clipp. Did you mean 'clip'?"),
        ("zzz", "rows", "mechanism 'zzz' must be one it knows; got zzz. "
         "Known: bit-suppression, buckets, datafly, mondrian."),
        ("subsample", "counts", "subsample: rate must be given; got subsample. Write subsample:rate=..."),
        ("subsample", "means", "subsample: size must be given; got subsample. Write subsample:size=..."),
        ("rounding", "means", "rounding: digits must be given; got rounding. Write rounding:digits=..."),
    ],
)  # fmt: skip
def test_one_parser_says_what_a_stage_is_for(text: str, of: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        reader(parse_options(text), of)(parse_options(text))
    assert str(caught.value) == message


def test_of_either_counts_or_means() -> None:
    for text in ("rounding:base=5", "gaussian:epsilon=1,delta=1e-6 | clip", "subsample:size=5", "exact"):
        check_mechanism(text)
    with pytest.raises(InputError, match="'clip' must be one for counts"):
        check_mechanism("clip | topcode:at=100")
    with pytest.raises(InputError, match="low must be below high"):
        check_mechanism("clip:low=1,high=0")


def test_reading_one_stage_loads_no_other() -> None:
    code = (
        "import sys; from dalenius.mechanisms.parse import parse_mechanism\n"
        "parse_mechanism('rounding:base=5')\n"
        "print(*(name for name in sys.modules if name.startswith('dalenius.mechanisms.stages.')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["dalenius.mechanisms.stages.rounding"]
