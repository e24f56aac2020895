"""Whether what a decoder states comes true: tried on releases about made-up secrets, and mended."""
