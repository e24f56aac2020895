"""Singling out: can somebody write down a condition that exactly one person meets?

Takes what is published (generalised rows, counts) and what is known of the population; gives conditions
(`dalenius.singling_out.attack.isolating.Isolating`), each with an upper bound of its weight and its expected
success. Cohen and Nissim, *Towards Formalizing the GDPR's Notion of Singling Out*. The data under attack is
never looked at, not even for a weight: whether a condition isolates somebody is the referee's business.
"""
