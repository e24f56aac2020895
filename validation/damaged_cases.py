"""Every command with every kind of file that it reads, on small valid files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from validation.damaged_make import PLANS
from validation.damaged_more import WORKBOOKS

SINGLE = ("audit", "init", "theorem", "remedy", "report", "decide", "compare")
"""Commands of one word."""


@dataclass(frozen=True)
class Case:
    """A command that works, the files it reads, and those that are to be damaged."""

    words: tuple[str, ...]
    damaged: tuple[str, ...]
    beside: tuple[str, ...] = ()
    names_people: bool = True
    """Whether its files name people; findings do not, and what they say is shown."""

    @property
    def command(self) -> str:
        """The command without its options."""
        return " ".join(self.words[: 1 if self.words[0] in SINGLE else 2])


def cases() -> list[Case]:
    """Every command with every kind of file that it reads."""
    found = [_case(f"audit {name}.toml", f"{name}.toml {data}") for name, (data, _) in PLANS.items()]
    for data, table in PLANS.values():
        more = " --table people" if table else ""
        words = f"init {data} --secret ill --id client --out plan.toml{more}".split()
        found.append(Case(tuple(words), (data,)))
    for name in WORKBOOKS.values():
        found.append(Case(("init", name, *ASKED), (name,)))
    found.append(Case(("init", "people.csv", *ASKED, "--labels", "codes.csv"), ("people.csv", "codes.csv")))
    found += [Case(tuple(words.split()), tuple(damaged.split()), (), False) for words, damaged in FINDINGS]
    return found + [_case(*texts) for texts in COMMANDS]


def _case(words: str, damaged: str = "", beside: str = "") -> Case:
    return Case((*words.split(), "--out", "out"), tuple(damaged.split()), tuple(beside.split()))


ASKED = [
    "--secret",
    "ill",
    "--id",
    "client",
    "--table",
    "age+sex",
    "--bins",
    "age=21,23",
    "--out",
    "plan.toml",
]

FINDINGS = (
    ("report found-csv.json --docx --out out", "found-csv.json"),
    ("report found-amounts.json --external --out out", "found-amounts.json"),
    ("report found-no-roster.json --out out", "found-no-roster.json"),
    ("decide found-csv.json --policy policy.toml --out out", "found-csv.json policy.toml"),
    ("decide found-amounts.json --rules open-data --out out", "found-amounts.json"),
    ("compare found-csv.json found-no-roster.json --out out.html", "found-csv.json found-no-roster.json"),
)
"""Commands that read what others have written."""

LISTED = "--people public.csv --id client"
TRUTH = "--truth truth.csv"
REF = "ref.bed ref.bim ref.fam"
GENOMES = "--release freqs.tsv --reference ref.bed --targets targets.bed"

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("audit reference.toml", "others.csv", "reference.toml people.csv"),
    ("audit path.toml", "path.toml releases/published/*", "people.csv"),
    ("audit queries.toml", "queries.csv", "queries.toml people.csv"),
    ("audit prior.toml", "edges.csv prior.toml", "people.csv"),
    ("audit rows.toml", "rows.toml own.csv released.csv everybody.csv zip.csv"),
    ("audit means.toml", "means.toml traced.csv traced-ref.csv"),
    ("audit printed.toml", "printed.toml crossed.csv crossed.xlsx"),
    ("audit labels.toml", "labels.toml codes.json people.csv"),
    ("audit amounts.toml", "amounts.toml turnovers.csv"),
    ("audit no-roster.toml", "no-roster.toml true-records.csv"),
    ("audit asked-counts.toml", "asked-counts.toml own.csv everybody.csv"),
    ("remedy csv.toml --allow round --minutes 0.02", "csv.toml people.csv"),
    ("remedy printed.toml --allow round --minutes 0.02", "printed.toml crossed.xlsx people.csv"),
    ("remedy rows.toml --allow fewer --minutes 0.02", "rows.toml own.csv released.csv everybody.csv zip.csv"),
    ("remedy means.toml --allow round --minutes 0.02", "means.toml traced.csv traced-ref.csv"),
    (
        "reconstruct amounts --people firms.csv --id client --amount turnover --table sums.csv"
        " --table sums.xlsx --truth true-turnovers.csv --policy policy.toml",
        "firms.csv sums.csv sums.xlsx true-turnovers.csv policy.toml",
    ),
    (
        "reconstruct records --table block-sex.csv --table block-age.csv --table sex-age-race.csv"
        " --table block-race.xlsx --geography block<tract --nesting within.csv --population elsewhere.csv"
        " --named named.csv --on block,sex,age --id who --truth true-records.csv",
        "block-sex.csv block-age.csv sex-age-race.csv block-race.xlsx within.csv elsewhere.csv named.csv"
        " true-records.csv",
    ),
    (
        "reconstruct desk --people people.csv --id client --secret ill --mechanism gaussian:sigma=3"
        " --questions 40",
        "people.csv",
    ),
    (
        f"reconstruct counts {LISTED} --queries queries.csv --answers answers.csv {TRUTH}",
        "public.csv queries.csv answers.csv truth.csv",
    ),
    (
        "reconstruct counts --people public.parquet --id client --queries asked.csv --answers said.csv",
        "public.parquet asked.csv said.csv",
    ),
    (
        f"reconstruct tables {LISTED} --table long.csv --table crossed.csv {TRUTH}",
        "public.csv long.csv crossed.csv truth.csv",
    ),
    (f"reconstruct tables {LISTED} --table crossed.xlsx", "crossed.xlsx", "public.csv"),
    (
        f"reconstruct regression {LISTED} --coefficients coef.csv --model linear {TRUTH}",
        "public.csv coef.csv",
        "truth.csv",
    ),
    (f"reconstruct regression {LISTED} --coefficients coef.txt --model linear", "coef.txt", "public.csv"),
    (
        f"reconstruct scores {LISTED} --predictions predictions.csv --scores scores.csv",
        "public.csv predictions.csv scores.csv",
    ),
    (f"reconstruct scores {LISTED} --predictions tree.txt --error-rate 0.4", "tree.txt", "public.csv"),
    (
        "reconstruct joint releases --id client",
        "releases/people.csv releases/long.csv releases/published/* releases/subsets/*",
    ),
    (f"trace targets {GENOMES}", f"freqs.tsv {REF} targets.bed targets.bim targets.fam"),
    (
        "trace targets --release freqs.tsv.gz --reference ref.bed --targets targets.vcf",
        "freqs.tsv.gz targets.vcf",
        REF,
    ),
    (
        "trace targets --release bits.csv --reference traced-ref.csv --targets traced-targets.csv"
        " --id person",
        "bits.csv traced-ref.csv traced-targets.csv",
    ),
    (
        "trace members --members traced.csv --reference traced-ref.csv --id person",
        "traced.csv traced-ref.csv",
    ),
    ("trace members --members cases.bed --reference ref.bed", "cases.bed cases.bim cases.fam", REF),
    ("trace members --members cases.vcf --reference ref.bed", "cases.vcf", REF),
    ("trace members --members cases.vcf.gz --reference ref.bed", "cases.vcf.gz", REF),
    ("trace members --members cases.bcf --reference ref.bed", "cases.bcf", REF),
    ("trace members --members cases.vcz --reference ref.bed", "cases.vcz/*", REF),
    ("trace plan --n 50 --frequencies freqs.tsv", "freqs.tsv"),
    (
        "single-out rows --original own.csv --anonymised released.csv --quasi age,zip"
        " --population everybody.csv --hierarchy zip=zip.csv",
        "own.csv released.csv everybody.csv zip.csv",
    ),
    (
        "single-out game --population everybody.csv --n 40 --mechanism datafly:k=3 --quasi zip"
        " --hierarchy zip=zip.csv --trials 5",
        "everybody.csv zip.csv",
    ),
    ("single-out counts --population everybody.csv --n 40 --queries 10 --trials 5", "everybody.csv"),
    (
        "single-out triple --original own.csv --synthetic syn.csv --control ctl.csv --attacks 50",
        "own.csv syn.csv ctl.csv",
    ),
    ("infer network --edges edges.csv --people about.csv", "edges.csv about.csv"),
    ("infer network --households homes.csv --agreement 0.7 --epsilon 0.5", "homes.csv"),
    ("infer pedigree --people family.csv --agreement parent=0.75 --epsilon 0.5", "family.csv"),
    ("infer joint --prior prior.csv --epsilon 0.5", "prior.csv"),
    ("infer degree --degree 3 --agreement 0.7 --epsilon 0.1",),
    (
        "infer beliefs --edges edges.csv --answers told.csv --epsilon 0.5 --truth values.csv",
        "edges.csv told.csv values.csv",
    ),
    ("theorem exposed-7 --n 64 --alpha 0.01 --runs 2",),
)


def read_by(case: Case, folder: Path) -> list[str]:
    """Every file of the valid folder that a case needs, by its path there."""
    found: list[str] = []
    for name in (*case.damaged, *case.beside):
        if name.endswith("/*"):
            whole = folder / name[:-2]
            found += [str(p.relative_to(folder)) for p in sorted(whole.rglob("*")) if p.is_file()]
        else:
            found.append(name)
    # a plan names files of its own, which it needs beside it
    for name in [n for n in found if n.endswith(".toml")]:
        text = (folder / name).read_text()
        found += [p.name for p in folder.iterdir() if p.is_file() and f'"{p.name}"' in text]
        found += [p.name for p in folder.iterdir() if p.is_file() and f"path={p.name}" in text]
        if "releases/published" in text:
            found += [str(p.relative_to(folder)) for p in (folder / "releases/published").iterdir()]
    return list(dict.fromkeys(found))


def damageable(case: Case, folder: Path) -> list[str]:
    """The files of a case that are damaged, folders spelt out."""
    named = read_by(case, folder)
    whole = {name for name in case.damaged if not name.endswith("/*")}
    below = tuple(name[:-1] for name in case.damaged if name.endswith("/*"))
    return [name for name in named if name in whole or name.startswith(below or ("\0",))]
