"""Genes of a family: what an epsilon is worth by the law of inheritance, and which one keeps a target."""
