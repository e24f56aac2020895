"""Conditions on people: a small tree that is written, read, matched against rows and never run as code.

Takes text or leaves; gives predicates, which rows meet them, and their words.
"""
