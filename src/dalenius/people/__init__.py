"""The people: read from files, frames and databases, all in the same way.

Takes whatever holds one row for each person. Gives a `Table`, and from it what each question needs: codes
in an engine, rows as they are, or attributes that can be averaged.
"""
