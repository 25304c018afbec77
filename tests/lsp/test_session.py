"""A session of many requests at once, with wrong ones, cancelled ones, and a worker that is killed again and again;
and what such sessions have shown."""

from __future__ import annotations

import json
from pathlib import Path

from lsprotocol import types as lsp
from pygls.protocol import default_converter
from pytest_lsp import client_capabilities

from fixtures.conversation import Conversation
from fixtures.editor import Editor, eventually
from fixtures.machine import Machine
from fixtures.replay import Replay, complaints, editors_answers, kill_workers
from fixtures.repository import Workspace
from fixtures.session import Session
from fixtures.wire import wire
from postil_indexers.types import Kind
from postil_server.answering.sentences import units_of
from postil_server.lsp.names import Names

MESSAGES = 300


def test_a_session_of_wrong_and_cancelled_requests_leaves_nothing_unanswered(
    machine: Machine, workspace: Workspace, tmp_path: Path
) -> None:
    assert machine.postil("index", workspace.root).status == 0
    index_dir, killed = machine.folder / "index", []
    capabilities = default_converter().unstructure(client_capabilities("visual_studio_code"))
    command, environment = machine.command("serve", "--stdio"), machine.environment()
    with (
        (tmp_path / "stderr").open("wb") as errors,
        Conversation(command, environment, answers=editors_answers(2), errors=errors) as conversation,
    ):
        conversation.begin([workspace.folder.as_uri()], capabilities)
        eventually(lambda: list(index_dir.rglob("worker-*.json")))  # there is something to kill
        replay = Replay(conversation, kill=lambda: killed.append(kill_workers(index_dir)))
        played = replay.play(Session(workspace.folder, 7).steps(MESSAGES))
        assert conversation.end() == 0
    assert played.faults == []
    assert played.messages == MESSAGES
    assert played.cancelled > 5
    assert sum(killed) > 0
    assert {outcome.rpartition(" ")[2] for outcome in played.outcomes} >= {"answered", "nothing", "-32601", "-32800"}
    assert (tmp_path / "stderr").read_bytes() == b""
    assert complaints(machine.folder / "home", index_dir) == []


def test_a_request_is_about_the_text_before_the_message_behind_it(
    machine: Machine, workspace: Workspace, tmp_path: Path
) -> None:
    assert machine.postil("index", workspace.root).status == 0
    uri = (workspace.folder / "notes/new.md").as_uri()
    document = {"uri": uri}
    asked = []
    with Conversation(machine.command("serve", "--stdio"), machine.environment()) as conversation:
        conversation.begin([workspace.folder.as_uri()], {})
        for number in range(30):
            opened = {**document, "languageId": "markdown", "version": 1, "text": f"# Note {number}\n"}
            conversation.tell("textDocument/didOpen", {"textDocument": opened})
            asked.append(conversation.ask("textDocument/documentSymbol", {"textDocument": document}))
            conversation.tell("textDocument/didClose", {"textDocument": document})
        names = [[symbol["name"] for symbol in each.result() or ()] for each in asked]
        assert conversation.end() == 0
    assert names == [[f"Note {number}"] for number in range(30)]


def test_what_has_its_command_already_is_resolved_to_itself(editor: Editor) -> None:
    command = lsp.Command("Related", "postil.server.related")
    start = lsp.Position(0, 0)
    action, lens = lsp.CodeAction("Related", command=command), lsp.CodeLens(lsp.Range(start, start), command)
    assert editor.ask("codeAction/resolve", action).command == command
    assert editor.ask("codeLens/resolve", lens).command == command


def test_an_answer_to_nothing_is_neither_answered_nor_a_failure(machine: Machine) -> None:
    with wire(machine) as server:
        server.initialize()
        for number in ({"a": 1}, [], None, "nobody asked"):
            server.send({"jsonrpc": "2.0", "id": number, "result": 1})
        assert server.ask("postil/status")["result"]["folders"] == []
    (log,) = (machine.folder / "home").rglob("server.log")
    assert {json.loads(line)["level"] for line in log.read_text("utf-8").splitlines()} == {"info"}


def test_a_name_is_not_sought_by_more_letters_apart_than_anybody_types() -> None:
    names = Names(["ab" * 80], str)
    assert [name for *_, name in names.find("a" * 64)] == ["ab" * 80]
    assert names.find("a" * 65) == []


def test_a_note_of_openers_alone_is_read_without_walking_it_from_each_of_them() -> None:
    for opener in ("[", "[[", "<a ", "<!-- ", "e.g. A "):  # minutes of the whole server, where each looks for its end
        first, *_ = units_of(f"The lease ends.\n\n{opener * 10_000}end\n", Kind.NOTE)
        assert first.text == "The lease ends."
