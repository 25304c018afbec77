"""Settings as defaulted dataclasses. A key that is not known warns, names itself and keeps the default."""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from postil_indexers.errors import SettingsError
from postil_indexers.seen import shown

if TYPE_CHECKING:
    from postil_indexers.embedding.spec import EmbedderSpec


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """Which models make vectors. `static` and `prose` each name one; "" switches that one off."""

    static: str = "postil-static"
    prose: str = "packaged-minilm"  # or "fastembed:NAME", "folder:PATH", "ollama:NAME", "openai:NAME"
    endpoint: str = ""  # of the Ollama or OpenAI-compatible server; "" is the provider's own loopback default
    download: bool = False  # whether a model that fastembed names may be fetched from its hub
    api_key_variable: str = "POSTIL_EMBEDDING_KEY"  # the environment variable that holds the key


@dataclass(frozen=True, slots=True)
class IndexSettings:
    exclude: tuple[str, ...] = ()  # further ignore patterns, in git's syntax
    branches: tuple[str, ...] = ()  # patterns of those beside the current one whose commits are indexed as well
    processes: int = 2  # that read files beside the writing one
    low_priority: bool = True  # whether the worker lets all else go first
    pause_on_battery: bool = False  # whether the worker waits for the power supply
    quota_mb: int = 4_096  # of one index; vectors that no text needs any more are dropped above it
    memory_mb: int = 700  # of the worker; caches are dropped above it


@dataclass(frozen=True, slots=True)
class HoverSettings:
    """Which hovers an editor gets."""

    notes: bool = True  # related notes, on the prose of a note
    links: bool = True  # what a link leads to
    code: bool = True  # the history of a definition and the notes that name it


@dataclass(frozen=True, slots=True)
class LensSettings:
    """Which lenses stand above a text."""

    notes: bool = True  # related, backlinks, summarise
    code: bool = True  # the last change of a file, and its history
    definitions: bool = False  # the last change of each definition


@dataclass(frozen=True, slots=True)
class FeatureSettings:
    """What else an editor gets. `markdown_links`: whether standard links are served beside wiki links; an editor that
    has support of its own for them switches it off, so that nothing shows twice."""

    completion: bool = True
    definition: bool = True
    references: bool = True
    rename: bool = True
    diagnostics: bool = True
    symbols: bool = True  # of a document
    workspace_symbols: bool = True
    search_in_symbols: bool = True  # whether a workspace symbol query also searches
    actions: bool = True
    markdown_links: bool = True


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Which model words the answers. Where there is none, or it is not reached, answers are extracts."""

    provider: str = "ollama"  # or "openai", "llamacpp"; "" for none
    model: str = "qwen2.5:7b"  # for llamacpp the path of a GGUF file
    small_model: str = ""  # rewrites follow-ups, reads parts of long texts, proposes tags; "" is the same model
    endpoint: str = ""  # "" is Ollama on this machine
    api_key_variable: str = "POSTIL_LLM_KEY"  # the environment variable that holds the key
    temperature: float = 0.2
    context: int = 8_192  # tokens of prompt and answer together, at most: memory grows with it
    first_token_s: int = 120  # loading a 7B model from disk and reading a prompt without a GPU takes a minute
    whole_s: int = 600
    mask_personal: bool = False  # whether mail addresses, telephone numbers and `names` stay here too
    names: tuple[str, ...] = ()  # of people and places
    never_send: tuple[str, ...] = ()  # patterns, in git's syntax, of files that no model gets


@dataclass(frozen=True, slots=True)
class Settings:
    folders: tuple[str, ...] = ()  # outside folders, whose hits join those of every workspace
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    hover: HoverSettings = field(default_factory=HoverSettings)
    lens: LensSettings = field(default_factory=LensSettings)
    features: FeatureSettings = field(default_factory=FeatureSettings)
    llm: LlmSettings = field(default_factory=LlmSettings)


SWITCHES = ("hover", "lens", "features")  # sections of what an editor gets, and nothing else


def settings_path() -> Path:
    """The user's own file. A workspace can't set a model, an endpoint or a key: only this file can."""
    override = os.environ.get("POSTIL_CONFIG")
    return Path(override) if override else Path(platformdirs.user_config_dir("postil", appauthor=False)) / "config.toml"


def load_settings(path: Path) -> tuple[Settings, list[str]]:
    """The settings and a warning for each unknown key. Raises SettingsError for an unreadable file or a wrong type."""
    if not path.is_file():
        return Settings(), []
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SettingsError(f"{path} can't be read: {error}", "mend or remove the file") from error
    return overlaid(Settings(), toml_table(content, str(path)), str(path), lambda key, below, given: given)


def toml_table(content: bytes, where: str) -> dict[str, Any]:
    """Raises SettingsError, which names `where`."""
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{where} can't be read: {error}", "mend or remove the file") from error


class RefusedError(SettingsError):
    """A layer may not set that; the message ends the sentence that starts with the key. `instead`: what is taken."""

    def __init__(self, message: str, instead: Any) -> None:
        super().__init__(message)
        self.instead = instead


Admit = Callable[[str, Any, Any], Any]  # (key, value in force, value given) -> value to take; raises RefusedError


def overlaid(
    base: Settings, table: Mapping[str, Any], where: str, admit: Admit, *, lenient: bool = False
) -> tuple[Settings, list[str]]:
    """The settings with another layer over them, and warnings. A value of the wrong type raises SettingsError; where it
    is `lenient`, that is a warning, null is nothing, and keys may be in camel case."""
    warnings: list[str] = []

    def fill(below: Any, values: Mapping[str, Any], prefix: str) -> Any:
        known, taken = {each.name for each in dataclasses.fields(below)}, {}
        for written, given in values.items():
            name = _snake(written) if lenient else written
            key = prefix + name
            if name not in known:
                warnings.append(f"{where}: {shown(prefix + written)[:_SHOWN]} is not a setting and is passed over")
                continue
            try:
                taken[name] = take(key, getattr(below, name), given)
            except RefusedError as error:
                warnings.append(f"{where}: {key} {error.message}")
                taken[name] = error.instead
            except SettingsError as error:
                if not lenient:
                    raise
                warnings.append(f"{error.message}; it is passed over")
        return dataclasses.replace(below, **taken)

    def take(key: str, below: Any, given: Any) -> Any:
        if lenient and given is None:
            return below
        if not dataclasses.is_dataclass(below):
            return admit(key, below, _fitting(below, given, f"{where}: {key}"))
        if isinstance(given, dict):
            return fill(below, given, f"{key}.")
        if lenient and given == []:  # an empty table of Lua
            return below
        raise SettingsError(f"{where}: {key} must be a table", f"write it as [{key}]")

    return fill(base, table, ""), warnings


_SHOWN = 60  # characters of what somebody wrote, in a message about it


def _snake(name: str) -> str:
    """ "searchInSymbols" as "search_in_symbols"."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda match: f"_{match[0]}", name).lower()


