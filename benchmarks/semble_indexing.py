#!/usr/bin/env python3
"""semble's own chunking and BM25 index of a tree, in memory, timed. Runs in an environment that has semble.

The model is a stub that gives zero vectors at once, so what is timed is reading, chunking, tokenizing and the inverted
index. Prints {"seconds", "chunks", "files"} as one JSON line; seconds count from the call, after all imports.

    semble_indexing.py TREE
"""

from __future__ import annotations

import json
import logging
import sys
import time
from pathlib import Path

import numpy as np
from semble.index.create import create_index_from_path
from semble.types import ContentType


class NoVectors:
    dim = 256

    def encode(self, texts: list[str], **_: object) -> np.ndarray:
        return np.zeros((len(texts), self.dim), np.float32)


def main() -> None:
    logging.disable(logging.WARNING)
    root = Path(sys.argv[1]).resolve()
    every = (ContentType.CODE, ContentType.DOCS, ContentType.CONFIG)
    started = time.perf_counter()
    _, _, chunks, manifest = create_index_from_path(root, NoVectors(), content=every, display_root=root)
    seconds = time.perf_counter() - started
    print(json.dumps({"seconds": seconds, "chunks": len(chunks), "files": sorted(manifest)}))


if __name__ == "__main__":
    main()
