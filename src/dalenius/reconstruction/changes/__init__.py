"""What may be changed in planned statistics about a secret, kind by kind: every proposal is a whole plan."""
