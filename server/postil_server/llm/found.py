"""The models that an Ollama server has, or one that speaks the OpenAI API. No text is sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from postil_indexers.embedding.endpoint import is_loopback
from postil_indexers.embedding.ollama import DEFAULT_ENDPOINT
from postil_server.llm.errors import ModelSetupError
from postil_server.llm.keys import api_key

_WAIT_S = 3.0  # for a list; a page waits for it
_MOST = 200  # models of one server that are listed
_SAID = 200  # characters of what a server says
_EMBEDDING_FAMILIES = ("bert", "embed")  # parts of the families and names of models that only make vectors
_INSTALL = "install it from ollama.com, then run: ollama serve"


@dataclass(frozen=True, slots=True)
class FoundModel:
    name: str
    megabytes: int = 0  # on disk; 0 where the server does not tell
    parameters: str = ""  # "7.6B"; "" where the server does not tell
    embeds: bool = False  # makes vectors, and writes nothing


@dataclass(frozen=True, slots=True)
class FoundServer:
    """`problem` says why there is no list, and `hint` what to do; both are empty where there is one."""

    provider: str
    endpoint: str
    local: bool
    models: tuple[FoundModel, ...] = ()
    problem: str = ""
    hint: str = ""

    def has(self, model: str) -> bool:
        return any(each.name in (model, f"{model}:latest") for each in self.models)


def ollama_server(endpoint: str = "") -> FoundServer:
    address = endpoint or DEFAULT_ENDPOINT

    def ask(local: bool) -> list[FoundModel]:
        from ollama import Client

        # an address on this machine must not lead on to another, by a redirect or through a proxy
        client = Client(address, timeout=_WAIT_S, follow_redirects=False, trust_env=not local)
        return [_of_ollama(each) for each in client.list().models[:_MOST] if each.model]

    return _asked("ollama", address, ask, f"no Ollama server answers at {address}", _INSTALL)


def openai_server(endpoint: str, key_variable: str) -> FoundServer:
    address = endpoint if "//" in endpoint else f"http://{endpoint}"

    def ask(local: bool) -> list[FoundModel]:
        try:
            from openai import DefaultHttpxClient, OpenAI
        except ModuleNotFoundError as error:
            raise ModelSetupError("the OpenAI client is not installed", "run: pip install 'postil[openai]'") from error
        http = DefaultHttpxClient(follow_redirects=False, trust_env=not local, timeout=_WAIT_S)
        key = api_key(key_variable, address) or "none"
        client = OpenAI(api_key=key, base_url=address, max_retries=0, timeout=_WAIT_S, http_client=http)
        listed = client.models.list().data[:_MOST]
        return [FoundModel(each.id, embeds=_embeds(each.id)) for each in listed]

    return _asked("openai", address, ask, f"{address} gives no list of models", "start it, or correct llm.endpoint")


def _asked(
    provider: str, address: str, ask: Callable[[bool], list[FoundModel]], problem: str, hint: str
) -> FoundServer:
    local = is_loopback(address)
    try:
        models = sorted(ask(local), key=lambda each: each.name)
    except ModelSetupError as error:
        return FoundServer(provider, address, local, (), error.message, error.hint)
    except Exception as error:  # whatever the clients and their HTTP libraries raise: there is no list
        unreached = isinstance(error, OSError) or re.search("Connect|Timeout", type(error).__name__)
        said = problem if unreached else f"{problem}: {str(error)[:_SAID]}"
        return FoundServer(provider, address, local, (), said, hint)
    return FoundServer(provider, address, local, tuple(models))


def _of_ollama(listed: Any) -> FoundModel:
    details = listed.details
    family = (details.family if details else "") or ""
    parameters = (details.parameter_size if details else "") or ""
    return FoundModel(listed.model, round((listed.size or 0) / 1e6), parameters, _embeds(f"{family} {listed.model}"))


def _embeds(name: str) -> bool:
    return any(part in name.lower() for part in _EMBEDDING_FAMILIES) or name.lower().startswith("bge-")
