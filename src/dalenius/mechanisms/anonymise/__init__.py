"""What is done to rows before they are published: k-anonymity by recoding, l-diversity, t-closeness.

Takes original rows and the names of their quasi-identifiers; gives rows of text in which each
quasi-identifier is a cell (``34``, ``[30, 39]``, ``{Bern, Zug}``, ``4781*``, ``*``) and every other column is
as it was. `anonymise` in ``parse`` is the way in.
"""
