"""What released rows give away: values as they are, ends of intervals, duplicates, overlaps."""