def _fitting(wanted: Any, value: Any, where: str) -> Any:
    """`value` as the type of `wanted`. Raises SettingsError."""
    given = tuple(value) if isinstance(wanted, tuple) and isinstance(value, list) else value
    given = float(given) if isinstance(wanted, float) and type(given) is int else given
    strings = not isinstance(given, tuple) or all(isinstance(each, str) for each in given)
    if type(given) is not type(wanted) or not strings:
        kind = "list of strings" if isinstance(wanted, tuple) else _NAMES[type(wanted)]
        raise SettingsError(f"{where} must be a {kind}, not {shown(repr(value))[:_SHOWN]}", "mend the file")
    return given


_NAMES = {str: "string", int: "whole number", float: "number", bool: "switch (true or false)"}


def embedder_spec(name: str, settings: EmbeddingSettings) -> EmbedderSpec:
    """What a setting such as "ollama:nomic-embed-text" names. Raises SettingsError."""
    from postil_indexers.embedding.spec import EmbedderSpec  # numpy comes with it; a server reads settings before that

    if name == "postil-static":
        return EmbedderSpec("static")
    if name == "packaged-minilm":
        return EmbedderSpec("packaged")
    provider, _, model = name.partition(":")
    if model and provider == "fastembed":
        return EmbedderSpec("fastembed", model)
    if model and provider == "folder":
        return EmbedderSpec("fastembed", folder=os.path.expanduser(model))
    if model and provider == "ollama":
        return EmbedderSpec("ollama", model, endpoint=settings.endpoint)
    if model and provider == "openai":
        return EmbedderSpec("openai", model, endpoint=settings.endpoint, key_env=settings.api_key_variable)
    raise SettingsError(
        f"{name!r} names no embedding model",
        "use postil-static, packaged-minilm, or one of fastembed:NAME, folder:PATH, ollama:NAME, openai:NAME",
    )


def models_folder() -> str:
    """Where downloaded models lie: in the user's cache."""
    return str(Path(platformdirs.user_cache_dir("postil", appauthor=False)) / "models")
