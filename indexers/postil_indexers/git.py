"""The one way git is run: nothing that a repository's own configuration names is ever executed, nothing is fetched."""

from __future__ import annotations

import functools
import io
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from postil_indexers.errors import GitError
from postil_indexers.platform import program_file

# A configuration key on the command line beats the repository's own file. Each of these names a program that git
# would start, a file that it would read (a named pipe blocks it for ever), or another place than the object store.
_HARMLESS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.pager=cat",
    "core.askPass=",
    "core.sshCommand=false",
    "core.gitProxy=",
    "core.editor=false",
    "sequence.editor=false",
    "core.alternateRefsCommand=",
    "core.untrackedCache=false",
    "credential.helper=",
    "diff.external=",
    "diff.submodule=short",  # "log" runs git inside submodules
    "gpg.program=false",
    "gpg.openpgp.program=false",
    "gpg.ssh.program=false",
    "gpg.x509.program=false",
    "log.showSignature=false",
    "log.mailmap=false",
    "mailmap.file=",
    "mailmap.blob=",
    "protocol.allow=never",
    "fetch.recurseSubmodules=false",
    "submodule.recurse=false",
    "safe.bareRepository=explicit",  # a folder that only looks like a repository, checked out from one
    "maintenance.auto=false",
    "gc.auto=0",
)
# What changes the shape of what git prints, so that one parser reads it whatever the user or the repository prefers.
_PLAIN_OUTPUT = (
    "core.quotePath=false",
    "color.ui=false",
    "color.diff=false",
    "i18n.logOutputEncoding=UTF-8",
    "diff.noprefix=false",
    "diff.mnemonicPrefix=false",
    "diff.relative=false",
    "diff.interHunkContext=0",
    "diff.suppressBlankEmpty=false",
    "diff.colorMoved=no",
    "diff.ignoreSubmodules=none",
    "log.showRoot=true",
    "log.follow=false",
    "log.decorate=false",
    "log.abbrevCommit=false",
    "notes.displayRef=",
)
# git maps a whole pack, and reading a long history then takes as much memory as the pack; windows cost no time
_MEMORY = ("core.packedGitWindowSize=32m", "core.packedGitLimit=128m")
# Only commands that read the object store, the references or the index. "status", "diff" against the work tree and
# "blame" of it would run the repository's clean filters, which no flag and no setting switches off.
_COMMANDS = frozenset(
    {
        *("blame", "cat-file", "config", "diff-tree", "for-each-ref", "log", "ls-files", "ls-tree", "merge-base"),
        *("rev-list", "rev-parse", "show", "show-ref", "symbolic-ref", "--version"),
    }
)
_PRINTING_DIFFS = frozenset({"log", "show", "diff-tree"})
# For every command that prints a diff. The order file cancels diff.orderFile, which may name a file that is not there.
DIFF_FLAGS = ("--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", f"-O{os.devnull}")
_BLAME_FLAGS = ("--no-textconv", "--no-ignore-revs-file")  # blame.ignoreRevsFile: a missing file would end it
# They write files, start programs or contact somebody; before "--", an option is an option wherever it came from.
_FORBIDDEN = (
    *("--output", "--ext-diff", "--textconv", "--filters", "--show-signature", "--recurse-submodules", "--contents"),
)
# The user's own places, and what keeps git from searching further up; all else would point every command at the
# repository of whoever started us (a hook, an editor).
_KEPT = frozenset({"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES"})
_AHEAD_BYTES = 1 << 20  # what Linux lets any user have; 64 KB are the changes of twenty commits
_TRIES = 2  # of a git that was killed: a system short of memory means no answer by it
_TIMEOUT_S = 120.0  # a local command that takes longer is stuck on a lock or a dead file system
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows: no console flashes up


def git_executable(root: str) -> str:
    """The absolute path of git, never one that lies in the workspace `root`: it could hold a `git` of its own."""
    return _find_git(_search_path(root), root)


def leave_out_of_path(root: str) -> None:
    """Take the folders of a workspace off PATH, for all that this process starts.

    `git_executable` knows just the folder that it is asked for, which may be a repository deep inside the workspace.
    """
    os.environ["PATH"] = _search_path(root)


def _search_path(root: str) -> str:
    """PATH without its relative entries, and without those in `root`, by whatever name: links are followed."""
    return _trusted(os.environ.get("PATH", os.defpath), root)


@functools.lru_cache(maxsize=8)
def _trusted(search_path: str, root: str) -> str:
    entries = search_path.split(os.pathsep)
    return os.pathsep.join(entry for entry in entries if os.path.isabs(entry) and not _lies_in(entry, root))


def _lies_in(path: str, root: str) -> bool:
    """Whether a path lies in a folder. In a whole drive everything lies, git as well, so nothing does."""
    real, folder = os.path.realpath(path), os.path.realpath(root)
    return folder != os.path.dirname(folder) and (real == folder or real.startswith(folder + os.sep))


@functools.lru_cache(maxsize=8)
def _find_git(search_path: str, root: str) -> str:
    name = program_file("git")
    # not shutil.which: on Windows it looks into the current folder first
    for entry in search_path.split(os.pathsep):
        found = os.path.join(entry, name)
        if entry and os.path.isfile(found) and os.access(found, os.X_OK) and not _lies_in(found, root):
            return found
    raise GitError("git was not found on PATH", "install git, or index with --no-history")


