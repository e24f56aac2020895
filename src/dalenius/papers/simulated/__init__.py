"""What experiments of several papers share: simulated people and crowds, worst errors, reference people."""
