"""A local HTTP server that speaks the embeddings APIs of Ollama and OpenAI as they are documented."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest


@dataclass
class EmbeddingServer:
    """A model that reads `context` words; text number n of a request becomes [its words, 1, 0, ...]."""

    dimensions: int = 4
    context: int = 50
    model: str = "tiny-embed:latest"
    key: str = ""
    location: str = ""  # a redirect to there in place of an answer
    broken: dict[str, Any] = field(default_factory=dict)  # path -> (status, body) in place of an answer
    shuffled: bool = False  # OpenAI's vectors in another order than the texts; their index tells
    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list)  # path, body
    headers: list[dict[str, str]] = field(default_factory=list)
    stall: threading.Event | None = None
    port: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def texts(self) -> list[list[str]]:
        """The texts of each embedding request so far."""
        return [body["input"] for path, body in self.requests if path.endswith(("/embed", "/embeddings"))]

    def vector(self, text: str) -> list[float]:
        return ([float(len(text.split())), 1.0] + [0.0] * self.dimensions)[: self.dimensions]

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if path in self.broken:
            return self.broken[path]
        if path == "/api/tags":
            return 200, {"models": [{"model": self.model, "name": self.model, "digest": "0a1b2c3d4e5f60718293"}]}
        if path == "/api/embed":
            if body["model"] not in (self.model, self.model.removesuffix(":latest")):
                return 404, {"error": f'model "{body["model"]}" not found, try pulling it first'}
            if not body.get("truncate", True) and any(len(text.split()) > self.context for text in body["input"]):
                return 400, {"error": "the input length exceeds the context length"}
            return 200, {"model": self.model, "embeddings": [self.vector(text) for text in body["input"]]}
        if path == "/v1/embeddings":
            return self._openai(body)
        return 404, {"error": "not found"}

    def _openai(self, body: dict[str, Any]) -> tuple[int, Any]:
        if any(not text for text in body["input"]):
            return 400, {"error": {"message": "input cannot be an empty string", "type": "invalid_request_error"}}
        if any(len(text.split()) > self.context for text in body["input"]):
            message = f"This model's maximum context length is {self.context} tokens, however you requested more"
            return 400, {"error": {"message": message, "type": "invalid_request_error", "code": None}}
        data = [
            {"object": "embedding", "index": index, "embedding": self.vector(text)}
            for index, text in enumerate(body["input"])
        ]
        data = data[::-1] if self.shuffled else data
        return 200, {
            "object": "list",
            "data": data,
            "model": body["model"],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }


def _handler(state: EmbeddingServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._serve({})

        def do_POST(self) -> None:
            self._serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _serve(self, body: dict[str, Any]) -> None:
            state.requests.append((self.path, body))
            state.headers.append({name.lower(): value for name, value in self.headers.items()})
            if state.stall is not None:
                state.stall.wait(10)
            status, answer = state.answer(self.path, body)
            if state.location:
                status = 307
            elif state.key and self.headers.get("Authorization") != f"Bearer {state.key}":
                status, answer = 401, {"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}
            raw = answer.encode() if isinstance(answer, str) else json.dumps(answer).encode()
            try:
                self.send_response(status)
                if state.location:
                    self.send_header("Location", state.location + self.path)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)
            except OSError:
                self.close_connection = True  # the client gave up waiting

        def log_message(self, *arguments: object) -> None:
            return

    return Handler


@pytest.fixture
def start_server() -> Iterator[Any]:
    running: list[tuple[ThreadingHTTPServer, EmbeddingServer]] = []

    def start(**state: Any) -> EmbeddingServer:
        served = EmbeddingServer(**state)
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(served))
        served.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        running.append((server, served))
        return served

    yield start
    for server, served in running:
        if served.stall is not None:
            served.stall.set()
        server.shutdown()
        server.server_close()
