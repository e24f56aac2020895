"""Shapes that publisher and attacker share, with no people in them.

Takes nothing but plain values; gives schemas, coded columns, predicates, the ``name:key=value``
grammar and the linear operators of counting queries.
"""
