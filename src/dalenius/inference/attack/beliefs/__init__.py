"""What is believed about everybody before and after an output."""
