"""What git calls the content of a file, reckoned from its bytes: no git is started for it.

`git status` would also run the filters that a repository's own configuration names.
"""

from __future__ import annotations

import hashlib

from postil_indexers.opening import read_whole

MOST_BYTES = 4 << 20  # a file beyond it is no text that anybody edits by hand
_KEPT = 8  # bytes of an id that the index has


def blob_starts(data: bytes) -> frozenset[bytes]:
    """The first bytes of the ids that git may give a content: as it is, and with the line ends that it checks in."""
    plain = data.replace(b"\r\n", b"\n")
    return frozenset(
        make(b"blob %d\0" % len(text) + text, usedforsecurity=False).digest()[:_KEPT]
        for text in {data, plain}
        for make in (hashlib.sha1, hashlib.sha256)
    )


def blobs_on_disk(root: str, path: str) -> frozenset[bytes]:
    """Those of a file as it stands in the tree; none where it is gone, a link or huge."""
    data = read_whole(root, path, MOST_BYTES)
    return blob_starts(data) if data is not None else frozenset()
