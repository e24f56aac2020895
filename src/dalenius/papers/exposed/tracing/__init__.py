"""Statements of the survey on tracing: who is in the data, from its means."""
