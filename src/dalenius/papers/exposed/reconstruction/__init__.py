"""Statements of the survey on reconstruction: secrets from counts."""
