"""A first plan for data that nobody has described yet: from a source to the text of an ``audit.toml``."""
