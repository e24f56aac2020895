"""Eight rows of bits at a time: packed bits times a vector with the instructions of AVX.

A register holds 32 columns of eight rows. The instruction ``vpermilps`` looks up, for each of the eight
rows at once, one of four numbers by the lowest two bits: with the four possible sums of two entries of the
vector as the table, one lookup adds two columns of eight rows, and a shift brings the next two. numba has
no name for that instruction, so the inner block, eight rows by 256 columns, is written in LLVM's
language; everything around it is plain. Unpacking the bits and multiplying with numpy gives the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from dalenius.accelerate import intrinsic, kernel, no_value

ROWS, BYTES = 8, 32
"""A block: as many rows as a register has lanes, and of each eight words of 32 columns."""

LOOKUPS = 16
"""Lookups for the 32 columns of a word."""

TABLES = 8 * LOOKUPS * 4
"""Numbers in the tables of one block."""

TILE = 16
"""Blocks side by side whose tables stay in a near cache (32 KB) while all rows pass by."""

_WORDS = ir.VectorType(ir.IntType(32), 8)
_TABLE = ir.VectorType(ir.FloatType(), 4)
_SINGLE = ir.VectorType(ir.FloatType(), 8)
_DOUBLE = ir.VectorType(ir.DoubleType(), 8)


def _at(builder: Any, pointer: Any, offset: Any, kind: Any) -> Any:
    """The address ``offset`` bytes after a pointer, as a pointer to ``kind``."""
    raw = builder.bitcast(pointer, ir.IntType(8).as_pointer())
    return builder.bitcast(builder.gep(raw, [offset]), kind.as_pointer())


def _load(builder: Any, pointer: Any, offset: Any, kind: Any) -> Any:
    """Load from any address, aligned or not."""
    value = builder.load(_at(builder, pointer, offset, kind))
    value.align = 1
    return value


def _load_rows(builder: Any, bits: Any, start: Any, stride: Any) -> list[Any]:
    """Load eight rows, and fetch the same columns of the next eight: no hardware looks that far ahead."""
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    fetch = builder.module.declare_intrinsic(
        "llvm.prefetch.p0i8", fnty=ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    )
    rows = []
    for k in range(ROWS):
        offset = builder.add(start, builder.mul(stride, stride.type(k)))
        rows.append(_load(builder, bits, offset, _WORDS))
        ahead = builder.add(offset, builder.mul(stride, stride.type(ROWS)))
        builder.call(fetch, [_at(builder, bits, ahead, ir.IntType(8)), number(0), number(3), number(1)])
    return rows


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Turn eight registers of eight words around: register ``w`` gets word ``w`` of every row."""
    for half in (1, 2, 4):
        upper = ir.Constant(_WORDS, [k if not k & half else 8 + k - half for k in range(8)])
        lower = ir.Constant(_WORDS, [k + half if not k & half else 8 + k for k in range(8)])
        turned = list(rows)
        for i in (i for i in range(8) if not i & half):
            turned[i] = builder.shuffle_vector(rows[i], rows[i + half], upper)
            turned[i + half] = builder.shuffle_vector(rows[i], rows[i + half], lower)
        rows = turned
    return rows


def _sums(builder: Any, words: list[Any], tables: Any, table: Any) -> Any:
    """Add up the lookups of all words, one sum per row; four chains of additions hide their latency."""
    permute = builder.module.declare_intrinsic(
        "llvm.x86.avx.vpermilvar.ps.256", fnty=ir.FunctionType(_SINGLE, [_SINGLE, _WORDS])
    )
    twice = ir.Constant(_WORDS, [0, 1, 2, 3] * 2)
    chains: list[Any] = [None] * 4
    for w, word in enumerate(words):
        for t in range(LOOKUPS):
            place = builder.add(table, table.type(16 * (LOOKUPS * w + t)))
            four = _load(builder, tables, place, _TABLE)
            eight = builder.shuffle_vector(four, ir.Constant(_TABLE, ir.Undefined), twice)
            found = builder.call(permute, [eight, word])
            chain = chains[t % 4]
            chains[t % 4] = found if chain is None else builder.fadd(chain, found)
            word = builder.lshr(word, ir.Constant(_WORDS, [2] * 8))
    return builder.fadd(builder.fadd(chains[0], chains[1]), builder.fadd(chains[2], chains[3]))


@intrinsic
def _add_block(typing: Any, bits: Any, start: Any, tables: Any, table: Any, out: Any, at: Any) -> Any:
    """Add to ``out[at : at + 8]`` what a block that starts at byte ``start`` gives, in double precision."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        matrix, numbers, sums = (
            context.make_array(signature.args[i])(context, builder, value=arguments[i]) for i in (0, 2, 4)
        )
        stride = builder.extract_value(matrix.strides, 0)
        rows = _load_rows(builder, matrix.data, arguments[1], stride)
        table_at = builder.mul(arguments[3], stride.type(4))
        single = _sums(builder, _transposed(builder, rows), numbers.data, table_at)
        place = builder.mul(arguments[5], stride.type(8))
        total = builder.fadd(_load(builder, sums.data, place, _DOUBLE), builder.fpext(single, _DOUBLE))
        builder.store(total, _at(builder, sums.data, place, _DOUBLE)).align = 1
        return context.get_dummy_value()

    return no_value(bits, start, tables, table, out, at), build


@kernel
def _fill(tables: Any, x: Any, start: int, fresh: int) -> None:
    """Write the four sums of every two columns of the block that starts at byte ``start``.

    Columns before byte ``fresh`` are part of the block before, and count as zero here. In packed bits the
    first column is the highest bit of a byte.
    """
    for pair in range(8 * LOOKUPS):
        byte = start + pair // 4
        last = 8 * byte + 7 - 2 * (pair % 4)
        low = x[last] if byte >= fresh and last < x.size else np.float32(0.0)
        high = x[last - 1] if byte >= fresh and last - 1 < x.size else np.float32(0.0)
        tables[4 * pair] = np.float32(0.0)
        tables[4 * pair + 1] = low
        tables[4 * pair + 2] = high
        tables[4 * pair + 3] = low + high


@kernel
def multiply_blocks(out: Any, packed: Any, x: Any) -> None:
    """Add ``A x`` to ``out``, which is zero and as long as the rows, made up to a multiple of eight.

    Takes at least eight rows and 32 bytes a row. The last block of columns, and of rows, begins early enough
    to end with the matrix: columns do not count twice by zeros in the tables, rows by moving their sums.
    """
    rows, width = packed.shape
    blocks = (width + BYTES - 1) // BYTES
    tables = np.empty(TILE * TABLES, np.float32)
    for first in range(0, blocks, TILE):
        here = min(TILE, blocks - first)
        for b in range(here):
            start = min(BYTES * (first + b), width - BYTES)
            _fill(tables[b * TABLES : (b + 1) * TABLES], x, start, BYTES * (first + b))
        for row in range(0, rows, ROWS):
            base = min(row, rows - ROWS) * width
            for b in range(here):
                start = min(BYTES * (first + b), width - BYTES)
                _add_block(packed, base + start, tables, b * TABLES, out, row)
    moved = out.size - rows
    for j in range(rows - rows % ROWS, rows):
        out[j] = out[j + moved]
