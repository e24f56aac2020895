"""The theorems: numbers in, number out.

Takes sizes, error bounds, noise levels, privacy parameters and small arrays; gives what a theorem
promises for them: how many secrets an attack must recover, how many it may at most, how much noise
stops it. One function a statement, and each docstring names the statement, its assumptions and where
we depart from the print. `privacy` alone converts between rho, epsilon, delta and mu, composes them
and knows sensitivities. `catalogue` lists the statements by id.

Knows nobody but `dalenius.errors`.
"""
