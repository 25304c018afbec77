"""The copy of coarse bits in memory finds what vec0 finds, and follows each change."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from postil_indexers.embedding.base import coarse_bits, to_int8
from postil_indexers.store.coarse import CoarseCopy, Copies
from postil_indexers.store.index import Index, write_index
from postil_indexers.store.schema import vector_table
from postil_indexers.store.vectors import Model
from postil_indexers.types import Kind

WIDTH, ROWS = 64, 2_500  # of vectors; three blocks of vec0 and a part of one
TABLE = vector_table(1, Kind.CODE)
Bits = NDArray[np.uint8]


class Nothing:
    fingerprint, dimensions = "none", WIDTH


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with write_index(tmp_path / "index.db") as index:
        with index.transaction():
            index.vectors.register(Nothing(), "static", "")  # type: ignore[arg-type]
            place(index, range(1, ROWS + 1))
        yield index


def vectors_of(rowids: range) -> NDArray[np.int8]:
    chance = np.random.default_rng(5)
    return to_int8(chance.standard_normal((ROWS + 100, WIDTH)).astype(np.float32))[[rowid - 1 for rowid in rowids]]


def place(index: Index, rowids: range) -> None:
    kinds = (Kind.CODE, Kind.NOTE)
    rows = zip(rowids, vectors_of(rowids), strict=True)
    index.vectors.place(model(index), [(rowid, kinds[rowid % 2], vector.tobytes()) for rowid, vector in rows])


def model(index: Index) -> Model:
    return index.vectors.models()[0]


def copied(index: Index, copies: Copies) -> CoarseCopy:
    copies.of(index.connection, TABLE)
    copy = copies.of(index.connection, TABLE)
    assert copy is not None
    return copy


def by_vec0(index: Index, bits: Bits, kind: str | None, limit: int) -> dict[int, float]:
    only = "AND kind=?" if kind else ""
    rows = index.connection.execute(
        f"SELECT rowid, distance FROM {TABLE} WHERE coarse MATCH vec_bit(?) AND k=? {only}",
        (bits.tobytes(), limit, *([kind] if kind else [])),
    )
    return dict(rows)


@pytest.mark.parametrize("kind", [None, "code", "note"])
@pytest.mark.parametrize("limit", [1, 64, 3_000])
def test_the_copy_finds_what_vec0_finds(index: Index, kind: str | None, limit: int) -> None:
    copy = copied(index, Copies())
    for bits in coarse_bits(vectors_of(range(1, 20))):
        expected, found = by_vec0(index, bits, kind, limit), copy.nearest(bits, kind, limit)
        farthest = max(expected.values())
        assert len(set(found)) == len(found) >= len(expected)
        assert {rowid for rowid, far in expected.items() if far < farthest} <= set(found)
        distances = by_vec0(index, bits, kind, 3_000)
        assert {distances[rowid] <= farthest for rowid in found} == {True}


def test_a_state_is_copied_when_it_is_asked_about_again(index: Index) -> None:
    copies = Copies()
    assert copies.of(index.connection, TABLE) is None
    first = copies.of(index.connection, TABLE)
    assert first is copies.of(index.connection, TABLE) is not None


def test_a_change_is_seen_by_the_next_query(index: Index) -> None:
    copies = Copies()
    bits = coarse_bits(vectors_of(range(7, 8)))[0]
    assert copied(index, copies).nearest(bits, None, 1) == [7]
    with index.transaction():
        index.vectors.displace([7], Kind.CODE)
    assert copies.of(index.connection, TABLE) is None
    assert copied(index, copies).nearest(bits, None, 1) != [7]
    with index.transaction():
        place(index, range(7, 8))
        place(index, range(ROWS + 1, ROWS + 50))
    assert copied(index, copies).nearest(bits, None, 1) == [7]
    assert len(copied(index, copies).rowids) == ROWS + 49


def test_what_is_rolled_back_leaves_no_copy_behind(index: Index) -> None:
    copies = Copies()
    before = copied(index, copies)
    with contextlib.suppress(ZeroDivisionError), index.transaction():
        index.vectors.displace(range(1, 500), Kind.CODE)
        assert len(copied(index, copies).rowids) == ROWS - 499
        raise ZeroDivisionError
    assert copies.of(index.connection, TABLE) is before


def test_a_table_without_rows_has_no_nearest(index: Index) -> None:
    with index.transaction():
        index.vectors.displace(range(1, ROWS + 1), Kind.CODE)
    bits = coarse_bits(vectors_of(range(1, 2)))[0]
    assert copied(index, Copies()).nearest(bits, None, 5) == []
    assert copied(index, Copies()).nearest(bits, "code", 5) == []
