"""Audits: from a plan to findings and a verdict, for every family alike.

Takes a plan (``audit.toml``, or arguments in Python); gives the report of what each release gives away and
the claims behind it.
"""
