"""The grammar ``name:key=value``, and what it says about bad input."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dalenius.errors import InputError
from dalenius.grammar import Options, parse_chain, parse_options

words = st.text("abcdefghijklmnopqrstuvwxyz-_0123456789.", min_size=1, max_size=8)
options = st.builds(Options, words, st.dictionaries(words, words.map(lambda w: w + "+x"), max_size=4))


@settings(max_examples=60, deadline=None)
@given(options)
def test_one_is_read_back_from_how_it_is_written(one):
    assert parse_options(str(one)) == one


@settings(max_examples=60, deadline=None)
@given(st.lists(options, min_size=1, max_size=4))
def test_several_are_read_back_in_their_order(several):
    assert parse_chain(" | ".join(map(str, several))) == tuple(several)


def test_spaces_do_not_matter():
    assert parse_options("  tables: k = 2 , attributes=a+b ") == Options(
        "tables", {"k": "2", "attributes": "a+b"}
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "option must look like name:key=value,key=value; got ''"),
        (":k=2", "option must look like"),
        ("tables:", "option must look like"),
        ("tables:k", "tables: 'k' must look like key=value"),
        ("tables:k=", "must look like key=value"),
        ("tables:k=1,k=2", "tables: k must be given once"),
        ("tables:k=1,,j=2", "tables: '' must look like key=value"),
        ("exact | ", "option must look like"),
    ],
)
def test_broken_options(text, message):
    with pytest.raises(InputError, match=message):
        parse_chain(text)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda o: o.only("base"), "x: option 'bas' must be one it knows.*Did you mean 'base'"),
        (lambda o: o.only(), "x takes no options"),
        (lambda o: o.text("k"), "x: k must be given; got x:bas=5,f=1.5,n=nan,w=word,m=-1"),
        (lambda o: o.number("w"), "x: w must be a number; got 'word'"),
        (lambda o: o.number("n"), "x: n must be finite; got nan"),
        (lambda o: o.number("m", above=0), "x: m must be above 0; got -1"),
        (lambda o: o.number("m", least=0), "x: m must be at least 0; got -1"),
        (lambda o: o.number("bas", most=1), "x: bas must be at most 1; got 5"),
        (lambda o: o.whole("f", least=0), "x: f must be a whole number; got 1.5"),
        (
            lambda o: o.choice("w", ("words", "other"), "other"),
            "x: w must be one it knows; got 'word'.*'words'",
        ),
    ],
)
def test_parameters_that_cannot_be_used(call, message):
    with pytest.raises(InputError, match=message):
        call(parse_options("x:bas=5,f=1.5,n=nan,w=word,m=-1"))


def test_parameters_that_can():
    read = parse_options("x:a=2,b=0.5,c=one+two,d=north")
    assert read.whole("a", least=2) == 2
    assert read.number("b", above=0, most=0.5) == 0.5
    assert read.words("c") == ("one", "two")
    assert read.words("nothing") == ()
    assert read.choice("d", ("north", "south"), "south") == "north"
    assert (read.whole("z", 7, least=0), read.number("z", 0.25), read.choice("z", ("s",), "s")) == (
        7,
        0.25,
        "s",
    )
