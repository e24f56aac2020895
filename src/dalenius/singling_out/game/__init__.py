"""Games against anonymisers and counts: people drawn anew in every round, and luck beside them."""
