"""What an attack can be expected to reach, before it is run."""
