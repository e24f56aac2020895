"""Genotypes of people, allele frequencies, and which variants of two files are the same.

Takes PLINK 1, VCF, BCF and VCF-Zarr files and tables of frequencies; gives packed traits with what is known
about each variant, and index arrays that bring two files in line.
"""
