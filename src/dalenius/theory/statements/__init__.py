"""The statements that can be run, one module a paper."""
