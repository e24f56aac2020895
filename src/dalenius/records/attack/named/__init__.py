"""Named people with some columns: whose record is it? From tables and their file alone."""
