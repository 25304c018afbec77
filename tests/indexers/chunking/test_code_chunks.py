"""Golden chunks: real-looking files of 12 languages, cut exactly like this.

After a change that is meant to cut differently: `python tests/indexers/chunking/test_code_chunks.py`, then read the
diff of golden/chunks.json as a reviewer would: does each chunk begin where a reader would begin, and is its name right?
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from postil_indexers.chunking.code import parse_code
from postil_indexers.languages import language_of
from postil_indexers.types import Document

_GOLDEN = Path(__file__).parent / "golden"
_FILES = sorted(file.name for file in (_GOLDEN / "chunks").iterdir())

Row = dict[str, object]


def _rows(name: str) -> list[Row]:
    text = (_GOLDEN / "chunks" / name).read_bytes().decode()
    chunks = parse_code(Document(name, text, language_of(name))).chunks
    return [
        {
            "lines": [chunk.span.start_line, chunk.span.end_line],
            "name": chunk.name,
            "symbol": chunk.symbol,
            "names": list(chunk.names),
            "context": chunk.context,
        }
        for chunk in chunks
    ]


@pytest.mark.parametrize("name", _FILES)
def test_a_file_is_cut_exactly_like_this(name: str) -> None:
    assert _rows(name) == json.loads((_GOLDEN / "chunks.json").read_text())[name]


def test_the_golden_files_are_of_twelve_languages() -> None:
    assert len({language_of(name) for name in _FILES}) == 12


if __name__ == "__main__":
    lines = [f"{json.dumps(name)}: [\n  " + ",\n  ".join(map(json.dumps, _rows(name))) + "\n]" for name in _FILES]
    (_GOLDEN / "chunks.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
