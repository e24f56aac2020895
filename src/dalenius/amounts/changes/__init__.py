"""What may be changed in tables of amounts, and noise of the size that keeps a promise."""
