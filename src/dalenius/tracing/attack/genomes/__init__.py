"""Genomes: ancestry, relatives, linkage, and the score adjusted for them."""
