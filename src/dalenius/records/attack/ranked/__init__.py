"""How probable each copy of a record is: data sets weighed where all are known, drawn where they are many."""
