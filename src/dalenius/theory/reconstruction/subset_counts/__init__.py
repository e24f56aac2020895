"""Counts of subsets: all of them, chosen ones, random ones; and when only one secret fits."""
