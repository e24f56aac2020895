"""Conditions as people write them: ``age >= 30 and (sex = f or not region in (north, south))``.

A hand-written recursive descent over a fixed grammar; nothing is ever evaluated as code::

    condition  := both { "or" both }
    both       := one { "and" one }
    one        := "not" one | "(" condition ")" | column test
    test       := ("=" | "!=" | "<" | ">=") value | "in" "(" value { "," value } ")"

Names and values with spaces or signs go in quotes. The tests ``<`` and ``>=`` are the two whose
limits are bin edges.
"""

from __future__ import annotations

import re

from dalenius.conditions.predicate import And, Between, Equals, In, Not, Or, Predicate
from dalenius.errors import InputError

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted>"[^"]*"|'[^']*')
      | (?P<sign>!=|>=|[=<(),])
      | (?P<word>[^\s=<>!(),'"]+)
    )""",
    re.VERBOSE,
)


DEEPEST = 100
"""Conditions inside each other, such as brackets: people write two or three."""


def parse_condition(text: str) -> Predicate:
    """Read a condition.

    Examples
    --------
    >>> parse_condition("age >= 30 and sex = 'f'")
    And(parts=(Between(column='age', low=30.0, high=None, closed='left'), Equals(column='sex', level='f')))
    """
    reader = _ConditionReader(text)
    predicate = reader.condition()
    reader.end()
    return predicate


class _ConditionReader:
    """The tokens of one condition and the place reached in them."""

    def __init__(self, text: str) -> None:
        self.places: list[int] = []
        self.tokens = self._split(text)
        self.at = 0
        self.depth = 0

    def _split(self, text: str) -> list[tuple[str, str]]:
        tokens, at, text = [], 0, text.rstrip()
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._error(f"something that cannot be read at character {at + 1}")
            kind = str(match.lastgroup)
            value = match[kind]
            tokens.append((kind, value[1:-1] if kind == "quoted" else value))
            self.places.append(match.start(kind) + 1)
            at = match.end()
        return tokens

    def _error(self, problem: str) -> InputError:
        """Say where it is wrong, not what stands there: a file of conditions may hold people's values."""
        return InputError(
            "condition", "must look like: age >= 30 and (sex = f or region in (north, south))", problem
        )

    def _take(self, *values: str) -> str | None:
        """Step over the next token if it is one of these signs or words."""
        if self.at < len(self.tokens):
            kind, value = self.tokens[self.at]
            if kind != "quoted" and value.lower() in values:
                self.at += 1
                return value.lower()
        return None

    def _need(self, value: str) -> None:
        if not self._take(value):
            raise self._error(f"no {value!r} {self._where()}")

    def _where(self) -> str:
        return f"at character {self.places[self.at]}" if self.at < len(self.tokens) else "at the end"

    def _value(self, what: str) -> str:
        if self.at < len(self.tokens) and self.tokens[self.at][0] != "sign":
            self.at += 1
            return self.tokens[self.at - 1][1]
        raise self._error(f"no {what} {self._where()}")

    def end(self) -> None:
        if self.at < len(self.tokens):
            raise self._error(f"something more {self._where()}")

    def condition(self) -> Predicate:
        parts = [self._both()]
        while self._take("or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _both(self) -> Predicate:
        parts = [self._one()]
        while self._take("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _one(self) -> Predicate:
        if self.depth > DEEPEST:
            raise self._error(f"more than {DEEPEST} conditions inside each other")
        self.depth += 1
        found = self._inner()
        self.depth -= 1
        return found

    def _inner(self) -> Predicate:
        if self._take("not"):
            return Not(self._one())
        if self._take("("):
            inner = self.condition()
            self._need(")")
            return inner
        return self._test(self._value("column"))

    def _test(self, column: str) -> Predicate:
        match self._take("=", "!=", "<", ">=", "in"):
            case "=":
                return Equals(column, self._value("value"))
            case "!=":
                return Not(Equals(column, self._value("value")))
            case "<":
                return Between(column, None, self._limit())
            case ">=":
                return Between(column, self._limit(), None)
            case "in":
                return In(column, self._list())
        raise self._error(f"none of = != < >= in {self._where()}")

    def _limit(self) -> float:
        value = self._value("number")
        try:
            return float(value)
        except ValueError:
            raise self._error(f"no number at character {self.places[self.at - 1]}") from None

    def _list(self) -> tuple[str, ...]:
        self._need("(")
        values = [self._value("value")]
        while self._take(","):
            values.append(self._value("value"))
        self._need(")")
        return tuple(values)
