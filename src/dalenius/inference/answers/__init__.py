"""Questions about related people and their answers: nu of a network, a joint law, all trees, beliefs."""
