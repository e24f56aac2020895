"""Each statement run at finite n: what it promises beside what its attack reaches on simulated people.

Takes the id of a statement, sizes and a seed; gives an `Outcome`: what is promised for these sizes, what
was measured with random errors and with the worst errors we can construct, each with an interval, and
the guess without a release. `catalogue` knows every statement that can be run, `experiment` the shapes;
each other file is a family of statements. The attacks are those of the product, through a release and
a view, and the referee's functions count the mistakes.
"""
