"""What every command shares: the report at the end, progress, notices, where people are."""
