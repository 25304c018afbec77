"""A new link to a note, written as most links of its folder are."""

from __future__ import annotations

from collections import Counter

from postil_indexers.chunking.notes import NOTE_EXTENSIONS, file_stem
from postil_indexers.links import name_key
from postil_server.lsp.desk import Opened
from postil_server.lsp.linkforms import spell, write_target
from postil_server.lsp.linkstyle import learn

_STYLE_S = 60.0  # how long the habits of a folder are taken for known; they take months to change
_LOOKED_AT = 2_000  # links


def link_text(opened: Opened, from_path: str, means: str, title: str, said: str = "") -> str | None:
    """A link from a note to the note `means`. `said`: what it is to say; else the title. None where no way of writing
    leads there."""
    style = opened.kept(_usual_kind, _STYLE_S)
    forms = opened.kept(learn, _STYLE_S)
    form = forms.wiki if style == "wiki" else forms.inline
    target = write_target(form, from_path, means, style, opened.resolver())
    if target is None:
        return None
    if style == "wiki":
        shown = said or ("" if name_key(file_stem(means)) == name_key(title) else title)
        return f"[[{target}|{shown}]]" if shown and not set(shown) & set("[]|\n") else f"[[{target}]]"
    text = (said or title).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
    return f"[{text}]({spell(target, style, is_angled=False)})"


def _usual_kind(opened: Opened) -> str:
    """Wiki or inline, whichever most links between notes are; wiki where there are none."""
    counts = Counter(
        "wiki" if each.style == "wiki" else "inline"
        for each in opened.index.names.written_links(_LOOKED_AT)
        if each.style not in ("autolink", "image", "embed") and each.means.lower().endswith(NOTE_EXTENSIONS)
    )
    return "inline" if counts["inline"] > counts["wiki"] else "wiki"
