"""The command line: a thin face over the rest, one file per command.

Takes arguments and files; gives text, ``findings.json``, ``claims.csv`` and an exit code.
"""
