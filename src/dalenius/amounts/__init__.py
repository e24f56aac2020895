"""Amounts: how close does anybody come to somebody's income or turnover? Sums and means in, ends out."""
