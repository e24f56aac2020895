"""From scores to p-values: laws, ranks, flipped signs, thresholds of the papers."""
