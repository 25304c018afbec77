"""Files get other names or places, and the links to them and inside of them follow, as they were written."""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import replace

from postil_indexers.chunking.notes import NOTE_EXTENSIONS, file_stem
from postil_indexers.links import LinkResolver, LinkTarget, name_key
from postil_indexers.types import Link
from postil_server.lsp.desk import Opened
from postil_server.lsp.edits import Plan, RefusedError
from postil_server.lsp.live import Buffers, live_note, live_notes
from postil_server.lsp.meanings import notes_naming
from postil_server.lsp.relinking import Moves, Relinker
from postil_server.lsp.uris import uri_of

_NOT_IN_NAMES = re.compile(r"[\x00-\x1f\x7f<>:\"\\|?*\[\]#^]")  # not in every file system, or not in a link
_FOLDER_NOTES = ("index", "readme", "_index")  # what links to a folder mean


def unread(opened: Opened) -> bool:
    """Whether the first indexing is still under way."""
    return int(opened.index.get("pending_files") or 0) > 0


def linkable(opened: Opened) -> list[LinkTarget]:
    """Every file that links can mean, pictures and other files without text too."""
    files = opened.index.documents.link_targets()
    known = [LinkTarget(file.path, file.title, file.aliases, file.note_id) for file in files]
    return [*known, *(LinkTarget(path) for path in opened.index.names.left_out_names())]


def new_path(old: str, name: str) -> str:
    """Where a file goes that is called `name` now: beside where it is, from the root with a `/` in front. Raises
    RefusedError."""
    folder = "" if name.startswith("/") else posixpath.dirname(old)
    extension = posixpath.splitext(old)[1]
    if extension.lower() in NOTE_EXTENSIONS and posixpath.splitext(name)[1].lower() not in NOTE_EXTENSIONS:
        name += extension
    path = posixpath.normpath(posixpath.join(folder, name.lstrip("/")))
    if path.startswith("../") or path in ("..", "."):
        raise RefusedError("the new name leads out of the folder")
    bad = _NOT_IN_NAMES.search(path)
    if bad is not None or any(part != part.strip() or part.startswith(".") for part in path.split("/")):
        said = f"has {bad[0]!r} in it" if bad else "begins with a dot, or begins or ends with a space"
        raise RefusedError(f"“{name}” {said}, which links or other systems can't have in a file name")
    return path


def rename_file(opened: Opened, old: str, new: str, buffers: Buffers, plan: Plan) -> None:
    """One file, with the links. Raises RefusedError where another has the name, or other links would change."""
    if new == old:
        return
    there = os.path.join(opened.root, new)
    same = unicodedata.normalize("NFC", new).casefold() == unicodedata.normalize("NFC", old).casefold()
    if (opened.index.content.document(new) or os.path.lexists(there)) and not same:
        raise RefusedError(f"there is a file {new} already")
    move(opened, {old: new}, buffers, plan, keeps_others=False)
    plan.renames.append((uri_of(os.path.join(opened.root, old)), uri_of(there)))


def with_contents(opened: Opened, moves: Moves) -> dict[str, str]:
    """With every file in a folder that moves."""
    found = {}
    paths = [target.path for target in linkable(opened)]
    for old, new in moves.items():
        found.update({path: new + path[len(old) :] for path in paths if path == old or path.startswith(f"{old}/")})
    return found


def move(opened: Opened, moves: Moves, buffers: Buffers, plan: Plan, *, keeps_others: bool) -> None:
    """`keeps_others`: the files move whatever we say; links to others that would come to mean a moved one are rewritten
    too, and not refused."""
    files = linkable(opened)
    before, after = LinkResolver(files), LinkResolver(_moved(opened, files, moves, buffers))
    names = {name for new in moves.values() for name in (posixpath.basename(new), file_stem(new))}
    others = changed_others(opened, before, after, moves, names)
    if others and not keeps_others:
        _refuse(others)
    ids = [doc.id for path in moves if (doc := opened.index.content.document(path)) is not None]
    paths = [*moves, *opened.index.names.linking(ids), *notes_naming(opened, moves), *(p for p, _ in others)]
    relinker = Relinker(before, after, moves, markdown_links=opened.app.settings.features.markdown_links)
    for note in live_notes(opened.root, paths, buffers):
        relinker.relink(note, plan, strict=not keeps_others)


def _moved(opened: Opened, files: Iterable[LinkTarget], moves: Moves, buffers: Buffers) -> list[LinkTarget]:
    found = []
    for file in files:
        new = moves.get(file.path)
        if new is not None:
            note = live_note(opened.root, file.path, buffers)
            title = file.title
            if note is not None and note.sites.top is None and not note.sites.front.title:
                title = note.changed(note.sites.text, new).title  # it is called like its file
            file = replace(file, path=new, title=title)
        found.append(file)
    return found


def check_others(opened: Opened, after: LinkResolver, moves: Moves, names: Collection[str]) -> None:
    """Raises RefusedError where links would mean another file than now, because something is called `names` now."""
    others = changed_others(opened, opened.resolver(), after, moves, names)
    if others:
        _refuse(others)


def changed_others(
    opened: Opened, before: LinkResolver, after: LinkResolver, moves: Moves, names: Collection[str]
) -> list[tuple[str, Link]]:
    """(note, link) of the links to files that stay, which would mean one of those that are called `names` now."""
    keys = {name_key(name) for name in names}
    every = not keys.isdisjoint(_FOLDER_NOTES)
    found = []
    for path, link, _ in opened.index.names.distinct_links():
        written = name_key(link.target.replace("\\", "/").rstrip("/").rpartition("/")[2])
        if not every and keys.isdisjoint((written, file_stem(written), name_key(link.target))):
            continue
        was = before.resolve(path, link).path
        if was is not None and was not in moves and path not in moves and after.resolve(path, link).path != was:
            found.append((path, link))
    return found


def _refuse(others: list[tuple[str, Link]]) -> None:
    path, link = others[0]
    more = f", and {len(others) - 1} more" if len(others) > 1 else ""
    raise RefusedError(f"the link to “{link.target}” in {path}{more} would come to mean another note")
