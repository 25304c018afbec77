"""URIs of documents to paths of this system, where they mean one."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from postil_indexers.platform import uri_path


def path_of(uri: str) -> str | None:
    """The path of a `file:` URI; None for any other (untitled, git, vscode-remote ...) and for another system's."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    if parts.scheme != "file" or "\0" in unquote(parts.path):
        return None
    # a `#` or `?` that a client left as it is belongs to the name: file names have no query
    raw = uri[len("file:") :]
    raw = raw[2 + len(parts.netloc) :] if raw.startswith("//") else raw
    return uri_path(parts.netloc, raw)


def uri_of(path: str, line: int | None = None) -> str:
    """The URI of an absolute path; with a 0-based line, the form in which editors open it there."""
    uri = Path(path).as_uri()
    return uri if line is None else f"{uri}#L{line + 1}"
