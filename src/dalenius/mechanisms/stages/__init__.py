"""Each stage of a mechanism, forwards and read backwards."""
