"""A first look at people whom nobody has described: from a source to what each column looks like."""
