"""A hundred and twenty-eight people at a time: sums of table lookups with the instructions of AVX.

A register holds eight words of a packed row, each with the stored codes of 16 people. The instruction
``vpermilps`` looks up, in all eight words at once, one of four numbers by the lowest two bits: with the four
numbers of an attribute as the table, one lookup adds one attribute of eight people, and a shift brings the
next eight. numba has no name for that instruction, so the inner block, 128 people by `GROUP` attributes, is
written in LLVM's language. `_score_kernels` computes the same on any machine.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from dalenius.accelerate import intrinsic, kernel, no_value
from dalenius.matrices._vector import _at, _load

BYTES = 32
"""Bytes of a row in one block: as many as a register holds."""

PEOPLE = 4 * BYTES
"""People in one block."""

GROUP = 4
"""Attributes added to a sum between its load and its store."""

CHUNK = 256
"""Attributes added in single precision before the sums move on to double precision."""

TILE = 32
"""Blocks side by side whose sums (16 KB) and rows stay in near caches while a chunk passes by."""

_WORDS = ir.VectorType(ir.IntType(32), 8)
_TABLE = ir.VectorType(ir.FloatType(), 4)
_SINGLE = ir.VectorType(ir.FloatType(), 8)


@intrinsic
def _add_block(typing: Any, packed: Any, starts: Any, tables: Any, out: Any, places: Any) -> Any:
    """Add what `GROUP` attributes give the 128 people from ``byte`` of a row on to ``out[at : at + 128]``.

    The three places are ``(first, byte, at)``.

    Attribute ``g`` of them has its row at byte ``starts[first + g]`` and its table at ``tables[first + g]``.
    Entry ``8 s + w`` of the sums belongs to person ``16 w + s`` of the block.
    """

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bits, rows, numbers, sums = (
            context.make_array(signature.args[i])(context, builder, value=arguments[i]) for i in range(4)
        )
        first, byte, at = (builder.extract_value(arguments[4], i) for i in range(3))
        integer = ir.IntType(64)
        permute = builder.module.declare_intrinsic(
            "llvm.x86.avx.vpermilvar.ps.256", fnty=ir.FunctionType(_SINGLE, [_SINGLE, _WORDS])
        )
        words, tables = [], []
        for g in range(GROUP):
            here = builder.add(first, integer(g))
            start = _load(builder, rows.data, builder.mul(here, integer(8)), integer)
            words.append(_load(builder, bits.data, builder.add(start, byte), _WORDS))
            four = _load(builder, numbers.data, builder.mul(here, integer(16)), _TABLE)
            twice = ir.Constant(_WORDS, [0, 1, 2, 3] * 2)
            tables.append(builder.shuffle_vector(four, ir.Constant(_TABLE, ir.Undefined), twice))
        place = builder.mul(at, integer(4))
        for s in range(16):
            where = _at(builder, sums.data, builder.add(place, integer(32 * s)), _SINGLE)
            found = [builder.call(permute, [tables[g], words[g]]) for g in range(GROUP)]
            while len(found) > 1:
                found = [builder.fadd(a, b) for a, b in zip(found[::2], found[1::2], strict=True)]
            total = builder.load(where)
            total.align = 4
            builder.store(builder.fadd(total, found[0]), where).align = 4
            words = [builder.lshr(word, ir.Constant(_WORDS, [2] * 8)) for word in words]
        return context.get_dummy_value()

    return no_value(packed, starts, tables, out, places), build


@kernel
def add_lookups(out: Any, packed: Any, rows: Any, tables: Any) -> None:
    """Add to ``out[k]`` what the tables of all attributes say about every person.

    ``tables`` is ``(K, attributes, 4)`` by stored code, ``rows`` the packed row of each attribute; a multiple
    of `GROUP` of them, and at least 32 bytes a row. ``out`` is ``(K, blocks, 128)``, people within a block
    as in `_add_block`; the last block begins early enough to end with the row.
    """
    width = packed.shape[1]
    starts = rows * width
    blocks = out.shape[1]
    attributes = starts.size
    sums = np.empty(TILE * PEOPLE, np.float32)
    for low in range(0, attributes, CHUNK):
        high = min(low + CHUNK, attributes)
        for tile in range(0, blocks, TILE):
            last = min(tile + TILE, blocks)
            for k in range(tables.shape[0]):
                sums[:] = 0
                for first in range(low, high, GROUP):
                    for b in range(tile, last):
                        byte = min(b * BYTES, width - BYTES)
                        _add_block(packed, starts, tables[k], sums, (first, byte, (b - tile) * PEOPLE))
                for b in range(tile, last):
                    for i in range(PEOPLE):
                        out[k, b, i] += sums[(b - tile) * PEOPLE + i]
