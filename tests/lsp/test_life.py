"""A server from its start to its end, as a process."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

import postil_indexers
from fixtures.editor import PATIENCE_S, Editor, eventually
from fixtures.machine import Machine
from fixtures.wire import wire
from postil_server.lsp.transport import read_message


def test_what_initialize_needs_imports_nothing_heavy() -> None:
    heavy = "{'numpy', 'tokenizers', 'fastembed', 'onnxruntime', 'tree_sitter', 'apsw', 'typer', 'rich'}"
    code = f"import sys, postil_server.lsp.launch, postil_server.lsp.server; print(sorted({heavy} & set(sys.modules)))"
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


def test_what_it_says_of_itself(machine: Machine) -> None:
    with wire(machine) as server:
        said = server.initialize()["result"]
    assert said["serverInfo"] == {"name": "postil", "version": postil_indexers.__version__}
    capabilities = said["capabilities"]
    assert capabilities["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
    commands = capabilities["executeCommandProvider"]["commands"]
    assert set(commands) >= {f"postil.server.{name}" for name in ("index", "pause", "resume", "status")}
    assert all(name.startswith("postil.server.") for name in commands)  # clients' own ids are `postil.*`
    assert capabilities["textDocumentSync"]["change"] == 2  # the changed parts alone


def test_a_window_without_a_folder_indexes_nothing(machine: Machine) -> None:
    with Editor(machine, None) as editor:
        uri = editor.open("untitled:Untitled-1", "Leases of jobs.\n")
        assert editor.hover(uri, 0, 3) is None
        assert editor.ask("postil/status")["folders"] == []
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


def test_a_port_that_cannot_be_had_is_said_in_a_sentence(machine: Machine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = machine.postil("serve", "--tcp", str(port))
    assert (ran.status, ran.err.count("\n")) == (1, 2)
    assert f"port {port} of this machine can't be listened on" in ran.err


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


def test_a_home_folder_is_indexed_when_the_user_says_so(machine: Machine) -> None:
    machine.environment()
    home = machine.folder / "home"
    (home / "note.md").write_text("# Note\n\nThe lighthouse keeper trims the lamp.\n", encoding="utf-8")
    with Editor(machine, [str(home)]) as editor:
        (said,) = eventually(lambda: editor.client.messages)
        assert f"{home} is your home folder" in said.message
        (folder,) = editor.ask("postil/status")["folders"]
        assert (folder["indexed"], folder["worker"]) == (False, None)
        assert not (machine.folder / "index").exists()
        assert [told["held"] for told in editor.command("postil.server.status")["folders"]] == ["your home folder"]
        editor.command("postil.server.index")
        eventually(lambda: found(editor, "lighthouse keeper", "note.md"))
        assert eventually(lambda: worker_of(editor, "home"))
        assert [told["held"] for told in editor.command("postil.server.status")["folders"]] == [""]
        assert len(editor.client.messages) == 1


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
    for number in range(12_000):  # far more than is read before the button is pressed
        text = f"# Note {number}\n\n" + f"Sentence {number} of a note about lighthouses and their keepers.\n\n" * 8
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    with Editor(machine, [str(folder)]) as editor:
        shown = editor.client.progress_reports

        def bars(*, ended: bool) -> list[Any]:
            """Tokens of the bars that are shown, or that were."""
            found = {token: list(reports) for token, reports in shown.items() if reports}
            return [t for t, reports in found.items() if isinstance(reports[-1], lsp.WorkDoneProgressEnd) is ended]

        def state() -> Any:
            worker = worker_of(editor, "many")
            return worker and worker["state"]

        def paused_by_cancelling() -> bool:
            for token in bars(ended=False):
                params = lsp.WorkDoneProgressCancelParams(token)
                editor.soon(editor.client.window_work_done_progress_cancel, params)
            return state() == "paused"

        eventually(paused_by_cancelling)
        eventually(lambda: not bars(ended=False))
        before = bars(ended=True)
        begin, *reports = shown[before[0]]
        assert isinstance(begin, lsp.WorkDoneProgressBegin)
        assert (begin.title, begin.cancellable) == ("Indexing many", True)
        for said in [begin, *reports[:-1]]:
            assert isinstance(said, lsp.WorkDoneProgressBegin | lsp.WorkDoneProgressReport)
            assert re.fullmatch(r"\w+ [\d,]+ of [\d,]+(, [\d,]+ a second, \d+ (s|min) left)?", said.message or "")
            assert 0 <= (said.percentage or 0) <= 100
        assert state() == "paused"
        editor.command("postil.server.resume")
        eventually(lambda: state() in ("indexing", "idle"))
        eventually(lambda: len(bars(ended=False) + bars(ended=True)) > len(before))
