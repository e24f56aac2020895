"""Attacks: each takes a view and gives claims, falsifiable statements about people.

No module here may load the dataset, the referee or an engine.
"""
