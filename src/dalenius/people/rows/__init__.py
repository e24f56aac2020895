"""Rows as people have them, typed columns rather than levels: what singling out is about."""