def _command(root: str, arguments: tuple[str, ...]) -> list[str]:
    name, *rest = arguments
    if name not in _COMMANDS:
        raise ValueError(f"git {name} is not one of the commands that only read what is committed")
    options = rest[: rest.index("--")] if "--" in rest else rest
    for option in options:
        stem = option.partition("=")[0]  # git takes any unambiguous beginning of a long option
        if len(stem) > 4 and any(bad.startswith(stem) for bad in _FORBIDDEN):
            raise ValueError(f"git {name} {option} could run a program or write a file")
    if name == "config" and not any(option.startswith(("--get", "--list")) for option in options):
        raise ValueError("git config is only read")
    settings = [part for key in (*_HARMLESS, *_PLAIN_OUTPUT, *_MEMORY) for part in ("-c", key)]
    flags = DIFF_FLAGS if name in _PRINTING_DIFFS else _BLAME_FLAGS if name == "blame" else ()
    return [git_executable(root), "--no-pager", "--no-optional-locks", *settings, "-C", root, name, *flags, *rest]


def _environment(root: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in _KEPT}
    return {
        **kept,
        "PATH": _search_path(root),
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",  # from git 2.39.4 on; before, the empty list of protocols stops the fetch
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_ASKPASS": "",
        "GIT_PAGER": "cat",
        "GIT_ATTR_NOSYSTEM": "1",
        "GCM_INTERACTIVE": "never",
    }


def run_git(
    root: str, *arguments: str, stdin: bytes | None = None, ok: tuple[int, ...] = (0,), timeout_s: float = _TIMEOUT_S
) -> bytes:
    """Standard output of one git command in `root`. Raises GitError with git's own last line on any other status."""
    command = _command(root, arguments)
    for _ in range(_TRIES):
        try:
            done = subprocess.run(
                command,
                input=stdin if stdin is not None else b"",
                capture_output=True,
                env=_environment(root),
                timeout=timeout_s,
                check=False,
                creationflags=_NO_WINDOW,
            )
        except subprocess.TimeoutExpired as error:
            raise GitError(f"git {arguments[0]} did not answer within {timeout_s:.0f} s in {root}") from error
        except (OSError, ValueError) as error:  # ValueError: a zero byte in an argument
            raise GitError(f"git could not be started: {error}") from error
        if done.returncode >= 0:
            break
    if done.returncode not in ok:
        raise _failure(root, arguments, done.stderr)
    return done.stdout


class _Output(io.RawIOBase):
    """A pipe that knows whether it was read to its end."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self.ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        count = int(self._pipe.readinto(buffer))  # type: ignore[attr-defined]
        self.ended = count == 0
        return count


def _widen(pipe: IO[bytes]) -> None:
    """Let git run ahead of who reads and writes between; where a system has no such thing, it waits more often."""
    if sys.platform == "linux":
        import fcntl  # Windows has none

        with suppress(OSError):  # above the system's limit
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _AHEAD_BYTES)


@contextmanager
def stream_git(
    root: str, *arguments: str, stdin: bytes | None = None, timeout_s: float = _TIMEOUT_S
) -> Iterator[IO[bytes]]:
    """Standard output of a git command as a stream. Leaving early stops git; a failure at the end raises GitError.

    `timeout_s` is for the first byte: what comes later waits on the reader.
    """
    command = _command(root, arguments)
    # files, not pipes: thousands of warnings would fill one and block git, and so would what it is given
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as given:
        given.write(stdin or b"")
        given.seek(0)
        try:
            process = subprocess.Popen(
                command,
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=_environment(root),
                bufsize=0,
                creationflags=_NO_WINDOW,
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git could not be started: {error}") from error
        assert process.stdout is not None
        _widen(process.stdout)
        output = _Output(process.stdout)
        stuck = threading.Timer(timeout_s, process.kill)
        stuck.daemon = True
        stuck.start()
        try:
            stream = io.BufferedReader(output, 1 << 20)
            stream.peek(1)
            stuck.cancel()
            yield stream
            if output.ended and process.wait(_TIMEOUT_S) != 0:
                errors.seek(0)
                raise _failure(root, arguments, errors.read())
        finally:
            stuck.cancel()
            process.stdout.close()
            if process.poll() is None:
                process.kill()
                process.wait()


def _failure(root: str, arguments: tuple[str, ...], errors: bytes) -> GitError:
    message = errors.decode("utf-8", "replace").strip()
    lines = message.splitlines() or ["it was stopped, or gave no message"]
    hint = ""
    if "dubious ownership" in message:
        # the first line says it; the last ones are git's own advice
        lines = [next(line for line in lines if "dubious ownership" in line)]
        hint = f"the folder belongs to another user; to trust it: git config --global --add safe.directory {root}"
    return GitError(f"git {arguments[0]} failed in {root}: {lines[-1].strip()}", hint)


def repository_root(folder: str) -> str | None:
    """The top folder of the work tree that `folder` is in; None where it is in none, or git refuses it.

    A repository whose core.worktree points elsewhere has no work tree here.
    """
    try:
        out = run_git(folder, "rev-parse", "--show-toplevel")
    except GitError:
        return None
    top = os.fsdecode(out.removesuffix(b"\n"))
    if not top:
        return None
    real_top, real = os.path.realpath(top), os.path.realpath(folder)
    return top if real == real_top or real.startswith(real_top.rstrip(os.sep) + os.sep) else None
