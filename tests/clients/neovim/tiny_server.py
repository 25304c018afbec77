"""Small servers over stdio: `notes` does what servers of Markdown notes do; `words` completes words and knows no link;
`code` tells of names what servers of code tell; `hostile` answers to Postil's requests with texts of the kind that
somebody writes who wants an editor to obey them."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

server = LanguageServer("tiny", "1")


def words() -> None:
    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION)
    def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        return [lsp.CompletionItem("tiny")]


FIRST = lsp.Range(lsp.Position(0, 0), lsp.Position(0, 1))


def telling(hovered: str) -> None:
    """What servers of notes and of code both answer."""

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hover(params: lsp.HoverParams) -> lsp.Hover:
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, hovered))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def definition(params: lsp.DefinitionParams) -> lsp.Location:
        return lsp.Location(params.text_document.uri, FIRST)


def notes() -> None:
    words()
    telling("tiny says what is linked")

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        broken = lsp.Diagnostic(FIRST, "broken link", source="tiny")
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(params.text_document.uri, [broken]))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        return [lsp.Location(params.text_document.uri, FIRST)]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return [lsp.DocumentSymbol("tiny", lsp.SymbolKind.String, FIRST, FIRST)]

    @server.feature(lsp.TEXT_DOCUMENT_RENAME)
    def rename(params: lsp.RenameParams) -> lsp.WorkspaceEdit:
        return lsp.WorkspaceEdit({params.text_document.uri: [lsp.TextEdit(FIRST, params.new_name)]})


def code() -> None:
    telling("```python\ndef tiny() -> None\n```")


EVIL = "\x1b]0;title\x07\x1b[2J%{execute('let g:evil=1')} vim: set ft=lua: \u202etxet\u202c"
MARKDOWN = (
    "Fine [1] and \x1b[31mred\x1b[0m [7].\n[click](command:evil) ![x](http://127.0.0.1:1/x.png)\n"
    "<script>1</script>\n```vim\nlet g:evil = 1 [1]\n```\n"
    "vim: set modeline:set foldexpr=execute('let\\ g:evil=1') foldmethod=expr: [1]\n"
)
PLACE = {
    "uri": "file:///tmp/a%25%7Bb%7D.md",
    "root": "/tmp",
    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
}


def hostile() -> None:
    @server.feature("postil/ask")
    async def ask(params: Any) -> dict[str, Any]:
        stream, seq = params.stream, 0

        def tell(**event: Any) -> None:
            nonlocal seq
            server.protocol.notify("postil/answer", {"stream": stream, "seq": seq, **event})
            seq += 1

        tell(kind="sources", citations=[{"number": 1, "title": EVIL, "name": EVIL, "stale": False, **PLACE}])
        tell(kind="status", status=EVIL)
        tell(kind="unknown", text="never shown")
        server.protocol.notify("postil/answer", {"stream": "another", "seq": 0, "kind": "text", "text": "not ours"})
        for piece in MARKDOWN.split(" "):
            tell(kind="text", text=f"{piece} ")
            await asyncio.sleep(0.01)
        while "endless" in params.question:
            tell(kind="text", text="more ")
            await asyncio.sleep(0.01)
        if "replace" in params.question:
            tell(kind="replace", text="in its place")
            await asyncio.sleep(0.2)
        number_one = {"number": 1, "title": EVIL, "name": EVIL, "stale": True, **PLACE}
        return {"id": "1", "text": MARKDOWN, "model": EVIL, "citations": [number_one], "sentences": [], "nearest": [],
                "finish": "complete"}  # fmt: skip

    @server.feature("postil/related")
    def related(params: Any) -> dict[str, Any]:
        item = {**PLACE, "title": EVIL, "heading": f"{EVIL} > [a](b)", "snippet": MARKDOWN, "score": 1.0}
        return {"related": [{**item, "confidence": 0.5, "reason": EVIL}]}

    @server.feature("postil/search")
    def search(params: Any) -> dict[str, Any]:
        return {"hits": [{**PLACE, "name": f"a\nb {EVIL}", "kind": "note", "snippet": MARKDOWN, "stale": False}]}

    @server.feature("postil/history")
    def history(params: Any) -> dict[str, Any]:
        commit = {"sha": "a" * 40, "committed_at": 0, "author": EVIL, "subject": EVIL, "score": 1.0, "branch": "side"}
        places = {"files": [PLACE["uri"]], "hunks": [], "hunks_total": 0, "document": "postil:/commit/0/a.diff"}
        return {"filters": {"path": EVIL}, "commits": [{**commit, **places}]}

    @server.feature("postil/content")
    def content(params: Any) -> dict[str, Any]:
        return {"uri": params.uri, "text": f"{MARKDOWN}{EVIL}\n"}


if __name__ == "__main__":
    {"notes": notes, "words": words, "code": code, "hostile": hostile}[sys.argv[1]]()
    server.start_io()
