"""Results of association studies: summary statistics in; the frequencies in cases and controls out."""
