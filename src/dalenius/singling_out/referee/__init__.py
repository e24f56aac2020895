"""The referee of singling out: whom conditions match in the original, and in a pool with a control."""
