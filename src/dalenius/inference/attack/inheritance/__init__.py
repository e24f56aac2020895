"""Genes in families: what a release says about one person by Mendel's law, which is not affiliated."""
