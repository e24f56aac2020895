"""Open genotypes, frequencies and tables for tracing, with the same attributes in the same order."""
