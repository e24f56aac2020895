"""Counting inside an engine: a private DuckDB, or the database where people are.

Takes an opened source; gives codes and counts. Beside `people.opening` the only place that knows Ibis and
DuckDB.
"""
