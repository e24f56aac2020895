"""The people: read from files, frames and databases, all in the same way, and sealed.

Takes whatever holds one row for each person. Gives what each question needs: codes and counts in an engine,
rows as they are, or attributes that can be averaged. Secrets leave only through `truth`, which only the
publisher and the referee may import.
"""
