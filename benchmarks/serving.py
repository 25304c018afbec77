"""What an editor waits for: `postil serve` as a process, beside a bare server of pygls in the same run.

At some 50,000 passages of code and the notes of a manual that has most of its pages in several versions; at rest, while
another tree is indexed from nothing by its worker, and while this one is. Each request waits for the one before.
"""

from __future__ import annotations

import itertools
import random
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from desk import Desk, eventually
from measuring import percentile, table, write_result
from queries import REPOSITORIES
from serving_places import DISTINCT, SILENT, SPEAKING, Place, places
from serving_window import Hovered, Window
from synthetic import make_tree
from trees import check_out, only, together

from fixtures.replay import kill_workers

_MANUAL = "MicrosoftDocs/PowerShell-Docs"
_WITH_PROSE = "MadisonEvans94/Zettelkasten"  # a transformer would take an hour for all of them
_LAUNCHES = 10  # of each server, in turn
_OF_EACH = 150  # hovers of each kind; as many completions and symbols
_CHANGES = 2_000
_OTHER_TREE = 100_000  # passages: it is indexed for as long as is measured
_SEED = 4
_BEGUN_S = 30.0  # until a worker has started to index
_BOUNDS = {  # milliseconds
    "initialize": 80.0,  # more than the bare server
    "first hover": 1_500.0,
    "idle": 50.0,
    "indexing": 80.0,
    "silent": 10.0,
    "typing": 60.0,
    "change": 2.0,
}
_TYPED = ("[[", "#", "](")

Row = tuple[str, str, str, str, str]  # what, measured, the bare server, bound, verdict


def run(mirror: Path, work: Path, out: Path, command: str, seconds: float = 60.0) -> bool:
    """`seconds`: the longest that is measured while something is indexed."""
    tree = _tree(mirror, work)
    desk = Desk(work / "serving-desk", tree)
    if desk.postil("index", "--no-history", "--yes", "--json").status:
        sys.exit("the tree could not be indexed")
    where = places(tree, desk.index_path, _OF_EACH, _SEED)
    rows = []
    parts = (
        _launches(desk, where),
        _at_rest(desk, where),
        _while_indexing(desk, work, where, seconds),
        _with_prose(mirror, work),
    )
    for row in itertools.chain(*parts):
        print(*row, sep=" | ", flush=True)
        rows.append(row)
    with sqlite3.connect(desk.index_path) as index:
        (passages,) = index.execute("SELECT count(*) FROM chunks").fetchone()
    said = (
        f"{passages:,} passages: {', '.join(REPOSITORIES)} and the notes of {_MANUAL}, without vectors of prose, "
        f"which the last row has, for {_WITH_PROSE}. Times are taken where the client reads, from the moment of its "
        "request. Prose is called repeated where the same paragraph stands in another place as well. A hover that has "
        "nothing to say counts like one that speaks."
    )
    header = ("what", "Postil", "bare pygls", "bound", "verdict")
    write_result(out, "Serving", command, [said, table(header, rows)], {})
    return all(row[-1] != "not met" for row in rows)


def _tree(mirror: Path, work: Path) -> Path:
    trees = [check_out(mirror, name, work / "trees") for name in REPOSITORIES]
    if (mirror / _MANUAL.replace("/", "+")).is_dir():
        manual = check_out(mirror, _MANUAL, work / "trees")
        notes = [str(file.relative_to(manual)) for file in manual.rglob("*.md")]
        trees.append(only(manual, notes, work / "serving-notes" / manual.name))
    return together(trees, work / "serving-tree")


def _bare(desk: Desk) -> Window:
    script = str(Path(__file__).with_name("serving_bare.py"))
    return Window([sys.executable, script], desk.environment(), [desk.root])


def _postil(desk: Desk) -> Window:
    return Window([str(Path(sys.executable).with_name("postil")), "serve", "--stdio"], desk.environment(), [desk.root])


def _launches(desk: Desk, where: Sequence[Place]) -> Iterator[Row]:
    initialized: dict[Callable[[Desk], Window], list[float]] = {_bare: [], _postil: []}
    hovered: dict[Callable[[Desk], Window], list[float]] = {_bare: [], _postil: []}
    speaking = _one_that_speaks(desk, where)
    for launch in (_bare, _postil) * _LAUNCHES:
        with launch(desk) as window:
            initialized[launch].append(window.answered_ms)
            hovered[launch].append(window.first_hover_ms(speaking))
    bare, ours = (statistics.median(initialized[launch]) for launch in (_bare, _postil))
    bound = bare + _BOUNDS["initialize"]
    what = f"`initialize`, median of {_LAUNCHES}"
    yield _row(what, f"{ours:.0f} ms", f"{bare:.0f} ms", f"{bound:.0f} ms", ours <= bound)
    bare, ours = (statistics.median(hovered[launch]) for launch in (_bare, _postil))
    bound = _BOUNDS["first hover"]
    yield _row("first hover since the launch", f"{ours:.0f} ms", f"{bare:.0f} ms", f"{bound:.0f} ms", ours <= bound)


def _one_that_speaks(desk: Desk, where: Sequence[Place]) -> Place:
    prose = [place for place in where if place.kind == DISTINCT]
    with _postil(desk) as window:
        return next(place for place, said in zip(prose, window.hovers(prose), strict=True) if said.speaks)


