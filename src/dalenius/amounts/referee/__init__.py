"""The referee: the truth, what is usual without the release, and the rules that cells are held against."""
