"""What a server begins with the first message, before it can answer it."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from fixtures.editor import eventually
from fixtures.machine import Machine
from fixtures.wire import wire
from fixtures.workspace import Workspace
from postil_indexers.store.index import write_index
from postil_indexers.store.location import index_file, make_index_folder
from postil_indexers.worker.client import call_worker
from postil_server.lsp.beginning import Beginning, never_indexed
from postil_server.lsp.uris import uri_of


def initialize(*folders: Path, method: str = "initialize") -> bytes:
    opened = [{"uri": uri_of(str(folder)), "name": folder.name} for folder in folders]
    params = {"capabilities": {}, "processId": None, "rootUri": None, "workspaceFolders": opened}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


@pytest.fixture(autouse=True)
def own_indexes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTIL_INDEX_DIR", str(tmp_path / "indexes"))


def test_folders_without_an_index_are_what_is_begun_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new, known, home = (tmp_path / name for name in ("new", "known", "home"))
    for folder in (new, known, home):
        folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    make_index_folder(str(known))
    write_index(index_file(str(known))).close()
    assert never_indexed(initialize(new, new, known, tmp_path / "gone")) == [str(new)]
    assert never_indexed(initialize(home)) == []  # it is indexed when its user says so
    assert never_indexed(initialize(new, method="workspace/didChangeWorkspaceFolders")) == []


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"method": "initialize"}', b'{"params": {"workspaceFolders": [7]}}']
)
def test_a_message_that_is_no_initialize_begins_nothing_and_is_handed_on(body: bytes) -> None:
    assert never_indexed(body) == []
    stream = b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(each), each) for each in (body or b" ", b"{}"))
    assert list(Beginning(io.BytesIO(stream)).messages()) == [body or b" ", b"{}"]


@pytest.mark.timeout(60)
def test_what_can_not_be_looked_at_begins_nothing_and_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTIL_INDEX_DIR", str(tmp_path / ("index" * 100)))  # a name that no file system takes
    body = initialize(tmp_path)
    with pytest.raises(OSError, match="File name too long"):
        never_indexed(body)
    assert list(Beginning(io.BytesIO(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))).messages()) == [body]


def test_the_worker_of_a_new_folder_runs_before_the_client_has_said_initialized(
    workspace: Workspace, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTIL_INDEX_DIR", machine.environment()["POSTIL_INDEX_DIR"])
    folder = index_file(str(workspace.root)).parent
    with wire(machine) as server:
        server.send(initialize(Path(workspace.root)))
        client = eventually(lambda: folder.is_dir() and call_worker(folder))
        with client:
            assert client.greeting["root"] == str(workspace.root)
