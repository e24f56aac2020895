"""Speed against the peers, in the same run: ``python -m benchmarks``."""
