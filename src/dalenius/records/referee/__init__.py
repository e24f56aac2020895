"""The only one who holds claims about records and the true records together."""
