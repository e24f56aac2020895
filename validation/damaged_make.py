"""Small valid files of every kind, about people with names and values that can be recognised anywhere.

Names of people begin with ``ZQ``, and so do jobs. Whatever a command prints or writes into
``findings.json``, no such word may be in it.
"""

from __future__ import annotations

import gzip
import sqlite3
import struct
import zlib
from pathlib import Path

import numpy as np
from validation.damaged_more import make_more

CANARY = "ZQ"
"""How everybody's name begins."""

PEOPLE = 40
SNPS = 60


def ids(n: int, mark: str = "") -> list[str]:
    """Names of people."""
    return [f"{CANARY}{mark}{i:03}x" for i in range(n)]


def make_files(folder: Path) -> None:
    """Write every valid file that the cases read."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(11)
    _people(folder, rng)
    _published(folder, rng)
    _rows(folder, rng)
    _genomes(folder, rng)
    _related(folder, rng)
    _plans(folder)
    make_more(folder)


def _write(path: Path, header: str, rows: list[str]) -> None:
    path.write_text("\n".join([header, *rows]) + "\n")


def _people(folder: Path, rng: np.random.Generator) -> None:
    import duckdb
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    names = ids(PEOPLE)
    ages, sexes = rng.integers(20, 24, PEOPLE), rng.choice(["f", "m"], PEOPLE)
    towns, ill = rng.choice(["a", "b"], PEOPLE), rng.choice(["no", "yes"], PEOPLE)
    listed = [f"{n},{a},{s},{t}" for n, a, s, t in zip(names, ages, sexes, towns, strict=True)]
    _write(folder / "public.csv", "client,age,sex,town", listed)
    _write(
        folder / "people.csv",
        "client,age,sex,town,ill",
        [f"{r},{x}" for r, x in zip(listed, ill, strict=True)],
    )
    _write(
        folder / "truth.csv",
        "client,ill",
        [f"{n},{int(x == 'yes')}" for n, x in zip(names, ill, strict=True)],
    )
    others = [
        f"{n},{r.split(',', 1)[1]},{x}" for n, r, x in zip(ids(PEOPLE, "o"), listed, ill[::-1], strict=True)
    ]
    _write(folder / "others.csv", "client,age,sex,town,ill", others)
    (folder / "people.csv.gz").write_bytes(gzip.compress((folder / "people.csv").read_bytes(), mtime=0))
    table = csv.read_csv(folder / "people.csv")
    parquet.write_table(table, folder / "people.parquet")
    parquet.write_table(csv.read_csv(folder / "public.csv"), folder / "public.parquet")
    feather.write_feather(table, folder / "people.feather", compression="uncompressed")
    with (
        pa.OSFile(str(folder / "people.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    (folder / "people.sqlite").unlink(missing_ok=True)
    with sqlite3.connect(folder / "people.sqlite") as base:
        base.execute("create table people (client text, age int, sex text, town text, ill text)")
        base.executemany(
            "insert into people values (?, ?, ?, ?, ?)", zip(*table.to_pydict().values(), strict=True)
        )
    base.close()
    (folder / "people.duckdb").unlink(missing_ok=True)
    with duckdb.connect(str(folder / "people.duckdb")) as own:
        own.execute(f"create table people as from '{folder / 'people.csv'}'")


def _published(folder: Path, rng: np.random.Generator) -> None:
    """Answers, tables, coefficients, predictions and a release about the people of ``people.csv``."""
    import openpyxl

    people = [line.split(",") for line in (folder / "people.csv").read_text().splitlines()[1:]]
    ill = np.array([row[4] == "yes" for row in people])
    members = rng.random((60, PEOPLE)) < 0.5
    pairs = [f"q{j},{people[i][0]}" for j, i in zip(*np.nonzero(members), strict=True)]
    _write(folder / "queries.csv", "query,client", pairs)
    _write(
        folder / "answers.csv",
        "query,answer",
        [f"q{j},{int(ill[row].sum())}" for j, row in enumerate(members)],
    )
    asked = [
        "age >= 22",
        "sex = f and town = a",
        '"not (sex = m or town in (a, b))"',
        "age >= 21 and age < 23",
    ]
    _write(folder / "asked.csv", "query,condition", [f"q{j},{text}" for j, text in enumerate(asked)])
    _write(folder / "said.csv", "query,answer", ["q0,10", "q1,3", "q2,0", "q3,4"])
    counts = [
        [town, sex, value, sum(row[2:] == [sex, town, value] for row in people)]
        for town in "ab"
        for sex in "fm"
        for value in ("no", "yes")
    ]
    _write(folder / "long.csv", "town,sex,ill,count", [",".join(map(str, row)) for row in counts])
    across = [
        [t, s, counts[2 * k][3], counts[2 * k + 1][3]]
        for k, (t, s) in enumerate((t, s) for t in "ab" for s in "fm")
    ]
    _write(folder / "crossed.csv", "town,sex,no,yes", [",".join(map(str, row)) for row in across])
    book = openpyxl.Workbook()
    for row in [["town", "sex", "no", "yes"], *across]:
        book.active.append(row)
    book.save(folder / "crossed.xlsx")
    _regression(folder, people, ill)
    _predictions(folder, people, rng)
    _release(folder)


def _regression(
    folder: Path, people: list[list[str]], ill: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> None:
    terms = np.array([[1.0, float(row[1]), row[2] == "m", row[3] == "b"] for row in people])
    found = np.linalg.lstsq(terms, ill.astype(float), rcond=None)[0]
    named = zip(["Intercept", "age", "sex[T.m]", "town[T.b]"], found, strict=True)
    lines = [f"{name},{value:.6f}" for name, value in named]
    _write(folder / "coef.csv", "term,estimate", lines)
    body = "".join(
        f"{line.split(',')[0]:<12}{float(line.split(',')[1]):>10.4f}  0.210 -5.95 0.000 -1.66 -0.83\n"
        for line in lines
    )
    head = "                 coef    std err          z      P>|z|      [0.025      0.975]\n"
    (folder / "coef.txt").write_text(f"{'=' * 78}\n{head}{'-' * 78}\n{body}{'=' * 78}\n")


def _predictions(folder: Path, people: list[list[str]], rng: np.random.Generator) -> None:
    guesses = rng.random((PEOPLE, 3)) < 0.5
    _write(
        folder / "predictions.csv",
        "client,one,two,three",
        [",".join([row[0], *(str(int(g)) for g in own)]) for row, own in zip(people, guesses, strict=True)],
    )
    _write(
        folder / "scores.csv",
        "classifier,score,value",
        ["one,accuracy,0.475", "two,error-rate,0.5", "three,recall,0.4"],
    )
    (folder / "tree.txt").write_text(
        "|--- age <= 21.50\n|   |--- weights: [12.00, 8.00] class: 0\n|--- age >  21.50\n"
        "|   |--- age <= 22.50\n|   |   |--- weights: [3.00, 9.00] class: 1\n"
        "|   |--- age >  22.50\n|   |   |--- weights: [5.00, 3.00] class: 0\n"
    )


def _release(folder: Path) -> None:
    import dalenius

    with dalenius.read(folder / "people.csv", secret="ill", id="client") as people:  # noqa: S106  (a column)
        for name, asked in (("published", ["tables:k=2"]), ("subsets", ["random-subsets:m=30"])):
            release = dalenius.publish(people, asked, "rounding:base=3", rng=np.random.default_rng(1))
            dalenius.reconstruction.write_release(release, folder / "releases" / name)
    (folder / "releases" / "people.csv").write_bytes((folder / "public.csv").read_bytes())
    (folder / "releases" / "long.csv").write_bytes((folder / "long.csv").read_bytes())


def _rows(folder: Path, rng: np.random.Generator) -> None:
    """Rows for singling out: everybody, those in the data, and what is released of them."""

    def draw(n: int) -> list[str]:
        zips, ages = rng.integers(100, 110, n), rng.integers(20, 60, n)
        jobs = [f"{CANARY}job{j}" for j in rng.integers(0, 1000, n)]
        return [f"{a},{z},{j}" for a, z, j in zip(ages, zips, jobs, strict=True)]

    everybody = draw(400)
    own = everybody[:60]
    _write(folder / "everybody.csv", "age,zip,job", everybody)
    _write(folder / "own.csv", "age,zip,job", own)
    _write(folder / "ctl.csv", "age,zip,job", everybody[60:200])
    _write(folder / "syn.csv", "age,zip,job", draw(60))
    coarse = []
    for line in own:
        age, _, job = line.split(",")
        low = int(age) // 20 * 20
        coarse.append(f'"[{low}, {low + 20})",10*,{job}')
    _write(folder / "released.csv", "age,zip,job", coarse)
    (folder / "zip.csv").write_text("".join(f"{z};10*;*\n" for z in range(100, 110)))


def _genomes(folder: Path, rng: np.random.Generator) -> None:
    import zarr

    from dalenius.genomes.plink import write_plink
    from dalenius.genomes.read import read_genotypes

    frequency = rng.uniform(0.2, 0.8, SNPS)
    for name, n in (("cases", 25), ("ref", 40), ("targets", 8)):
        calls = rng.binomial(2, frequency, (n, SNPS))
        named = ids(n, name[0])
        lines = [
            f"1\t{j + 1}\trs{j}\tA\tG\t.\tPASS\t.\tGT\t"
            + "\t".join(("0/0", "0/1", "1/1")[c] for c in calls[:, j])
            for j in range(SNPS)
        ]
        head = [
            "##fileformat=VCFv4.2",
            "##contig=<ID=1>",
            '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">',
        ]
        head.append("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t" + "\t".join(named))
        (folder / f"{name}.vcf").write_text("\n".join(head + lines) + "\n")
        write_plink(folder / name, read_genotypes(folder / f"{name}.vcf", cache=folder / "cache"))
    _bgzip(folder / "cases.vcf", folder / "cases.vcf.gz")
    _bcf(folder / "cases.vcf", folder / "cases.bcf")
    text = np.dtypes.StringDType()
    store = zarr.open_group(str(folder / "cases.vcz"), mode="w")
    store.create_array("sample_id", data=np.array(ids(25, "c"), text))
    store.create_array("contig_id", data=np.array(["1"], text))
    store.create_array("variant_contig", data=np.zeros(SNPS, np.int8))
    store.create_array("variant_position", data=np.arange(1, SNPS + 1, dtype=np.int32))
    store.create_array("variant_id", data=np.array([f"rs{j}" for j in range(SNPS)], text))
    store.create_array("variant_allele", data=np.array([["A", "G"]] * SNPS, text))
    store.create_array("call_genotype", data=rng.integers(0, 2, (SNPS, 25, 2)).astype(np.int8))
    rows = [f"1\trs{j}\tG\tA\t{f:.4f}\t50" for j, f in enumerate(frequency)]
    _write(folder / "freqs.tsv", "CHROM\tID\tALT\tREF\tFREQ\tOBS_CT", rows)
    (folder / "freqs.tsv.gz").write_bytes(gzip.compress((folder / "freqs.tsv").read_bytes(), mtime=0))
    for name, n in (("traced", 25), ("traced-ref", 40), ("traced-targets", 6)):
        bits = rng.integers(0, 2, (n, 8))
        header = ",".join(["person", *(f"b{j}" for j in range(8))])
        people = zip(ids(n, name[-1]), bits, strict=True)
        _write(folder / f"{name}.csv", header, [",".join([who, *map(str, own)]) for who, own in people])
    _write(folder / "bits.csv", "attribute,mean", [f"b{j},{0.3 + j / 20}" for j in range(8)])


def _bgzip(source: Path, target: Path) -> None:
    """Compress in one block, as bgzip does."""
    raw = source.read_bytes()
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    body = packer.compress(raw) + packer.flush()
    extra = struct.pack("<BBHH", 66, 67, 2, len(body) + 25)
    head = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff" + struct.pack("<H", len(extra)) + extra
    end = bytes.fromhex("1f8b08040000000000ff0600424302001b0003000000000000000000")
    target.write_bytes(head + body + struct.pack("<II", zlib.crc32(raw), len(raw)) + end)


def _bcf(source: Path, target: Path) -> None:
    from cyvcf2 import VCF, Writer

    reader = VCF(str(source))
    writer = Writer(str(target), reader, mode="wb")
    for variant in reader:
        writer.write_record(variant)
    writer.close()
    reader.close()


def _related(folder: Path, rng: np.random.Generator) -> None:
    names = ids(12)
    pairs = [(names[i], names[int(rng.integers(0, i))]) for i in range(1, 12)]
    _write(folder / "edges.csv", "a,b,agreement", [f"{a},{b},0.7" for a, b in pairs])
    _write(folder / "homes.csv", "id,household", [f"{n},h{i // 3}" for i, n in enumerate(names)])
    _write(folder / "about.csv", "id,bias,epsilon", [f"{n},0.4,0.5" for n in names])
    family = [f"{names[0]},,", f"{names[1]},,"] + [f"{n},{names[0]},{names[1]}" for n in names[2:6]]
    _write(folder / "family.csv", "id,father,mother", family)
    table = rng.dirichlet(np.ones(8)).round(6)
    table[0] += 1 - table.sum()
    cells = [f"{i >> 2 & 1},{i >> 1 & 1},{i & 1},{p:.6f}" for i, p in enumerate(table)]
    _write(folder / "prior.csv", ",".join([*names[:3], "probability"]), cells)
    _write(folder / "told.csv", "id,answer", [f"{n},{i % 2}" for i, n in enumerate(names)])
    _write(folder / "values.csv", "id,ill", [f"{n},{i % 2}" for i, n in enumerate(names)])


PLAN = """seed = 1

