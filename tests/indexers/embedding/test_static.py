import itertools
import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tokenizers import Tokenizer

from postil_indexers.embedding import static
from postil_indexers.embedding.static import StaticEmbedder, load_static
from postil_indexers.han import simplify

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # as the table was trained
UNKNOWN = 100
HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002a6df]+")


@pytest.fixture(scope="module")
def embedder():
    return load_static()


@pytest.fixture(scope="module")
def reference():
    """Text -> vector by the recipe: the mean of the known rows, of the pieces that the tokenizer makes of all but the
    Han text, and of the characters and pairs of that."""
    folder = static._FOLDER
    tokenizer = Tokenizer.from_file(str(folder / "wordpiece" / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    with np.load(folder / "static-256.npz") as arrays:
        table = arrays["table"].astype(np.float32) * arrays["scale"].astype(np.float32)[:, None]

    with np.load(folder / "han-256.npz") as arrays:
        row_of = {str(unit): row for row, unit in enumerate(arrays["units"], len(table))}
        han = arrays["table"].astype(np.float32) * arrays["scale"].astype(np.float32)[:, None]
    table = np.concatenate((table, han))

    def vector(text):
        words = CAMEL.sub(" ", HAN.sub(" ", text))
        ids = [i for i in tokenizer.encode(words, add_special_tokens=False).ids if i != UNKNOWN]
        for run in HAN.findall(simplify(text)):
            ids += [row_of[unit] for unit in [*run, *map("".join, itertools.pairwise(run))] if unit in row_of]
        mean = table[ids].mean(axis=0) if ids else np.zeros(256, np.float32)
        return mean / (np.linalg.norm(mean) or 1)

    return vector


def random_texts(count):
    rng = random.Random(4)
    alphabet = [chr(code) for code in range(0x180)] + list("abcXYZ019 _-.\n") * 12
    alphabet += list("中文內存碎片かなカナ한글ｆｕｌｌ　。，😀é\u0301\u200b\u200d\ufeff\u2028\u3000\u00a0ßİı")
    return ["".join(rng.choices(alphabet, k=rng.randint(1, 80))) for _ in range(count)]


TEXTS = {
    "code": "def parseHTTPResponse(self, raw_bytes: bytes) -> HTTPResponse2xx:\n\treturn self._parser.feed(raw_bytes)",
    "prose": "The index keeps a row for every file it saw; what it skipped it doesn't hide (see §4).",
    "mixed": "Redis内存碎片 fragmentation 率 mem_fragmentation_ratio 大于1.5 时",
    "accents": "Crème brûlée, naïve façade, Ångström and cafe\u0301",
    "control": "form\x0cfeed nul\x00inside esc\x1b[31mred\x1b[0m del\x7fend\x85next",
    "word of 150 letters": "x" * 150 + " end",
    "camel word of 160 letters": "Ab" * 80,
    "Chinese run of 120": "中" * 120,
    "Chinese": "索引为它见过的每个文件保留一行，跳过的文件会说明原因。",
    "Japanese": "索引は見たファイルごとに一行を持ちます",
    "long word joined by a control character": "foo" * 30 + "\x00" + "bar" * 30,
    "emoji": "ship it 🚀👩‍💻 done",
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_gets_the_vector_of_the_recipe(embedder, reference, name):
    assert embedder.embed([TEXTS[name]])[0] == pytest.approx(reference(TEXTS[name]), abs=1e-5)


def test_thousands_of_random_texts_get_the_vector_of_the_recipe(embedder, reference):
    texts = random_texts(4000)
    expected = np.array([reference(text) for text in texts])
    assert np.abs(embedder.embed(texts) - expected).max() < 1e-5


def test_shape_length_and_fingerprint(embedder):
    vectors = embedder.embed(["one", "two words"])
    assert vectors.shape == (2, embedder.dimensions) == (2, 256)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1], abs=1e-5)
    assert embedder.fingerprint == "postil-static:d4ac3627a499:b7731f6f2379"
    assert embedder.embed([]).shape == (0, 256)


def test_a_text_without_a_known_word_is_zero(embedder):
    vectors = embedder.embed(["", " \n\t", "龘龘"])
    assert not vectors.any()


def test_unknown_words_do_not_move_a_vector(embedder):
    with_unknown, without = embedder.embed(["memory fragmentation 龘龘龘龘", "memory fragmentation"])
    assert with_unknown == pytest.approx(without, abs=1e-6)


def test_meaning_is_near(embedder):
    query, near, far = embedder.embed(
        ["delete a user account", "def remove_user(account): ...", "parse the YAML front matter of a note"]
    )
    assert query @ near > query @ far + 0.2


def test_lone_surrogates_are_taken(embedder):
    assert embedder.embed(["caf\udce9 menu"])[0] == pytest.approx(embedder.embed(["caf? menu"])[0])


def test_long_words_are_not_kept(embedder):
    blob = "QmFzZTY0" * 2000
    before = len(embedder._pieces)
    embedder.embed([blob, "unseenwordofpostil"])
    assert len(embedder._pieces) == before + 1


def test_traditional_characters_are_read_as_simplified_ones(embedder):
    traditional, simplified = embedder.embed(["記憶體碎片與網絡連接", "记忆体碎片与网络连接"])
    assert traditional == pytest.approx(simplified, abs=1e-6)


def test_a_translation_is_nearer_than_other_texts(embedder):
    chinese = ["内存碎片", "如何删除用户帐号", "日期的格式", "数据库的备份与恢复"]
    english = ["memory fragmentation", "how to delete a user account", "format of dates", "backing up the database"]
    cosines = embedder.embed(chinese) @ embedder.embed(english).T
    assert np.argmax(cosines, axis=1).tolist() == np.argmax(cosines, axis=0).tolist() == [0, 1, 2, 3]


def test_it_knows_latin_and_han_text(embedder):
    assert embedder.knows("memory fragmentation of Redis")
    assert embedder.knows("今天讨论向量的存储")
    assert embedder.knows("Redis内存碎片")
    assert not embedder.knows("ひらがなとカタカナでかいたぶんしょう")
    assert not embedder.knows("разговор о хранении векторов")


def test_the_tables_stay_small_in_memory_and_the_han_one_is_read_when_it_is_needed():
    embedder = StaticEmbedder()
    embedder.embed(["memory fragmentation, naïve café"])
    assert sys.getsizeof(embedder._rows) < 9_000_000
    embedder.embed(["内存碎片"])
    assert 9_000_000 < sys.getsizeof(embedder._rows) < 20_000_000


def test_many_threads_may_meet_the_first_han_text_together():
    alone, together = load_static(), StaticEmbedder()
    texts = [f"第{number}章：内存碎片与 Redis" for number in range(8)]
    with ThreadPoolExecutor(8) as threads:
        vectors = list(threads.map(lambda text: together.embed([text])[0], texts))
    assert np.array(vectors) == pytest.approx(alone.embed(texts), abs=1e-6)
