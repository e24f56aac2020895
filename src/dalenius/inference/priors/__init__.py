"""What is assumed about related people: read, fitted to what was stated, or bounded in any case."""
