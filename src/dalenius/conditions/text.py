"""Conditions in words: what a lawyer reads about the only person who meets one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalenius.conditions.leaves import Between, Equals, HashBelow, HashBit, In, Like
from dalenius.conditions.predicate import And, Not, Or, Predicate
from dalenius.people.rows.columns import NumberKind, number_text
from dalenius.people.schema import MISSING

Kinds = Mapping[str, NumberKind]


def english(predicate: Predicate, subject: str = "person", kinds: Kinds | None = None) -> str:
    """Write a condition as what it says about the one whom it singles out.

    Parameters
    ----------
    predicate
        The condition.
    subject
        What a row is.
    kinds
        The kinds of the columns of numbers, for limits that are dates or whole numbers.

    Examples
    --------
    >>> english(And((Between("age", 30, 40), Like("zip", "4781*"), Equals("disease", "asthma"))))
    'the only person with age at least 30 and below 40, zip 4781? and disease asthma'
    >>> english(Or((Not(Equals("sex", "f")), In("town", ("Bern", "Zug")))), "patient")
    'the only patient with either sex not f or else town Bern or Zug'
    >>> print(english(And((Equals("sex", "f"), HashBelow(("sex", "zip"), "prf64", "a1", 2**62)))))
    the only person with sex f whose keyed hash of sex and zip (prf64, seed 'a1') is below 4611686018427387904
    """
    return f"the only {subject}{_clauses(predicate, kinds or {})}"


def _clauses(predicate: Predicate, kinds: Kinds) -> str:
    """What follows the subject: first its columns, then its hashes."""
    parts = predicate.parts if isinstance(predicate, And) else (predicate,)
    hashed = [part for part in parts if isinstance(part, HashBelow | HashBit)]
    plain = [part for part in parts if not isinstance(part, HashBelow | HashBit)]
    words = f" with {_both(plain, kinds)}" if plain else ""
    return words + (f" whose {_listed([_hash(part) for part in hashed], 'and')}" if hashed else "")


def _both(parts: Sequence[Predicate], kinds: Kinds) -> str:
    return _listed([_phrase(part, kinds) for part in parts], "and")


def _either(parts: Sequence[Predicate], kinds: Kinds) -> str:
    return _listed([_phrase(part, kinds) for part in parts], "or else")


def _phrase(predicate: Predicate, kinds: Kinds) -> str:
    """What one part says, as words that can follow "with"."""
    match predicate:
        case And(()):
            return "anything"
        case Or(()):
            return "nothing that anybody has"
        case And((part,)) | Or((part,)):
            return _phrase(part, kinds)
        case And(parts):
            return f"both {_both(parts, kinds)}"
        case Or(parts):
            return f"either {_either(parts, kinds)}"
        case Not(part):
            return _denied(part, kinds)
        case HashBelow() | HashBit():
            return f"a record whose {_hash(predicate)}"
    return f"{predicate.column} {_value(predicate, kinds)}"


def _denied(predicate: Predicate, kinds: Kinds) -> str:
    """The opposite of one part."""
    match predicate:
        case And(()):
            return "nothing that anybody has"
        case Or(()):
            return "anything"
        case And((part,)) | Or((part,)):
            return _denied(part, kinds)
        case And(parts):
            return f"not all of this: {_both(parts, kinds)}"
        case Or(parts):
            return f"none of this: {_either(parts, kinds)}"
        case Not(part):
            return _phrase(part, kinds)
        case HashBelow() | HashBit():
            return f"a record not among those whose {_hash(predicate)}"
    return f"{predicate.column} not {_value(predicate, kinds)}"


def _value(leaf: Equals | In | Between | Like, kinds: Kinds) -> str:
    match leaf:
        case Equals(_, level):
            return _level(level)
        case In(_, levels):
            return _listed([_level(level) for level in levels], "or") if levels else "one of no values"
        case Like(_, mask, longer):
            return f"starting with {_masked(mask)}" if longer else _masked(mask)
    return _range(leaf, kinds)


def _level(level: str) -> str:
    """A value, in quotes where it could be mistaken for words of the sentence."""
    if level == MISSING:
        return "missing"
    plain = level and all(character.isalnum() or character in "-.:/" for character in level)
    return level if plain else f"{level!r}"


def _masked(mask: str) -> str:
    return mask.replace("*", "?")


def _range(leaf: Between, kinds: Kinds) -> str:
    kind = kinds.get(leaf.column)
    low, high = (None if limit is None else _limit(limit, kind) for limit in (leaf.low, leaf.high))
    if low is None and high is None:
        return "known"
    if low == high and leaf.closed == "both":
        return f"exactly {low}"
    from_low = f"{'at least' if leaf.with_low else 'above'} {low}"
    to_high = f"{'at most' if leaf.with_high else 'below'} {high}"
    return " and ".join([from_low] * (low is not None) + [to_high] * (high is not None))


def _limit(limit: float, kind: NumberKind | None) -> str:
    if kind == "date":
        return number_text(limit, kind)
    return str(int(limit)) if float(limit).is_integer() and abs(limit) < 1e15 else repr(limit)


def _hash(leaf: HashBelow | HashBit) -> str:
    columns = _listed(leaf.columns, "and")
    if isinstance(leaf, HashBit):
        return f"hash of {columns} (MD5, salt {leaf.salt!r}) has bit {leaf.bit} set"
    return f"keyed hash of {columns} ({leaf.family}, seed {leaf.seed!r}) is below {leaf.below}"


def _listed(words: Sequence[str], join: str) -> str:
    return f" {join} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
