"""What the attacker knows about who is related to whom: networks, families, households.

Takes files of relations and how strongly related people agree; gives a `model.CorrelationModel`, the prior
about everybody's bit that the inference attacks start from, with a card that says what it rests on.
"""
