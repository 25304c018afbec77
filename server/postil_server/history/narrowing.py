"""Filters -> the commits that they leave."""

from __future__ import annotations

import fnmatch
import functools
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, tzinfo

from postil_indexers.store.index import Index
from postil_indexers.text import fold, query_terms
from postil_server.history.filters import Filter, is_commit_id, nearest

_CHANGED = frozenset({"diff", "log", "names"})
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NAME = re.compile(r"[^\W\d]\w*")
_EVER = 1 << 62
_KEPT_NAMES = 20_000  # of people, folded: some 2 MB, and more than any history has


def narrowed(index: Index, filters: Iterable[Filter], zone: tzinfo | None) -> set[int] | None:
    """Ids of the commits that satisfy all of them; None where there are none. `zone`: whose days `after:` means."""
    filters = list(filters)
    days = [one for one in filters if one.name in ("after", "before") and not one.negated and _DAY.fullmatch(one.value)]
    others = [one for one in filters if one not in days]
    left: set[int] | None = None
    for one in (each for each in others if not each.negated):
        found = _satisfying(index, one, zone)
        left = found if left is None else left & found
    if days:
        since = max((_moment(one.value, zone) for one in days if one.name == "after"), default=-_EVER)
        until = min((_moment(one.value, zone) for one in days if one.name == "before"), default=_EVER)
        rows = index.commit_filters
        left = rows.between(since, until) if left is None else rows.of_these_between(left, since, until)
    for one in (each for each in others if each.negated):
        left = (index.commit_filters.all() if left is None else left) - _satisfying(index, one, zone)
    return left


def _moment(day: str, zone: tzinfo | None) -> int:
    return int(datetime.combine(date.fromisoformat(day), datetime.min.time(), zone).timestamp())


def _satisfying(index: Index, one: Filter, zone: tzinfo | None) -> set[int]:
    rows, value = index.commit_filters, one.value
    match one.name:
        case "author" | "committer":
            return rows.by_people(person_matcher(value), committer=one.name == "committer")
        case "file":
            return rows.touching(path_matcher(value))
        case "symbol":
            return _naming(index, value)
        case "message":
            return rows.holding(query_terms(value), ["subject", "body"])
        case "change":
            return _changing(index, value)
        case "kind":
            return rows.of_kind(value)
        case "after" | "before":
            return _timed(index, one.name, value, zone)
        case "release":
            return rows.in_release(value)
        case "merge":
            return rows.merges() if value == "yes" else rows.all() - rows.merges()
        case "issue":
            return rows.mentioning(value.upper())
    return set(index.history.by_sha(value))


def _timed(index: Index, name: str, value: str, zone: tzinfo | None) -> set[int]:
    rows = index.commit_filters
    if _DAY.fullmatch(value):
        at = _moment(value, zone)
        return rows.between(at, _EVER) if name == "after" else rows.between(-_EVER, at)
    if is_commit_id(value) and all(release.name != value for release in index.surroundings.releases()):
        return _around(index, name, value)
    return rows.after_release(value) if name == "after" else rows.before_release(value)


def _around(index: Index, name: str, sha: str) -> set[int]:
    """What came after a commit, as git has it in `sha..HEAD`, or what led to it.

    Of branches beside HEAD's nobody can tell but by the time.
    """
    rows, ids, graph = index.commit_filters, index.history.by_sha(sha), index.history.graph()
    if not ids:
        return set()
    at = index.history.rows(ids[:1])[ids[0]].committed_at
    by_time = rows.between(at + 1, _EVER) if name == "after" else rows.between(-_EVER, at)
    place = graph.places.get(ids[0])
    if place is None:
        return by_time - {ids[0]}
    led, own = graph.led_to(place), set(graph.ids)
    return (own - led - {ids[0]} if name == "after" else led) | (by_time - own)


def _naming(index: Index, value: str) -> set[int]:
    """Commits with all names of a value; of a name of one word the index has the stem, as of any word."""
    rows, left = index.commit_filters, list[set[int]]()
    for name in _NAME.findall(value):
        terms = query_terms(name)
        stemmed = terms[-1:] if name.isascii() else terms  # the last of a name's terms is the whole
        left.append(rows.holding([fold(name)], ["names"]) | rows.holding(stemmed, ["names"]))
    return set.intersection(*left) if left else rows.holding(query_terms(value), ["names"])


