"""Conditions from counts: bit by bit, by regions, by noisy numbers."""
