"""What follows by arithmetic: bounds of sums, cells that were not printed, differences of two numbers."""
