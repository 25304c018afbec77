"""Related notes in the fixture workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixtures.repository import Workspace, init
from fixtures.workspace import FRAGMENTATION_NOTE
from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_workspace
from postil_indexers.store.index import Index, open_index, write_index
from postil_server.beside import beside, files_changed_with
from postil_server.related import Passage, passage_at, related
from postil_server.termvectors import TermVectors
from postil_server.types import Related

ROLES: dict[str, Embedder] = {"static": load_static()}
Ask = Callable[..., list[Related]]


def ask_in(
    index: Index, root: str, path: str, line: int | None = None, limit: int = 10, hover: bool = False
) -> list[Related]:
    passage = passage_at(index, path, line)
    assert passage is not None
    if hover:
        return beside(index, root, passage, ROLES, TermVectors(index), files_changed_with(index, path))
    return related(index, root, passage, ROLES, TermVectors(index), limit)


@pytest.fixture
def ask(built_workspace: Workspace, indexed_file: Path) -> Iterator[Ask]:
    with open_index(indexed_file) as index:
        yield lambda *arguments, **named: ask_in(index, built_workspace.root, *arguments, **named)


def test_a_note_is_not_related_to_itself(ask: Ask, built_workspace: Workspace) -> None:
    for path in built_workspace.git("ls-files", "-z", "*.md").split("\0")[:-1]:
        assert path not in {item.path for item in ask(path)}


def test_each_answer_gives_its_reason(ask: Ask) -> None:
    found = {item.path: item for item in ask("docs/design.md", limit=20)}
    assert found["docs/lease protocol.md"].reason.startswith("linked both ways")
    assert found["docs/glossary.md"].reason == "same topic: Lease"
    assert all(item.reason and item.snippet for item in found.values())


def test_a_note_in_the_other_script_is_related(ask: Ask) -> None:
    assert "notes/Redis記憶體碎片與逐出策略.md" in {item.path for item in ask(FRAGMENTATION_NOTE)[:3]}


def test_a_hover_shows_at_most_five_and_nothing_that_is_linked(ask: Ask) -> None:
    shown = ask("docs/design.md", hover=True)
    assert len(shown) <= 5
    assert not any("linked from here" in item.reason or "both ways" in item.reason for item in shown)


def test_a_hover_over_nothing_is_nothing(ask: Ask) -> None:
    assert ask("docs/design.md", 0, hover=True) == []  # front matter
    assert ask("docs/design.md", 9_999, hover=True) == []


def test_what_is_not_indexed_has_no_passage(indexed_file: Path) -> None:
    with open_index(indexed_file) as index:
        assert passage_at(index, "no/such.md", None) is None


def test_whole_notes_are_compared_by_documents_and_paragraphs_by_passages(tmp_path: Path) -> None:
    """All four notes speak of cobalt in one of their parts; one of them speaks of glazes in three."""
    workspace = init(tmp_path / "notes")
    for n in range(4):
        words = ("cobalt" + " glaze" * (n == 0), "glaze" * (n == 0), "glaze" * (n == 0))
        parts = (f"# Part {m}\n\n{word} {'fired clay ' * 120}\n\n" for m, word in enumerate(words))
        workspace.write(f"{n}.md", "".join(parts))
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, workspace.root, {}, processes=0)
        vectors = TermVectors(index)
        note, paragraph = vectors.of_text("cobalt glaze").weights, vectors.of_paragraph("cobalt glaze").weights
    assert note["glaze"] > 5 * note["cobalt"]
    assert paragraph["glaze"] < 1.5 * paragraph["cobalt"]


def test_text_that_is_not_in_the_workspace_finds_no_confident_note(
    built_workspace: Workspace, indexed_file: Path
) -> None:
    with open_index(indexed_file) as index:
        passage = Passage("Sourdough ferments at twenty-four degrees until the crumb is open and the crust is dark.")
        assert beside(index, built_workspace.root, passage, ROLES, TermVectors(index)) == []


def test_a_word_that_nothing_holds_counts_against_a_note(built_workspace: Workspace, indexed_file: Path) -> None:
    """It weighs as one that the paragraph alone holds, so that a paragraph weighs the same once it is indexed."""
    with open_index(indexed_file) as index:
        vectors = TermVectors(index)
        once = "browser"
        assert index.content.frequency([once]) == {once: 1}
        weights = vectors.weights(f"job {once} zugzwang")
        assert weights["zugzwang"] == weights[once] > weights["job"]
        passage = Passage("The lease runs out while the worker still works on the job.")
        longer = Passage(f"{passage.text} Zugzwang, ostinato, mezuzah, quokka, sforzando.")
        words = [
            related(index, built_workspace.root, asked, {}, vectors, 1)[0].evidence.words for asked in (passage, longer)
        ]
        assert words[1] < 0.5 * words[0]


def test_a_deleted_note_is_not_served(workspace: Workspace, indexed_file: Path) -> None:
    workspace.delete("docs/lease protocol.md")
    with open_index(indexed_file) as index:
        assert "docs/lease protocol.md" not in {item.path for item in ask_in(index, workspace.root, "docs/design.md")}


def test_a_template_does_not_make_notes_related(tmp_path: Path) -> None:
    """Daily notes share their skeleton with each other, and their subject with other notes."""
    folder = init(tmp_path / "notes")
    skeleton = (
        "---\ntype: daily\n---\n# {}\n\n## Plan for the day\n\n## Grateful for\n\n- family and friends\n\n{}\n\n"
        "## Tomorrow\n\nRemember to stretch.\n"
    )
    subjects = [
        "the volcano in Iceland",
        "sourdough bread",
        "a leaking roof",
        "tax returns",
        "an oboe concert",
        "chess openings",
    ]
    for number, subject in enumerate(subjects, 1):
        folder.write(
            f"daily/2024-03-0{number}.md", skeleton.format(f"2024-03-0{number}", f"Today was about {subject}.")
        )
    folder.write("volcanoes.md", "# Volcanoes\n\nEruptions of a volcano in Iceland follow rifts.\n")
    folder.write("bread.md", "# Bread\n\nSourdough bread needs a warm kitchen.\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, folder.root, {"static": RoleModel(ROLES["static"], "{}")}, processes=0)
        assert ask_in(index, folder.root, "daily/2024-03-01.md")[0].path == "volcanoes.md"
        assert ask_in(index, folder.root, "daily/2024-03-02.md")[0].path == "bread.md"
        assert ask_in(index, folder.root, "volcanoes.md")[0].path == "daily/2024-03-01.md"
        lines = folder.read("daily/2024-03-01.md").split("\n")
        assert ask_in(index, folder.root, "daily/2024-03-01.md", lines.index("Remember to stretch.")) == []
        (found, *_) = ask_in(
            index, folder.root, "daily/2024-03-01.md", lines.index("Today was about the volcano in Iceland.")
        )
        assert (found.path, found.reason) == ("volcanoes.md", "same topic: Volcanoes")


def test_of_notes_alike_the_one_that_is_spoken_of_by_its_title_comes_first(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "notes")
    body = "Seedlings want light, water twice a week, and a cool night before they are planted out in rows."
    for name in ("Tomatoes", "Peppers", "Aubergines", "Cucumbers"):
        workspace.write(f"{name}.md", f"# {name}\n\n{body}\n")
    workspace.write("Calendar.md", f"# Calendar\n\n{body} Last of all come the peppers.\n")
    workspace.write("Shed.md", f"# Shed\n\n{body} The calendar hangs on the door.\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, workspace.root, {"static": RoleModel(ROLES["static"], "{}")}, processes=0)
        found = [item.path for item in ask_in(index, workspace.root, "Calendar.md")]
    assert set(found[:2]) == {"Peppers.md", "Shed.md"}  # of which it speaks, and which speaks of it


def test_of_the_releases_of_a_page_the_nearest_stands_before_all_others(tmp_path: Path) -> None:
    folder = init(tmp_path / "manual")
    lease = "A worker renews its lease before the queue gives the job to another worker. Its deadline tells when. "
    lease += "Who loses a lease stops at once, writes nothing and asks for another job; a lost lease never returns."
    for release in ("1.0", "1.1", "2.0"):
        folder.write(f"{release}/lease.md", f"# Lease\n\n{lease}\n\nOf release {release}.\n")
    folder.write(
        "1.1/worker.md", "# Worker\n\nA worker takes a job from the queue, renews its lease and gives it back.\n"
    )
    folder.write("1.1/queue.md", "# Queue\n\nThe queue holds the jobs that no worker has taken.\n")
    folder.write("1.1/metrics.md", "# Metrics\n\nCounters and histograms are scraped by the monitoring.\n")
    path = tmp_path / "index-0.db"
    with write_index(path) as index:
        index_workspace(index, folder.root, {"static": RoleModel(load_static(), "{}")}, processes=0)
    with open_index(path) as index:
        found = [item.path for item in ask_in(index, folder.root, "1.1/worker.md")]
    assert found[:2] == ["1.1/lease.md", "1.1/queue.md"]
    assert set(found[2:]) >= {"1.0/lease.md", "2.0/lease.md"}
