"""``dalenius reconstruct``: attack answers that were already published."""
