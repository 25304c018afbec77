"""Changes that are taken in while a run over the whole tree is under way."""

from __future__ import annotations

from fixtures.index_dump import differences, dump
from fixtures.repository import Workspace
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import Updater, index_workspace
from postil_indexers.progress import Progress
from postil_indexers.store.index import Index, write_index

FILES = 60


def module(number: int) -> str:
    """Some 20 KB, so that a batch ends before all of them are read."""
    return "\n".join(f"def part_{number}_{i}(lease):\n    return lease.renew({i})\n" for i in range(350))


def test_files_that_wait_to_be_read_are_read_once_when_their_folder_changes(
    folder: Workspace, index: Index, models: dict[str, RoleModel]
) -> None:
    for number in range(FILES):
        folder.write(f"src/{number}.py", module(number))
    urgent = []

    def listener(progress: Progress) -> None:
        if progress.stage == "reading" and not urgent and 0 < progress.done < progress.total == FILES:
            urgent.append(progress.done)
            folder.write("src/1.py", "def changed():\n    pass\n")
            updater.folders({"src"})

    updater = Updater(index, folder.root, models, processes=1, listener=listener)
    with updater.readers():
        updater.workspace()
        updater.settle()
    assert len(urgent) == 1
    assert index.documents.count()[0] == FILES
    with write_index(index.path.with_name("whole.db")) as whole:
        index_workspace(whole, folder.root, models, processes=0)
        assert differences(dump(index), dump(whole)) == ""
