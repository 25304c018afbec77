"""Any endpoint with OpenAI's embeddings API (llama.cpp, LM Studio, vLLM, a cloud), through the official client."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from postil_indexers.embedding.endpoint import TIMEOUT_S, EndpointEmbedder, TooLongError, is_loopback
from postil_indexers.embedding.families import Prefixes, prefixes_for
from postil_indexers.errors import ModelError

if TYPE_CHECKING:
    from openai import APIStatusError

# OpenAI and vLLM: "This model's maximum context length is 8192 tokens"; llama.cpp: "input (5065 tokens) is too large to
# process", "exceeds the available context size"; others name a maximum of tokens or of input.
_TOO_LONG = re.compile(
    r"context.?length|context size|too large to process|too long|exceed\w* .{0,40}token|maximum .{0,30}(token|input)",
    re.IGNORECASE,
)


class OpenAIEmbedder(EndpointEmbedder):
    """A model behind an OpenAI-compatible address such as http://127.0.0.1:8080/v1."""

    def __init__(
        self,
        model: str,
        endpoint: str,
        key_env: str = "",
        prefixes: Prefixes | None = None,
        *,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """`key_env` names the environment variable that holds the key; settings never hold it."""
        try:
            from openai import DefaultHttpxClient, OpenAI
        except ModuleNotFoundError as error:
            raise ModelError("the OpenAI client is not installed", "run: pip install 'postil[openai]'") from error
        key = os.environ.get(key_env, "") if key_env else "none"  # the client wants one, local servers do not read it
        if not key:
            raise ModelError(f"the environment variable {key_env}, which should hold the key, is not set")
        super().__init__(model, endpoint, prefixes_for(model) if prefixes is None else prefixes)
        self._key_env = key_env
        self._timeout_s = timeout_s
        # an address on this machine must not send texts on to another, by a redirect or through a proxy
        http = DefaultHttpxClient(follow_redirects=False, trust_env=not is_loopback(endpoint), timeout=timeout_s)
        self._client = OpenAI(api_key=key, base_url=endpoint, timeout=timeout_s, http_client=http)

    def version(self) -> str:
        """The address: these endpoints do not tell weights of one name apart."""
        return self.endpoint

    def request(self, texts: list[str]) -> list[Sequence[float]]:
        import openai

        try:
            # not every server knows base64, the client's own choice
            answer = self._client.embeddings.create(input=texts, model=self.model, encoding_format="float")
            return [each.embedding for each in sorted(answer.data, key=lambda each: each.index)]
        except openai.APITimeoutError as error:
            hint = "it may still be loading the model, or the machine is too slow for it"
            raise ModelError(f"{self.endpoint} did not answer within {self._timeout_s:g} s", hint) from error
        except openai.APIConnectionError as error:
            raise ModelError(
                f"nothing answers at {self.endpoint}", "start the server, or correct its address"
            ) from error
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except (TypeError, AttributeError, ValueError, openai.OpenAIError) as error:
            # the client builds its objects without checking what came
            raise ModelError(f"what answers at {self.endpoint} does not speak the embeddings API: {error}") from error

    def _refused(self, error: APIStatusError) -> Exception:
        said, status = error.message, error.status_code
        if status in (400, 413, 422, 500) and _TOO_LONG.search(said):
            return TooLongError(said)
        if status in (401, 403):
            where = f"the key in {self._key_env}" if self._key_env else "an access without a key"
            return ModelError(f"{self.endpoint} refused {where}", "check the key, or name the variable that holds it")
        if status == 404:
            return ModelError(f"{self.endpoint} has no model named {self.model}, or no embeddings: {said}")
        if status == 429:
            return ModelError(
                f"{self.endpoint} limits how much may be asked: {said}", "what is missing is filled in later"
            )
        return ModelError(f"{self.endpoint} refused {self.model}: {said}")
