"""What is proposed for the front matter of an open note, made in a reading thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from postil_indexers.errors import PostilError
from postil_server.answering.corpus import Corpus
from postil_server.answering.filing import propose
from postil_server.answering.frontmatter import insertions
from postil_server.answering.modelled import Wish, filing_model
from postil_server.llm.base import StopSignal
from postil_server.lsp.desk import Desk
from postil_server.lsp.edits import Change, Plan, workspace_edit
from postil_server.lsp.lane import Token
from postil_server.lsp.live import open_note
from postil_server.lsp.where import Where


@dataclass(frozen=True, slots=True)
class How:
    by_model: bool
    cached: bool
    versioned: bool  # whether the client takes documentChanges


def proposed(desk: Desk, at: Where, place: tuple[str, str], how: How, token: Token) -> dict[str, Any]:
    """Raises PostilError for what is no note, and for front matter that can't be changed without harm."""
    note = open_note(at.buffer, at.place)
    if note is None or note.language != "markdown":
        raise PostilError("only a Markdown note has front matter", "open one")
    opened = desk.at(place[0])
    text = note.sites.text
    corpus = Corpus(opened.root, opened.index, opened.embedders(local=False), {place[1]: text})
    asking = None
    if how.by_model:
        signal, settings = StopSignal(), opened.app.settings.llm
        token.hold(signal)  # cancelling the request stops the model
        asking = filing_model([corpus], settings, Wish(signal=signal, cached=how.cached))
    filing = propose(corpus, place[1], text, asking)
    plan = Plan()
    plan.add(note, [Change(each.at, each.at, each.text) for each in insertions(text, filing.tags, filing.summary)])
    edit = workspace_edit(plan, at.encoding, versioned=how.versioned) if plan.changes else None
    return {"tags": list(filing.tags), "summary": filing.summary, "model": filing.model, "edit": edit}
