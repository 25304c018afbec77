import re

import numpy as np
import pytest

from postil_indexers.embedding.base import COARSE_BITS, coarse_bits, mostly_latin, to_int8, unit, well_formed

MIXED_NOTE = """## 一、内存碎片
Redis 的 `activedefrag yes` 打开主动整理，见 https://redis.io/docs/latest/operate/oss_and_stack/management/。
当 `mem_fragmentation_ratio` 大于 1.5 时，说明分配器保留的页没有归还给操作系统。
"""


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("", True),
        ("1.0.21 -> 2.3 !!", True),
        ("café naïve Müller Ελ", True),  # 2 of 17 letters are Greek
        ("Tiếng Việt ở đây", True),
        ("今天讨论向量的存储", False),
        ("用 SQLite 存储向量索引和全文索引", False),  # 6 of 18 letters
        ("ab 中文", True),  # exactly half
        ("ab 中文字", False),
        ("Это заметка о хранилище", False),
        (MIXED_NOTE, True),  # its identifiers and address outweigh the words around them, and are what it is found by
        (re.sub(r"https?://\S+|`[^`]*`", "", MIXED_NOTE), False),
        ("🎉🎉 release notes 🎉🎉", True),
    ],
)
def test_a_text_is_latin_where_half_of_its_letters_are(text, known):
    assert mostly_latin(text) is known


def test_unit_leaves_a_zero_row_zero():
    rows = unit(np.array([[3, 4], [0, 0]], np.float32))
    assert rows.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]


def test_int8_scales_each_row_to_its_own_largest_value():
    rows = to_int8(np.array([[0.5, -1.0, 0.25], [0.01, 0.02, 0.0], [0, 0, 0]], np.float32))
    assert rows.tolist() == [[64, -127, 32], [64, 127, 0], [0, 0, 0]]


@pytest.mark.parametrize("dimensions", [2, 256, 384, 768, 1024, 1536])
def test_coarse_bits_are_of_one_width_and_a_negated_vector_differs_in_all_of_them(dimensions):
    vectors = np.random.default_rng(0).standard_normal((3, dimensions)).astype(np.float32)
    bits = coarse_bits(vectors)
    assert bits.shape == (3, COARSE_BITS // 8)
    assert np.bitwise_count(bits ^ coarse_bits(-vectors)).sum(axis=1).tolist() == [COARSE_BITS] * 3


def test_coarse_bits_differ_in_proportion_to_the_angle():
    rng = np.random.default_rng(1)
    start, side = unit(rng.standard_normal((2, 256)).astype(np.float32))
    side = unit((side - start * (start @ side))[None])[0]
    for degrees in (10, 45, 90, 135):
        turned = np.cos(np.radians(degrees)) * start + np.sin(np.radians(degrees)) * side
        differing = np.bitwise_count(coarse_bits(start[None]) ^ coarse_bits(turned[None].astype(np.float32))).sum()
        assert differing / COARSE_BITS == pytest.approx(degrees / 180, abs=0.06)


def test_coarse_bits_hold_up_where_one_coordinate_carries_most_of_the_vector():
    """The case that plain signs fail: all vectors share one strong coordinate, what tells them apart is small."""
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((4000, 256)).astype(np.float32) * (0.97 ** np.arange(256, dtype=np.float32))
    vectors = unit(vectors)
    queries = unit(vectors[:50] + 0.3 * unit(rng.standard_normal((50, 256)).astype(np.float32)))
    exact = np.argsort(-(queries @ vectors.T), axis=1)[:, :10]

    def recall(code):
        distance = np.bitwise_count(code(queries)[:, None] ^ code(to_int8(vectors))[None]).sum(axis=2, dtype=np.int64)
        near = np.argsort(distance, axis=1, kind="stable")[:, :100]
        return np.mean([len(set(a) & set(b)) / 10 for a, b in zip(exact, near, strict=True)])

    assert recall(coarse_bits) > 0.96
    assert recall(lambda rows: np.packbits(rows > 0, axis=1)) < 0.85


def test_coarse_bits_are_the_same_for_ever():
    """Stored bits meet those of later versions."""
    ramp = (np.arange(256) - 100).astype(np.int8)[None]
    assert coarse_bits(ramp)[0, :8].tobytes().hex() == "90db603d3f15aa9a"
    assert coarse_bits(np.tile(ramp, 2)[:, :384])[0, :8].tobytes().hex() == "9459423f3f81aa9a"


def test_lone_surrogates_become_question_marks():
    assert well_formed("caf\udce9 é") == "caf? é"
