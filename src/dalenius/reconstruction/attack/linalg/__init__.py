"""Solvers that the decoders share: applied operators, least squares, programs, spectra."""
