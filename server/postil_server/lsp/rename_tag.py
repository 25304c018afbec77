"""A tag gets another name, in the text and in front matter; those nested in it follow."""

from __future__ import annotations

from postil_indexers.chunking.sites import Sites, find_sites
from postil_server.lsp.desk import Opened
from postil_server.lsp.edits import Change, Plan, RefusedError, changed_text
from postil_server.lsp.live import Buffers, Note, live_notes
from postil_server.lsp.tagging import below, tag_key


def rename(opened: Opened, old: str, new: str, buffers: Buffers, plan: Plan) -> None:
    """Raises RefusedError for what is no tag, a name that is in use, and front matter that it can't be changed in."""
    if [site.name for site in find_sites(f"#{new}", "", "text").tags] != [new]:
        raise RefusedError(f"“{new}” is no tag: letters, digits, - _ and /, and not digits alone")
    counts = opened.index.names.tags()
    ours = [name for name in counts if below(name, old)]
    after = {tag_key(_renamed(name, old, new)): name for name in (old, *ours)}
    taken = next((name for name in counts if name not in ours and tag_key(name) in after), None)
    if taken is not None:
        notes = "1 note" if counts[taken] == 1 else f"{counts[taken]} notes"
        raise RefusedError(f"#{taken} is in use already, in {notes}: the two could not be told apart any more")
    for note in live_notes(opened.root, opened.index.names.tagged(ours), buffers):
        _rename_in(note, old, new, plan)


def _rename_in(note: Note, old: str, new: str, plan: Plan) -> None:
    sites = note.sites
    changes = [
        Change(site.start, site.end, _renamed(site.name, old, new)) for site in sites.tags if below(site.name, old)
    ]
    if not changes and not any(below(tag.name, old) for tag in sites.front.tags):
        return
    after = note.changed(changed_text(sites.text, changes))
    if _front(after) != [_renamed(name, old, new) if below(name, old) else name for name in _front(sites)]:
        raise RefusedError(
            f"the front matter of {note.path} has #{old} in a form that can't be changed safely",
            "change it there by hand first",
        )
    plan.add(note, changes)


def _front(sites: Sites) -> list[str]:
    return [tag.name for tag in sites.front.tags]


def _renamed(name: str, old: str, new: str) -> str:
    """A tag that is `old`, in whatever case and form, or nested in it, as one that is or is nested in `new`."""
    return "/".join([new, *name.split("/")[old.count("/") + 1 :]])
