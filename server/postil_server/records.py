"""What the JSON of the command line and of the language server say alike; where something lies, each says its way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from postil_indexers.seen import shown
from postil_indexers.types import Span
from postil_server.cochange import SymbolTogether
from postil_server.explain import Explanation
from postil_server.tracing import LinesThen, TracedHunk
from postil_server.types import Answer, FoundCommit, Hit, Related, Sentence, Source


def hit_fields(hit: Hit) -> dict[str, Any]:
    """All of a hit but its place."""
    fields = {
        "kind": hit.kind.value,
        "name": hit.name,
        "snippet": hit.snippet,
        "score": round(hit.score, 6),
        "confidence": hit.confidence,
        "stale": hit.stale,
    }
    return {**fields, **_commit_fields(hit)}


def citation_record(source: Source, place: Mapping[str, Any]) -> dict[str, Any]:
    """`place` says where a source lies."""
    fields = {"number": source.number, **place, "kind": source.kind.value, "title": source.title, "name": source.name}
    return {**fields, **_commit_fields(source), "stale": source.stale}


def _commit_fields(of: Hit | Source) -> dict[str, str]:
    """Of what is no commit, nothing; of a commit that HEAD reaches, no branch."""
    branch = {"branch": shown(of.branch)} if of.branch else {}
    return {"sha": of.sha, **branch} if of.sha else {}


def sentence_record(sentence: Sentence) -> dict[str, Any]:
    return {"text": sentence.text, "citations": list(sentence.citations), "support": sentence.support.value}


def answer_record(
    answer: Answer, place: Callable[[Source], Mapping[str, Any]], hit: Callable[[Hit], Mapping[str, Any]]
) -> dict[str, Any]:
    """All of an answer but its id and how long it took."""
    return {
        "text": answer.text,
        "model": answer.model,
        "citations": [citation_record(source, place(source)) for source in answer.citations],
        "sentences": [sentence_record(sentence) for sentence in answer.sentences],
        "nearest": [hit(each) for each in answer.nearest],
        "finish": answer.finish,
        **({"filters": dict(answer.filters)} if answer.filters else {}),
    }


def related_fields(related: Related) -> dict[str, Any]:
    """All of what is related but its place."""
    fields = {
        "kind": related.kind.value,
        "title": related.title,
        "heading": related.heading,
        "snippet": related.snippet,
        "score": round(related.score, 6),
        "confidence": related.confidence,
        "reason": related.reason,
    }
    return {**fields, "sha": related.sha} if related.sha else fields


def commit_record(
    found: FoundCommit,
    hunks: Iterable[TracedHunk],
    name: Callable[[str], str],
    place: Callable[[str, Span], Mapping[str, Any]],
    then: Callable[[LinesThen], Mapping[str, Any]],
) -> dict[str, Any]:
    """`name` says which file a path is, `place` which lines of it, `then` which lines of a file as it was."""
    return {
        "sha": found.sha,
        "committed_at": found.committed_at,
        "author": found.author,
        "subject": found.subject,
        "score": round(found.score, 6),
        "files": [name(change.path) for change in found.files],
        "hunks": [_hunk_record(hunk, place, then) for hunk in hunks],
        "hunks_total": sum(len(change.hunks) for change in found.files),
        "kind": found.kind,
        "release": found.release,
        "reverted_by": found.reverted_by,
        "copies": list(found.copies),
        "text_missing": found.text_missing,
        "branch": shown(found.branch),
    }


def _hunk_record(
    traced: TracedHunk,
    place: Callable[[str, Span], Mapping[str, Any]],
    then: Callable[[LinesThen], Mapping[str, Any]],
) -> dict[str, Any]:
    hunk, now = traced.hunk, traced.now
    record = {
        **place(traced.change.path, Span(hunk.new_start, hunk.new_start + hunk.new_lines)),
        "symbol": traced.symbol,
        "text": hunk.text,
        "truncated": hunk.truncated,
        "was": then(traced.was),
        "followed": traced.followed,
    }
    if traced.followed:
        record["now"] = {**place(now.path, now.span), "whole": now.whole} if now is not None else None
    return record


def symbol_record(told: SymbolTogether, place: Callable[[str, Span], Mapping[str, Any]]) -> dict[str, Any]:
    """`place` says which lines of a file."""
    where = place(told.path, Span(told.line, told.line + 1))
    return {**where, "symbol": told.symbol, "together": told.together, "share": told.share}


def explanation_record(told: Explanation, place: Callable[[str, Span], Mapping[str, Any]]) -> dict[str, Any]:
    """`place` says which lines of a note."""
    return {
        "body": told.body,
        "trailers": [{"key": key, "value": value} for key, value in told.trailers],
        "issues": [{"number": number, "url": address} for number, address in told.issues],
        "notes": [
            {
                **place(note.path, Span(note.line, note.line + 1)),
                "title": note.title,
                "snippet": note.snippet,
                "names": note.names,
            }
            for note in told.notes
        ],
        "later": [
            {"sha": each.sha, "subject": each.subject, "committed_at": each.committed_at, "relation": each.relation}
            for each in told.later
        ],
        "together": [
            {"path": shown(each.path), "together": each.together, "changes": each.changes, "share": each.share}
            for each in told.together
        ],
    }
