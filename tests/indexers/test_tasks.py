"""The order in which files are read."""

from __future__ import annotations

from postil_indexers.reading import ReadTask
from postil_indexers.seen import FileEntry
from postil_indexers.tasks import Tasks


def paths(tasks: Tasks, count: int = 99) -> list[str]:
    return [task.entry.path for task, _ in zip(tasks, range(count), strict=False)]


def tasks(*names: str) -> Tasks:
    return Tasks(ReadTask(FileEntry(name, 1, 1, 1, 1, 1), b"") for name in names)


def test_open_files_come_next_and_then_their_neighbours() -> None:
    waiting = tasks("a.md", "b/1.py", "b/2.py", "c/1.py", "c/2.py", "d.py")
    assert paths(waiting, 1) == ["a.md", "b/1.py"][:1]
    waiting.prefer(("c/2.py", "d.py"))
    assert paths(waiting) == ["c/2.py", "d.py", "c/1.py", "b/2.py"]


def test_each_task_is_handed_out_once_whatever_is_preferred() -> None:
    waiting = tasks("a", "b", "c")
    taken = iter(waiting)
    assert next(taken).entry.path == "a"
    waiting.prefer(("c", "a", "nowhere"))
    assert [task.entry.path for task in taken] == ["c", "b"]
