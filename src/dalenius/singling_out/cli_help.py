"""What ``dalenius single-out`` and its actions say of themselves."""

from __future__ import annotations

ROWS = """Attack a finished anonymised file, as ARX, sdcMicro, anjana and others write it.

\b
Example:
  dalenius single-out rows --original people.csv --anonymised released.csv \\
      --quasi age,zip,sex --population everybody.csv

\b
Cells of the quasi-identifiers: values, * (anything), 4781* (masks), [20, 30), 20-29, >=90, {a, b}, or
labels of a hierarchy (--hierarchy zip=zip.csv, one line per leaf: leaf;level1;...;top).
Blank cells are anything. A column that counts the people of a row (--count) expands it.
How rare a condition is comes from --population (everybody) or --holdout (other people), never from the data;
what they cannot weigh is not shown. A column of people's own values, released as it is, stops by itself.
Rows that were perturbed (noise, microaggregation, swapping, PRAM) are attacked by single-out triple.

DIR gets findings.json, success.svg, and predicates.json with the conditions, to be kept as safe as the data;
with --show-people also finer.csv, where labels can be made finer with certainty (downcoding).
Exit code: 0 if the advantage over luck is shown to be at most 5 points, 1 if it is larger or not shown, 2 for
bad input.
"""

GAME = """Play the game of singling out against an anonymiser, beside luck.

\b
Example:
  dalenius single-out game --population everybody.parquet --n 1000 --mechanism mondrian:k=5 --trials 1000

\b
Anonymisers: mondrian:k=5[,l=2,t=0.2,sensitive=COLUMN], datafly:k=5[,suppress=0.02], buckets:k=5,
  bit-suppression:k=5. In each round n people are drawn, anonymised and attacked. datafly takes a file per
  column, --hierarchy zip=zip.csv (one line per value: value;level1;...;top).
Without a table of everybody, --holdout takes a sample of them: data are drawn from a quarter of it, the
attack knows another, and the other half says how rare a condition is, with a confidence limit.

DIR gets findings.json and success.svg. Exit code: 0 if every attack is shown to gain at most 5 points over
luck, 1 if one gains more or that cannot be told (more --trials narrow it), 2 for bad input.
Stopped and started again, it goes on: rounds are kept in DIR/.dalenius-parts, which only you can read.
"""

COUNTS = """Ask counts about people, each of them harmless, and single somebody out.

\b
Examples:
  dalenius single-out counts --population everybody.parquet --n 1000 --queries 40
  dalenius single-out counts --population everybody.parquet --n 1000 --queries 40 --suppress-below 10

DIR gets findings.json and success.svg. Exit code: 0 if every attack is shown to gain at most 5 points over
luck, 1 if one gains more or that cannot be told (more --trials narrow it), 2 for bad input.
Stopped and started again, it goes on: rounds are kept in DIR/.dalenius-parts, which only you can read.
"""

TRIPLE = """Do synthetic or perturbed rows single out real people? Original, released and control rows.

\b
Example:
  dalenius single-out triple --original ori.csv --synthetic syn.csv --control ctl.csv

\b
For rows that are not generalised originals: synthetic ones, and rows with noise, microaggregated, swapped or
relabelled (PRAM). Conditions made from them are counted in the original and, for luck, in the control:
people of the same population who are not behind the released rows. Conditions on a few columns (--mode,
--columns) and conditions around every row: equal to it, or near it in every column. With a control smaller
than the original as many originals are drawn. A control that holds originals is refused.

Pass: no kind of condition gains more than --limit over luck, and released rows equal or nearly equal
originals no more than others (--max-copies, 0). DIR gets findings.json, with --show-people also the
conditions. Exit code: 0 pass, 1 stop or undecided, 2 bad input.
"""

QUESTIONS = """Single out, link, infer: the three questions about synthetic, perturbed or anonymised rows.

\b
Example:
  dalenius rows --original ori.csv --released syn.csv --control ctl.csv \\
      --secret income --link age,sex,zip/job,hours,income

\b
The Article 29 Working Party (Opinion 05/2014) asks of anonymised data: can somebody be singled out, can
records be linked, can something be inferred? One table answers all three, each beside people of the same
population who are not behind the released rows (--control), whose number moves only the intervals:
  singling out   conditions made from released rows that match one original alone, as single-out triple
  linkability    two files with the columns before and after the / of --link, of the same people: are the
                 released rows nearest to both halves of a person the same?
  inference      --secret from all other columns, by the nearest released rows; also beside the best
                 predictor that has learnt from the control alone. A number is right --within so much.
Distances to the closest record are told beside their control. They prove nothing, and decide nothing.

\b
Pass: each question gains at most --max-advantage (0.05: 5 points) on people of the data, and released rows
equal or nearly equal originals no more than others (--max-copies, 0). Every rule that is broken is told.
Released rows that tell a secret better than other people do, about everybody alike, are undecided: either
the control is too small to know as much, or it is behind the released rows too.
A control that holds originals, and a column that is text in one file and numbers in another, are refused.

DIR gets findings.json and the page. Exit code: 0 pass, 1 stop or undecided, 2 bad input.
"""
