"""The full-text tables after deletions: BM25 must rank as if what is gone had never been there."""

from __future__ import annotations

from pathlib import Path

import pytest

from postil_indexers.prepare import Prepared, prepare
from postil_indexers.seen import FileEntry
from postil_indexers.store.index import Index, write_index
from postil_indexers.store.packing import pack_text
from postil_indexers.types import Commit, Document, FileChange, Hunk

NOTES = {f"{n}.md": f"# Note {n}\n\n" + "lease " * n + "words of a queue " * (7 - n) + "\n" for n in range(1, 6)}


def write(index: Index, notes: dict[str, str]) -> None:
    with index.transaction():
        for path, text in notes.items():
            write_one(index, prepare(Document(path, text, "markdown"), b"", ()))


def write_one(index: Index, prepared: Prepared) -> None:
    path = prepared.document.path
    index.documents.write(prepared, list(map(pack_text, prepared.texts)), FileEntry(path, 1, 1, 1, 0, 0), path, 1)


def scores(index: Index) -> list[tuple[str, float]]:
    matches = index.content.match(["leas", "queue"], None, 50)
    rows = index.content.chunks(match.rowid for match in matches)
    return [(rows[match.rowid].path, match.bm25) for match in matches]


def test_scores_do_not_drift_with_deletions(tmp_path: Path) -> None:
    with write_index(tmp_path / "fresh.db") as fresh, write_index(tmp_path / "used.db") as used:
        write(fresh, NOTES)
        write(used, {f"gone {n}.md": "lease queue and much else " * 50 for n in range(40)})
        write(used, NOTES)
        with used.transaction():
            for n in range(40):
                used.documents.remove(f"gone {n}.md")
        write(used, NOTES)  # each once more
        assert scores(used) == scores(fresh)
        assert len(scores(fresh)) == 5


def test_equal_texts_come_by_path_whichever_was_written_last(tmp_path: Path) -> None:
    with write_index(tmp_path / "index.db") as index:
        write(index, {"b.md": "lease queue\n", "c.md": "lease queue\n", "a.md": "lease queue\n"})
        write(index, {"a.md": "lease queue\n"})
        assert [path for path, _ in scores(index)] == ["a.md", "b.md", "c.md"]


def test_a_word_is_counted_by_passages_and_by_documents(tmp_path: Path) -> None:
    long = "".join(f"# Part {n}\n\nlease {'and words ' * 200}\n\n" for n in range(3))
    with write_index(tmp_path / "index.db") as index:
        write(index, {"a.md": long, "b.md": "lease queue\n", "c.md": "queue\n"})
        assert index.content.frequency(["leas", "queue"]) == {"leas": 4, "queue": 2}
        assert index.content.document_frequency(["leas", "queue", "else"]) == {"leas": 2, "queue": 2, "else": 0}
        write(index, {"b.md": "queue\n"})
        with index.transaction():
            index.documents.remove("c.md")
        assert index.content.document_frequency(["leas", "queue"]) == {"leas": 1, "queue": 1}
        assert index.content.document_count() == 2


def commit(number: int, subject: str) -> Commit:
    hunk = Hunk(0, 0, 0, 1, "", f"+line of {subject}\n")
    change = FileChange(f"src/{number}.py", f"old/{number}.py", "R", (hunk,))
    return Commit(f"{number:040x}", (), "Maya", "m@example.org", number, number, subject, "", (change,))


def test_commits_that_are_gone_leave_nothing(tmp_path: Path) -> None:
    with write_index(tmp_path / "index.db") as index:
        with index.transaction():
            for number in range(6):
                index.history.write(commit(number, f"Renew the lease {number}"))
        with index.transaction():
            index.history.remove([f"{number:040x}" for number in range(1, 6)])
        assert index.history.shas() == {"0" * 40}  # a hook may hand us this id; it is a commit like any other here
        assert index.history.frequency(["leas", "renew"]) == {"leas": 1, "renew": 1}
        (paths,) = index.connection.execute("SELECT group_concat(CAST(path AS TEXT)) FROM commit_paths")
        assert sorted(paths[0].split(",")) == ["old/0.py", "src/0.py"]
        assert index.history.touching("old") == index.history.touching("src/0.py") == {1}
        assert index.history.touching("src/1.py") == set()


def write_and_fail(index: Index) -> None:
    with index.transaction():
        prepared = prepare(Document("b.md", "lease queue\n", "markdown"), b"", ())
        write_one(index, prepared)
        index.history.write(commit(1, "Renew the lease"))
        raise RuntimeError


def test_what_a_failed_transaction_wrote_is_not_counted(tmp_path: Path) -> None:
    with write_index(tmp_path / "index.db") as index:
        write(index, {"a.md": "lease\n"})
        with pytest.raises(RuntimeError):
            write_and_fail(index)
        write(index, {"c.md": "other words\n"})
        with index.transaction():
            index.history.write(commit(2, "Other words"))
        assert index.content.frequency(["leas", "queue"]) == {"leas": 1, "queue": 0}
        assert index.history.frequency(["renew"]) == {"renew": 0}
        assert index.history.touching("src/2.py") == {1}
