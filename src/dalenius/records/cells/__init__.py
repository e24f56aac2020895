"""What tables without a secret say: columns, cells as sets of levels, and cells put together as grids."""