def _changing(index: Index, text: str) -> set[int]:
    """Commits with a text among their changed lines, as far as those are kept; upper and lower case are one."""
    found = index.commit_filters.holding(query_terms(text), _CHANGED)
    wanted = text.casefold()
    return index.commit_filters.with_text(found, lambda lines: wanted in lines.casefold())


def person_matcher(value: str) -> Callable[[str, str], bool]:
    """Whether somebody's name holds all words of a value, or the address holds it."""
    whole = fold(value)
    words = whole.split()

    def named(name: str, email: str) -> bool:
        folded = _folded(name)
        return all(word in folded for word in words) or whole in _folded(email)

    return named


@functools.lru_cache(maxsize=_KEPT_NAMES)
def _folded(name: str) -> str:
    return fold(name)


def path_matcher(value: str) -> Callable[[str], bool]:
    """`file:`: a path, a folder, the name of either anywhere, or a pattern with `*` and `**`; case does not count."""
    wanted = value.strip("/").casefold()
    if re.search(r"[*?\[]", wanted):
        pattern = re.compile(_translated(wanted))
        return lambda path: pattern.fullmatch(path.casefold()) is not None
    inside = f"/{wanted}/"
    return lambda path: inside in f"/{path.casefold()}/"


def _translated(pattern: str) -> str:
    """A glob in which `*` stays within a folder and `**` does not."""
    parts = [
        "(?:.*/)?"
        if part == "**/"
        else ".*"
        if part == "**"
        else fnmatch.translate(part).removesuffix("\\Z").replace(".*", "[^/]*")
        for part in re.split(r"(\*\*/|\*\*)", pattern)
        if part
    ]
    return "".join(parts)


def suggestions(index: Index, filters: Iterable[Filter], *, only_near: bool = False) -> list[str]:
    """For a name or a path that no commit has, the nearest that one has. `only_near`: nothing where none is near."""
    told: list[tuple[str, list[str]]] = []
    inner: list[str] = []
    for one in filters:
        if one.name in ("author", "committer"):
            people = index.surroundings.people()
            named = person_matcher(one.value)
            if not any(named(name, email) for name, email in people):
                near = nearest(one.value, [name for name, _ in people])
                told.append((f"nobody is called {one.value!r}", near))
        elif one.name == "file":
            paths = index.commit_filters.paths()
            if any(map(path_matcher(one.value), paths)):
                continue
            if module := _submodule(index, one.value.strip("*/")):
                inner.append(f"{module} is a submodule, whose commits are its own: open or index that folder")
                continue
            parts = sorted({part for path in paths for part in path.split("/")})
            value = one.value.strip("*/")
            told.append((f"no commit changed a file {value!r}", nearest(value.rpartition("/")[2], parts)))
        elif one.name == "symbol" and not _naming(index, one.value):
            told.append((f"no commit changed a function or class {one.value!r}", []))
        elif one.name == "issue" and not index.commit_filters.mentioning(one.value.upper()):
            told.append((f"no commit names {'#' * one.value.isdigit()}{one.value.upper()}", []))
        elif _names_commit(one) and not index.history.by_sha(one.value):
            told.append((f"no commit has an id that starts with {one.value}", []))
    others = [(said, near) for said, near in told if near or not only_near]
    return [*inner, *(f"{said}; nearest: {', '.join(near)}" if near else said for said, near in others)]


def _names_commit(one: Filter) -> bool:
    return one.name == "sha" or (one.name in ("after", "before") and is_commit_id(one.value))


def _submodule(index: Index, path: str) -> str:
    """The folder above a path that the commits have as one entry, as git has a submodule; "" for none."""
    folders = path.split("/")[:-1]
    above = ("/".join(folders[:depth]) for depth in range(1, len(folders) + 1))
    return next((folder for folder in above if index.file_changes.newest_blob(folder)), "")


def time_spanned(index: Index, zone: tzinfo | None) -> list[str]:
    """From when to when there are commits, in a sentence; nothing where there is none."""
    ids = index.commit_filters.all()
    ends = [index.commit_filters.in_time(ids, 1, oldest=oldest) for oldest in (True, False)]
    rows = index.history.rows(i for end in ends for i in end)
    days = [datetime.fromtimestamp(rows[i].committed_at, zone).date().isoformat() for end in ends for i in end]
    return [f"nothing was found in that time; the commits are from {days[0]} to {days[1]}"] if days else []
