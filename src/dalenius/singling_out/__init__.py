"""Audits of rows, counts and synthetic data: can somebody point at exactly one person?"""
