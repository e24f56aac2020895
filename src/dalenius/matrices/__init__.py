"""Matrices that are applied rather than stored, and the numbers they are applied to.

Takes packed bits, tables and queries; gives products, spectra and published answers with their errors.
"""
