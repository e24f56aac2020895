"""A view cut by a public column, such as the block people live in: each part is attacked for itself."""
