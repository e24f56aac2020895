"""Tails of sums: exact, by saddlepoint, by bounds; what an outsider would score."""
