"""The referee of beliefs: how much closer to the truth they came."""
