"""Released rows, read: what their cells say, and the classes of rows that are alike.

Takes rows and what is known of other people; gives conditions.
"""
