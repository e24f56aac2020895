"""Anonymised rows that were released: whom do conditions about their classes match alone?"""
