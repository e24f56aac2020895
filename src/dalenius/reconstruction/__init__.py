"""Reconstruction: what is everybody's secret? Statistics about it in; guesses and a finding out."""
