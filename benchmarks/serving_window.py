"""One editor window over a language server, Postil's or another, with the time of each answer."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import psutil
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities
from serving_places import Place

from fixtures.conversation import Conversation, Heard

_LINES = 5_000  # of the document that is changed
_WARM_CHANGES = 50  # sent before those that are measured: the first ones compile and import
_LANGUAGES = {".md": "markdown", ".py": "python", ".c": "c", ".h": "c", ".cc": "cpp", ".go": "go", ".rb": "ruby"}


class Hovered(NamedTuple):
    kind: str
    ms: float
    speaks: bool


class Window:
    """Use it as a context. `folders`: absolute paths."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        folders: Iterable[Path],
        heard: Heard | None = None,
    ) -> None:
        """`heard`: is given the server's notifications."""
        self.conversation = Conversation(command, environment, heard=heard)
        capabilities = default_converter().unstructure(client_capabilities("visual_studio_code"))
        uris = [folder.as_uri() for folder in folders]
        self.conversation.begin(uris, capabilities, clientInfo={"name": "Neovim"})  # which is shown hits as symbols
        self.answered_ms = self._since_launch()

    def __enter__(self) -> Window:
        return self

    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            self.conversation.end()
        self.conversation.__exit__(*error)

    def _since_launch(self) -> float:
        return (time.perf_counter() - self.conversation.launched_at) * 1e3

    def ask(self, method: str, params: Any) -> tuple[float, Any]:
        """Milliseconds and the result."""
        asked = self.conversation.ask(method, params)
        result = asked.result()
        return asked.seconds * 1e3, result

    def open(self, path: str, text: str | None = None) -> str:
        file = Path(path)
        text = file.read_text(encoding="utf-8", errors="replace") if text is None else text
        language = _LANGUAGES.get(file.suffix, "plaintext")
        item = {"uri": file.as_uri(), "languageId": language, "version": 1, "text": text}
        self.conversation.tell("textDocument/didOpen", {"textDocument": item})
        return file.as_uri()

    def close(self, uri: str) -> None:
        self.conversation.tell("textDocument/didClose", {"textDocument": {"uri": uri}})

    def first_hover_ms(self, place: Place) -> float:
        """Since the launch, until a hover at this place says something."""
        uri = self.open(place.path)
        while self.ask("textDocument/hover", _at(uri, place.line, place.character))[1] is None:
            time.sleep(0.01)
        return self._since_launch()

    def hovers(self, places: Iterable[Place]) -> Iterator[Hovered]:
        """One after the other; a document is open while it is hovered in."""
        path = uri = ""
        for place in places:
            if place.path != path:
                if uri:
                    self.close(uri)
                path, uri = place.path, self.open(place.path)
            ms, said = self.ask("textDocument/hover", _at(uri, place.line, place.character))
            yield Hovered(place.kind, ms, said is not None)
        if uri:
            self.close(uri)

    def completions(self, path: str, typed: str, count: int) -> list[float]:
        """Milliseconds from the request behind `typed`, each at the end of a note that is being written."""
        text = Path(path).read_text(encoding="utf-8", errors="replace").rstrip("\n") + "\n\nSee also "
        uri, last = self.open(path, text), text.count("\n")
        end = len("See also ")
        found = []
        for version in range(2, 2 + count):
            start, stop = {"line": last, "character": end}, {"line": last, "character": 1_000}
            change = {"range": {"start": start, "end": stop}, "text": typed}
            self._change(uri, version, change)
            context = {"triggerKind": 2, "triggerCharacter": typed[-1]}
            params = {**_at(uri, last, end + len(typed)), "context": context}
            found.append(self.ask("textDocument/completion", params)[0])
        self.close(uri)
        return found

    def change_ms(self, path: str, count: int) -> float:
        """Milliseconds of the server's processor for each of so many changes of a long document."""
        lines = "The lease of a job ends when its worker dies, and [[another]] takes it.\n" * _LINES
        uri, chance = self.open(path, lines), random.Random(5)
        process = psutil.Process(self.conversation.process.pid)
        before = 0.0
        for number in range(_WARM_CHANGES + count):
            if number == _WARM_CHANGES:
                before = self._spent_ms(process, uri)
            at = {"line": chance.randrange(_LINES), "character": chance.randrange(60)}
            self._change(uri, 2 + number, {"range": {"start": at, "end": at}, "text": "x"})
        spent = self._spent_ms(process, uri) - before
        self.close(uri)
        return spent / count

    def _spent_ms(self, process: psutil.Process, uri: str) -> float:
        """What it has used up when all that was sent is taken: the blank last line's hover is answered after that."""
        self.ask("textDocument/hover", _at(uri, _LINES, 0))
        times = process.cpu_times()
        return float(times.user + times.system) * 1e3

    def _change(self, uri: str, version: int, change: dict[str, Any]) -> None:
        params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [change]}
        self.conversation.tell("textDocument/didChange", params)


def _at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
