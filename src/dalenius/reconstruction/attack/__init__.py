"""Reconstruction: from published counts to a guess of every secret.

Takes a view; turns any release into one ``LinearSystem`` (``A s`` is about ``y``), which every decoder
reads; gives guesses with probabilities.
"""
