"""A server from its start to its end, as a process."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from fixtures.editor import PATIENCE_S, Editor, eventually
from fixtures.machine import Machine
from postil_server.lsp.transport import read_message


class Wire:
    """The server's streams, for messages that no client library would send."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, body: bytes | dict[str, Any]) -> None:
        body = json.dumps(body).encode() if isinstance(body, dict) else body
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def receive(self) -> Any:
        assert self.process.stdout is not None
        body = read_message(self.process.stdout)  # type: ignore[arg-type]
        return None if body is None else json.loads(body)

    def call(self, number: int, method: str, params: Any = None) -> Any:
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        answer = self.receive()
        assert answer["id"] == number
        return answer

    def initialize(self, **params: Any) -> Any:
        answer = self.call(0, "initialize", {"processId": None, "rootUri": None, "capabilities": {}, **params})
        self.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        return answer


@contextmanager
def wire(machine: Machine) -> Iterator[Wire]:
    command, environment = machine.command("serve"), machine.environment()
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield Wire(process)
        finally:
            process.kill()


def test_what_initialize_needs_imports_nothing_heavy() -> None:
    heavy = "{'numpy', 'tokenizers', 'fastembed', 'onnxruntime', 'tree_sitter', 'apsw', 'typer', 'rich'}"
    code = f"import sys, postil_server.lsp.launch; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"[]\n"


@pytest.mark.parametrize(("said", "status"), [(["shutdown", "exit"], 0), (["exit"], 1), ([], 1)])
def test_it_ends_when_told_to_and_when_its_stream_ends(machine: Machine, said: list[str], status: int) -> None:
    with wire(machine) as server:
        server.initialize()
        for number, method in enumerate(said, 1):
            if method == "shutdown":
                assert server.call(number, method) == {"jsonrpc": "2.0", "id": number, "result": None}
                assert server.call(9, "textDocument/hover", {})["error"]["code"] == -32600
            else:
                server.send({"jsonrpc": "2.0", "method": method})
        if not said:
            assert server.process.stdin is not None
            server.process.stdin.close()
        assert server.process.wait(PATIENCE_S) == status


def test_it_ends_when_its_parent_dies(machine: Machine) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as parent, wire(machine) as server:
        server.initialize(processId=parent.pid)
        assert server.process.poll() is None
        parent.kill()
        parent.wait()
        assert server.process.wait(PATIENCE_S) == 1


def test_every_message_that_wants_an_answer_gets_one(machine: Machine) -> None:
    at = {"textDocument": {"uri": "file:///a.md"}, "position": {"line": 0, "character": 0}}
    with wire(machine) as server:
        assert server.call(1, "textDocument/hover", at)["error"]["code"] == -32002
        assert server.initialize()["result"]["serverInfo"]["name"] == "postil"
        assert server.call(2, "initialize", {"capabilities": {}})["error"]["code"] == -32600
        server.send(b"{ no JSON")
        assert server.receive()["error"]["code"] == -32700
        server.send(b'["no", "object"]')
        assert server.receive()["error"]["code"] == -32600
        server.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 1}})
        wrong = server.call(3, "textDocument/hover", {"textDocument": {"uri": "file:///a.md"}})["error"]
        assert (wrong["code"], "position" in wrong["message"]) == (-32602, True)
        assert server.call(4, "textDocument/nothing", at)["error"]["code"] == -32601
        assert (
            server.call(5, "workspace/executeCommand", {"command": "postil.server.nothing"})["error"]["code"] == -32602
        )
        assert server.call(6, "textDocument/hover", at) == {"jsonrpc": "2.0", "id": 6, "result": None}


def test_a_window_without_a_folder_indexes_nothing(machine: Machine) -> None:
    with Editor(machine, None) as editor:
        uri = editor.open("untitled:Untitled-1", "Leases of jobs.\n")
        assert editor.hover(uri, 0, 3) is None
        assert editor.ask("postil/status") == {"folders": []}
        with pytest.raises(JsonRpcException, match=r"no folder is open.*request") as caught:
            editor.ask("postil/search", {"query": "lease"})
        assert (caught.value.code, caught.value.data["code"]) == (-32803, "not_indexed")
    assert not (machine.folder / "index").exists()


def test_over_tcp_it_listens_on_this_machine_alone(machine: Machine) -> None:
    command = machine.command("serve", "--tcp", "0")
    with subprocess.Popen(command, env=machine.environment(), stderr=subprocess.PIPE) as process:
        try:
            assert process.stderr is not None
            said = re.match(rb"listening on 127\.0\.0\.1:(\d+)\n", process.stderr.readline())
            assert said
            with socket.create_connection(("127.0.0.1", int(said[1]))) as client:
                body = b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}'
                client.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                with client.makefile("rb") as stream:
                    assert json.loads(read_message(stream) or b"")["id"] == 1
            assert process.wait(PATIENCE_S) == 1
        finally:
            process.kill()


