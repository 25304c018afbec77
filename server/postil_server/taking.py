"""Another embedding model for prose: fetched where it is not here, tried with a text, then written into the settings.

The worker of each folder sees the change and makes the new vectors; the old ones answer until those are complete.
"""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from postil_indexers.embedding.catalog import choices
from postil_indexers.embedding.spec import EmbedderSpec, load_embedder
from postil_indexers.embedding.weights import is_downloaded
from postil_indexers.errors import ModelError, PostilError, SettingsError
from postil_server.choosing import setting_of
from postil_server.llm.base import StopSignal
from postil_server.llm.found import ollama_server
from postil_server.llm.ollama import OllamaModel
from postil_server.settings import EmbeddingSettings, embedder_spec, models_folder

_LOOK_S = 0.5  # between two looks at how much of a model has come
_OFFLINE = (
    "connect and try again, or set HTTPS_PROXY; without any network, copy the model's folder (ONNX file, "
    "tokenizer.json, config.json) from another machine and set embedding.prose to folder:PATH"
)


def taken(setting: str, settings: EmbeddingSettings, file: Path) -> Iterator[str]:
    """What is being done, in words, while it is. `file`: the user's settings. Raises ModelError, SettingsError."""
    served, former = setting.partition(":")[0], settings.prose.partition(":")[0]
    # one address serves one provider: that of another is not this one's
    endpoint = "" if {served, former} == {"ollama", "openai"} else settings.endpoint
    spec = embedder_spec(setting, EmbeddingSettings(endpoint=endpoint, api_key_variable=settings.api_key_variable))
    if spec.provider == "ollama":
        yield from _pulled(spec)
    elif spec.provider == "fastembed" and not spec.folder and not is_downloaded(spec.model, models_folder()):
        yield from _downloaded(spec, _megabytes(setting))
    yield "trying it with a text"
    embedder = load_embedder(spec, models_folder())
    if embedder is None:
        raise ModelError(f"the weights of {setting} are not installed", "reinstall Postil, or take another model")
    embedder.embed(["A note about how an index is kept."])
    write_setting(file, {"prose": setting, **({"endpoint": endpoint} if endpoint != settings.endpoint else {})})
    yield "set"


def _megabytes(setting: str) -> int:
    """0 for a model that no list knows."""
    return next((each.megabytes for each in choices(models_folder()) if setting_of(each) == setting), 0)


def _pulled(spec: EmbedderSpec) -> Iterator[str]:
    """Let the Ollama server fetch a model that it does not have. Raises ChatError."""
    server = ollama_server(spec.endpoint)
    if server.problem:
        raise ModelError(server.problem, server.hint)
    if server.has(spec.model):
        return
    model = OllamaModel(spec.model, spec.endpoint, temperature=0.0, context=0)
    stream = model.pull(StopSignal())
    last = ""
    for step in stream:
        if step != last:
            yield step
        last = step
    if stream.finish.reason != "stop":
        hint = "try again; it goes on from there"
        raise ModelError(f"{spec.model} was not pulled whole: {stream.finish.note}", hint)


def _downloaded(spec: EmbedderSpec, megabytes: int) -> Iterator[str]:
    """Fetch a model from its hub into the folder of models; how much of it has come."""
    failed: list[PostilError] = []

    def fetch() -> None:
        try:
            load_embedder(spec, models_folder(), download=True)
        except PostilError as error:
            failed.append(error)

    before, thread = _size(models_folder()), threading.Thread(target=fetch, daemon=True)
    thread.start()
    while thread.is_alive():
        come = (_size(models_folder()) - before) / 1e6
        yield f"{min(come, megabytes or come):,.0f} of {megabytes:,} MB" if megabytes else f"{come:,.0f} MB"
        thread.join(_LOOK_S)
    if failed:
        raise ModelError(failed[0].message, _OFFLINE)


def _size(folder: str) -> int:
    """Bytes of all files below a folder; links are not followed."""
    total = 0
    for where, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(where, name)).st_size
            except OSError:
                continue  # a part that was just renamed to the whole
    return total


def write_setting(file: Path, values: dict[str, str]) -> None:
    """Set keys of [embedding] in the user's file, and leave all else in it as it is. Raises SettingsError."""
    try:
        document = tomlkit.parse(file.read_text("utf-8-sig")) if file.is_file() else tomlkit.document()
        table = document.setdefault("embedding", tomlkit.table())
        for key, value in values.items():
            table[key] = value
        _replace(Path(os.path.realpath(file)), tomlkit.dumps(document))  # it may be a link into a folder of dotfiles
    except (OSError, UnicodeDecodeError, TOMLKitError, TypeError, AttributeError) as error:
        raise SettingsError(f"{file} can't be written: {error}", "mend or remove the file") from error


def _replace(file: Path, text: str) -> None:
    """All of it or nothing: a worker reads it at any moment."""
    file.parent.mkdir(parents=True, exist_ok=True)
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    descriptor, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as written:
            written.write(text)
        os.chmod(name, mode)
        os.replace(name, file)
    except OSError:
        os.unlink(name)
        raise
