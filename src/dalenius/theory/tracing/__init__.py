"""What theorems promise about telling who is in the data, and how many means are safe to publish."""
