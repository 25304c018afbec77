"""What changes together: files that were changed in the same commits more often than chance would have it.

Where A was changed in `a` commits, B in `b` of all `n`, and both in `t`, lift is (t / a) / (b / n): how many times
likelier B is where A was changed. A commit of few files says much of each pair, a sweep over the tree nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from postil_indexers.store.index import Index
from postil_indexers.types import Span
from postil_server.spanhistory import span_changes

_NEWEST = 400  # commits of a file that are looked at: what belonged together years ago has most often been parted since
_SWEEP = 25  # files: a commit of more (a formatter, a licence year, a move) says nothing of any two of them
_LEAST_TOGETHER = 2  # commits: once is chance
_LEAST_LIFT = 2.0  # below it B is merely changed often
_LEAST_SHARE = 0.08  # of A's commits, cautiously: below it nobody would look there
_COUNTED = 60  # partners whose own commits are counted, those of most weight
_WORD = re.compile(r"[^\W\d]\w*")
_Z = 1.0  # of Wilson's lower bound: two of two is less sure than twenty of twenty


@dataclass(frozen=True, slots=True)
class ChangedTogether:
    path: str  # as it is called now
    together: int  # commits that changed both
    changes: int  # commits that changed the file that was asked for, sweeps left out
    share: float  # how sure it is (0-1, cautiously) that it changes where the other does
    lift: float
    commits: tuple[int, ...]  # ids of those, the newest first


def changed_together(index: Index, path: str, limit: int) -> list[ChangedTogether]:
    """The files that change with `path`, those first that belong to it most. Reads within the caller's snapshot."""
    return partners(index, index.cochanges.names_of(path), limit)


def partners(index: Index, own: Collection[int], limit: int) -> list[ChangedTogether]:
    """As `changed_together`, for the ids of all names of a file."""
    rows = index.cochanges
    commits = rows.commits_of(own, _NEWEST)
    files = {i: paths for i, paths in rows.files_of(commits).items() if len(paths) <= _SWEEP}
    commits = [i for i in commits if i in files]
    weights, changes = _weights(files), len(commits)
    names = rows.present_names({path_id for paths in files.values() for path_id in paths if path_id not in own})
    shared: dict[str, list[int]] = {}
    ids: dict[str, set[int]] = {}
    for i in commits:
        for path_id in set(files[i]) & names.keys():
            name = names[path_id].path
            ids.setdefault(name, set()).add(path_id)
            if shared.setdefault(name, [])[-1:] != [i]:
                shared[name].append(i)
    heaviest = sorted(
        (name for name, found in shared.items() if len(found) >= _LEAST_TOGETHER),
        key=lambda name: -sum(weights[i] for i in shared[name]),
    )[:_COUNTED]
    times = rows.times_changed({path_id for name in heaviest for path_id in ids[name]})
    total, all_weights = index.branches.count(), sum(weights.values())
    found = [
        _judged(name, shared[name], weights, all_weights, changes, sum(times[i] for i in ids[name]), total)
        for name in heaviest
    ]
    told = [item for item in found if item.lift >= _LEAST_LIFT and item.share >= _LEAST_SHARE]
    best = sorted(told, key=lambda item: (-item.share * math.log(item.lift), item.path))
    return list(
        islice((item for item in best if index.file_changes.newest_blob(item.path)), limit)
    )  # not deleted since


@dataclass(frozen=True, slots=True)
class SymbolTogether:
    path: str  # as it is called now
    symbol: str  # qualified name of a definition, or the line that git shows as a function's context
    line: int  # where it is now; 0 where that is not known
    together: int
    share: float  # as of ChangedTogether
    lift: float


