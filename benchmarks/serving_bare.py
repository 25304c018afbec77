"""A language server of pygls that does nothing: what the protocol itself costs, on this machine in this minute."""

from __future__ import annotations

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")


@server.feature(lsp.TEXT_DOCUMENT_HOVER)
def hover(_params: lsp.HoverParams) -> lsp.Hover:
    return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, "Nothing is known of this."))


@server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["["]))
def completion(_params: lsp.CompletionParams) -> lsp.CompletionList:
    return lsp.CompletionList(False, [lsp.CompletionItem("nothing")])


@server.feature(lsp.WORKSPACE_SYMBOL)
def symbols(_params: lsp.WorkspaceSymbolParams) -> list[lsp.SymbolInformation]:
    return []


if __name__ == "__main__":
    server.start_io()
