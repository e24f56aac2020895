"""From cells to records: which ones can be there, which must be, how many, and how far off a guess can be.

Takes published cells and nothing else: no list of people, no truth.
"""
