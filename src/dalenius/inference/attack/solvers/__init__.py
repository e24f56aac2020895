"""Exact solvers of nu: forests, junction trees, grids, enumeration."""
