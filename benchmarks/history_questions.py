"""Questions to the history in plain words with filters, English and Chinese: recall@5 of the commits that answer them.

The questions, with when they are asked and the subjects of the right commits, stand in `history_questions.json`.
"""

from __future__ import annotations

import datetime
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import Postil, table, write_result
from trees import clone

from postil_indexers.embedding.base import Embedder
from postil_indexers.embedding.static import load_static
from postil_indexers.store.index import open_index
from postil_server.timeline import history

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fixtures.workspace import build

_HERE = Path(__file__).parent
_AT = 5
_LEAST = 0.9


def run(mirror: Path, work: Path, out: Path, command: str) -> bool:
    data = json.loads((_HERE / "history_questions.json").read_text(encoding="utf-8"))
    roles: dict[str, Embedder] = {"static": load_static()}
    rows = [row for name in _repositories(data) for row in _answers(name, data, mirror, work, roles)]
    found = {language: [rank for lang, _, rank, *_ in rows if lang == language] for language in ("en", "zh")}
    recall = {language: sum(0 < rank <= _AT for rank in ranks) / len(ranks) for language, ranks in found.items()}
    whole = sum(0 < row[2] <= _AT for row in rows) / len(rows)
    verdict = (
        f"recall@{_AT}: {whole:.2f} of {len(rows)} (English {recall['en']:.2f}, Chinese {recall['zh']:.2f}), "
        f"bound {_LEAST}: {'met' if whole >= _LEAST else 'not met'}"
    )
    shown = ((language, question, rank or "-", read) for language, question, rank, read in rows)
    write_result(out, "History questions", command, [verdict, table(("", "question", "rank", "read as"), shown)], {})
    return whole >= _LEAST


def _repositories(data: dict[str, Any]) -> list[str]:
    return list(dict.fromkeys(question["repository"] for question in data["questions"]))


def _answers(
    name: str, data: dict[str, Any], mirror: Path, work: Path, roles: dict[str, Embedder]
) -> Iterator[tuple[str, str, int, str]]:
    """(language, question, rank of the first right commit or 0, what it was read as)."""
    tree = work / "clones" / "millrace" if name == "fixture" else clone(mirror, name, work / "clones")
    if name == "fixture" and not tree.is_dir():
        build(tree)
    postil = Postil(work, history=True)
    postil.index(tree)
    day = datetime.date.fromisoformat(data["fixture_asked" if name == "fixture" else "asked"])
    now = datetime.datetime.combine(day, datetime.time(12), datetime.UTC)
    with open_index(postil.index_file(tree)) as index:
        for asked in (one for one in data["questions"] if one["repository"] == name):
            answer = history(index, asked["question"], roles, 10, now=now)
            subjects = [commit.subject for commit in answer.commits]
            rank = next((n for n, subject in enumerate(subjects, 1) if subject in asked["subjects"]), 0)
            read = " ".join((*map(str, answer.filters), answer.words)).replace("|", "\\|")
            yield asked["language"], asked["question"].replace("|", "\\|"), rank, read
