"""Inference: what a release gives away about people who are related to others in it.

Takes a correlation model (who is related to whom, how strongly they agree) and the epsilon of every person's
data; gives nu: how far the odds of anybody's value can move. Exact where the network allows it, bounded
elsewhere, never silently approximate (Ghosh and Kleinberg, *Inferential Privacy Guarantees for Differentially
Private Mechanisms*).
"""