[data]
path = "DATA"
TABLE

[schema]
id = "client"
secret = "ill"

[[release]]
name = "planned"
statistics = ["tables:k=2"]
mechanism = "rounding:base=5"
"""

ROWS_PLAN = """seed = 1
[data]
path = "own.csv"
[knowledge]
population = "everybody.csv"
[[release]]
name = "r"
kind = "anonymised-rows"
path = "released.csv"
quasi = ["age", "zip"]
hierarchies = { zip = "zip.csv" }
"""

MEANS_PLAN = """seed = 1
[data]
path = "traced.csv"
[schema]
id = "person"
[knowledge]
reference = "traced-ref.csv"
[[release]]
name = "m"
statistics = ["means"]
mechanism = "rounding:digits=2"
"""

PLANS = {
    "csv": ("people.csv", ""),
    "gz": ("people.csv.gz", ""),
    "parquet": ("people.parquet", ""),
    "feather": ("people.feather", ""),
    "arrow": ("people.arrow", ""),
    "sqlite": ("people.sqlite", 'table = "people"'),
    "duckdb": ("people.duckdb", 'table = "people"'),
}


def _plans(folder: Path) -> None:
    for name, (data, table) in PLANS.items():
        (folder / f"{name}.toml").write_text(PLAN.replace("DATA", data).replace("TABLE", table))
    base = PLAN.replace("DATA", "people.csv").replace("TABLE", "")
    (folder / "reference.toml").write_text(base + '\n[knowledge]\nreference = "others.csv"\n')
    path = base.replace(
        'statistics = ["tables:k=2"]\nmechanism = "rounding:base=5"', 'path = "releases/published"'
    )
    (folder / "path.toml").write_text(path)
    queries = base.replace("tables:k=2", "queries:path=queries.csv").replace(
        "rounding:base=5", "gaussian:sigma=1"
    )
    (folder / "queries.toml").write_text(queries)
    prior = '\n[knowledge.prior]\nedges = "edges.csv"\n\n[policy]\nmax_nu = 1\n'
    (folder / "prior.toml").write_text(base.replace("rounding:base=5", "laplace:epsilon=1") + prior)
    (folder / "rows.toml").write_text(ROWS_PLAN)
    (folder / "means.toml").write_text(MEANS_PLAN)
