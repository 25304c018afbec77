"""workspace/symbol: definitions, titles, headings, tags by their letters; where they are shown, hits of a search."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types as lsp

from postil_indexers.errors import NotIndexedError
from postil_server.lsp.calls import guarded
from postil_server.lsp.lane import DroppedError
from postil_server.lsp.uris import uri_of

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk, Opened
    from postil_server.lsp.names import Names
    from postil_server.lsp.server import PostilServer
    from postil_server.lsp.symbol_table import Symbol

_MOST = 100  # symbols; a list that one looks through with a few letters more
_TAGS_S = 5.0  # how long tags may be behind the index; they are read as a whole
_HITS = 10  # of a search
_SHORTEST_SEARCH = 3  # letters that say what is looked for
# Editors that compare what they are given with the query once more by letters, and drop what was found by meaning.
_FILTERING = ("visual studio code", "vscodium", "code - oss", "cursor", "windsurf")
_KINDS = {
    "function": lsp.SymbolKind.Function,
    "method": lsp.SymbolKind.Method,
    "class": lsp.SymbolKind.Class,
    "struct": lsp.SymbolKind.Struct,
    "interface": lsp.SymbolKind.Interface,
    "trait": lsp.SymbolKind.Interface,
    "impl": lsp.SymbolKind.Class,
    "enum": lsp.SymbolKind.Enum,
    "module": lsp.SymbolKind.Module,
    "type": lsp.SymbolKind.TypeParameter,
    "test": lsp.SymbolKind.Function,
    "constant": lsp.SymbolKind.Constant,
    "title": lsp.SymbolKind.File,
    "heading": lsp.SymbolKind.String,
    "tag": lsp.SymbolKind.Key,
}


async def workspace_symbols(
    server: PostilServer, params: lsp.WorkspaceSymbolParams
) -> list[lsp.SymbolInformation] | None:
    query = params.query.strip()
    roots = list(dict.fromkeys(folder.root for folder in server.folders))
    searches = len(query) >= _SHORTEST_SEARCH and not server.client_name.lower().startswith(_FILTERING)

    def work(desk: Desk) -> list[lsp.SymbolInformation] | None:
        opened = [each for each in desk.indexed(roots) if each.app.settings.features.workspace_symbols]
        found = _named(opened, query)
        if searches:
            found += _hits([each for each in opened if each.app.settings.features.search_in_symbols], query, found)
        return found or None

    if not query or not roots:
        return None
    try:
        return await server.typing.run(work)
    except (DroppedError, NotIndexedError):
        return None


def _named(opened: list[Opened], query: str) -> list[lsp.SymbolInformation]:
    """The closest match first; of equal ones the shortest, then by name and place."""
    found = [
        (how, length, symbol.name, symbol.path, symbol.line, each.root, symbol)
        for each in opened
        for how, length, symbol in (*each.symbols.find(query), *each.kept(_tags, _TAGS_S).find(query.lstrip("#")))
    ]
    found.sort(key=lambda row: row[:6])
    return [_information(root, symbol) for *_, root, symbol in found[:_MOST]]


def _tags(opened: Opened) -> Names[Symbol]:
    from postil_server.lsp.names import Names
    from postil_server.lsp.symbol_table import tag_symbols

    return Names(tag_symbols(opened.index), lambda tag: tag.name[1:])


def _information(root: str, symbol: Symbol) -> lsp.SymbolInformation:
    place = _location(root, symbol.path, symbol.line)
    return lsp.SymbolInformation(
        place, symbol.name, _KINDS.get(symbol.kind, lsp.SymbolKind.Object), container_name=symbol.path
    )


def _hits(opened: list[Opened], query: str, named: list[lsp.SymbolInformation]) -> list[lsp.SymbolInformation]:
    """What a search finds and no name told, by models of this process alone."""
    from postil_indexers.types import Kind
    from postil_server.roots import merged
    from postil_server.search import search
    from postil_server.types import Query

    told = {(each.location.uri, each.location.range.start.line) for each in named}
    names = {(each.location.uri, each.name) for each in named}
    hits = [
        hit
        for each in opened
        for hit in search(
            each.index, each.root, Query(query, (Kind.NOTE, Kind.CODE), _HITS), each.embedders(local=True)
        ).hits
    ]
    found = []
    for hit in merged(hits, [each.root for each in opened], _HITS):
        place = _location(hit.root, hit.path, hit.span.start_line)
        name = hit.name or os.path.basename(hit.path)
        if (place.uri, place.range.start.line) not in told and (place.uri, name) not in names:
            kind = lsp.SymbolKind.String if hit.kind is Kind.NOTE else lsp.SymbolKind.Object
            found.append(lsp.SymbolInformation(place, name, kind, container_name=hit.path))
    return found


def _location(root: str, path: str, line: int) -> lsp.Location:
    at = lsp.Position(line, 0)
    return lsp.Location(uri_of(os.path.join(root, path)), lsp.Range(at, at))


def register(server: PostilServer) -> None:
    server.feature(lsp.WORKSPACE_SYMBOL)(guarded(lsp.WORKSPACE_SYMBOL, partial(workspace_symbols, server)))
