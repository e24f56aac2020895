"""The law that a family tree is to follow, as it is written on the command line."""

from __future__ import annotations

from dalenius.errors import InputError, nearest
from dalenius.knowledge.correlation.inheritance import MendelLaw, mendel

LAWS = ("agreement", "mendel", "mendel-genotypes")


def law_of(name: str, frequency: float | None, agreement: object) -> MendelLaw | None:
    """Return the law of inheritance that is meant; None where pairs agree as stated.

    Examples
    --------
    >>> law_of("mendel", 0.05, None).kind, law_of("agreement", None, "0.8")
    ('alleles', None)
    """
    if name not in LAWS:
        fix = "Say agreement, mendel or mendel-genotypes."
        raise InputError("--law", "must be a law that is known", repr(name), fix, hint=nearest(name, LAWS))
    if name == "agreement":
        if frequency is not None:
            fix = "Say --law mendel, or give biases in a file."
            raise InputError("--frequency", "must come with --law mendel", "none", fix)
        return None
    if agreement is not None:
        fix = "How alike relatives are follows from the law."
        raise InputError("--agreement", "must not stand beside --law mendel", "both", fix)
    if frequency is None:
        fix = "How common is the allele? Try --frequency 0.05."
        raise InputError("--frequency", "must be given with --law mendel", "nothing", fix)
    return mendel(frequency, genotypes=name == "mendel-genotypes")
