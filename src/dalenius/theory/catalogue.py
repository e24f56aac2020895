"""The statements of this room, by id: what each assumes and says, in plain words."""

from __future__ import annotations

from dataclasses import dataclass

from dalenius.errors import InputError, nearest

_EXPOSED = "Dwork, Smith, Steinke, Ullman (2017), Exposed! A Survey of Attacks on Private Data"
_TRACE = "Dwork, Smith, Steinke, Ullman, Vadhan (2015), Robust Traceability from Trace Amounts"
_PSO = "Cohen, Nissim (2022), Towards Formalizing the GDPR's Notion of Singling Out"
_INFER = "Ghosh, Kleinberg (2016), Inferential Privacy Guarantees for Differentially Private Mechanisms"
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
        "exposed-10",
        _EXPOSED,
        "Theorem 10",
        "Exact means and a pool of reference people give everybody away",
        (
            "The exact means of d independent attributes of n people are published.",
            "The attacker holds the target's record and m records of the same population.",
        ),
        "The likelihood ratio test accuses an outsider with probability at most delta, and a member with "
        "probability at least 1 - delta once d is about (t + z)^2 n (1 + n/m): of the order of n "
        "log(1/delta) with as many references as people.",
    ),
    Statement(
        "exposed-14",
        _EXPOSED,
        "Theorem 14",
        "A small average error gives somebody away",
        (
            "The population's means are drawn from an (eta, gamma)-robustly strong law, as the uniform one "
            "on [-1, 1].",
            "The average distance of the answers from the population's means is at most alpha < eta gamma; "
            "each is computed from its own column.",
            "The attacker holds the target's record and one reference record.",
        ),
        "With d >= ln(1/delta) (2n + (4n + 2/eta)/sqrt 2)^2 / (gamma - alpha/eta)^2 columns, an outsider is "
        "accused with probability at most delta, and with probability at least 1 - delta somebody in the "
        "data is accused.",
    ),
    Statement(
        "exposed-15",
        _EXPOSED,
        "Theorem 15",
        "More accuracy and more reference people: fewer attributes",
        (
            "The population's means are drawn from a strong law; answers are off by at most alpha.",
            "The attacker holds the target's record, a pool of about log(n)/alpha^2 reference records and "
            "one more.",
        ),
        "The weights q - w, w the mean of the pool, trace somebody with d of the order of alpha^2 n^2 "
        "log(1/delta); an outsider is accused with probability at most delta at the threshold 2 ||q - w|| "
        "sqrt(ln(1/delta)). Constants: trace-26.",
    ),
    Statement(
        "exposed-16",
        _EXPOSED,
        "Theorem 16",
        "Symmetric mechanisms give everybody away",
        ("As in exposed-14, and the law of the answers depends on the data through the column means alone.",),
        "With d >= 23.4 n^2 ln(1/delta) / (gamma - alpha/eta)^2 columns, every member is accused with "
        "probability at least 1 - delta, and an outsider with at most delta.",
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
    Statement(
        "trace-12",
        _TRACE,
        "Proposition 12",
        "Answers of small bias give somebody away",
        (
            "The population's means are drawn from an (alpha, gamma)-strong law; uniform on [-1, 1]: gamma "
            "= 2/3 - alpha.",
            "Every answer has bias at most alpha at every mean, and is computed from its own column.",
            "The attacker holds the target's record and one reference record.",
        ),
        "With d >= 23.4 n^2 ln(1/delta) / gamma^2 columns and the threshold 2 sqrt(d ln(1/delta)), somebody "
        "in the data is accused with probability at least 1 - delta; an outsider with at most delta, "
        "whatever the mechanism.",
    ),
    Statement(
        "trace-13",
        _TRACE,
        "Proposition 13",
        "Answers of small bias that depend on the column means alone give everybody away",
        (
            "As in trace-12.",
            "The law of the answers depends on the data through the column means alone.",
        ),
        "At the same d every member is accused with probability at least 1 - delta.",
    ),
    Statement(
        "trace-26",
        _TRACE,
        "Proposition 26",
        "Accurate answers and a pool of reference people give several people away",
        (
            "The population's means are drawn from an (alpha + 2 beta, gamma)-strong law.",
            "Every answer is off by more than alpha with probability at most beta <= gamma/(24 n).",
            "The attacker holds 2 ln(48 n/gamma)/alpha^2 reference records and one more.",
        ),
        "With d >= max(1152 alpha^2 n^2 ln(1/delta)/gamma^2, 64 (n + sqrt(ln(1/delta)))) columns, at least "
        "gamma^2/(256 alpha^2) members are accused with probability at least 1 - 2 delta; an outsider with "
        "at most delta. Stated as Theorem 17, too.",
    ),
    Statement(
        "trace-28",
        _TRACE,
        "Proposition 28",
        "A small average error gives somebody away",
        (
            "The population's means are drawn from an (eta, gamma)-robustly strong law; uniform on [-1, 1]: "
            "(1/2, 2/3).",
            "alpha < eta gamma; every answer is computed from its own column.",
            "The attacker holds the target's record and one reference record.",
        ),
        "With d >= ln(1/delta) (2n + (4n + 2/eta)/sqrt 2)^2 / (gamma - alpha/eta)^2 columns, with "
        "probability at least 1 - delta somebody is accused or the answers are off by more than alpha on "
        "average.",
    ),
    Statement(
        "trace-31",
        _TRACE,
        "Proposition 31",
        "Means of real values give people away",
        (
            "Values are Gaussian around means drawn from a law that is (alpha, gamma)-strong for Gaussians; "
            "uniform on [-1, 1]: gamma = sigma^2 (1 - alpha).",
            "Every answer lies in [-1, 1], has bias at most alpha and is computed from its own column.",
        ),
        "With d >= (2 + 4 sqrt(1 + 1/n))^2 n^2 sigma^2 ln(1/delta) / gamma^2 columns somebody is accused "
        "with probability at least 1 - delta; with (2 + 4 sqrt 2)^2 in front every member, if the answers "
        "depend on the column means alone.",
    ),
    Statement(
        "pso-3.1",
        _PSO,
        "Claim 3.1",
        "What luck reaches: the heaviest condition allowed",
        (
            "The rows are drawn independently from one law.",
            "The condition is chosen before, and at most a share w <= 1/n of the law meets it.",
        ),
        "It matches exactly one of n rows with probability at most B(n, w*) = n w* (1 - w*)^(n-1), w* the "
        "largest weight up to w that any condition has; at w = 1/n that is about 37%. For a share of at "
        "least w >= 1/n, w* is the smallest such weight from w on. Drawn without replacement from N rows of "
        "which K match, it is K C(N-K, n-1) / C(N, n).",
    ),
    Statement(
        "pso-3.3",
        _PSO,
        "Claim 3.3",
        "Luck need not know who the people are",
        (
            "The rows are drawn independently from one law with min-entropy at least 5 ceil(b + log2 n + 2).",
            "The condition is on a keyed hash; of the law nothing is known.",
        ),
        "It matches exactly one of n rows with probability at least B(n, w) - 2^-b, for weights up to 1/n "
        "and from 1/n on.",
    ),
    Statement(
        "pso-4.1",
        _PSO,
        "Lemma 4.1",
        "What is made from a release tells no more than the release",
        ("The rows are drawn independently from one law.", "What is made uses the release alone."),
        "No attack on what is made from a release isolates somebody more often than the best attack on the "
        "release itself.",
    ),
    Statement(
        "pso-4.2",
        _PSO,
        "Proposition 4.2",
        "Few possible outputs tell little",
        (
            "The rows are drawn independently from one law.",
            "The release has a given number of possible values; for 2 n w, it is one exact count.",
        ),
        "No attack isolates somebody with a condition of weight at most w more often than the number of "
        "outputs times the baseline. For anything made from a sum over people of a vector with V values: n V "
        "w, so 2 n w for one count and n 2^m w for m of them.",
    ),
    Statement(
        "pso-4.5",
        _PSO,
        "Proposition 4.5",
        "The order of the rows is worth nothing",
        ("The rows are drawn independently from one law.", "The order is chosen without looking at them."),
        "Reordering the rows before the release changes no attack's success.",
    ),
    Statement(
        "pso-4.6",
        _PSO,
        "Theorem 4.6",
        "Counts that are safe one by one single somebody out together",
        (
            "The rows are uniform strings of m bits, or are hashed to m bits.",
            "m + 1 exact counts are published: of a region of weight 1/n, and of it with each bit.",
        ),
        "Somebody is isolated by a condition of weight 2^-m with probability about B(n, 1/n), 37%; nearly "
        "always with some dozens of regions, or with m counts asked one after the other.",
    ),
    Statement(
        "pso-4.7",
        _PSO,
        "Remark 4.7",
        "Hiding small counts does not help",
        ("As in pso-4.6, but every count below a threshold is hidden.",),
        "Joined with a condition that half of all rows meet no count is small, and somebody is isolated with "
        "probability B(n, w/2) for a region of weight w: 30% for 1/n, 37% for 2/n.",
    ),
    Statement(
        "pso-4.8",
        _PSO,
        "Claim 4.8",
        "One bit of every row is safe, all bits single everybody out",
        ("The rows are uniform strings of m bits.", "Every bit of every row is published, column by column."),
        "All n rows are isolated at once, each by a condition of weight 2^-m, whenever all rows are "
        "different: with probability prod (1 - i 2^-m) over i < n.",
    ),
    Statement(
        "pso-4.9",
        _PSO,
        "Theorem 4.9",
        "Two releases, each safe, together give a row away",
        (
            "The rows are uniform strings of m bits, n is divisible by 4.",
            "One release is m bits extracted from half of the rows, the other the last row masked by them.",
        ),
        "Together they isolate the last row with probability at least P(Bin(n/4, 1/2) >= m) (1 - (n-1) "
        "2^-m). The extracted bits alone allow at most twice the baseline.",
    ),
    Statement(
        "pso-5.4",
        _PSO,
        "Theorem 5.4",
        "Differential privacy limits singling out",
        (
            "The rows are drawn independently from one law.",
            "The release is (epsilon, delta)-differentially private.",
        ),
        "No attack isolates somebody with a condition of weight at most w with probability above n "
        "(e^epsilon w + delta); nothing is said unless w is below e^-epsilon / n.",
    ),
    Statement(
        "pso-5.6",
        _PSO,
        "Claim 5.6",
        "Differential privacy limits heavy conditions too",
        (
            "The rows are drawn independently from one law.",
            "The release is epsilon-differentially private; n is at least 4.",
        ),
        "No attack isolates somebody with a condition of weight at least w with probability above 2 n ln(n) "
        "exp(-(n epsilon/2) (e^(-2 epsilon) (1 - 1/n) w - 3/n)).",
    ),
    Statement(
        "pso-6.1",
        _PSO,
        "Theorem 6.1",
        "k-anonymity does not prevent singling out",
        (
            "Classes of k different rows are published, each as a condition that its rows meet.",
            "With probability eta the attacked class has a weight within the limit.",
        ),
        "The condition of a class together with a keyed hash of weight 1/k isolates one of its rows with "
        "probability eta B(k, 1/k), above eta/e.",
    ),
    Statement(
        "infer-3.4",
        _INFER,
        "Theorem 3.4",
        "What epsilon is worth to people whose bits go together, at worst",
        (
            "Everybody has one bit; the attacker's prior is positively affiliated, such as a tree of "
            "relatives who rather agree.",
            "The release is differentially private, with an epsilon for each person.",
        ),
        "No output moves anybody's log-odds by more than nu: what the same prior says when every person's "
        "own log-odds are moved by their epsilon, all the same way. Some mechanism moves them that far: an "
        "event of probability proportional to exp(-sum eps_i |x_i - z|), such as the same answer from "
        "everybody in randomised response.",
    ),
    Statement(
        "infer-3.5",
        _INFER,
        "Lemma 3.5",
        "A sum with Laplace noise is as bad as it gets",
        (
            "As in infer-3.4, with the same epsilon for everybody.",
            "The number of ones is published with Laplace noise of scale 1/epsilon.",
        ),
        "An output of 0 or less, or of n or more, moves everybody's log-odds as far as any mechanism can: "
        "all of nu.",
    ),
    Statement(
        "infer-4.2",
        _INFER,
        "Theorem 4.2",
        "Weak enough influence keeps nu within a multiple of epsilon",
        (
            "Every combination of values has a positive probability.",
            "gamma_ij is half the most that person j can change the logarithm of a probability about person "
            "i, everybody else being fixed; its matrix has spectral radius below 1.",
        ),
        "nu is at most 2 Phi eps, Phi the sum of the powers of Gamma. Sharper, and proven here: eps + Phi "
        "eps; for bits Phi eps; with influences on odds, 2 eps + Gamma Phit eps, and for bits eps + Gamma "
        "Phit eps.",
    ),
    Statement(
        "infer-A1",
        _INFER,
        "Example A.1",
        "Pairs that are independent promise nothing",
        (
            "One person's bit is the parity of each of r groups of s others; apart from that bits are fair "
            "coins.",
            "The release is differentially private with epsilon for everybody.",
        ),
        "nu of the one is (r + 1) epsilon, by counting odd groups with Laplace noise. The formula for "
        "positively affiliated data would say eps + 2 r atanh(tanh(eps/2)^s): all bits together are needed, "
        "not pairs.",
    ),
    Statement(
        "infer-A2a",
        _INFER,
        "Theorem A.2(a)",
        "Above a critical agreement no epsilon makes nu small",
        (
            "Relatives form any tree in which nobody has more than d + 1 of them, and agree with strength J.",
            "Everybody alone is a fair coin; the release has the same epsilon for everybody.",
        ),
        "nu in all such trees is (Delta u - eps)/(Delta - 1), Delta = d + 1 and u the solution of u = eps + "
        "d f(J, u). If d tanh J < 1 it is at most eps (Delta/(1 - d tanh J) - 1)/(Delta - 1); if d tanh J > "
        "1 it stays above a constant however small epsilon is.",
    ),
    Statement(
        "infer-A2b",
        _INFER,
        "Theorem A.2(b)",
        "Epsilon 0.19 or 0.2: nu 0.2 or 20",
        (
            "A complete tree of relatives who agree strongly; the attacker's prior about everybody is "
            "tilted by a field h with 2 h between the two epsilons.",
        ),
        "For any two epsilons and any 1 < r < R there are such trees with nu < r epsilon at the smaller and "
        "nu > R epsilon at the larger one.",
    ),
    Statement(
        "infer-zeus",
        _INFER,
        "Example of Section 1",
        "Zeus and his descendants: close relatives, or the dragnet",
        (
            "Zeus's bit is a fair coin; every child has the parent's bit with probability p, d children "
            "each.",
            "The release has the same epsilon for everybody.",
        ),
        "nu of Zeus is u after so many steps of u = eps + d f(J, u), J = atanh(2p - 1). If d (2p - 1) < 1 "
        "each further generation adds less; above, it adds more until everything that can be known is "
        "known.",
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
