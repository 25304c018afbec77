"""Commits by their words: FTS5 picks them, and each field weighs by itself."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import islice

from postil_indexers.store.content import TextMatch
from postil_indexers.store.database import Database
from postil_indexers.store.expression import any_of, ranked_by
from postil_indexers.text import starts_term

_PICKING = (3.0, 1.8, 2.4, 0.55, 0.8, 0.3)  # bm25's column weights, as in fieldscore.py
_WEIGHED = 300  # commits whose fields are weighed; of 282 answers known, one was further back
_FEW = 2_000  # allowed commits, up to which they pick instead of the words


def match_commits(
    connection: Database,
    terms: Sequence[str],
    frequency: Mapping[str, int],
    limit: int,
    allowed: Collection[int] | None,
) -> list[TextMatch]:
    """The best `limit` of them, with BM25F in place of BM25. `frequency`: how many commits hold each term."""
    held = [term for term in dict.fromkeys(terms) if frequency.get(term) or starts_term(term)]
    if not held or (allowed is not None and not allowed):
        return []
    if allowed is not None and len(allowed) <= _FEW:
        picked = list(allowed)
    else:
        picked = _picked(connection, terms, frequency, max(limit, _WEIGHED), allowed)
    holding = [max(1, frequency.get(term, 0)) for term in held]
    # "+": the list of ids is looked up for each match; as a constraint it would start the whole query for each id
    rows = connection.execute(
        "SELECT best.rowid, best.score FROM (SELECT rowid, "
        f"field_score(history_fts, {', '.join('?' * len(holding))}) AS score FROM history_fts "
        "WHERE history_fts MATCH ? AND +rowid IN (SELECT value FROM json_each(?))) AS best "
        "JOIN commits AS c ON c.id = best.rowid ORDER BY best.score DESC, c.committed_at DESC, c.sha LIMIT ?",
        (*holding, any_of(held), json.dumps(picked), limit),
    )
    return [TextMatch(rowid, score) for rowid, score in rows]


def _picked(
    connection: Database,
    terms: Sequence[str],
    frequency: Mapping[str, int],
    limit: int,
    allowed: Collection[int] | None,
) -> list[int]:
    expression, _ = ranked_by(terms, frequency)
    if not expression:
        return []
    bounded = "LIMIT ?" if allowed is None else ""  # of others, as many as there are before enough are allowed
    rows = connection.execute(
        f"SELECT rowid, bm25(history_fts, {', '.join(map(str, _PICKING))}) AS score FROM history_fts "
        f"WHERE history_fts MATCH ? ORDER BY score, rowid {bounded}",
        (expression, limit) if allowed is None else (expression,),
    )
    return list(islice((rowid for rowid, _ in rows if allowed is None or rowid in allowed), limit))
