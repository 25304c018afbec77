"""The walk over real trees: what is in, what is not, and for which reason."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from postil_indexers.errors import WorkspaceError
from postil_indexers.files import FileText, read_text, scan, why
from postil_indexers.seen import FileEntry, Skip, SkipReason


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)


def git(folder: Path, *arguments: str) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
    subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True, env=environment)


def taken(root: Path, **options) -> list[str]:
    return [
        row.path
        for row in scan(str(root), **options)
        if isinstance(row, FileEntry) and not row.path.endswith(".gitignore")
    ]


def left_out(root: Path, **options) -> dict[str, str]:
    return {row.path: row.reason.value for row in scan(str(root), **options) if isinstance(row, Skip)}


@pytest.fixture(autouse=True)
def no_settings_of_mine(monkeypatch, tmp_path_factory) -> Path:
    """A home folder without git settings."""
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return home


def test_ignore_files_count_without_a_repository_nested_and_negated(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            ".gitignore": "*.log\n/out/\n",
            "a.md": "a",
            "a.log": "a",
            "out/x.md": "x",
            "d/.gitignore": "!keep.log\ny.md\n",
            "d/keep.log": "k",
            "d/drop.log": "d",
            "d/y.md": "y",
            "d/e/y.md": "y",
            "e/y.md": "y",
        },
    )
    assert taken(tmp_path) == ["a.md", "d/keep.log", "e/y.md"]
    rows = {row.path: row for row in scan(str(tmp_path)) if isinstance(row, Skip)}
    assert rows["out"] == Skip("out", SkipReason.IGNORED, ".gitignore:2: /out/", is_directory=True)
    assert rows["d/y.md"].detail == "d/.gitignore:2: y.md"
    assert not any(path.startswith("out/") for path in rows)


def test_exclude_file_and_the_users_own_are_read_in_a_repository_only(
    tmp_path: Path, no_settings_of_mine: Path
) -> None:
    write(no_settings_of_mine, {".config/git/ignore": "*.mine\n*.both\n"})
    write(tmp_path, {"a.mine": "a", "b.exclude": "b", "c.both": "c"})
    assert taken(tmp_path) == ["a.mine", "b.exclude", "c.both"]
    git(tmp_path, "init", "-q")
    write(tmp_path, {".git/info/exclude": "*.exclude\n!*.both\n"})
    assert taken(tmp_path) == ["c.both"]  # info/exclude has the last word of the two
    write(no_settings_of_mine, {"elsewhere": "*.both\n"})
    git(tmp_path, "config", "core.excludesFile", "~/elsewhere")
    write(tmp_path, {".git/info/exclude": ""})
    assert taken(tmp_path) == ["a.mine", "b.exclude"]


def test_tracked_files_are_in_even_if_ignored(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {"build/kept.md": "k", "build/deep/er/kept.md": "k", "x.log": "x", "build/other.md": "o"})
    git(tmp_path, "add", "build/kept.md", "build/deep", "x.log")
    write(tmp_path, {".gitignore": "build/\n*.log\n", "y.log": "y", "build/deep/drop.md": "d"})
    assert taken(tmp_path) == ["x.log", "build/kept.md", "build/deep/er/kept.md"]
    assert left_out(tmp_path) == {".git": "version_control", "build": "ignored", "y.log": "ignored"}
    assert why(str(tmp_path), "build/other.md").reason is SkipReason.IGNORED
    assert why(str(tmp_path), "build/kept.md").path == "build/kept.md"


def test_postilignore_comes_after_and_can_bring_back_what_git_ignores(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(
        tmp_path,
        {
            ".gitignore": "drafts/\ngenerated/\n*.tmp.md\n",
            ".postilignore": "!drafts/\n!generated/docs/*.md\narchive/\n*.csv\n",
            "drafts/a.md": "a",
            "drafts/b.tmp.md": "b",
            "generated/docs/api.md": "api",
            "generated/docs/api.html": "api",
            "generated/code.c": "c",
            "archive/old.md": "old",
            "tracked.csv": "t",
            "notes/.postilignore": "!t.csv\n",
            "notes/t.csv": "t",
        },
    )
    git(tmp_path, "add", "tracked.csv")
    assert taken(tmp_path) == [
        ".postilignore",
        "drafts/a.md",
        "generated/docs/api.md",
        "notes/.postilignore",
        "notes/t.csv",
    ]
    assert left_out(tmp_path) == {
        ".git": "version_control",
        "archive": "postilignore",
        "drafts/b.tmp.md": "ignored",
        "generated": "ignored",
        "tracked.csv": "postilignore",
    }


def test_a_negated_name_reaches_into_ignored_folders_but_not_into_installed_packages(tmp_path: Path) -> None:
    files = {"private/a.md": "a", "private/b.c": "b", "node_modules/x/README.md": "r", "node_modules/mine/a.md": "m"}
    write(tmp_path, files | {".gitignore": "private/\n", ".postilignore": "!*.md\n"})
    assert taken(tmp_path) == [".postilignore", "private/a.md"]
    write(tmp_path, {".postilignore": "!node_modules/mine/**\n"})
    assert taken(tmp_path) == [".postilignore", "node_modules/mine/a.md"]
    write(tmp_path, {".postilignore": "!node_modules/\n"})
    assert taken(tmp_path) == [".postilignore", "node_modules/mine/a.md", "node_modules/x/README.md"]


def test_a_nested_repository_has_its_own_rules(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "*.log\nhidden/\n", "a.log": "a"})
    for name in ("inner", "hidden"):
        write(tmp_path, {f"{name}/b.log": "b", f"{name}/c.txt": "c", f"{name}/.gitignore": "c.txt\n"})
        git(tmp_path / name, "init", "-q")
    assert taken(tmp_path) == ["inner/b.log"]  # the outer rule for *.log ends at the inner repository
    assert left_out(tmp_path)["hidden"] == "ignored"


def test_a_tracked_submodule_is_in_even_below_an_ignored_name(tmp_path: Path) -> None:
    library = tmp_path / "library"
    write(library, {"lib.c": "int lib;", "lib.log": "l"})
    git(library, "init", "-q")
    git(library, "add", ".")
    git(library, "commit", "-q", "-m", "library")
    main = tmp_path / "main"
    main.mkdir()
    git(main, "init", "-q")
    git(main, "submodule", "add", str(library), "vendor/lib")
    git(main, "commit", "-q", "-m", "main")
    write(main, {".gitignore": "vendor/\n*.log\n"})
    assert os.path.isfile(main / "vendor/lib/.git")
    assert taken(main) == [".gitmodules", "vendor/lib/lib.c", "vendor/lib/lib.log"]
    assert left_out(main) == {".git": "version_control", "vendor": "ignored", "vendor/lib/.git": "version_control"}


def test_a_folder_of_a_larger_repository_has_the_rules_above_it(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(
        tmp_path,
        {
            ".gitignore": "*.log\n/pkg/app/out/\nignored/\n",
            "pkg/.gitignore": "app/*.tmp\n",
            "pkg/app/a.c": "a",
            "pkg/app/b.log": "b",
            "pkg/app/c.tmp": "c",
            "pkg/app/out/d.c": "d",
            "pkg/app/tracked.log": "t",
            "ignored/root/e.log": "e",
        },
    )
    git(tmp_path, "add", "-f", "pkg/app/tracked.log")
    assert taken(tmp_path / "pkg/app") == ["a.c", "tracked.log"]
    # a root that its repository ignores was opened on purpose: nothing from outside it counts
    assert taken(tmp_path / "ignored/root") == ["e.log"]


def test_the_walk_agrees_with_git_on_a_tree_of_nested_rules(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    names = ["a", "b", "ab", "x y", "é", "#h", "!n"]
    rules = ["*a\n!ab\n", "/b\nx*\n", "b/**/a\n", "!b\n**/é/\n", "*\n!*/\n!a\n", "a/b\n"]
    count = 0
    for first in names:
        for second in names:
            for third in names[:4]:
                write(tmp_path, {f"{first}/{second}/{third}": "."})
                count += 1
        write(tmp_path, {f"{first}/.gitignore": rules[len(first.encode()) % 6]})
        write(tmp_path, {f"{first}/ab/.gitignore": rules[(len(first.encode()) + 3) % 6]})
    write(tmp_path, {".gitignore": "/é/b\n"})
    listed = subprocess.run(
        ["git", "-C", str(tmp_path), "ls-files", "-z", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    ).stdout
    expected = {path for path in os.fsdecode(listed).split("\0") if path}
    assert {row.path for row in scan(str(tmp_path)) if isinstance(row, FileEntry)} == expected
    assert 20 < len(expected) < count


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    root = tmp_path / "root"
    write(outside, {"secret.md": "s"})
    write(root, {"a.md": "a", "d/b.md": "b"})
    (root / "out.md").symlink_to(outside / "secret.md")
    (root / "out").symlink_to(outside)
    (root / "in.md").symlink_to("a.md")
    (root / "d/loop").symlink_to("..")
    (root / "d/out.md").symlink_to(outside / "secret.md")
    (root / "self").symlink_to("self")
    (root / "gone").symlink_to("nothing")
    assert taken(root) == ["a.md", "d/b.md"]
    assert left_out(root) == {
        "d/loop": "symlink",
        "d/out.md": "outside",
        "gone": "symlink",
        "in.md": "symlink",
        "out": "outside",
        "out.md": "outside",
        "self": "symlink",
    }
    for path in ("out.md", "d/out.md", "out/secret.md", "in.md"):
        assert read_text(str(root), path).reason is SkipReason.SYMLINK
    for path in ("../outside/secret.md", "d/../../outside/secret.md", "/etc/passwd", "d//b.md", ""):
        assert read_text(str(root), path).reason is SkipReason.OUTSIDE
    assert why(str(root), "../outside/secret.md").reason is SkipReason.OUTSIDE
    link = tmp_path / "link"
    link.symlink_to(root)
    assert taken(link) == ["a.md", "d/b.md"]


def test_a_folder_that_becomes_a_link_after_the_scan_is_not_read_through(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    write(root, {"d/a.md": "inside"})
    write(outside, {"a.md": "outside"})
    assert taken(root) == ["d/a.md"]
    (root / "d/a.md").unlink()
    (root / "d").rmdir()
    (root / "d").symlink_to(outside)
    assert read_text(str(root), "d/a.md").reason is SkipReason.SYMLINK


def test_pipes_sockets_and_unreadable_things_block_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    os.mkfifo(tmp_path / ".gitignore")
    os.mkfifo(tmp_path / ".postilignore")
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()
        os.chdir(tmp_path)  # the path of a socket must be short
        try:
            listening.bind("s.md")
        finally:
            os.chdir(here)
    assert left_out(tmp_path) == dict.fromkeys((".gitignore", ".postilignore", "pipe.md", "s.md"), "special")
    assert read_text(str(tmp_path), "pipe.md").reason is SkipReason.SPECIAL
    assert read_text(str(tmp_path), "s.md").reason is SkipReason.SPECIAL
    assert read_text(str(tmp_path), "gone.md").reason is SkipReason.MISSING
    with pytest.raises(WorkspaceError, match="is not a folder"):
        list(scan(str(tmp_path / "pipe.md")))


def test_names_are_kept_as_the_system_gave_them(tmp_path: Path) -> None:
    names = [
        "Cafe\u0301.md",
        "Caf\u00e9.md",
        "q\"uo'te.md",
        "two words.md",
        "🚀.md",
        "line\nend.md",
        "a b.md",
        "a_b.md",
    ]
    names += ["README", "readme", "-rf.md", "back\\slash.md", " lead.md"]
    for name in names:
        (tmp_path / name).write_text(name)
    odd = os.fsencode(tmp_path) + b"/\xff\xfe.md"
    with open(odd, "wb") as file:
        file.write(b"odd")
    assert sorted(taken(tmp_path)) == sorted([*names, "\udcff\udcfe.md"])
    for name in names:
        assert read_text(str(tmp_path), name).text == name
    assert read_text(str(tmp_path), "\udcff\udcfe.md").text == "odd"
    assert why(str(tmp_path), "\udcff\udcfe.md").size == 3


def test_a_rename_in_case_only_is_seen(tmp_path: Path) -> None:
    write(tmp_path, {"Note.md": "n"})
    (tmp_path / "Note.md").rename(tmp_path / "note.md")
    assert taken(tmp_path) == ["note.md"]


def test_folders_of_tools_and_marked_folders_are_left_out_whole(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "node_modules/x/a.js": "a",
            ".obsidian/app.json": "{}",
            ".trash/old.md": "o",
            "logseq/bak/p.md": "p",
            "logseq/pages/p.md": "p",
            "myenv/pyvenv.cfg": "home = /usr",
            "myenv/lib/a.py": "a",
            "target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
            "target/debug/x.rs": "x",
            "cache/CACHEDIR.TAG": "something else",
            "mirror.git/HEAD": "ref: refs/heads/main",
            "mirror.git/objects/x": "x",
            "mirror.git/refs/x": "x",
            ".hg/store": "x",
            "build/kept.md": "only a rule of the workspace could leave this out",
        },
    )
    assert taken(tmp_path) == ["build/kept.md", "cache/CACHEDIR.TAG", "logseq/pages/p.md"]
    assert left_out(tmp_path) == {
        ".hg": "version_control",
        ".obsidian": "tool_folder",
        ".trash": "tool_folder",
        "logseq/bak": "tool_folder",
        "mirror.git": "version_control",
        "myenv": "tool_folder",
        "node_modules": "tool_folder",
        "target": "tool_folder",
    }
    write(tmp_path, {".postilignore": "!myenv/\n!.hg/\n!.trash/\n"})
    assert {"myenv/lib/a.py", ".trash/old.md"} <= set(taken(tmp_path))
    assert left_out(tmp_path)[".hg"] == "version_control"


@pytest.mark.parametrize(
    "path",
    [
        *(
            ".env",
            ".env.local",
            "prod.env",
            ".envrc",
            "id_rsa",
            "id_ed25519",
            "server.pem",
            "tls.KEY",
            "a.p12",
            "a.pfx",
        ),
        *(
            "a.jks",
            "a.keystore",
            "a.kdbx",
            ".netrc",
            "_netrc",
            ".npmrc",
            ".pypirc",
            ".git-credentials",
            "credentials.json",
        ),
        *(
            "service-account-prod.json",
            "client_secret_1.json",
            "terraform.tfstate",
            "terraform.tfstate.backup",
            "x.tfvars",
        ),
        *(".docker/config.json", ".cargo/credentials.toml", ".m2/settings.xml", "secrets.yaml", ".htpasswd", "a.ovpn"),
    ],
)
def test_secrets_are_never_read_and_nothing_brings_them_back(tmp_path: Path, path: str) -> None:
    write(tmp_path, {path: "top secret", ".postilignore": f"!{path}\n!*\n"})
    assert left_out(tmp_path)[path] == "secret"


def test_folders_of_keys_are_never_entered(tmp_path: Path) -> None:
    write(
        tmp_path,
        {".ssh/notes.md": "n", ".gnupg/a": "a", ".aws/credentials": "c", ".postilignore": "!.ssh/\n!.ssh/**\n"},
    )
    assert left_out(tmp_path) == {".ssh": "secret", ".gnupg": "secret", ".aws": "secret"}


def test_what_only_looks_like_a_secret_is_in(tmp_path: Path) -> None:
    names = [".env.example", ".env.sample", "id_rsa.pub", "service-accounts.md", "secrets.py", "keys.md", "config.json"]
    write(tmp_path, dict.fromkeys(names, "x"))
    assert sorted(taken(tmp_path)) == sorted(names)


def test_files_are_left_out_for_their_name_or_size(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.png": b"\x89PNG",
            "b.min.js": "x",
            "yarn.lock": "x",
            "d.excalidraw.md": "x",
            "e.svg": "<svg/>",
            ".note.md.icloud": "bplist00",
            "line.txt": b"x" * (5 << 20),
            "big.py": b"#" * (1 << 20) + b"#",
            "fits.py": b"#\n" * (1 << 19),
            "journal.md": b"words \n" * 300_000,
            "empty.md": b"",
        },
    )
    assert taken(tmp_path) == ["empty.md", "fits.py", "journal.md"]
    rows = {row.path: row for row in scan(str(tmp_path)) if isinstance(row, Skip)}
    assert {path: row.reason.value for path, row in rows.items()} == {
        "a.png": "binary",
        "b.min.js": "minified",
        "yarn.lock": "generated",
        "d.excalidraw.md": "drawing",
        "e.svg": "drawing",
        ".note.md.icloud": "placeholder",
        "line.txt": "too_large",
        "big.py": "too_large",
    }
    assert rows["line.txt"].detail == "5.0 MiB; the limit is 4.0 MiB"
    assert rows["line.txt"].size == 5 << 20
    assert read_text(str(tmp_path), "line.txt") == rows["line.txt"]
    assert "fits.py" not in taken(tmp_path, max_bytes=1000)


def test_the_users_own_patterns_have_the_last_word(tmp_path: Path) -> None:
    write(tmp_path, {".postilignore": "!a.md\n", "a.md": "a", "b.md": "b", "d/a.md": "a"})
    assert taken(tmp_path, extra_ignore=["/a.md", ".*"]) == ["b.md", "d/a.md"]
    assert why(str(tmp_path), "a.md", extra_ignore=["/a.md"]) == Skip("a.md", SkipReason.EXCLUDED, "settings:1: /a.md")


def test_why_tells_of_folders_contents_and_what_is_missing(tmp_path: Path) -> None:
    write(tmp_path, {"d/a.c": b"x\0y", "d/b.c": "int b;", ".gitignore": "e/\n", "e/f/g.c": "g"})
    root = str(tmp_path)
    assert why(root, "d") is None
    assert why(root, ".") is None
    assert why(root, "d/a.c") == Skip("d/a.c", SkipReason.BINARY, "has a zero byte at 1", size=3)
    assert why(root, str(tmp_path / "d/b.c")) == next(row for row in scan(root) if row.path == "d/b.c")
    assert why(root, "e/f/g.c") == Skip("e", SkipReason.IGNORED, ".gitignore:1: e/", is_directory=True)
    assert why(root, "d/none.c").reason is SkipReason.MISSING
    assert why(root, "d/b.c/deeper").reason is SkipReason.MISSING


def test_an_entry_changes_with_every_write(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "one"})
    (before,) = scan(str(tmp_path))
    read = read_text(str(tmp_path), "a.md")
    assert isinstance(read, FileText)
    assert read.entry == before
    status = os.stat(tmp_path / "a.md")
    write(tmp_path, {"a.md": "two"})
    os.utime(tmp_path / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))  # same size, same modification time
    (after,) = scan(str(tmp_path))
    assert after != before
    assert read_text(str(tmp_path), "a.md").content_hash != read.content_hash


def test_a_repository_that_git_refuses_is_walked_with_a_warning(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    write(tmp_path, {".gitignore": "*.log\n", "a.md": "a", "b.log": "b", ".git/index": "damaged"})
    warnings: list[str] = []
    assert taken(tmp_path, warnings=warnings) == ["a.md"]
    assert len(warnings) == 1
    assert warnings[0].startswith(f"git ls-files failed in {tmp_path}: ")


def test_a_linked_work_tree_has_the_rules_of_its_repository(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    write(main, {"a.md": "a", "t.log": "t"})
    git(main, "init", "-q")
    git(main, "add", ".")
    git(main, "commit", "-q", "-m", "first")
    write(main, {".git/info/exclude": "*.log\n"})
    git(main, "worktree", "add", "-q", str(linked))
    write(linked, {"b.log": "b"})
    assert taken(linked) == ["a.md", "t.log"]
    assert left_out(linked) == {".git": "version_control", "b.log": "ignored"}


def test_a_git_folder_that_points_nowhere_is_no_repository(tmp_path: Path) -> None:
    write(
        tmp_path,
        {".gitignore": "*.log\n", "a/.git": "gitdir: /nowhere\n", "a/x.log": "x", "b/.git/HEAD": "", "b/x.log": "x"},
    )
    assert taken(tmp_path) == []
    write(tmp_path, {"c/x.log": "x"})
    git(tmp_path / "c", "init", "-q")
    assert taken(tmp_path) == ["c/x.log"]


def test_why_says_of_every_path_what_the_scan_says(workspace, tmp_path: Path) -> None:
    root = tmp_path / "millrace"
    write(
        root,
        {".postilignore": "!*.kept\n", "out/a.kept": "k", "out/b.drop": "d", "x/.gitignore": "*.tmp\n", "x/y.tmp": "t"},
    )
    write(root, {".gitignore": "out/\n", "k.pem": "k", "p.bin": b"\0", "min.js": "x" * 5000})
    rows = list(scan(str(root)))
    assert {"out/a.kept", "k.pem", "x/y.tmp", "out"} <= {row.path for row in rows}
    for row in rows:
        found = why(str(root), row.path)
        if isinstance(row, FileEntry):
            assert found == row or (
                isinstance(found, Skip) and found.reason in (SkipReason.BINARY, SkipReason.MINIFIED)
            )
        elif row.path == "out":
            assert found is None  # walked, for what is brought back in it
        else:
            assert found == row


def test_why_takes_absolute_paths_by_whatever_link(tmp_path: Path) -> None:
    write(tmp_path, {"real/d/a.md": "a"})
    (tmp_path / "link").symlink_to("real")
    expected = why(str(tmp_path / "real"), "d/a.md")
    assert isinstance(expected, FileEntry)
    for root in ("real", "link"):
        for through in ("real", "link"):
            assert why(str(tmp_path / root), str(tmp_path / through / "d/a.md")) == expected


def test_a_very_deep_tree_is_walked(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 60, dir_fd=here)
        inner = os.open("d" * 60, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("a.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)
    (row,) = scan(str(tmp_path))
    assert row.path.count("/") == 60
    assert read_text(str(tmp_path), row.path).text == ""
