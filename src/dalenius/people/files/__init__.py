"""Files and frames as sheets in memory. No engine is needed here: this half is open to everybody."""
