"""What may be changed in a plan, kind by kind: every proposal is a whole plan."""
