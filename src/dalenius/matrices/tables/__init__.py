"""Contingency tables as matrices: their cells, their sums, their spectrum."""
