"""Findings: what a release gives away, with its interval, its baseline and its meaning.

Takes judgements (counts from the referee) and what is said about the release; gives findings with
intervals that pay for every look, a severity, a sentence in plain words, and a verdict under a policy. No
person, claim or secret ever gets here.
"""
