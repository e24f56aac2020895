"""What may be changed in rows and in counts to come, kind by kind: every proposal is a whole plan."""
