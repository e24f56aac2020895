"""A fifth family, whole in one folder: it guesses the commonest secret, which needs no release."""
