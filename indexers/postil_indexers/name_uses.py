"""A document's uses of names as one compressed value: a row a use would outgrow the text itself."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence

from postil_indexers.types import Reference


def pack_references(references: Sequence[Reference]) -> bytes:
    """All uses, by name; b"" for none."""
    if not references:
        return b""
    lines: dict[str, list[int]] = {}
    for reference in references:
        lines.setdefault(reference.name, []).append(reference.line)
    return zlib.compress(json.dumps(lines, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


def unpack_references(packed: bytes) -> list[Reference]:
    lines: dict[str, list[int]] = json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass")) if packed else {}
    return [Reference(name, line) for name, at in lines.items() for line in at]
