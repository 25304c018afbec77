"""What can be done at a place of a document. Runs in a reading thread; nothing here is slow."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lsprotocol import types as lsp

from postil_indexers.chunking.frontmatter import read_front_matter
from postil_indexers.chunking.notes import NOTE_EXTENSIONS
from postil_indexers.types import Kind
from postil_server.history.joins import notes_about
from postil_server.lsp.desk import Opened
from postil_server.lsp.documents import Buffer
from postil_server.lsp.hinting import leads_nowhere
from postil_server.lsp.hover_note import related_items, title_of
from postil_server.lsp.linkwriting import link_text
from postil_server.lsp.live import Note, served
from postil_server.lsp.noteview import note_view, parsed
from postil_server.lsp.partners import missing
from postil_server.lsp.records import plain_range
from postil_server.lsp.scene import Ready
from postil_server.lsp.uris import uri_of
from postil_server.lsp.virtual_uris import commit_uri
from postil_server.lsp.where import Where
from postil_server.types import Related

_LINKS = 3  # offers of one menu
_NAMING = 1  # note is enough to offer them
_TITLE_CHARS = 50
_NOT_A_NAME = re.compile(r'[<>:"|?*\\\x00-\x1f]')  # what some system's file names can't hold

LINK = lsp.CodeActionKind.RefactorRewrite
CREATE = lsp.CodeActionKind.QuickFix
OWN = "postil"  # what is neither a fix nor a change of the text


@dataclass(frozen=True, slots=True)
class Act:
    """`what` is a command with `arguments`; or "link" or "create", whose edit is made when it is chosen.

    "show" opens what no hover shows, "open" what a client that follows links has there.
    """

    title: str
    kind: lsp.CodeActionKind | str
    what: str
    arguments: dict[str, Any] = field(default_factory=dict)


def note_acts(ready: Ready, at: lsp.Range, *, asked_for: bool) -> list[Act]:
    """`asked_for`: by the user, who waits for the menu; what would be searched for is left out of an automatic look."""
    found = list(_missing_note(ready, at))
    if asked_for:
        items = _related(ready, at)
        notes = [item for item in items if item.kind is Kind.NOTE and item.root == ready.note.root]
        for item in notes[:_LINKS] if ready.note.language == "markdown" else ():
            told = {"root": item.root, "path": item.path, "title": item.title}
            found.append(Act(f"Link to “{_short(item.title)}”", LINK, "link", told))
        found += [_open(item) for item in items]
        if ready.note.root and ready.note.language == "markdown" and at.start.line <= _first_line(ready.note):
            found.append(Act("Add tags and a summary", OWN, "tags"))
    return found


def _first_line(note: Note) -> int:
    """That of the text, behind the front matter."""
    return read_front_matter(list(note.sites.lines)).end_line


def _related(ready: Ready, at: lsp.Range) -> list[Related]:
    """What the hover shows here."""
    note = ready.note
    view = note_view(note.sites.text, note.path, note.language)
    if at.start.line not in view.prose:
        return []
    return related_items(ready.opened, view, at.start.line, (note.root, note.path) if note.root else None)


def _open(item: Related) -> Act:
    uri = commit_uri(item.root, item.sha) if item.sha else uri_of(os.path.join(item.root, item.path))
    told = {"uri": uri, "line": item.span.start_line}
    return Act(f"Open “{_short(title_of(item))}”", OWN, "open", told)


def _missing_note(ready: Ready, at: lsp.Range) -> Iterator[Act]:
    """The note that a link means which leads to nothing yet."""
    if not ready.note.root or not ready.folders:
        return
    opened, offset = ready.folders[0], ready.note.offset(at.start, ready.encoding)
    switches = opened.app.settings.features
    site = next((s for s in ready.note.sites.links if s.link.start <= offset <= s.link.end), None)
    if site is None or site.destination is None or not served(site, markdown_links=switches.markdown_links):
        return
    path = new_note_path(ready.note.path, site.link.target, site.link.style)
    if path is not None and leads_nowhere(ready, opened, site.link):
        yield Act(f"Create the note “{_short(path)}”", CREATE, "create", {"root": opened.root, "path": path})


def new_note_path(own: str, target: str, style: str) -> str | None:
    """Where a note that a link means is to be made: beside the note, or where the target says. None outside of the
    folder, in a hidden one, and where it would be no note."""
    target = target.strip().replace("\\", "/")
    from_root = target.startswith("/") or (style == "wiki" and "/" in target and not target.startswith("."))
    path = posixpath.normpath(posixpath.join("" if from_root else posixpath.dirname(own), target.lstrip("/")))
    if path.lower().endswith(NOTE_EXTENSIONS):
        stem = path
    elif posixpath.splitext(path)[1] in ("", ".") or style == "wiki":
        stem, path = path, f"{path}.md"
    else:
        return None
    parts = path.split("/")
    if not target or any(part.startswith(".") for part in parts) or _NOT_A_NAME.search(stem):
        return None
    return path


def code_acts(at: Where, where: lsp.Range, path: str, language: str, *, asked_for: bool) -> list[Act]:
    """The history of the definition that begins on a line; of any other, where the user asked, that of the line."""
    definitions = parsed(at.buffer.text, path, language).definitions
    line = where.start.line
    here = next((each for each in definitions if each.line == line), None)
    if at.place is None or (here is None and (where.start != where.end or not asked_for)):
        return []
    if here is None:
        own = plain_range(lsp.Range(lsp.Position(line, 0), lsp.Position(line + 1, 0)))
        return [Act("Why is this line here? Its commits", OWN, "history", {"range": own})]
    lines = plain_range(lsp.Range(lsp.Position(here.span.start_line, 0), lsp.Position(here.span.end_line, 0)))
    return [Act(f"History of {_short(here.name)}", OWN, "history", {"range": lines})]


def naming_acts(opened: Opened, path: str) -> list[Act]:
    """The notes that name a code file."""
    found = notes_about(opened.index, [path], [], _NAMING)
    return [Act(f"Notes that name {posixpath.basename(path)}", OWN, "backlinks")] if found else []


def partner_acts(opened: Opened, path: str, buffers: Mapping[tuple[str, str], Buffer]) -> list[Act]:
    """What usually changes with the file, where that has changes of its own and it has none yet."""
    return [
        Act(
            f"Open {_short(partner.path)}, which usually changes with this ({partner.why.together} of "
            f"{partner.why.changes} times)",
            OWN,
            "show",
            {"uri": uri_of(os.path.join(opened.root, partner.path)), "line": 0},
        )
        for partner in missing(opened, path, buffers)
    ]


def selection_acts(at: lsp.Range, *, has_place: bool) -> list[Act]:
    """For what is selected; none where nothing is."""
    if (at.start.line, at.start.character) == (at.end.line, at.end.character):
        return []
    told = {"range": plain_range(at)}
    found = [Act("Ask about the selection", OWN, "ask", told), Act("Summarise the selection", OWN, "summarise", told)]
    return [*found, Act("History of these lines", OWN, "history", told)] if has_place else found


def link_edit(ready: Ready, at: lsp.Range, root: str, path: str, title: str) -> lsp.TextEdit | None:
    """The link itself: around the selection, or at the cursor, past the word that it stands in."""
    opened = next((each for each in ready.folders if each.root == root), None)
    if opened is None:
        return None
    text, start = ready.note.sites.text, ready.note.offset(at.start, ready.encoding)
    end = ready.note.offset(at.end, ready.encoding)
    said = text[start:end] if "\n" not in text[start:end] else ""
    if not said:
        while start < len(text) and (text[start].isalnum() or text[start] == "_"):
            start += 1
        end = start
    link = link_text(opened, ready.note.path, path, title, said.strip())
    if link is None:
        return None
    gap = " " if not said and start > 0 and not text[start - 1].isspace() and text[start - 1] not in "([" else ""
    return lsp.TextEdit(ready.note.range((start, end), ready.encoding), gap + link)


def _short(text: str) -> str:
    return text if len(text) <= _TITLE_CHARS else text[: _TITLE_CHARS - 1] + "…"