def _at_rest(desk: Desk, where: Sequence[Place]) -> Iterator[Row]:
    note = next(place.path for place in where if place.kind == DISTINCT)
    queries = list(_symbol_queries(desk.index_path))
    with _bare(desk) as window:
        bare = list(window.hovers(where))
        bare_typing = [ms for typed in _TYPED for ms in window.completions(note, typed, _OF_EACH // 3)]
        bare_symbols = [window.ask("workspace/symbol", {"query": query})[0] for query in queries]
        bare_change = window.change_ms(note, _CHANGES)
    with _postil(desk) as window:
        list(window.hovers(where[:20]))  # each thread has its models loaded
        _settled(desk)
        yield from _hover_rows("at rest", list(window.hovers(where)), bare, _BOUNDS["idle"])
        for typed in _TYPED:
            completions = window.completions(note, typed, _OF_EACH)
            yield _times(f"completion behind `{typed}`", completions, bare_typing, _BOUNDS["typing"])
        symbols = [window.ask("workspace/symbol", {"query": query})[0] for query in queries]
        yield _times("workspace/symbol", symbols, bare_symbols, _BOUNDS["typing"])
        ours, bound = window.change_ms(note, _CHANGES), _BOUNDS["change"]
        what = "a change in 5,000 lines, of the processor"
        yield _row(what, f"{ours:.2f} ms", f"{bare_change:.2f} ms", f"{bound:.0f} ms", ours <= bound)


def _symbol_queries(index: Path) -> Iterator[str]:
    """What somebody types of names and headings: their beginnings, and some letters from within."""
    chance = random.Random(_SEED)
    with sqlite3.connect(index) as rows:
        found = rows.execute("SELECT name FROM definitions UNION SELECT text FROM headings ORDER BY 1")
        names = [name for (name,) in found if len(name) > 4]
    for name in chance.sample(names, min(_OF_EACH, len(names))):
        start = chance.choice((0, 0, 1, 2))
        yield name[start : start + chance.choice((1, 2, 3, 4, 6, 9))].strip() or name


def _while_indexing(desk: Desk, work: Path, where: Sequence[Place], seconds: float) -> Iterator[Row]:
    other = Desk(work / "serving-other", make_tree(work / f"synthetic-{_OTHER_TREE}", _OTHER_TREE))
    _forget(other)
    with _postil(desk) as window:
        list(window.hovers(where[:20]))
        _settled(desk)
        try:
            other.start()
            yield from _loaded("while another tree is indexed", window, other, where, seconds)
        finally:
            other.end()
        _forget(desk)
        yield from _loaded("while this tree is indexed", window, desk, where, seconds)
        _settled(desk)  # what comes after has a whole index


def _loaded(when: str, window: Window, indexed: Desk, where: Sequence[Place], seconds: float) -> Iterator[Row]:
    """Hovers while that desk's worker indexes, from the first thing that can be found on."""
    try:
        eventually(lambda: _indexes(indexed), _BEGUN_S)
    except TimeoutError:
        yield _row(f"hover {when}", "the indexing was over too soon", "", "", False)
        return
    until, found = time.monotonic() + seconds, []
    for hovered in window.hovers(itertools.cycle(where)):
        found.append(hovered)
        if len(found) % 20 == 0 and (time.monotonic() > until or not _indexes(indexed)):
            break
    yield from _hover_rows(when, found, [], _BOUNDS["indexing"])


def _with_prose(mirror: Path, work: Path) -> Iterator[Row]:
    """What the transformer adds to a hover, which has to read the paragraph for it."""
    desk = Desk(work / "serving-prose-desk", check_out(mirror, _WITH_PROSE, work / "trees"), settings="")
    if desk.postil("index", "--no-history", "--yes").status:
        sys.exit("the notes could not be indexed")
    where = [place for place in places(desk.root, desk.index_path, _OF_EACH, _SEED) if place.kind == DISTINCT]
    with _postil(desk) as window:
        list(window.hovers(where[:20]))
        _settled(desk)
        yield from _hover_rows("at rest, with vectors of prose", list(window.hovers(where)), [], _BOUNDS["idle"])


def _forget(desk: Desk) -> None:
    """The index, and the worker that writes it: a server that needs it starts another, which makes it anew."""
    kill_workers(desk.index_dir)
    for file in desk.folder.glob("index-*"):
        file.unlink(missing_ok=True)


def _indexes(desk: Desk) -> bool:
    with desk.client() as client:
        return desk.index_path.is_file() and client.request("status")["state"] == "indexing"


def _settled(desk: Desk) -> None:
    """The worker, which the server has started, has nothing left to do."""
    with desk.client() as client:
        client.request("wait")


def _hover_rows(when: str, hovered: Sequence[Hovered], bare: Sequence[Hovered], bound: float) -> Iterator[Row]:
    for kind in SPEAKING:
        own = [one for one in hovered if one.kind == kind]
        if own:
            spoke = sum(one.speaks for one in own) / len(own)
            what = f"hover {when}: {kind}, {len(own)} ({spoke:.0%} speak)"
            yield _times(what, [one.ms for one in own], [one.ms for one in bare if one.kind == kind], bound)
    own = [one for one in hovered if one.kind in SILENT]
    if own:
        what = f"hover {when}: fences, front matter, blank lines, {len(own)}"
        yield _times(what, [one.ms for one in own], [one.ms for one in bare if one.kind in SILENT], _BOUNDS["silent"])


def _times(what: str, ours: Sequence[float], bare: Sequence[float], bound: float) -> Row:
    return _row(what, _said(ours), _said(bare) if bare else "", f"p95 {bound:.0f} ms", percentile(ours, 0.95) <= bound)


def _said(times: Iterable[float]) -> str:
    times = list(times)
    return f"p50 {percentile(times, 0.5):.1f}, p95 {percentile(times, 0.95):.1f} ms"


def _row(what: str, measured: str, bare: str, bound: str, met: bool) -> Row:
    return (what, measured, bare, bound, "met" if met else "not met")
