"""The chat models that the settings name, made once a process: what is loaded, learned and queued is shared."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Any

from postil_server.llm.base import ChatModel
from postil_server.llm.errors import ModelSetupError
from postil_server.llm.remote import Deadlines
from postil_server.llm.turns import QueuedModel, Turns

_LOCAL_PLACES = 1  # a second answer at once would halve the speed of the first, and double its memory
_FAR_PLACES = 4


@dataclass(frozen=True, slots=True)
class ModelSpec:
    provider: str
    model: str
    small_model: str = ""
    endpoint: str = ""
    key_variable: str = ""
    temperature: float = 0.2
    context: int = 8_192
    deadlines: Deadlines = field(default_factory=Deadlines)


@dataclass(frozen=True, slots=True)
class ChatModels:
    """`small` rewrites follow-ups, reads parts of long texts, proposes tags; `main` words the rest. They may be one."""

    main: ChatModel
    small: ChatModel


@functools.cache
def open_models(spec: ModelSpec) -> ChatModels:
    """Nothing is asked or loaded yet. Raises ModelSetupError."""
    main = _open(spec, spec.model)
    small = _open(spec, spec.small_model) if spec.small_model not in ("", spec.model) else main
    turns = Turns(_LOCAL_PLACES if main.local else _FAR_PLACES)
    queued = QueuedModel(main, turns)
    return ChatModels(queued, queued if small is main else QueuedModel(small, turns))


def _open(spec: ModelSpec, model: str) -> ChatModel:
    options: dict[str, Any] = {"temperature": spec.temperature, "context": spec.context, "deadlines": spec.deadlines}
    if not model:
        raise ModelSetupError("the settings name no model", "set llm.model")
    if spec.provider == "ollama":
        from postil_server.llm.ollama import OllamaModel

        return OllamaModel(model, spec.endpoint, **options)
    if spec.provider == "openai":
        from postil_server.llm.openai import OpenAIModel

        if not spec.endpoint:
            raise ModelSetupError("the settings name no endpoint", "set llm.endpoint, such as http://127.0.0.1:8080/v1")
        return OpenAIModel(model, spec.endpoint, key_variable=spec.key_variable, **options)
    if spec.provider == "llamacpp":
        from postil_server.llm.llamacpp import LlamaCppModel

        return LlamaCppModel(model, **options)
    raise ModelSetupError(
        f"{spec.provider!r} is no provider of chat models", "set llm.provider to ollama, openai or llamacpp"
    )
