"""Settings as defaulted dataclasses, from the user's own file. A key that is not known warns and keeps the default."""

from __future__ import annotations

import dataclasses
import os
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs

from postil_indexers.embedding.spec import EmbedderSpec
from postil_indexers.errors import SettingsError


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
class Settings:
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    hover: HoverSettings = field(default_factory=HoverSettings)
    lens: LensSettings = field(default_factory=LensSettings)
    features: FeatureSettings = field(default_factory=FeatureSettings)


def settings_path() -> Path:
    """The user's own file. A workspace can't set a model, an endpoint or a key: only this file can."""
    override = os.environ.get("POSTIL_CONFIG")
    return Path(override) if override else Path(platformdirs.user_config_dir("postil", appauthor=False)) / "config.toml"


def load_settings(path: Path) -> tuple[Settings, list[str]]:
    """The settings and a warning for each unknown key. Raises SettingsError for an unreadable file or a wrong type."""
    if not path.is_file():
        return Settings(), []
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} can't be read: {error}", "mend or remove the file") from error
    warnings: list[str] = []
    sections: dict[str, Any] = {}
    for section in dataclasses.fields(Settings):
        values = table.pop(section.name, {})
        kind = type(getattr(Settings(), section.name))
        sections[section.name] = _filled(kind, values, f"{path}: {section.name}", warnings)
    warnings += [f"{path}: unknown setting {name!r} is passed over" for name in table]
    return Settings(**sections), warnings


def _filled(kind: type[Any], values: Any, where: str, warnings: list[str]) -> Any:
    if not isinstance(values, dict):
        raise SettingsError(f"{where} must be a table", f"write it as [{where.rsplit(' ', 1)[-1]}]")
    default, known = kind(), {}
    for name, value in values.items():
        if name not in {f.name for f in dataclasses.fields(kind)}:
            warnings.append(f"{where}.{name} is not a setting and is passed over")
            continue
        wanted = getattr(default, name)
        given = tuple(value) if isinstance(wanted, tuple) and isinstance(value, list) else value
        strings = not isinstance(given, tuple) or all(isinstance(each, str) for each in given)
        if type(given) is not type(wanted) or not strings:
            raise SettingsError(f"{where}.{name} must be a {type(wanted).__name__}, not {value!r}", "mend the file")
        known[name] = given
    return kind(**known)


def embedder_spec(name: str, settings: EmbeddingSettings) -> EmbedderSpec:
    """What a setting such as "ollama:nomic-embed-text" names. Raises SettingsError."""
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
