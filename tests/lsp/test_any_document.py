"""Whatever an editor opens: each request about it gets a sensible answer or none, and no failure."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities

from fixtures.machine import Machine
from fixtures.wire import Wire, wire
from postil_server.lsp.server import make_server
from postil_server.starting import attach

TEXT = "---\ntags: [x]\n---\n# Zanzibar\n\n[[glossary]] and the lease protocol of the queue, one #worker. [[nowhere]]\n"
STRANGE = [
    "untitled:Untitled-1",
    "untitled:/home/me/new note.md",
    "git:/home/me/repo/a.md?%7B%22path%22%3A%22%2Fhome%2Fme%2Frepo%2Fa.md%22%2C%22ref%22%3A%22~%22%7D",
    "vscode-notebook-cell:/home/me/lab.ipynb#W0sZmlsZQ%3D%3D",
    "vscode-remote://ssh-remote%2Bhost/home/me/a.md",
    "vscode-vfs://github/owner/repo/README.md",
    "postil:answer/1",
    "output:extension-output-%231",
    "inmemory://model/1",
    "http://example.org/a.md",
    "file:///c:/Users/me/a.md",
    "file:///c%3A/Users/me/a.md",
    "file:///C:",
    "file://server/share/notes/a.md",
    "file://localhost/nowhere/a.md",
    "file:///nowhere/caf%C3%A9%20notes/%23a.md",
    "file:///nowhere/%FF%FE.md",
    "file:///nowhere/a%00b.md",
    "file:///nowhere/%2e%2e/%2e%2e/etc/passwd",
    "file:///nowhere/100%.md",
    "file:///",
    "file:",
    "file://[::1",
    "FILE:///nowhere/a.md",
    "/home/me/a.md",
    "C:\\Users\\me\\a.md",
    "",
    ":",
    "a b\tc",
    "file:///" + "a/" * 3_000 + "n.md",
    "data:text/markdown;base64," + "QQ" * 5_000,
]
EVERYTHING: dict[str, Any] = {  # what any of the requests takes; each picks its own
    "position": {"line": 5, "character": 4},
    "range": {"start": {"line": 5, "character": 2}, "end": {"line": 5, "character": 30}},
    "context": {"includeDeclaration": True, "diagnostics": [], "triggerKind": 1},
    "newName": "other",
    "query": "lease protocol",
    "ch": "[",
    "options": {"tabSize": 4, "insertSpaces": True},
}
NOTIFICATIONS = ("textDocument/did", "textDocument/will")


def methods() -> list[str]:
    """Every request about a document that the server answers to."""
    served = make_server(attach).protocol.fm.features
    about = [name for name in served if name.startswith("textDocument/") and not name.startswith(NOTIFICATIONS)]
    return [*sorted(about), "postil/related"]


@pytest.fixture(scope="module", params=["visual_studio_code", "emacs"])
def window(desk: Any, request: pytest.FixtureRequest) -> Iterator[Wire]:
    capabilities = default_converter().unstructure(client_capabilities(request.param))
    folders = [{"uri": desk.root.as_uri(), "name": "millrace"}]
    with wire(desk.machine) as server:
        server.initialize(workspaceFolders=folders, capabilities=capabilities)
        yield server


def opened(window: Wire, uri: str, text: str = TEXT, language: str = "markdown") -> str:
    document = {"uri": uri, "languageId": language, "version": 1, "text": text}
    window.tell("textDocument/didOpen", {"textDocument": document})
    return uri


def closed(window: Wire, uri: str) -> None:
    window.tell("textDocument/didClose", {"textDocument": {"uri": uri}})


def hover(window: Wire, uri: str, line: int, character: int) -> str:
    """Its text; "" where there is none."""
    at = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    found = window.ask("textDocument/hover", at)["result"]
    return found["contents"]["value"] if found else ""


@pytest.mark.parametrize("language", ["markdown", "python", "plaintext", ""])
def test_every_request_about_any_document_is_answered(window: Wire, language: str) -> None:
    for uri in STRANGE:
        opened(window, uri, language=language)
        for method in methods():
            answer = window.ask(method, {**EVERYTHING, "textDocument": {"uri": uri}})
            assert "result" in answer or _is_refusal(method, answer), (uri, method, answer)
        closed(window, uri)


def test_a_document_that_is_not_open_gets_nothing_or_an_error_that_names_the_field(window: Wire) -> None:
    for uri in STRANGE:
        for method in methods():
            params = {**EVERYTHING, "textDocument": {"uri": uri}}
            if method == "postil/related":
                del params["query"]
                error = window.ask(method, params)["error"]
                assert (error["code"], "textDocument.uri" in error["message"]) == (-32602, True)
                continue
            answer = window.ask(method, params)
            assert _is_refusal(method, answer) or not _content(answer["result"]), (uri, method)


def test_without_a_folder_every_request_is_answered_with_nothing(machine: Machine) -> None:
    with wire(machine) as server:
        server.initialize()
        for uri in (opened(server, "untitled:Untitled-1"), opened(server, "file:///nowhere/a.md")):
            for method in (*methods(), "workspace/symbol", "postil/search"):
                answer = server.ask(method, {**EVERYTHING, "textDocument": {"uri": uri}})
                if method.startswith("postil/"):
                    assert answer["error"]["data"]["code"] == "not_indexed"
                else:
                    assert _is_refusal(method, answer) or not _content(answer["result"]), (uri, method)
    assert not (machine.folder / "index").exists()


@pytest.mark.parametrize(
    "asked", [{}, {"query": "lease", "question": "What is a lease?"}], ids=["about it", "in words"]
)
def test_our_own_requests_about_any_document_answer_or_say_why_not(window: Wire, asked: dict[str, str]) -> None:
    own = sorted(name for name in make_server(attach).protocol.fm.features if name.startswith("postil/"))
    for uri in STRANGE:
        for is_open in (True, False):
            (opened if is_open else closed)(window, uri)
            for method in own:
                params = {"textDocument": {"uri": uri}, "uri": uri, "range": EVERYTHING["range"], **asked}
                answer = window.ask(method, params)
                assert "result" in answer or answer["error"]["code"] in (-32602, -32803), (uri, method, answer)


def _is_refusal(method: str, answer: Any) -> bool:
    """A rename that can't be done says why: editors show that."""
    return method == "textDocument/rename" and answer.get("error", {}).get("code") == -32803


