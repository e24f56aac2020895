"""How rare a condition is: weighed by other people, assumed, certified."""
