"""How links are written in a folder, learned from those that are there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from postil_indexers.chunking.notes import NOTE_EXTENSIONS
from postil_indexers.types import Link
from postil_server.lsp.desk import Opened
from postil_server.lsp.linkforms import Form, form_of

_LOOKED_AT = 2_000  # links; a habit shows in fewer


@dataclass(frozen=True, slots=True)
class LinkStyle:
    wiki: Form
    inline: Form


_USUAL = LinkStyle(Form("name", extension=False), Form("relative", extension=True))


def learn(opened: Opened) -> LinkStyle:
    """What most links of each kind to notes look like; where there are none, as most people write them."""
    wiki, inline = Counter[Form](), Counter[Form]()
    for each in opened.index.names.written_links(_LOOKED_AT):
        if each.style in ("autolink", "image", "embed") or not each.means.lower().endswith(NOTE_EXTENSIONS):
            continue
        is_wiki = each.style == "wiki"
        if "/" in each.target and "/" not in each.path:
            continue  # from a note at the root a path is the same from the note and from the root
        form = form_of(Link(each.target, "", "", each.style, 0, 0, 0), each.path, each.means)
        (wiki if is_wiki else inline)[form] += 1
    return LinkStyle(_most(wiki, _USUAL.wiki), _most(inline, _USUAL.inline))


def _most(forms: Counter[Form], default: Form) -> Form:
    return forms.most_common(1)[0][0] if forms else default
