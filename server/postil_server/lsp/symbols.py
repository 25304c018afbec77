"""textDocument/documentSymbol: the headings of a note."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_server.lsp.calls import guarded
from postil_server.lsp.scene import Ready, has, on_note

if TYPE_CHECKING:
    from postil_indexers.chunking.sites import HeadingSite
    from postil_server.lsp.live import Note
    from postil_server.lsp.server import PostilServer

_KIND = lsp.SymbolKind.String  # what editors show headings as
_NAMELESS = "(no text)"  # a symbol must have a name


async def document_symbols(
    server: PostilServer, params: lsp.DocumentSymbolParams
) -> list[lsp.DocumentSymbol] | list[lsp.SymbolInformation] | None:
    found = await on_note(server, params.text_document.uri, server.requests, _headings)
    if found is None:
        return None
    if has(server.client_capabilities, "text_document", "document_symbol", "hierarchical_document_symbol_support"):
        return found
    return list(_flat(found, params.text_document.uri, None))


def _headings(ready: Ready) -> list[lsp.DocumentSymbol] | None:
    if not ready.opened[0].app.settings.features.symbols:
        return None
    note, top = ready.note, list[lsp.DocumentSymbol]()
    above: list[tuple[int, list[lsp.DocumentSymbol]]] = [(0, top)]  # level, what stands below it
    for site in note.sites.headings:
        while above[-1][0] >= site.heading.level:
            above.pop()
        symbol = _symbol(note, site, ready.encoding)
        above[-1][1].append(symbol)
        below: list[lsp.DocumentSymbol] = []
        symbol.children = below
        above.append((site.heading.level, below))
    return top


def _symbol(note: Note, site: HeadingSite, encoding: str) -> lsp.DocumentSymbol:
    heading = site.heading
    whole = note.line_range(heading.line, note.sites.section_end(heading), encoding)
    words = (
        note.range(site.place, encoding) if site.place else note.line_range(heading.line, heading.line + 1, encoding)
    )
    return lsp.DocumentSymbol(heading.text or _NAMELESS, _KIND, whole, words)


def _flat(symbols: list[lsp.DocumentSymbol], uri: str, container: str | None) -> Iterator[lsp.SymbolInformation]:
    for symbol in symbols:
        yield lsp.SymbolInformation(lsp.Location(uri, symbol.range), symbol.name, symbol.kind, container_name=container)
        yield from _flat(list(symbol.children or ()), uri, symbol.name)


def register(server: PostilServer) -> None:
    method = lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL
    server.feature(method)(guarded(method, partial(document_symbols, server)))
