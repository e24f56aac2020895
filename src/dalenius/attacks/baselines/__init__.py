"""Baselines: the best claim that needs no release.

Takes other people's public columns and secrets (a reference sample) and the public columns of the people
under attack; gives the claims that an attack on the release has to beat, and the prior it may start from.
"""
