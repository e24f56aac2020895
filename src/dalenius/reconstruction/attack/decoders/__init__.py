"""Decoders: each reads one linear system, and gives a probability of every value for everybody."""
