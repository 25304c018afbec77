from __future__ import annotations

import os
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from postil_indexers.platform import broad_folder, comparison_key, ignores_case, is_placeholder
from postil_indexers.seen import FileEntry, Skip, SkipReason, shown, shown_size
from postil_indexers.survey import needs_confirmation, survey


def _entry(path: str, size: int) -> FileEntry:
    return FileEntry(path, size, 0, 0, 0, 0)


def test_a_survey_counts_by_language_and_reason() -> None:
    rows = [
        _entry("a.py", 10),
        _entry("b.py", 30),
        _entry("docs/note.md", 100),
        _entry("Makefile", 5),
        Skip("big.bin", SkipReason.BINARY, size=900),
        Skip("small.bin", SkipReason.BINARY, size=9),
        Skip("node_modules", SkipReason.TOOL_FOLDER, is_directory=True),
    ]
    result = survey(rows)
    assert (result.files, result.size) == (4, 145)
    assert [(name, share.files, share.size) for name, share in result.languages.items()] == [
        (".md", 1, 100),
        (".py", 2, 40),
        ("Makefile", 1, 5),
    ]
    binary = result.skipped[SkipReason.BINARY]
    assert (binary.files, binary.folders, binary.size) == (2, 0, 909)
    assert [row.path for row in binary.examples] == ["big.bin", "small.bin"]
    assert (result.skipped[SkipReason.TOOL_FOLDER].files, result.skipped[SkipReason.TOOL_FOLDER].folders) == (0, 1)
    assert list(result.skipped) == [SkipReason.BINARY, SkipReason.TOOL_FOLDER]
    assert list(survey(rows, lambda path: "text").languages) == ["text"]


def test_broad_folders_and_many_files_are_asked_about(tmp_path: Path, monkeypatch) -> None:
    home = tmp_path / "people" / "me"
    project = home / "project"
    project.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    assert needs_confirmation(str(home), 12) == f"{home} is your home folder, with 12 files to index"
    assert broad_folder(str(home.parent)) == "a folder that contains your home folder"
    assert broad_folder("/") == "the root of a file system"
    assert needs_confirmation(str(project), 50_000) is None
    assert needs_confirmation(str(project), 50_001) == f"{project} has 50,001 files to index, more than 50,000"
    link = tmp_path / "link"
    link.symlink_to(home)
    assert broad_folder(str(link)) == "your home folder"


def test_keys_compare_what_one_file_system_may_write_in_two_ways() -> None:
    assert comparison_key("Cafe\u0301.md") == comparison_key("Caf\u00e9.md") == "Caf\u00e9.md"
    assert comparison_key("README.md") != comparison_key("readme.md")
    assert comparison_key("Straße.MD", fold_case=True) == comparison_key("STRASSE.md", fold_case=True)
    assert comparison_key("a b") != comparison_key("a_b")
    assert comparison_key("\udcff") == "\udcff"


def test_a_file_system_that_tells_case_apart(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    expected = os.path.exists(tmp_path / "A")
    assert ignores_case(str(tmp_path)) is expected
    (tmp_path / "Ab").touch()
    assert ignores_case(str(tmp_path)) is expected


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ({"st_flags": 0x40000000}, True),
        ({"st_flags": 0x20}, False),
        ({"st_file_attributes": 0x400000 | 0x20}, True),
        ({"st_file_attributes": 0x1000}, True),
        ({"st_file_attributes": 0x20}, False),
        ({"st_size": 10_000, "st_blocks": 0}, False),  # sparse, or kept in the inode: it can be read
    ],
)
def test_placeholders_of_cloud_drives_are_known_by_their_marks(marks: dict[str, int], expected: bool) -> None:
    assert is_placeholder(SimpleNamespace(st_mode=stat.S_IFREG, **marks)) is expected


def test_paths_and_sizes_are_shown_on_one_line() -> None:
    assert shown("a\nb\x1b[31m\udcff\u2028é🚀.md") == "a\\nb\\x1b[31m\\xff\\u2028é🚀.md"
    assert [shown_size(size) for size in (0, 1023, 1536, 5 << 20, 3 << 30)] == [
        "0 B",
        "1023 B",
        "1.5 KiB",
        "5.0 MiB",
        "3.0 GiB",
    ]
