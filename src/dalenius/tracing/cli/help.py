"""What the actions of ``dalenius trace`` say of themselves."""

from __future__ import annotations

FILES = """\b
Files of people: PLINK 1 (.bed with .bim and .fam), .vcf, .vcf.gz (bgzip), .bcf, VCF-Zarr, or a table
  (CSV, Parquet, or one of a database: sqlite://clinic.db#people). VCF and Zarr are converted once, beside the
  file or in --cache.
"""

TESTS = """\b
Tests: --weights says how attributes count, --calibration how a score becomes a p-value, with options as in
  pooled:tail=chernoff, conformal:how=full, flip:tail=bd,blocks=50, adjusted:tail=student. auto chooses by
  what is known. adjusted:absent=yes also ranks by alleles that the release says nobody has;
  adjusted:absent=0.001 moreover excludes whoever carries more of them than that error rate explains.
  adjusted:whiten=200 decorrelates neighbouring variants in blocks, by half of the references.
  Presets: fig1, fig1-proof, fig2 (with --alpha), fig3 (with --calibration paper:rule=fig3,sd=0.5), robust,
  pool, sankararaman (with --reference-is-population), sankararaman-pool, homer.
"""

TARGETS = f"""Say of every target whether they are in the data behind a release.

\b
Examples:
  dalenius trace targets --release freqs.tsv --reference ref.bed --targets people.bed
  dalenius trace targets --release gwas.tsv --cases 2000 --reference ref.bed --targets people.bed
  dalenius trace targets --release means.csv --reference others.csv --targets people.csv --id person

\b
Release: .frq, .afreq, or any table with SNP id, counted allele and frequency; summary statistics (PLINK
  .assoc, .assoc.logistic, .glm.*, GWAS-SSF, daner), whose cases and controls are tested together; for tables
  of people a CSV attribute,mean where an attribute is a column of numbers, or column=value.
Reference: other people of the same population, never the targets; or their frequencies alone.
{FILES}
{TESTS}
DIR gets accusations.csv (id,score,p_value,q_value,verdict; for genotypes also unlike and relative_odds, of a
study group), findings.json and targets.svg. "In" means that the record is not independent of the release: a
close relative of a member is accused too. "Not accused" does not mean absent. Genomes are judged among
reference people; with frequencies alone, or fewer than 19 people, scores are written and nobody is accused.
Exit code: 1 if somebody is accused, and if nobody is: that shows no safety, `trace members` does; 2 for bad
input.
"""

MEMBERS = f"""Audit your own release of means: how many members can be recognised, at how many false alarms?

\b
Example:
  dalenius trace members --members cases.bed --reference ref.vcf.gz --mechanism gaussian:rho=0.5

\b
Mechanisms, joined by " | ": exact, rounding:digits=2, rounding:step=0.05, gaussian:rho=0.5,
  gaussian:sigma=0.01, laplace:epsilon=1, subsample:size=100, clip, ...
The reference is dealt into parts: each part is judged as outsiders by an attacker who holds the others.
--group relatives=kin.bed judges further people, who are neither.
{FILES}
{TESTS}
DIR gets findings.json, roc.svg and, with --show-people, accusations.csv. Exit code: 0 if the policy is kept,
1 if it is broken or more people would be needed to tell, 2 for bad input.
"""

BEACON = """Say how many members of a beacon are recognised by asking it whether anybody has an allele.

\b
Examples:
  dalenius trace beacon --members cases.bed --reference ref.bed --queries 100
  dalenius trace beacon --members cases.bed --queries 20 --noise 0.1

\b
Asked is about the rarest alleles of a person first, as many as --queries allows; answers are weighed by their
likelihoods and ranked among people who are not in the beacon. --noise turns each answer over with that
probability, for all askers alike. Without --reference a quarter of the members is kept out of the beacon.
Files of people: PLINK 1 (.bed with .bim and .fam), .vcf, .vcf.gz (bgzip), .bcf, VCF-Zarr.

DIR gets findings.json, roc.svg and, with --show-people, accusations.csv. Exit code: 0 if the policy is kept,
1 if it is broken or more people would be needed to tell, 2 for bad input.
"""

PLAN = """Say how many attributes are safe to publish, and how many suffice to trace people.

\b
Examples:
  dalenius trace plan --n 5000 --reference 2000 --fpr 1e-3 --sigma 0.01
  dalenius trace plan --members mine.bed --reference ref.bed --fpr 1e-3

\b
The first needs no data, and takes attributes for independent. The second tries on your own people what
formulas cannot tell of genomes: it publishes, attacks and judges as `trace members` does, and finds the most
variants, the least filter of rare ones, the most digits and the largest rho that keep to the policy, each
alone, confirmed on fresh draws.

Noise is on fractions or allele frequencies. DIR gets findings.json and plan.svg. Exit code: 0 if no attack
can recognise people from --means, 1 if one is predicted to or that is not known, 2 for bad input.
"""

PROMISE = """Say whether a program that publishes shares keeps its promise of differential privacy.

\b
Example:
  dalenius trace promise --mechanism gaussian:rho=0.5 -- ./my_release.sh

\b
The program gets the path of a CSV of yes/no answers (1 and 0, one line per person, columns c1, c2, ...) as
its last argument, and writes the protected share of each column, one per line, with the column's name and a
comma before it or without. Neighbouring data differ in one record; the number of people is public. It is run
6 x --trials times, on pairs of data that differ in all answers of one record, in alternating answers, and in
one.

\b
Found are noise that is too small, missing in one column or in some releases, the same in all columns, or in
all releases. A promise that is not refuted is not thereby proven: noise a little too small is not seen. DIR
gets findings.json. Exit code: 1, since trials prove no promise (STOP if it is refuted, else UNDECIDED); 2 for
bad input.
"""
