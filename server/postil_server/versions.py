"""Versions of one page: notes of the same file name and nearly the same words, in different folders."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from postil_indexers.store.content import DocumentRow
from postil_indexers.store.index import Index
from postil_server.termvectors import TermVectors, file_stem

_SAME = 0.7  # cosine of two versions by TF-IDF, at least; pages of one name that say different things are far below
_BEHIND = 0.1  # of its score: behind all other pages that were found


def fold(
    documents: dict[int, float], index: Index, own: DocumentRow, compared: Sequence[int], vectors: TermVectors
) -> None:
    """Of the versions of a page, the one that lies nearest to `own` takes their best score; the others go behind."""
    rows, texts = index.content.documents(compared), vectors.of_documents(compared)
    by_name: dict[str, list[list[int]]] = {}
    for i in sorted(compared, key=lambda i: -documents[i]):
        pages = by_name.setdefault(file_stem(rows[i].path).casefold(), [])
        page = next((page for page in pages if texts[i].cosine(texts[page[0]]) >= _SAME), None)
        if page is None:
            pages.append([i])
        else:
            page.append(i)
    for page in (page for pages in by_name.values() for page in pages if len(page) > 1):
        best, nearest = documents[page[0]], max(page, key=lambda i: _shared_folders(rows[i].path, own.path))
        documents.update({i: _BEHIND * documents[i] for i in page})
        documents[nearest] = best


def _shared_folders(path: str, other: str) -> int:
    """How many folders from the root two files have in common."""
    pairs = zip(path.split("/")[:-1], other.split("/")[:-1], strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
