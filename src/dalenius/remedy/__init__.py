"""Remedy: the least change that makes a plan pass.

Takes a plan and what may be changed; gives the ladder of changes, each tried by the ordinary audit, with what
it costs those who read the numbers. Nothing here opens a secret: changed plans are published and judged where
plans always are.
"""
