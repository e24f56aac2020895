"""Domains too wide to be written down: people are moved until they fit the tables, and nothing is certain."""
