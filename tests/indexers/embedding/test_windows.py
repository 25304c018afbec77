import numpy as np
import pytest
from tokenizers import Tokenizer

from postil_indexers.embedding.static import _FOLDER
from postil_indexers.embedding.windows import Window, averaged, halves, token_windows

SENTENCE = "one two three four five six seven eight nine ten"  # ten words, ten tokens


@pytest.fixture(params=[None, 16, 3], ids=["untruncated", "truncated at 16", "truncated at 3"])
def tokenizer(request):
    tokenizer = Tokenizer.from_file(str(_FOLDER / "wordpiece" / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if request.param:
        tokenizer.enable_truncation(request.param)
    return tokenizer


def windows(tokenizer, text, limit):
    return [(w.text, w.weight) for w in token_windows(7, text, tokenizer.encode(text), limit)]


def test_a_text_that_fits_stays_whole_with_its_blanks(tokenizer):
    text = f"  {SENTENCE}\n"
    assert token_windows(7, text, tokenizer.encode(text), 10) == [Window(7, text, 10)]


def test_a_longer_text_is_cut_into_equal_windows(tokenizer):
    assert windows(tokenizer, SENTENCE, 9) == [("one two three four five", 5), ("six seven eight nine ten", 5)]
    assert windows(tokenizer, SENTENCE, 4) == [
        ("one two three four", 4),
        ("five six seven", 3),
        ("eight nine ten", 3),
    ]


@pytest.mark.parametrize("limit", range(5, 13))
def test_no_word_is_cut_that_fits_a_window(tokenizer, limit):
    text = "tokenizations of defragmented subvectors and misquantised hyperplanes, " * 3  # words of up to 5 pieces
    parts = windows(tokenizer, text, limit)
    assert " ".join(part for part, _ in parts).replace(" ,", ",").split() == text.split()
    assert max(weight for _, weight in parts) <= limit


def test_a_word_longer_than_a_window_is_cut_inside_and_nothing_is_lost(tokenizer):
    text = "zxqv" * 20
    parts = windows(tokenizer, text, 8)
    assert "".join(part for part, _ in parts) == text
    assert max(weight for _, weight in parts) <= 8


@pytest.mark.parametrize("limit", [1, 2, 5, 7, 50])
def test_windows_cover_every_token(tokenizer, limit):
    text = "Redis内存碎片: `activedefrag yes`, see Client.fetchAll(…) — naïve! " * 6
    whole = tokenizer.encode(text)
    total = sum(len(e.ids) - 2 for e in (whole, *whole.overflowing))
    parts = token_windows(0, text, whole, limit)
    assert sum(part.weight for part in parts) == total
    assert max(part.weight for part in parts) <= limit


def test_an_empty_text_is_one_window(tokenizer):
    assert windows(tokenizer, "", 8) == [("", 1)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aaaa bbbb cccc", ("aaaa bbbb", " cccc")),
        ("a bbbbbbbb cc", ("a bbbbbbbb", " cc")),
        ("没有空格的文字", ("没有空", "格的文字")),
        (" ab", (" ", "ab")),
    ],
)
def test_halves_are_cut_at_white_space_near_the_middle(text, expected):
    assert halves(text) == expected


def test_the_mean_is_weighted_by_size_and_of_unit_length():
    parts = [Window(1, "", 3), Window(0, "", 5), Window(1, "", 1)]
    vectors = np.array([[1, 0], [0, 1], [0, 1]], np.float32)
    rows = averaged(parts, vectors, 3)
    assert rows.tolist() == [[0, 1], [pytest.approx(3 / 10**0.5), pytest.approx(1 / 10**0.5)], [0, 0]]
