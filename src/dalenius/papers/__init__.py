"""The papers behind the attacks: one folder per paper, one file per statement.

A statement's file holds what it says and assumes, what can be set, where we differ from the print, how it is
run on simulated people and its picture. `run.run` takes the id of a statement, sizes and a seed; it
gives an `StatementOutcome`: what is promised for these sizes, what was measured with random errors and with
the worst errors we can construct, each with an interval, and the guess without a release. The attacks are
those of the product, through a release and a view, and the referee's functions count the mistakes.

`statement` and `settings` hold the shapes of a statement and its parameters, `experiment` those of an
outcome, `measure` and `interval` the statistics, `text` what is printed; the folder `simulated` makes people,
crowds, errors and attackers for several papers. The papers do not know each other.
"""
