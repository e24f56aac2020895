"""Desks that are planned: what counting questions give away, and how few of them suffice."""
