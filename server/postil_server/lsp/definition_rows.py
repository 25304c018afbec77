"""A definition of an open file as the index knows it, found by its name: lines may have moved since."""

from __future__ import annotations

from postil_indexers.store.content import DefinitionRow
from postil_server.lsp.desk import Opened


def definition_here(opened: Opened, path: str, qualified_name: str, name: str, line: int) -> DefinitionRow | None:
    """Of several by that name, the one nearest to a 0-based line; None for one that is being written."""
    known = [row for row in definitions_named(opened, name) if row.path == path]
    same = [row for row in known if row.qualified_name == qualified_name] or known
    return min(same, key=lambda row: abs(row.line - line), default=None)


def definitions_named(opened: Opened, name: str) -> list[DefinitionRow]:
    """In all files, in just this case."""
    return [row for row in opened.index.content.definitions([name]) if row.name == name]
