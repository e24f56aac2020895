"""The search for certain people among all rows together, in counted steps."""
