"""Loading a transformer leaves nothing behind for anybody: no device id, no queue of events."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_EMBED_ONE = """
from postil_indexers.embedding.fastembed import packaged_minilm
embedder = packaged_minilm()
print(embedder.embed(["a lease runs out"]).shape)
"""


def test_onnxruntime_keeps_no_device_id(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "LOCALAPPDATA": str(tmp_path)}
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"} | home
    done = subprocess.run(
        [sys.executable, "-c", _EMBED_ONE], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "(1, 384)\n"
    assert [str(path) for path in tmp_path.rglob("*") if path.is_file()] == []
