"""The one family of errors. Their text is shown to users as it is: what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Mapping


class PostilError(Exception):
    """Something Postil can't do. `code` is stable and machine-readable, `hint` says what to do."""

    code = "error"
    quotes = False  # whether the message holds words of a document, which are for its user and for no log

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NotIndexedError(PostilError):
    """There is no index for that folder yet."""

    code = "not_indexed"


class IndexBusyError(PostilError):
    """Another process is writing that index."""

    code = "index_busy"


class IndexDamagedError(PostilError):
    """The index file can't be read."""

    code = "index_damaged"


class WorkspaceError(PostilError):
    """The folder itself can't be indexed: missing, unreadable, too large to index without a question."""

    code = "workspace"


class GitError(PostilError):
    """git is missing, failed, or the repository is broken."""

    code = "git"


class ModelError(PostilError):
    """An embedding model is missing, unreachable, or gave something that is not a vector."""

    code = "model"


class SettingsError(PostilError):
    """A setting or an argument has a value that can't be used."""

    code = "settings"


def error_of(record: Mapping[str, str]) -> PostilError:
    """The error that another process told as {"code", "message", "hint"}."""
    kinds: list[type[PostilError]] = [PostilError, *PostilError.__subclasses__()]
    kind = next((kind for kind in kinds if kind.code == record["code"]), PostilError)
    return kind(record["message"], record["hint"])
