"""The models of the open folders and those to choose from, as JSON. Runs in a thread."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from postil_indexers.errors import NotIndexedError
from postil_indexers.types import Kind
from postil_server.choosing import (
    choice_record,
    embedding_models,
    language_model,
    prose_model,
    server_records,
    servers,
    setting_of_spec,
    share_not_latin,
)
from postil_server.lsp.desk import Desk
from postil_server.settings import Settings, settings_path


def folder_models(desk: Desk, folders: Iterable[tuple[str, str, str]]) -> tuple[list[dict[str, Any]], float]:
    """(of each folder that is indexed, whose vectors of prose answer, and whose are being made; the largest share of
    notes that no English model reads). `folders`: name, URI, root."""
    told, share = [], 0.0
    for name, uri, root in folders:
        try:
            index = desk.at(root).index
        except NotIndexedError:
            continue
        share = max(share, share_not_latin(index))
        models = [each for each in index.vectors.models() if each.role == "prose"]
        serving = next((each for each in models if each.serving), None)
        coming = next((each for each in models if not each.serving), None)
        counted = coming or serving
        told.append(
            {
                "name": name,
                "uri": uri,
                "serving": setting_of_spec(serving.spec) if serving else None,
                "coming": setting_of_spec(coming.spec) if coming else None,
                "share": round(index.vectors.share(counted, Kind.NOTE), 4) if counted else 0.0,
            }
        )
    return told, share


def choices(settings: Settings, share: float, measured: bool) -> dict[str, Any]:
    """`share`: of the notes' passages, those that an English model does not read."""
    found = servers(settings)
    return {
        "language": asdict(language_model(settings.llm, found)),
        "servers": server_records(found),
        "prose": asdict(prose_model(settings.embedding)),
        "embedding": [choice_record(each, measured) for each in embedding_models(found, settings.embedding, share)],
        "not_latin": round(share, 3),
        "settings": str(settings_path()),
    }
