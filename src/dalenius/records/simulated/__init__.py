"""Simulated blocks with the shapes of the nation in 2010: sizes, ages, races. Nobody in them is real."""
