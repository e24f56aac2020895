"""What is done to the counts before they are published.

Takes true counts (or, for a subsample, the number of people) and a named stream of randomness; gives
published numbers, not a number where a cell is suppressed. Each mechanism also reads its own numbers
backwards, as an attacker who was told about it would: what each published number says about the true
count, and what is promised to one person. `parse_mechanism` in ``parse`` is the way in.
"""
