"""What somebody has published already: tables, coefficients and scores, read into the view of an attack."""
