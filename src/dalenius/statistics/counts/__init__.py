"""Statistics that count people: tables, subsets, conditions, boolean functions."""
