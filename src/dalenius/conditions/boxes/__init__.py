"""Conditions that are boxes, in great number: a range or a value for each of several columns."""
