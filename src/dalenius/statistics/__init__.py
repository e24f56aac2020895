"""What is asked: each statistic is a list of counting questions about people.

Takes the names of columns, conditions or sets of people; gives, for a roster, the matrix that says
whom each question counts. Knows no answers and no secrets.
"""
