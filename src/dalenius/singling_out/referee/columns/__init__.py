"""Released rows that are somebody's in a few columns only, and what those columns tell."""
