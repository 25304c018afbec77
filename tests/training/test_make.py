"""The whole of training on a small mirror: pages in two languages, a catalogue, a dictionary."""

import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from postil_indexers.embedding import static

ROOT = Path(__file__).parents[2]
TERMS = {  # of the pages: in every one, each term is in a sentence of its own
    "memory fragmentation": "内存碎片",
    "password": "密码",
    "network latency": "网络延迟",
    "unit test": "单元测试",
    "date format": "日期格式",
    "image colour": "图像颜色",
}
PAGE = {
    "en": """# {0}

How to handle {0} in the program.

## Causes of {0}

- There are causes of {0}.
- See {0}.
""",
    "zh": """# {0}

在程序中如何处理{0}问题。

## {0}的原因

- 有很多原因会导致{0}，这里是对于{0}的详细说明，请阅读本节的全部内容。
- 见{0}。
""",
}
CATALOGUE = 'msgid "The cat sleeps."\nmsgstr "猫在睡觉。"\n\n#, fuzzy\nmsgid "A wrong guess."\nmsgstr "错误的猜测。"\n'
SYNSET = "02121620 05 n 02 cat 0 true_cat 0 001 @ 02120997 n 0000 | feline mammal usually having thick soft fur"


def committed(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run([*git, "init", "-q", "-b", "3.14"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "Add everything"], check=True)
    (folder / ".git").rename(folder / "repo")


@pytest.fixture(scope="module")
def mirror(tmp_path_factory):
    root = tmp_path_factory.mktemp("mirror")
    pages = {}
    for number in range(8):  # what stands in fewer texts gets no row
        for term, (english, chinese) in enumerate(TERMS.items()):
            pages[f"src/content/docs/zh-cn/{number}-{term}.md"] = PAGE["zh"].format(chinese)
            pages[f"src/content/docs/{number}-{term}.md"] = PAGE["en"].format(english)
    committed(root / "tauri-apps+tauri-docs", pages)
    committed(root / "python+python-docs-zh-cn", {"tutorial.po": CATALOGUE})
    committed(root / "omwn+omw-data", {"wns/cow/wn-data-cmn.tab": "02121620-n\tcmn:lemma\t猫\n"})
    (root / "wordnet").mkdir()
    for part in ("noun", "verb", "adj", "adv"):
        (root / "wordnet" / f"data.{part}").write_text(SYNSET if part == "noun" else "", encoding="utf-8")
    return root


def make(mirror, out, *options):
    script = str(ROOT / "training" / "make.py")
    line = [sys.executable, script, "--mirror", str(mirror), "--wordnet", str(mirror / "wordnet"), "--out", str(out)]
    done = subprocess.run([*line, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def made(mirror, tmp_path_factory):
    out = tmp_path_factory.mktemp("made")
    return out, make(mirror, out, "--epochs", "30")


def test_every_kind_of_source_is_read(made):
    _, said = made
    assert "tauri-apps/tauri-docs: 48 pages, 288 pairs" in said
    assert "apache/apisix: 0 pages, 0 pairs" in said
    # of 48 pages and a catalogue one is held out; the dictionary gives two pairs
    assert "285 pairs across languages" in said


def test_a_chinese_term_comes_to_lie_at_its_translation(made):
    out, _ = made
    with np.load(out / "han-256.npz") as arrays:
        row_of = {str(unit): row for row, unit in enumerate(arrays["units"])}
        rows = arrays["table"].astype(np.float32) * arrays["scale"].astype(np.float32)[:, None]
    english = static.load_static().embed(list(TERMS))
    for number, chinese in enumerate(TERMS.values()):
        units = [*chinese, *map("".join, itertools.pairwise(chinese))]
        assert np.argmax(english @ rows[[row_of[unit] for unit in units]].sum(axis=0)) == number


def test_the_rows_of_word_pieces_stay_as_they_are(made):
    out, _ = made
    assert [file.name for file in out.iterdir()] == ["han-256.npz"]


def test_it_is_the_same_every_time(mirror, made, tmp_path):
    out, _ = made
    make(mirror, tmp_path, "--epochs", "30")
    assert (tmp_path / "han-256.npz").read_bytes() == (out / "han-256.npz").read_bytes()