def symbols_changed_together(index: Index, root: str, path: str, span: Span, limit: int) -> list[SymbolTogether]:
    """Functions and classes that change with some lines of a file, as committed last. Within the caller's snapshot."""
    rows = index.cochanges
    own = [commit_id for (commit_id, _), _ in zip(span_changes(index, root, path, span), range(_NEWEST), strict=False)]
    files = {i: paths for i, paths in rows.files_of(own).items() if len(paths) <= _SWEEP}
    weights, total = _weights(files), index.branches.count()
    shared: dict[tuple[int, str], set[int]] = {}
    for commit_id, path_id, symbol in rows.symbols_of(files):
        shared.setdefault((path_id, symbol), set()).add(commit_id)
    names = rows.present_names({path_id for path_id, _ in shared})
    here = [key for key in shared if key[0] in names and names[key[0]].path == path]
    itself = max(here, key=lambda key: (len(shared[key]), key), default=None)  # what the lines are of
    heaviest = sorted(
        ((key, found) for key, found in shared.items() if len(found) >= _LEAST_TOGETHER),
        key=lambda item: (-sum(weights[i] for i in item[1]), item[0]),
    )[:_COUNTED]
    told = []
    for (path_id, symbol), found in heaviest:
        share = _lower_bound(sum(weights[i] for i in found) / sum(weights.values()), len(files))
        lift = share * total / max(rows.times_symbol_changed(path_id, symbol), 1)
        if lift >= _LEAST_LIFT and share >= _LEAST_SHARE and path_id in names and (path_id, symbol) != itself:
            now = _defined(index, names[path_id].path, symbol)
            if now is not None:
                told.append(SymbolTogether(names[path_id].path, *now, len(found), round(share, 4), round(lift, 2)))
    return sorted(told, key=lambda item: (-item.share * math.log(item.lift), item.path, item.symbol))[:limit]


def _defined(index: Index, path: str, context: str) -> tuple[str, int] | None:
    """(name, line) of the definition that git's context line begins, as the file is indexed now; None where it is gone.

    Of a file of which no definitions are known, the line itself.
    """
    if not index.file_changes.newest_blob(path):
        return None
    document = index.content.document(path)
    known = {d.name: d for d in reversed(index.content.definitions_in(document.id))} if document is not None else {}
    named = next((known[word] for word in _WORD.findall(context) if word in known), None)
    if named is None:
        return None if known else (context, 0)
    return named.qualified_name, named.line


def _weights(files: Mapping[int, Sequence[int]]) -> dict[int, float]:
    """A commit of two files is about the pair; in one of twenty each pair is one of many."""
    return {i: 1.0 / math.log2(max(2, len(paths))) for i, paths in files.items()}


def _judged(
    name: str,
    shared: Sequence[int],
    weights: Mapping[int, float],
    all_weights: float,
    changes: int,
    times: int,
    total: int,
) -> ChangedTogether:
    share = _lower_bound(sum(weights[i] for i in shared) / all_weights, changes)
    lift = share / max(times / total, 1e-9) if total else 0.0
    return ChangedTogether(name, len(shared), changes, round(share, 4), round(lift, 2), tuple(shared))


def _lower_bound(share: float, count: int) -> float:
    """Wilson's score interval, its lower end."""
    square = _Z * _Z
    centre = share + square / (2 * count)
    spread = _Z * math.sqrt(share * (1 - share) / count + square / (4 * count * count))
    return max(0.0, (centre - spread) / (1 + square / count))


def missing_partners(
    index: Index, changed: Collection[str], limit: int, least_share: float = 0.4
) -> list[tuple[str, ChangedTogether]]:
    """(a changed file, what usually changes with it and is not among `changed`), the surest first."""
    best: dict[str, tuple[str, ChangedTogether]] = {}
    for path in sorted(changed):
        for item in changed_together(index, path, limit + len(changed)):
            if item.share < least_share or item.path in changed:
                continue
            if item.path not in best or best[item.path][1].share < item.share:
                best[item.path] = (path, item)
    return sorted(best.values(), key=lambda pair: (-pair[1].share, pair[1].path))[:limit]
