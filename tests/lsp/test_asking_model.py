"""Answers by a model on a local Ollama server: streamed, replaced, cancelled, with hovers in between."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

from fixtures.editor import Editor, eventually, plain
from fixtures.machine import Machine
from fixtures.ollama_server import OllamaServer, serving
from postil_server.answering.library import open_library

QUESTION = "What happens when extending a lease?"
REPLY = ("Extending ", "happens ", "at half time [0]", ". Zebras ", "graze [0].")


@pytest.fixture(scope="module")
def ollama() -> Iterator[OllamaServer]:
    with serving(reply=REPLY, cites="half time") as server:
        yield server


@pytest.fixture(scope="module")
def modelled(desk: Any, ollama: OllamaServer, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    settings = f'[embedding]\nprose = ""\n[llm]\nendpoint = "{ollama.address}"\n'
    machine: Machine = type(desk.machine)(tmp_path_factory.mktemp("modelled"), settings)
    assert machine.postil("index", desk.workspace.root).status == 0
    return machine


@contextmanager
def with_settings(machine: Machine, settings: str) -> Iterator[Machine]:
    """The same machine with other settings, for a while."""
    try:
        yield type(machine)(machine.folder, settings)
    finally:
        machine.environment()  # writes its own again


@pytest.fixture(scope="module")
def editor(desk: Any, modelled: Machine) -> Iterator[Editor]:
    with Editor(modelled, [desk.workspace.root]) as editor:
        yield editor


@pytest.fixture
def told(editor: Editor, ollama: OllamaServer) -> Iterator[list[dict[str, Any]]]:
    """The events that the server tells from now on; the model as it is at first."""
    events: list[dict[str, Any]] = []
    features = editor.client.protocol.fm.features
    features["postil/answer"] = lambda params: events.append(plain(params))
    ollama.requests.clear()
    ollama.gone.clear()
    yield events
    if ollama.pause is not None:
        ollama.pause.set()
    ollama.pause = None
    del features["postil/answer"]


def test_a_model_answers_as_it_writes(editor: Editor, ollama: OllamaServer, told: list[dict[str, Any]]) -> None:
    answer = editor.ask("postil/ask", {"question": QUESTION, "stream": "m1", "cache": False})
    assert (answer["model"], answer["finish"]) == ("ollama:qwen2.5:7b", "complete")
    assert [sentence["support"] for sentence in answer["sentences"]] == ["supported", "not_found"]
    assert told[0]["kind"] == "sources"
    texts = [event["text"] for event in told if event["kind"] == "text"]
    assert len(texts) >= 3
    assert "".join(texts) == answer["text"]
    (chat,) = ollama.chats()
    assert chat["messages"][-1]["content"].endswith(f"Question: {QUESTION}")


def test_the_same_question_is_answered_from_the_cache(editor: Editor, ollama: OllamaServer, told: object) -> None:
    first = editor.ask("postil/ask", {"question": f"{QUESTION} Again?"})
    second = editor.ask("postil/ask", {"question": f"{QUESTION} Again?"})
    assert first["text"] == second["text"]
    assert len(ollama.chats()) == 1


def test_no_model_is_asked_where_none_is_wanted(editor: Editor, ollama: OllamaServer, told: object) -> None:
    answer = editor.ask("postil/ask", {"question": QUESTION, "model": False})
    assert answer["model"] == ""
    assert answer["text"].startswith("Extracts; no model was asked.")
    assert ollama.requests == []


def asked(editor: Editor, **more: Any) -> tuple[threading.Thread, list[Any]]:
    answers: list[Any] = []
    params = {"question": QUESTION, "cache": False, **more}
    thread = threading.Thread(target=lambda: answers.append(editor.ask("postil/ask", params)))
    thread.start()
    return thread, answers


def test_cancelling_stops_the_model_and_hovers_do_not_wait(
    editor: Editor, desk: Any, ollama: OllamaServer, told: list[dict[str, Any]]
) -> None:
    ollama.pause = threading.Event()  # the model is slow after its first piece
    path = Path(desk.root) / "docs/design.md"
    uri, text = editor.open_file(path), path.read_text(encoding="utf-8")
    at = text.index("[[2024-03-04 planning]]")
    line, column = text.count("\n", 0, at), at - text.rfind("\n", 0, at) - 1
    thread, answers = asked(editor, stream="m2")
    eventually(lambda: any(event["kind"] == "text" for event in told))
    assert editor.hover_text(uri, line, column + 5)  # while the answer is being written
    assert editor.command("postil.server.cancel", {"stream": "m2"}) == {"cancelled": True}
    thread.join(30)
    assert ollama.gone.wait(10)
    assert answers[0]["finish"] == "cancelled"
    assert answers[0]["text"].startswith("Extending")
    editor.close(uri)


def test_a_newer_question_of_a_view_replaces_the_older(
    editor: Editor, ollama: OllamaServer, told: list[dict[str, Any]]
) -> None:
    ollama.pause = threading.Event()
    older, first = asked(editor, stream="m3", view="panel")
    eventually(lambda: any(event["kind"] == "text" for event in told))
    newer, second = asked(editor, stream="m4", view="panel")
    older.join(30)
    assert first[0]["finish"] == "cancelled"
    ollama.pause.set()
    newer.join(30)
    assert second[0]["finish"] == "complete"
    assert ollama.most == 1  # one at a time


def test_who_waits_is_told_so(editor: Editor, ollama: OllamaServer, told: list[dict[str, Any]]) -> None:
    ollama.pause = threading.Event()
    one, first = asked(editor, stream="m7")
    eventually(lambda: any(event["kind"] == "text" for event in told))
    two, second = asked(editor, stream="m8")
    status = eventually(lambda: [event["status"] for event in told if event["kind"] == "status"])
    assert status == ["waiting for 1 earlier answer"]
    ollama.pause.set()
    for thread in (one, two):
        thread.join(30)
    assert first[0]["finish"] == second[0]["finish"] == "complete"


def test_a_summary_by_the_model(editor: Editor, desk: Any, ollama: OllamaServer, told: list[dict[str, Any]]) -> None:
    uri = (Path(desk.root) / "docs/lease protocol.md").as_uri()
    answer = editor.ask("postil/summarise", {"textDocument": {"uri": uri}, "stream": "m5"})
    assert answer["model"] == "ollama:qwen2.5:7b"
    assert ollama.chats()[0]["messages"][0]["content"].startswith("You summarise a text from numbered sources.")


def test_a_server_that_went_away_leaves_extracts_that_say_so(
    editor: Editor, ollama: OllamaServer, told: list[dict[str, Any]]
) -> None:
    ollama.errors = [(500, {"error": "model requires more system memory (5.6 GiB) than is available (3.1 GiB)"})]
    answer = editor.ask("postil/ask", {"question": QUESTION, "stream": "m6", "cache": False})
    assert answer["text"].startswith("Extracts; the model did not answer: qwen2.5")
    assert "smaller model" in answer["text"]
    (status,) = [event["status"] for event in told if event["kind"] == "status"]
    assert "does not fit into the memory" in status


def test_what_is_said_of_an_answer_is_kept_with_it(editor: Editor, modelled: Machine) -> None:
    answer = editor.ask("postil/ask", {"question": QUESTION, "model": False})
    said = {"answer": answer["id"], "verdict": "bad", "comment": "wrong lines"}
    assert editor.ask("postil/feedback", said) == {"kept": True}
    assert editor.ask("postil/feedback", {**said, "answer": "none"}) == {"kept": False}
    with open_library(modelled.folder / "data" / "answers.db") as library:
        kept = library.answer(answer["id"])
        assert kept is not None
        assert (kept.question, kept.record["text"]) == (QUESTION, answer["text"])
        (feedback,) = library.feedback(kept.root)
        assert (feedback.question, feedback.verdict, feedback.comment) == (QUESTION, "bad", "wrong lines")
    with pytest.raises(JsonRpcInvalidParams):
        editor.ask("postil/feedback", {**said, "verdict": "fine"})
    root = kept.root
    listed = modelled.here("answers", root, "--limit", "1", "--json").record
    assert (listed["id"], listed["answer"]["text"]) == (answer["id"], answer["text"])
    (case,) = yaml.safe_load(modelled.here("answers", root, "--feedback").out)
    assert case == {"id": "feedback-1", "question": QUESTION, "said": "wrong lines"}
    editor.ask("postil/feedback", {"answer": answer["id"], "verdict": "good"})
    (case,) = yaml.safe_load(modelled.here("answers", root, "--feedback").out)
    assert "docs/lease protocol.md" in case["sources"]
    path = modelled.folder / "feedback.yaml"
    path.write_text(yaml.safe_dump([case]), encoding="utf-8")
    judged = modelled.here("eval", str(path), "--root", root, "--json").record
    assert (judged["model"], judged["summary"]["questions"]) == ("ollama:qwen2.5:7b", 1)
    assert modelled.here("answers", root, "--forget").status == 0
    assert modelled.here("answers", root, "--json").out == ""


def test_tags_and_a_summary_are_an_edit_of_the_front_matter(editor: Editor, desk: Any, ollama: OllamaServer) -> None:
    path = Path(desk.root) / "docs/lease protocol.md"
    text = path.read_bytes().decode()
    uri = editor.open_file(path)
    reply = "tags: Redis, lua\nsummary: Extending happens at half time."
    ollama.reply, before = (reply,), ollama.reply
    try:
        found = editor.ask("postil/tags", {"textDocument": {"uri": uri}, "cache": False})
    finally:
        ollama.reply = before
    assert (found["tags"], found["summary"]) == (["redis", "lua"], "Extending happens at half time.")
    assert found["model"] == "ollama:qwen2.5:7b"
    (change,) = found["edit"]["documentChanges"]
    (edit,) = change["edits"]
    assert edit["range"]["start"] == edit["range"]["end"] == {"line": 0, "character": 0}
    assert edit["newText"] == '---\ntags: [redis, lua]\nsummary: "Extending happens at half time."\n---\n'
    without = editor.ask("postil/tags", {"textDocument": {"uri": uri}, "model": False})
    assert without["model"] == ""
    assert "redis" in without["tags"]
    assert path.read_bytes().decode() == text
    editor.close(uri)


def test_the_command_asks_the_editor_to_make_the_edit(editor: Editor, desk: Any) -> None:
    applied: list[Any] = []
    features = editor.client.protocol.fm.features
    features["workspace/applyEdit"] = lambda params: applied.append(params) or lsp.ApplyWorkspaceEditResult(True)
    uri = editor.open_file(Path(desk.root) / "docs/lease protocol.md")
    found = editor.command("postil.server.tags", {"textDocument": {"uri": uri}, "model": False})
    editor.close(uri)
    del features["workspace/applyEdit"]
    assert found["applied"] is True
    assert len(applied) == 1


def test_tags_are_offered_where_a_note_begins(editor: Editor, desk: Any) -> None:
    uri = editor.open_file(Path(desk.root) / "docs/lease protocol.md")

    def titles(line: int) -> list[str]:
        at = lsp.Range(lsp.Position(line, 0), lsp.Position(line, 0))
        context = lsp.CodeActionContext([], trigger_kind=lsp.CodeActionTriggerKind.Invoked)
        params = lsp.CodeActionParams(lsp.TextDocumentIdentifier(uri), at, context)
        found = editor.wait(editor.client.text_document_code_action_async(params))
        return [each.title for each in found or []]

    first, further = titles(0), titles(14)
    editor.close(uri)
    assert "Add tags and a summary" in first
    assert "Add tags and a summary" not in further


def test_a_workspace_can_keep_files_from_every_model(
    editor: Editor, desk: Any, ollama: OllamaServer, told: object
) -> None:
    narrowing = Path(desk.root) / ".postil.toml"
    narrowing.write_text('[llm]\nnever_send = ["/docs/lease protocol.md"]\nendpoint = "http://203.0.113.1"\n')
    try:
        answer = editor.ask("postil/ask", {"question": QUESTION, "cache": False})
    finally:
        narrowing.unlink()
    assert "lease protocol.md" not in ollama.chats()[0]["messages"][-1]["content"]
    assert answer["model"] == "ollama:qwen2.5:7b"


def test_what_is_not_saved_goes_to_another_machine_only_where_it_is_asked_about(
    desk: Any, modelled: Machine, ollama: OllamaServer
) -> None:
    """An address that is not known to be on this machine."""
    settings = f'[embedding]\nprose = ""\n[llm]\nendpoint = "http://0.0.0.0:{ollama.port}"\n'
    path = Path(desk.root) / "docs/lease protocol.md"
    text = path.read_text(encoding="utf-8").replace("Extending happens at half time.", "Extending is a private matter.")
    ollama.requests.clear()
    with with_settings(modelled, settings) as machine, Editor(machine, [desk.workspace.root]) as editor:
        uri = editor.open_file(path, text=text)
        asked = {"question": QUESTION, "cache": False}
        editor.ask("postil/ask", asked)
        editor.ask("postil/ask", {**asked, "textDocument": {"uri": uri}})
    without, about = (chat["messages"][-1]["content"] for chat in ollama.chats())
    assert "private matter" not in without
    assert "happens at half time" in " ".join(without.split())
    assert "private matter" in about


@pytest.mark.parametrize("running", [True, False])
def test_the_command_shows_the_prompt_and_sends_nothing(
    desk: Any, modelled: Machine, ollama: OllamaServer, running: bool
) -> None:
    settings = modelled.settings if running else modelled.settings.replace(str(ollama.port), "9")
    ollama.requests.clear()
    with with_settings(modelled, settings) as machine:
        ran = machine.here("ask", desk.workspace.root, QUESTION, "--show-prompt")
    assert ran.status == 0
    assert ran.out.startswith("[system]\nYou answer a question from numbered sources")
    assert ran.out.endswith(f"Question: {QUESTION}\n")
    assert "docs/lease protocol.md" in ran.err
    assert ollama.chats() == []
    assert ("is not running" in ran.err) is not running


def test_the_command_prints_tags_and_writes_them(desk: Any, modelled: Machine) -> None:
    root, note = desk.workspace.root, "docs/lease protocol.md"
    path = Path(root, note)
    before = path.read_bytes()
    printed = modelled.here("tags", root, note, "--no-model", "--json").record
    assert "redis" in printed["tags"]
    assert (printed["model"], printed["written"]) == ("", False)
    assert path.read_bytes() == before
    try:
        written = modelled.here("tags", root, note, "--no-model", "--write", "--json").record
        after = path.read_bytes()
    finally:
        path.write_bytes(before)
    assert written == {**printed, "written": True}
    assert after.endswith(before)
    assert after.startswith(f"---\ntags: [{', '.join(printed['tags'])}]\nsummary: ".encode())
    assert list(path.parent.glob("*postil*")) == []
    assert modelled.here("tags", root, "millrace/lease.py").status == 1
