"""Which parts of a release are behind what it gives away: attacked again with each part left out."""
