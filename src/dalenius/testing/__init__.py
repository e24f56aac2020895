"""What an attack, a decoder, a mechanism or a kind of release must do, as checks that anybody can run.

Takes what you wrote, and where needed views or people to try it on; gives nothing, or raises
``AssertionError`` with the sentence of the contract that was broken. dalenius' own tests run the same
checks on its own attacks, decoders, mechanisms and statistics. No test framework is needed; with pytest a
check is one line of a test.
"""

from dalenius.testing.attacks import check_attack, check_blind, check_repeats
from dalenius.testing.decoders import check_decoder
from dalenius.testing.mechanisms import check_mechanism
from dalenius.testing.statistics import check_statistic
from dalenius.testing.values import as_bytes

__all__ = [
    "as_bytes",
    "check_attack",
    "check_blind",
    "check_decoder",
    "check_mechanism",
    "check_repeats",
    "check_statistic",
]
