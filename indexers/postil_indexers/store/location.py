"""Where the index of a folder lies: in the user's cache, never in the folder."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

import platformdirs

from postil_indexers.errors import PostilError
from postil_indexers.store.version import SCHEMA


def index_folder(root: str) -> Path:
    """The folder of one workspace's index. POSTIL_INDEX_DIR overrides the place of all of them."""
    base = os.environ.get("POSTIL_INDEX_DIR")
    parent = Path(base) if base else Path(platformdirs.user_cache_dir("postil", appauthor=False)) / "index"
    real = os.path.realpath(root)
    digest = hashlib.blake2b(os.fsencode(real), digest_size=8).hexdigest()
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.basename(real))[:40] or "root"
    return parent / f"{readable}-{digest}"


def index_file(root: str) -> Path:
    return index_folder(root) / f"index-{SCHEMA}.db"


def make_index_folder(root: str) -> Path:
    """Make the folder, for the user's eyes only. Raises PostilError where it can't be made."""
    folder = index_folder(root)
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise PostilError(
            f"the folder for the index, {folder}, can't be made: {error.strerror}",
            "check its permissions, or set POSTIL_INDEX_DIR to another place",
        ) from error
    return folder
