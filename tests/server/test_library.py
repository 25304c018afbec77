"""answers.db: what is kept, by several at once, bounded, through versions and damage."""

from __future__ import annotations

import stat
import subprocess
import sys
import threading
from pathlib import Path

import apsw
import pytest

from postil_indexers.errors import PostilError
from postil_server.answering.library import Replies, open_library
from postil_server.answering.libraryfile import library_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "answers.db"


def test_answers_are_kept_by_folder_the_newest_first(path: Path) -> None:
    with open_library(path) as library:
        library.remember("a1", "/notes", "ask", "How long is a lease?", {"text": "30 秒 [1]"}, 1_700_000_000)
        library.remember("a2", "/code", "ask", "Other?", {"text": "no"}, 1_700_000_001)
        library.remember("a3", "/notes", "ask", "Why?", {"text": "b", "model": "ollama:qwen2.5:7b"}, 1_700_000_002)
        library.remember("a4", "/notes", "summarise", "lease.md", {"text": "c"}, 1_700_000_003)
    with open_library(path) as library:
        past = library.past("/notes", 10)
        assert [each.name for each in past] == ["a3", "a1"]
        assert past[1].record == {"text": "30 秒 [1]"}
        assert (past[0].model, past[0].answered_at) == ("ollama:qwen2.5:7b", 1_700_000_002)
        assert [each.question for each in library.past("/notes", 1)] == ["Why?"]
        assert [each.question for each in library.past("/notes", 9, "summarise")] == ["lease.md"]
        assert library.answer("a9") is None


def test_only_its_user_can_read_it(path: Path) -> None:
    with open_library(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_its_place_is_the_data_folder_or_the_one_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTIL_DATA_DIR", str(tmp_path))
    assert library_path() == tmp_path / "answers.db"
    monkeypatch.delenv("POSTIL_DATA_DIR")
    assert library_path().parts[-2:] == ("postil", "answers.db")


def test_a_reply_is_found_by_its_key_and_the_unused_go_first(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_library(path) as library:
        for number in range(4_000):
            library._connection.execute(
                "INSERT INTO replies VALUES (?, '/notes', 'old', ?)", (number.to_bytes(4, "big"), number)
            )
        assert library.reply((0).to_bytes(4, "big"), at=9_000) == "old"  # used again, so it stays
        library.keep_reply(b"new", "/notes", "Leases last 30 seconds [1].", at=9_001)
        assert library.reply((0).to_bytes(4, "big"), at=9_002) == "old"
        assert library.reply((1).to_bytes(4, "big"), at=9_003) is None
        assert library.reply(b"new", at=9_004) == "Leases last 30 seconds [1]."


def test_past_answers_are_bounded_and_feedback_outlives_them(path: Path) -> None:
    with open_library(path) as library:
        library.remember("a0", "/notes", "ask", "q0", {"text": "a", "citations": [{"path": "lease.md"}]}, 1)
        assert library.judge("a0", "bad", "wrong lines", 2)
        for number in range(1, 2_002):
            library.remember(f"a{number}", "/notes", "ask", f"q{number}", {}, number)
        assert len(library.past("/notes", 5_000)) == 2_000
        assert library.answer("a0") is None
        (feedback,) = library.feedback("/notes")
        assert (feedback.question, feedback.verdict, feedback.comment) == ("q0", "bad", "wrong lines")
        assert feedback.record == {"text": "a", "citations": [{"path": "lease.md"}]}


def test_a_verdict_replaces_the_one_before_it(path: Path) -> None:
    with open_library(path) as library:
        library.remember("a1", "/notes", "ask", "q", {}, 1)
        library.judge("a1", "bad", "", 2)
        library.judge("a1", "good", "after all", 3)
        assert [(each.verdict, each.given_at) for each in library.feedback("/notes")] == [("good", 3)]
        assert not library.judge("a9", "good", "", 4)


def test_what_is_too_long_is_not_kept(path: Path) -> None:
    with open_library(path) as library:
        library.remember("a1", "/notes", "ask", "q", {"text": "x" * 200_001}, 1)
        assert library.answer("a1") is None
        library.keep_reply(b"key", "/notes", "x" * 200_001, 1)
        assert library.reply(b"key", 2) is None


def test_a_folder_is_forgotten_with_all_that_is_kept_of_it(path: Path) -> None:
    with open_library(path) as library:
        for root in ("/notes", "/code"):
            library.remember(root, root, "ask", "q", {}, 1)
            library.judge(root, "good", "", 1)
            library.keep_reply(root.encode(), root, "reply", 1)
        library.forget("/notes")
        assert (library.past("/notes", 9), library.feedback("/notes"), library.reply(b"/notes", 2)) == ([], [], None)
        assert len(library.past("/code", 9)) == len(library.feedback("/code")) == 1
        assert library.reply(b"/code", 2) == "reply"


WRITER = """
import sys
from pathlib import Path
from postil_server.answering.library import open_library
for number in range(60):
    with open_library(Path(sys.argv[1])) as library:  # the first of them all makes the file
        library.remember(f"{sys.argv[2]}{number}", sys.argv[2], "ask", f"q{number}", {"n": number}, number)
        library.keep_reply(f"{sys.argv[2]}{number}".encode(), sys.argv[2], str(number), number)
"""


def test_two_servers_write_at_once(path: Path) -> None:
    roots = ("/one", "/two")
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), root]) for root in roots]
    assert [each.wait(60) for each in running] == [0, 0]
    with open_library(path) as library:
        for root in roots:
            assert sorted(each.record["n"] for each in library.past(root, 100)) == list(range(60))
            assert library.reply(f"{root}59".encode(), 99) == "59"


def test_a_reader_is_not_held_up_by_a_writer(path: Path) -> None:
    with open_library(path) as one, open_library(path) as other:
        one.remember("a1", "/notes", "ask", "q", {}, 1)
        one._connection.execute("BEGIN IMMEDIATE")
        read: list[int] = []
        reader = threading.Thread(target=lambda: read.append(len(other.past("/notes", 9))))
        reader.start()
        reader.join(2)
        one._connection.execute("ROLLBACK")
        assert read == [1]


def test_a_damaged_file_is_set_aside(path: Path) -> None:
    with open_library(path) as library:
        library.remember("a1", "/notes", "ask", "q", {}, 1)
    path.write_bytes(b"not a database at all" * 400)
    with open_library(path) as library:
        assert library.past("/notes", 9) == []
        library.remember("a1", "/notes", "ask", "again", {}, 2)
        assert library.answer("a1") is not None
    (aside,) = path.parent.glob("answers.db.damaged-*")
    assert aside.read_bytes().startswith(b"not a database")


def test_a_file_of_a_newer_version_is_left_alone(path: Path) -> None:
    with open_library(path) as library:
        library.remember("a1", "/notes", "ask", "q", {}, 1)
        library._connection.pragma("user_version", 99)
    with pytest.raises(PostilError, match="newer Postil"), open_library(path):
        pass
    assert apsw.Connection(str(path)).execute("SELECT question FROM answers").fetchall() == [("q",)]


def test_a_cache_that_cannot_be_written_is_none_and_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    replies = Replies("/notes", tmp_path / "file" / "answers.db")
    replies.keep(b"key", "text")
    assert replies.get(b"key") is None
    replies = Replies("/notes", tmp_path / "answers.db")
    replies.keep(b"key", "text")
    assert replies.get(b"key") == "text"
