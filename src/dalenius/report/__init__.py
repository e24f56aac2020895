"""Reports: what was found, for people to read.

Takes an audit's report (counts, intervals, sentences); gives text. No claim and no person ever gets here.
"""
