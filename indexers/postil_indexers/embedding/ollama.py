"""Any embedding model of an Ollama server, through its official client."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from postil_indexers.embedding.endpoint import TIMEOUT_S, EndpointEmbedder, TooLongError, is_loopback
from postil_indexers.embedding.families import Prefixes, prefixes_for
from postil_indexers.errors import ModelError

if TYPE_CHECKING:
    from ollama import ResponseError

T = TypeVar("T")

DEFAULT_ENDPOINT = "http://127.0.0.1:11434"


class OllamaEmbedder(EndpointEmbedder):
    """A model of an Ollama server; texts longer than its context are split, never truncated."""

    def __init__(
        self, model: str, endpoint: str = "", prefixes: Prefixes | None = None, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        from ollama import Client  # httpx and pydantic come with it

        super().__init__(model, endpoint or DEFAULT_ENDPOINT, prefixes_for(model) if prefixes is None else prefixes)
        self._timeout_s = timeout_s
        self._client = Client(
            self.endpoint,
            timeout=timeout_s,
            follow_redirects=False,  # an address on this machine must not send texts on to another
            trust_env=not is_loopback(self.endpoint),  # nor a proxy of the environment
        )

    def version(self) -> str:
        """The digest of the pulled model: a later pull under the same name is another model."""
        listed = self._call(lambda: self._client.list().models)
        wanted = {self.model, f"{self.model}:latest"}
        digest = next((each.digest for each in listed if each.model in wanted and each.digest), None)
        if digest is None:
            raise self._not_pulled()
        return digest.removeprefix("sha256:")[:12]

    def request(self, texts: list[str]) -> list[Sequence[float]]:
        return self._call(lambda: list(self._client.embed(self.model, texts, truncate=False).embeddings))

    def _call(self, ask: Callable[[], T]) -> T:
        import httpx
        import ollama

        try:
            return ask()
        except ollama.ResponseError as error:
            raise self._refused(error) from error
        except httpx.TimeoutException as error:
            raise ModelError(
                f"Ollama at {self.endpoint} did not answer within {self._timeout_s:g} s",
                f"it may still be loading {self.model}; where the machine is too slow, set a smaller model",
            ) from error
        except (ConnectionError, httpx.TransportError) as error:
            raise ModelError(f"Ollama is not running at {self.endpoint}", "run: ollama serve") from error
        except ValueError as error:  # not JSON, or JSON of another shape
            raise ModelError(f"what answers at {self.endpoint} is not Ollama: {error}") from error

    def _refused(self, error: ResponseError) -> Exception:
        said = str(error.error)
        # "the input length exceeds the context length", "input exceeds maximum context length" in older servers
        if "exceed" in said and "context length" in said:
            return TooLongError(said)
        if error.status_code == 404:
            return self._not_pulled()
        return ModelError(f"Ollama at {self.endpoint} refused {self.model}: {said} (status {error.status_code})")

    def _not_pulled(self) -> ModelError:
        return ModelError(f"no model named {self.model} on the Ollama server", f"run: ollama pull {self.model}")
