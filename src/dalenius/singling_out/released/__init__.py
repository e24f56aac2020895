"""Synthetic and perturbed rows beside the original and a control: conditions, and copies of people."""