def _content(answer: Any) -> Any:
    """What an answer holds: lists of results come in objects of their own."""
    return answer["items"] if isinstance(answer, dict) and "items" in answer else answer


def test_a_folder_that_is_no_file_systems_of_this_machine_is_left_out(window: Wire, desk: Any) -> None:
    strange = [{"uri": uri, "name": "x"} for uri in STRANGE if uri not in ("file:///", "file:")]
    for event in ({"added": strange, "removed": strange}, {"added": [], "removed": strange}):
        window.tell("workspace/didChangeWorkspaceFolders", {"event": event})
        served = [folder["uri"] for folder in window.ask("postil/status")["result"]["folders"]]
        assert served == [desk.root.as_uri()]


def test_two_unnamed_buffers_are_two_documents(window: Wire) -> None:
    first = opened(window, "untitled:Untitled-1", "[[glossary]]\n")
    second = opened(window, "untitled:Untitled-2", "```\n[[glossary]]\n```\n")
    assert hover(window, second, 1, 4) == ""
    assert hover(window, first, 0, 4).startswith("[Glossary](")
    closed(window, first)
    assert hover(window, first, 0, 4) == ""
    assert hover(window, second, 1, 4) == ""
    closed(window, second)


@pytest.mark.skipif(os.name == "nt", reason="of this system's paths")
@pytest.mark.parametrize(
    "spelled",
    [
        "file://{root}/docs/lease%20protocol.md",
        "file://{root}/docs/lease protocol.md",
        "file://localhost{root}/docs/lease%20protocol.md",
        "file:{root}/docs/lease%20protocol.md",
        "file://{root}/docs/../docs/./lease%20protocol%2emd",
        "FILE://{root}/docs/%6cease%20protocol.md",
    ],
)
def test_the_same_file_however_it_is_spelled(window: Wire, desk: Any, spelled: str) -> None:
    text = "[[design]] and [[#What can go wrong]]\n\n## What can go wrong\n\nMuch.\n"
    uri = opened(window, spelled.format(root=desk.root), text)
    own = (desk.root / "docs/lease protocol.md").as_uri()
    assert f"]({own}#L3)" in hover(window, uri, 0, 20)
    assert hover(window, uri, 0, 4).startswith("[Design of Millrace](")
    closed(window, uri)


def test_nothing_of_a_documents_text_is_in_the_log(window: Wire, desk: Any) -> None:
    """After all that came before in this window, and requests that are wrong in themselves."""
    uri = opened(window, "untitled:secret.md")
    wrong = [{"position": {"line": "Zanzibar"}}, {"textDocument": "Zanzibar"}, {"range": "Zanzibar"}, {"query": 1}]
    codes = set()
    for method in methods():
        for params in wrong:
            answer = window.ask(method, {**EVERYTHING, "textDocument": {"uri": uri}, **params})
            if not _is_refusal(method, answer):
                codes.add(answer["error"]["code"] if "error" in answer else 0)
    assert codes == {0, -32602}
    window.send(b'{"jsonrpc": "2.0", "method": "Zanzibar')
    window.tell("textDocument/didOpen", {"textDocument": "Zanzibar"})
    window.ask("postil/status")
    log = next((desk.machine.folder / "home").rglob("server.log"))
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    mine = [line for line in lines if line["pid"] == window.process.pid]
    assert {line["level"] for line in mine if line["event"] == "request"} == {"info"}
    assert not [line for line in mine if line["level"] == "error"]
    assert not [line for line in mine if "Zanzibar" in json.dumps(line)]