def worker_of(editor: Editor, name: str) -> Any:
    """The status of a folder's worker, or None."""
    folders = {folder["name"]: folder for folder in editor.ask("postil/status")["folders"]}
    return folders[name]["worker"] if name in folders else None


def test_folders_come_and_go_and_a_worker_that_is_killed_comes_back(machine: Machine, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, words in (
        (first, "The lease protocol keeps a job."),
        (second, "The lighthouse keeper trims the lamp."),
    ):
        folder.mkdir()
        (folder / "note.md").write_text(f"# Note\n\n{words}\n", encoding="utf-8")
    with Editor(machine, [str(first)], "neovim") as editor:
        pid = eventually(lambda: worker_of(editor, "first"))["pid"]
        editor.soon(editor.client.workspace_did_change_workspace_folders, changed(added=[str(second)]))
        eventually(lambda: found(editor, "lighthouse keeper", "second/note.md"))
        psutil.Process(pid).kill()
        again = eventually(lambda: (status := worker_of(editor, "first")) and status["pid"] != pid and status)
        assert psutil.pid_exists(again["pid"])
        eventually(lambda: found(editor, "lease protocol", "first/note.md"))
        hits = editor.ask("postil/search", {"query": "lighthouse keeper lease", "limit": 20})["hits"]
        assert {Path(hit["root"]).name for hit in hits} == {"first", "second"}
        editor.soon(editor.client.workspace_did_change_workspace_folders, changed(removed=[str(second)]))
        assert not found(editor, "lighthouse keeper", "second/note.md")


def changed(added: list[str] | None = None, removed: list[str] | None = None) -> Any:
    event = lsp.WorkspaceFoldersChangeEvent(
        added=[Editor.folder(path) for path in added or []], removed=[Editor.folder(path) for path in removed or []]
    )
    return lsp.DidChangeWorkspaceFoldersParams(event)


def found(editor: Editor, query: str, end: str) -> bool:
    try:
        return any(hit["uri"].endswith(end) for hit in editor.ask("postil/search", {"query": query})["hits"])
    except JsonRpcException as error:
        if error.data["code"] != "not_indexed":
            raise
        return False


def test_the_log_explains_a_request_without_the_text(machine: Machine, tmp_path: Path) -> None:
    with Editor(machine, None) as editor:
        editor.hover(editor.open("untitled:Untitled-1", "A confidential sentence.\n"), 0, 3)
        with pytest.raises(JsonRpcException) as caught:
            editor.ask("postil/search", {"query": "confidential"})
        process = editor.process.pid
    (file,) = (machine.folder / "home").rglob("server.log")
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    (explained,) = [line for line in lines if line["event"] == "error"]
    assert explained["request"] == caught.value.data["request"]
    assert {line["pid"] for line in lines} == {process}
    assert "confidential" not in file.read_text("utf-8")
    assert file.stat().st_mode & 0o077 == 0 or os.name == "nt"


def test_indexing_is_shown_and_cancelling_it_pauses(machine: Machine, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(2_000):
        text = f"# Note {number}\n\n" + f"Sentence {number} of a note about lighthouses and their keepers.\n\n" * 8
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    with Editor(machine, [str(folder)]) as editor:
        shown = editor.client.progress_reports

        def paused_by_cancelling() -> bool:
            for token in list(shown)[-1:]:
                params = lsp.WorkDoneProgressCancelParams(token)
                editor.soon(editor.client.window_work_done_progress_cancel, params)
            worker = worker_of(editor, "many")
            return worker is not None and worker["state"] == "paused"

        eventually(paused_by_cancelling)
        eventually(lambda: all(isinstance(reports[-1], lsp.WorkDoneProgressEnd) for reports in shown.values()))
        begin = next(iter(shown.values()))[0]
        assert isinstance(begin, lsp.WorkDoneProgressBegin)
        assert (begin.title, begin.cancellable) == ("Indexing many", True)
        assert re.fullmatch(r"\w+ [\d,]+ of [\d,]+(, [\d,]+ a second, \d+ (s|min) left)?", begin.message or "")
        editor.command("postil.server.resume")
        eventually(lambda: (worker := worker_of(editor, "many")) and worker["state"] == "idle")
        eventually(lambda: all(isinstance(reports[-1], lsp.WorkDoneProgressEnd) for reports in shown.values()))
        assert found(editor, "lighthouses and their keepers", ".md")
