"""What an index holds, in numbers: the same for the command line and for editors."""

from __future__ import annotations

from typing import Any

from postil_indexers.store.index import Index
from postil_indexers.types import FileState, Kind


def counted(index: Index) -> dict[str, Any]:
    files, chunks = index.documents.count()
    counts = index.ledger.counts()
    return {
        "files": files,
        "pending": int(index.get("pending_files") or 0),
        "chunks": chunks,
        "passages": {kind.value: count for kind, count in index.content.counts().items()},
        "languages": index.documents.languages(),
        "commits": index.history.count(),
        "failed": sum(count for (state, _), count in counts.items() if state is FileState.FAILED),
        "skipped": {reason: count for (state, reason), count in counts.items() if state is FileState.SKIPPED},
        "share_embedded": {kind.value: float(index.get(f"share_embedded:{kind.value}") or 0.0) for kind in Kind},
        "models": {model.role: model.fingerprint for model in index.vectors.models() if model.serving},
        "bytes": sum(file.stat().st_size for file in index.path.parent.glob(index.path.name + "*")),
        "warnings": index.warnings(),
    }
