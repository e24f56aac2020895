"""Statistics of classifiers: scores, trees, predictions."""
