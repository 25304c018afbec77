"""Which embedding model is set, and how it is opened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.families import Prefixes, prefixes_for
from postil_indexers.embedding.fastembed import BACKGROUND_THREADS, FastembedEmbedder, packaged_minilm
from postil_indexers.embedding.ollama import OllamaEmbedder
from postil_indexers.embedding.openai import OpenAIEmbedder
from postil_indexers.embedding.static import load_static
from postil_indexers.embedding.weights import folder_weights, named_weights
from postil_indexers.errors import SettingsError

Provider = Literal["packaged", "static", "fastembed", "ollama", "openai"]


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """A choice of model as the settings state it; the default is the packaged all-MiniLM-L6-v2."""

    provider: Provider = "packaged"
    model: str = ""
    folder: str = ""  # fastembed: a local folder in place of a name
    endpoint: str = ""  # ollama: its address, empty for this machine; openai: required, with its "/v1"
    key_env: str = ""  # openai: the environment variable that holds the key
    query_prefix: str | None = None  # None: what the model's family is known to want
    passage_prefix: str | None = None


def load_embedder(
    spec: EmbedderSpec, cache: str, *, download: bool = False, threads: int = BACKGROUND_THREADS
) -> Embedder | None:
    """The embedder of a spec; None where the packaged weights are not installed, which is no error.

    `cache` is the folder of downloaded models; a model that fastembed names is only fetched into it with `download`.
    `threads` are those of a model in this process. Nothing large is loaded, except the static table, and no endpoint
    asked, before the first use. Raises ModelError, SettingsError.
    """
    if spec.provider == "packaged":
        return packaged_minilm(threads=threads)
    if spec.provider == "static":
        return load_static()
    if spec.provider == "fastembed" and spec.folder:
        weights = folder_weights(spec.folder)
        return FastembedEmbedder(weights, _prefixes(spec, spec.model or weights.name), threads=threads)
    if not spec.model:
        raise SettingsError(f"the embedding provider {spec.provider} needs the name of a model")
    if spec.provider == "fastembed":
        weights = named_weights(spec.model, cache, download=download)
        return FastembedEmbedder(weights, _prefixes(spec, spec.model), threads=threads)
    if spec.provider == "ollama":
        return OllamaEmbedder(spec.model, spec.endpoint, _prefixes(spec, spec.model))
    if spec.provider == "openai":
        if not spec.endpoint:
            raise SettingsError(
                "the embedding provider openai needs an endpoint", "for example http://127.0.0.1:8080/v1"
            )
        return OpenAIEmbedder(spec.model, spec.endpoint, spec.key_env, _prefixes(spec, spec.model))
    raise SettingsError(f"there is no embedding provider named {spec.provider}")


def _prefixes(spec: EmbedderSpec, model: str) -> Prefixes:
    known = prefixes_for(model)
    return Prefixes(
        known.query if spec.query_prefix is None else spec.query_prefix,
        known.passage if spec.passage_prefix is None else spec.passage_prefix,
    )
