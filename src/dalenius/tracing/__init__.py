"""Audits of means: who can be recognised as being in the data."""
