"""The order of amounts in a group: which places printed quantiles speak of, and who may have which."""
