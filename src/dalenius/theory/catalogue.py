"""The statements of this room, by id: what each assumes and says, in plain words."""

from __future__ import annotations

from dataclasses import dataclass

from dalenius.errors import InputError, nearest

_EXPOSED = "Dwork, Smith, Steinke, Ullman (2017), Exposed! A Survey of Attacks on Private Data"
_KRS = "Kasiviswanathan, Rudelson, Smith (2013), The Power of Linear Reconstruction Attacks"


@dataclass(frozen=True)
class Statement:
    """One theorem, claim or definition.

    Attributes
    ----------
    id
        Short name, for example ``exposed-7``.
    paper
        Authors, year and title.
    number
        What the paper calls it, for example ``Theorem 7``.
    title
        A few words.
    assumptions
        What must hold, one sentence each.
    says
        What then follows, with the constants this library uses.
    """

    id: str
    paper: str
    number: str
    title: str
    assumptions: tuple[str, ...]
    says: str


STATEMENTS: tuple[Statement, ...] = (
    Statement(
        "exposed-1",
        _EXPOSED,
        "Claim 1",
        "Rounding a close estimate gives few wrong bits",
        ("The secret is a vector of bits.", "The estimate is rounded at 1/2."),
        "At most 4 times the squared Euclidean distance between estimate and secret bits are wrong.",
    ),
    Statement(
        "exposed-6",
        _EXPOSED,
        "Theorem 6",
        "All subset counts, roughly right, give everybody away",
        (
            "The count of every subset of people is published.",
            "Each is off by at most alpha n; the errors may be chosen.",
        ),
        "Every secret consistent with the release is wrong about at most 4 alpha n people; at most a "
        "tenth when alpha is 1/40 or less. Finding one may take 2^n steps.",
    ),
    Statement(
        "exposed-7",
        _EXPOSED,
        "Theorem 7",
        "A linear number of chosen counts, recovered by a fast transform",
        (
            "The attacker chooses the subsets: plus and minus people of each Hadamard row.",
            "Each count is off by at most alpha n; the errors may be chosen.",
        ),
        "With 2N - 1 counts, N the power of two from n upward, at most a fraction 16 alpha^2 n of the "
        "bits is wrong, in N log N steps. Asking only the plus counts: 36 alpha^2 n. Asking with "
        "coefficients -1 and +1: 4 alpha^2 n. Padding to N costs queries, not accuracy.",
    ),
    Statement(
        "exposed-8",
        _EXPOSED,
        "Theorem 8",
        "Random subsets serve as well as chosen ones",
        (
            "The m subsets are uniformly random, between 1.1 n and 2^n of them.",
            "Each count is off by at most alpha n; the errors may be chosen.",
            "The attacker's computing time is unlimited.",
        ),
        "With high probability over the subsets the fraction of wrong bits vanishes when alpha is of "
        "smaller order than sqrt(log(m/n)/n). No explicit constant: for one matrix compute its partial "
        "discrepancy.",
    ),
    Statement(
        "exposed-9",
        _EXPOSED,
        "Definition 9",
        "Partial discrepancy decides whether reconstruction is possible",
        (
            "The statistics are linear in the secret bits, with a known matrix A.",
            "Every error is at most E in counts; the errors may be chosen.",
        ),
        "Let D be the least possible largest answer |A x| over x in {-1,0,1}^n with more than beta n "
        "non-zeros. If D > 2E, everything consistent with the release is within beta n people of the "
        "truth. If D <= 2E, some release fits two secrets more than beta n people apart, so every "
        "attack misses more than beta n / 2 people on one of them. D is at least "
        "sigma_min sqrt((floor(beta n) + 1) / m).",
    ),
    Statement(
        "exposed-20",
        _EXPOSED,
        "Theorem 20",
        "Gaussian noise that stops every attack on one person",
        (
            "k counting queries are answered as fractions of n.",
            "Independent Gaussian noise of standard deviation sigma is added to each.",
            "One record may be replaced; everybody else's is known to the attacker.",
        ),
        "rho = k / (2 n^2 sigma^2) at most. A test of level a has power at most "
        "Phi(Phi^-1(a) + sqrt(2 rho)); a bit with prior 1/2 is guessed with probability at most "
        "Phi(sqrt(rho/2)). So k = n^2 queries need sigma of order 1, not 0.01, for a small rho.",
    ),
    Statement(
        "krs-2.1",
        _KRS,
        "Theorem 2.1",
        "Least squares against small errors everywhere",
        (
            "The release is linear in the secret bits: z = b + A s + e, with A and b known.",
            "A has rank n and least singular value sigma.",
            "Every error is at most beta in counts; the errors may be chosen.",
        ),
        "Rounded least squares has at most 4 ||e||^2 / sigma^2, hence at most 4 m beta^2 / sigma^2, "
        "wrong bits. With independent noise of standard deviation tau the expected number is at most "
        "4 n tau^2 / sigma^2.",
    ),
    Statement(
        "krs-2.2",
        _KRS,
        "Theorem 2.2",
        "Linear programming survives a fraction of wild answers",
        (
            "The release is linear in the secret bits: z = b + A s + e, with A and b known.",
            "A has least singular value sigma > 0, and ||A x||_1 >= a sqrt(m) ||A x||_2 for all x.",
            "A fraction g < a^2/4 of the errors is arbitrary, all others are at most beta in counts.",
        ),
        "The rounded solution of least absolute error has at most "
        "16 m beta^2 / (sigma^2 (a - 2 sqrt g)^2) wrong bits; none if beta is 0.",
    ),
    Statement(
        "krs-3.2",
        _KRS,
        "Theorem 3.2",
        "Any non-degenerate function of a few attributes and the secret gives everybody away",
        (
            "People have d random, fair public bits, and one secret bit each.",
            "A function of k public bits and the secret is counted over all sets of k attributes.",
            "Its polynomial contains the product of all k + 1 inputs.",
            "Every count is off by less than the order of sqrt(n); the errors may be chosen.",
        ),
        "With n up to the order of d^k, up to iterated logarithms, least squares gets all but a vanishing "
        "fraction of the bits right. For one matrix: at most 4 C(d,k) beta^2 / sigma^2 wrong bits. A "
        "degenerate function still gives equations, of rank at most the sum of C(d,j) over the sizes j of "
        "its parities.",
    ),
    Statement(
        "krs-3.3",
        _KRS,
        "Theorem 3.3",
        "Linear programming survives wild tables, once they are turned into parities",
        (
            "People have d random, fair public bits, and one secret bit each.",
            "All tables of the secret with k attributes are published.",
            "A small fraction of the tables is arbitrary, the cells of all others are off by less than the "
            "order of sqrt(n).",
        ),
        "Least absolute error on the parities of at most k attributes gets all but a vanishing fraction of "
        "the bits right. For one matrix: t wild tables do no harm if no parity can carry 1/(2t) of the "
        "whole. Raw conjunctions have no such guarantee.",
    ),
    Statement(
        "krs-4.1",
        _KRS,
        "Theorem 4.1",
        "Linear and logistic regressions of the secret give everybody away",
        (
            "People have d bounded, independent, centred public columns, and one secret bit each.",
            "For every column the coefficient of a fit of the secret on it alone is published.",
            "Every coefficient is off by less than the order of 1/sqrt(n); the errors may be chosen.",
        ),
        "With d of the order of n, at least 2n, least squares on the score equations gets all but a "
        "vanishing fraction of the bits right. For one matrix of columns with sums of squares N_j: at most "
        "4 h^2 sum N_j^2 / sigma^2 wrong bits for linear fits off by at most h, and a sixteenth of that for "
        "logistic ones, which bear four times the error.",
    ),
    Statement(
        "krs-4.2",
        _KRS,
        "Theorem 4.2",
        "Whatever minimises a differentiable loss gives everybody away",
        (
            "People have d bounded, independent public columns, and one secret bit each.",
            "For every column the minimiser of a loss of that column and the secret is published.",
            "One person's gradient has Lipschitz constant lambda, and depends on the secret.",
            "Every number is off by less than the order of 1/(lambda sqrt(n)); the errors may be chosen.",
        ),
        "Two gradients a person, without and with the secret, make every minimiser an equation linear in "
        "the bits; with d of the order of n, least squares gets all but a vanishing fraction right. For one "
        "matrix: at most 4 (lambda h)^2 sum N_j^2 / (gap sigma)^2 wrong bits, gap the least difference "
        "of the two gradients.",
    ),
)


def statement(id: str) -> Statement:
    """Return the statement with this id.

    Raises
    ------
    InputError
        If there is none; the message proposes the nearest.

    Examples
    --------
    >>> statement("krs-2.1").number
    'Theorem 2.1'
    """
    known = {entry.id: entry for entry in STATEMENTS}
    if id not in known:
        raise InputError("id", "must name a statement", repr(id), nearest(id, known))
    return known[id]
