"""A person's values over time: what a release says about one moment by way of the others."""
