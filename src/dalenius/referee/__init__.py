"""The referee: the only one who holds claims and truth together.

Takes claims, and the true secrets of the same people in the same order; gives counts of hits and trials for
the attack, for the baselines that need no release and for a control group whose real secrets never entered
the release. Everything works on arrays, so a truth read from a file is judged by the same code.
"""
