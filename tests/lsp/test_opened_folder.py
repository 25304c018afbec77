"""What is read from an opened folder in a reading thread: how it links, whether its history lags, what is gone."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fixtures.machine import Machine
from fixtures.repository import Workspace, init
from fixtures.weights import model_folder
from postil_indexers.embedding.fastembed import FastembedEmbedder
from postil_server.lsp.behind import missing_head
from postil_server.lsp.desk import Desk, Opened
from postil_server.lsp.hover_commit import hover_commit
from postil_server.lsp.hover_note import related_items
from postil_server.lsp.lane import Token
from postil_server.lsp.linkwriting import link_text
from postil_server.lsp.noteview import note_view
from postil_server.lsp.pages import commit_page


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Notes that link with paths, as Markdown does."""
    folder = init(tmp_path / "notes")
    folder.write("volcanoes.md", "# Volcanoes\n\nSee [rifts](geology/rifts.md) and [more](geology/rifts.md#Where).\n")
    folder.write(
        "geology/rifts.md", "# Rifts of [Iceland]\n\nIn Iceland magma rises where rifts open; Krafla erupted.\n"
    )
    folder.write("geology/two words.md", "# Two words\n\nBack to [volcanoes](../volcanoes.md).\n")
    folder.commit("Begin")
    return folder


@pytest.fixture
def opened(workspace: Workspace, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    yield from opening(workspace, machine, monkeypatch)


def opening(workspace: Workspace, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    assert machine.postil("index", workspace.root).status == 0
    for name, value in machine.environment().items():
        if name.startswith("POSTIL_"):
            monkeypatch.setenv(name, value)
    desk = Desk()
    with desk.serving(Token(), {workspace.root}):
        yield desk.at(workspace.root)


def test_a_link_is_written_as_most_links_of_the_folder_are(opened: Opened) -> None:
    assert (
        link_text(opened, "volcanoes.md", "geology/two words.md", "Two words") == "[Two words](geology/two%20words.md)"
    )
    assert link_text(opened, "geology/rifts.md", "volcanoes.md", "Volcanoes", "fire") == "[fire](../volcanoes.md)"
    title = "Rifts of [Iceland]"
    assert link_text(opened, "volcanoes.md", "geology/rifts.md", title) == "[Rifts of \\[Iceland\\]](geology/rifts.md)"


def test_no_hover_waits_for_weights_and_the_next_ones_have_them(
    tmp_path: Path, workspace: Workspace, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = f'[embedding]\nprose = "folder:{model_folder(tmp_path / "minilm").as_posix()}"\n'
    for opened in opening(workspace, Machine(tmp_path / "other", settings), monkeypatch):
        view = note_view("Rifts open in Iceland, and magma rises in them.\n", "draft.md", "markdown")
        assert related_items([opened], view, 0, None)
        assert set(opened.embedders(local=True)) == {"static", "prose"}
        weights = opened.embedders(local=True)["prose"]
        assert isinstance(weights, FastembedEmbedder)
        while not weights.is_open:  # the suite's own limit ends it
            time.sleep(0.05)
        assert set(opened.at_hand()) == {"static", "prose"}
        assert related_items([opened], view, 0, None)[0].path == "geology/rifts.md"


def test_it_is_told_when_the_branch_is_ahead_of_the_index(opened: Opened, workspace: Workspace) -> None:
    assert missing_head(opened) is None
    workspace.write("new.md", "# New\n")
    new = workspace.commit("One more")
    assert missing_head(opened) == new
    workspace.git("pack-refs", "--all")
    assert missing_head(opened) == new
    workspace.git("checkout", "-q", "--detach", "HEAD~1")
    assert missing_head(opened) is None
    workspace.git("checkout", "-q", "--orphan", "empty")
    assert missing_head(opened) is None


def test_commits_of_another_branch_are_not_of_head_until_that_is_indexed(
    workspace: Workspace, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace.git("switch", "-q", "-c", "next")
    ahead = workspace.commit("One more")
    workspace.git("switch", "-q", "main")
    told = replace(machine, settings=machine.settings + '[index]\nbranches = ["next"]\n')
    for opened in opening(workspace, told, monkeypatch):
        assert missing_head(opened) is None
        assert "Branch: next, not reached by HEAD\n" in commit_page(opened, ahead)
        assert "Branch:" not in commit_page(opened, workspace.head())
        shown = hover_commit([opened], f"since {ahead[:9]}", 8)
        assert shown is not None
        assert shown.lines[0].after == f" (Maya Okafor, {ahead[:8]}, on next and not on HEAD)"
        workspace.git("switch", "-q", "next")
        assert missing_head(opened) == ahead


def test_a_note_that_is_gone_leaves_an_answer_that_was_kept(opened: Opened, workspace: Workspace) -> None:
    view = note_view("Krafla erupted: in Iceland magma rises where rifts open.\n", "new.md", "markdown")

    def shown() -> list[str]:
        return [item.path for item in related_items([opened], view, 0, (workspace.root, "new.md"))]

    assert shown() == ["geology/rifts.md"]
    workspace.delete("geology/rifts.md")
    assert shown() == []
