"""What lies over the user's settings: what an editor says, and what the workspace's own file narrows.

Both may come from a stranger's repository: neither can set an endpoint, a key, a model, a command or an outside folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from postil_indexers.errors import SettingsError
from postil_indexers.opening import open_file, read_up_to
from postil_indexers.seen import Skip, SkipReason
from postil_server.settings import (
    SWITCHES,
    RefusedError,
    Settings,
    load_settings,
    overlaid,
    settings_path,
    toml_table,
)

WORKSPACE_FILE = ".postil.toml"  # in the root
_LARGEST = 1 << 16  # bytes of it
_OF_THE_INDEX = ("embedding", "index")  # sections


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """What one editor says. `own`: what its client marks as the user's own settings, kept apart from `plain`, which may
    come from a workspace; later tables lie over earlier ones."""

    own: Mapping[str, Any] = field(default_factory=dict)
    plain: tuple[Mapping[str, Any], ...] = ()


NO_CLIENT = ClientSettings()


@dataclass(frozen=True, slots=True)
class Layered:
    settings: Settings
    warnings: tuple[str, ...]
    broken: tuple[SettingsError, ...]  # one for each file that can't be used and is passed over as a whole

    @property
    def told(self) -> tuple[str, ...]:
        """All of it in words."""
        return (*self.warnings, *(f"{error.message}; nothing in it holds until it is mended" for error in self.broken))


def layered(root: str | None, client: ClientSettings = NO_CLIENT) -> Layered:
    """The settings that hold in a folder, or where none is open: defaults, user's file, editor, workspace's file."""
    warnings: list[str] = []
    broken: list[SettingsError] = []
    settings = Settings()
    try:
        settings, warnings = load_settings(settings_path())
    except SettingsError as error:
        broken.append(error)
    said = [("userSettings", client.own, _of_the_user)] + [("settings", each, _of_an_editor) for each in client.plain]
    for where, table, admit in said:
        settings, more = overlaid(settings, table, f"the editor's {where}", admit, lenient=True)
        warnings += more
    if root is not None:
        try:
            settings, more = _narrowed(settings, root)
            warnings += more
        except SettingsError as error:
            broken.append(error)
    return Layered(settings, tuple(warnings), tuple(broken))


def stamp(root: str | None) -> tuple[tuple[int, int], ...]:
    """Another one whenever a settings file has changed."""
    files = [settings_path()] + ([Path(root, WORKSPACE_FILE)] if root is not None else [])
    return tuple(_file_stamp(file) for file in files)


def _file_stamp(file: Path) -> tuple[int, int]:
    try:
        status = file.stat()
    except OSError:
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)


def _of_the_user(key: str, below: Any, given: Any) -> Any:
    if key.partition(".")[0] not in _OF_THE_INDEX:
        return given
    if _is_known(key, below, given):
        return below
    why = f"an index serves all editors and the command line, so only {settings_path()} says what it holds"
    raise RefusedError(f"is passed over: {why}", below)


def _of_an_editor(key: str, below: Any, given: Any) -> Any:
    if key.partition(".")[0] in SWITCHES:
        return given
    if _is_known(key, below, given):
        return below
    why = "it is user-level, and this may come from a workspace"
    raise RefusedError(f"is passed over: {why}; set it in {settings_path()}", below)


def _is_known(key: str, below: Any, given: Any) -> bool:
    """Whether it says what holds anyway: some editors send every setting that they know of."""
    default: Any = Settings()
    for name in key.split("."):
        default = getattr(default, name)
    return given in (below, default)


def _narrowed(settings: Settings, root: str) -> tuple[Settings, list[str]]:
    """Raises SettingsError where the workspace's file can't be used: what it was to leave out must not be indexed."""
    where = os.path.join(root, WORKSPACE_FILE)
    opened = open_file(root, WORKSPACE_FILE)
    if isinstance(opened, Skip):
        if opened.reason is SkipReason.MISSING and not opened.is_directory:
            return settings, []
        raise SettingsError(f"{where} can't be used: {opened.detail}", "mend or remove the file")
    descriptor, _ = opened
    try:
        content = read_up_to(descriptor, _LARGEST + 1)
    except OSError as error:
        raise SettingsError(f"{where} can't be read: {error.strerror}", "mend or remove the file") from error
    finally:
        os.close(descriptor)
    if len(content) > _LARGEST:
        raise SettingsError(f"{where} is larger than {_LARGEST >> 10} KiB", "mend or remove the file")
    return overlaid(settings, toml_table(content, where), where, _of_a_workspace)


def _of_a_workspace(key: str, below: Any, given: Any) -> Any:
    if key in ("index.exclude", "llm.never_send"):
        leaving_out = below + tuple(pattern for pattern in given if not _brings_back(pattern))
        if len(leaving_out) < len(below) + len(given):
            raise RefusedError("can leave out more, and bring nothing back: its `!` is passed over", leaving_out)
        return leaving_out
    if key.partition(".")[0] in SWITCHES and isinstance(below, bool):
        if given and not below:
            raise RefusedError("is passed over: a workspace can only switch it off", below)
        return given
    why = "it is user-level; a workspace can only leave out more from its index and switch features off"
    raise RefusedError(f"is passed over: {why}", below)


def _brings_back(pattern: str) -> bool:
    """Whether git would read a `!` at the start of a line in it, after a byte order mark or a line end."""
    return any(line.lstrip("\ufeff").startswith("!") for line in pattern.replace("\r", "\n").split("\n"))
