"""Releases that a plan names and that are there already: printed tables, released rows.

Takes a plan, its people and what the attacker knows of them; gives releases to be attacked, or why none is.
"""
