"""What is published: plain values, readable without dalenius.

Takes statistics, their answers and what is said about the mechanism; gives the ``Release`` that the
attacker gets, and its folder of JSON and Parquet. Only ``publish`` ever sees a person.
"""
