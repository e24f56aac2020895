"""Reports: what was found, for people to read.

Takes an audit's report (counts, intervals, sentences); gives text, a frame, pictures and the page. No claim
and no person ever gets here.
"""
