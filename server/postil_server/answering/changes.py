"""What was changed since a date or a commit: commits by the part of the workspace that they are about."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Sequence

from postil_indexers.errors import GitError, PostilError, SettingsError
from postil_indexers.git import run_git
from postil_indexers.store.history import CommitRow
from postil_indexers.types import Commit, Kind, Span
from postil_server.answering.commitsource import message_of
from postil_server.answering.corpus import Corpus
from postil_server.answering.digest import Digest, Group, Point
from postil_server.answering.question import is_chinese
from postil_server.answering.safetext import clean, literal
from postil_server.history.calendar import find_period
from postil_server.history.narrowing import person_matcher
from postil_server.types import Source

_GROUPS, _OF_GROUP = 8, 6  # what fits on a page
_OPEN = 6
_READ = 500  # commits that are looked at, the newest
_REF = re.compile(r"[\w][\w./@{}^~+-]{0,200}")
_HEX = re.compile(r"[0-9a-f]{7,64}")
_ADDED_TASK = re.compile(r"^\+\s*(?:(?:[-*+]|\d+[.)])\s+\[ \]\s+(.+)|.*?\b((?:TODO|FIXME)\b.+))$", re.MULTILINE)


def summarise_changes(corpus: Corpus, since: str, today: datetime.date, path: str = "", author: str = "") -> Digest:
    """`since`: a day or a time in words ("last week", "2024-04-01", "上周"), a commit, a tag or a branch.

    `path`: only what changed this file or folder; `author`: only what somebody wrote whose name has these words, or
    whose address has this in it. Raises SettingsError where `since` names neither, PostilError where nothing was
    committed since.
    """
    with corpus.index.snapshot():
        rows = _of(corpus, _rows(corpus, since.strip(), today), path, author)
        commits = [commit for row in rows[:_READ] if (commit := corpus.index.history.commit(row.sha)) is not None]
    where = (f" in {path}" if path else "") + (f" by {author}" if author else "")
    if not commits:
        raise PostilError(f"nothing was committed since {since}{where}", "name an earlier day or commit")
    chinese = is_chinese(" ".join(commit.subject for commit in commits))
    grouped = _grouped(commits)
    main = max(commits, key=lambda commit: len(commit.added_names) + len(commit.removed_names))  # did most to the code
    listed = [
        Group(
            tuple(_point(corpus, commit) for commit in group[:_OF_GROUP] if commit is not main),
            _title(area, group, chinese),
        )
        for area, group in grouped[:_GROUPS]
    ]
    return Digest(
        title=f"changes since {since}{where}",
        core=(_point(corpus, main),),
        groups=tuple(listed),
        open=tuple(_open(corpus, commits)),
        note=_note(rows, commits, chinese),
        chinese=chinese,
        whole=tuple(_source(corpus, commit) for commit in commits),
    )


def _rows(corpus: Corpus, since: str, today: datetime.date) -> list[CommitRow]:
    """The commits since then, the newest first."""
    history = corpus.index.history
    every = history.rows(history.newest(history.count())).values()
    named = history.by_sha(since.lower()) if _HEX.fullmatch(since.lower()) else []
    if named:
        (start,) = history.rows(named[:1]).values()
        after = _after(corpus, start.sha)
        kept = [row for row in every if row.sha in after]
    elif period := find_period(since, today):
        first = datetime.datetime.combine(period[2].start, datetime.time(), datetime.UTC).timestamp()
        kept = [row for row in every if row.committed_at >= first]
    else:
        after = _after(corpus, since)
        kept = [row for row in every if row.sha in after]
    return sorted((row for row in kept if not row.is_merge), key=lambda row: (-row.committed_at, row.sha))


def _of(corpus: Corpus, rows: list[CommitRow], path: str, author: str) -> list[CommitRow]:
    """Those of some commits that are about a path and by somebody."""
    if path:
        touching = corpus.index.history.touching(path)
        rows = [row for row in rows if row.id in touching]
    wrote = person_matcher(author)
    return [row for row in rows if wrote(row.author_name, row.author_email)] if author else rows


def _after(corpus: Corpus, ref: str) -> set[str]:
    """The commits that are reachable now and were not from a commit, a tag or a branch."""
    if not _REF.fullmatch(ref) or ".." in ref:
        raise SettingsError(
            f"{ref!r} is no date, commit, tag or branch", "as in 2024-04-01, last week, v1.2 or a1b2c3d"
        )
    try:
        listed = run_git(corpus.root, "rev-list", f"{ref}..HEAD", "--")
    except GitError as error:
        raise SettingsError(
            f"{ref!r} is no date, commit, tag or branch of this repository", "as in 2024-04-01, last week or a1b2c3d"
        ) from error
    return set(listed.decode("ascii").split())


def _grouped(commits: Sequence[Commit]) -> list[tuple[str, list[Commit]]]:
    """Commits by the folder that most of their changed lines are in; the largest group first."""
    groups: dict[str, list[Commit]] = {}
    for commit in commits:
        groups.setdefault(_area(commit), []).append(commit)
    return sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))


def _area(commit: Commit) -> str:
    counts: Counter[str] = Counter()
    for change in commit.files:
        top = change.path.split("/", 1)[0] + "/" if "/" in change.path else change.path
        counts[top] += sum(hunk.new_lines + hunk.old_lines for hunk in change.hunks) or 1
    return max(counts, key=lambda area: (counts[area], area), default="")


def _title(area: str, group: Sequence[Commit], chinese: bool) -> str:
    if chinese:
        return f"{area or '其他'}（{len(group)} 个提交）"
    return f"{area or 'no files'} ({len(group)} commit{'s'[: len(group) != 1]})"


def _point(corpus: Corpus, commit: Commit) -> Point:
    source = _source(corpus, commit)
    signed = clean(source.text.rpartition("— ")[2])
    return Point(f"{literal(clean(commit.subject.rstrip('.。')))} ({literal(signed)})", source)


def _source(corpus: Corpus, commit: Commit, at: tuple[str, Span] | None = None) -> Source:
    hunks = [(change.path, hunk) for change in commit.files for hunk in change.hunks]
    path, span = at or ("", Span(0, 1))
    if at is None and hunks:
        first = hunks[0][1]
        path, span = hunks[0][0], Span(first.new_start, first.new_start + first.new_lines)
    elif at is None and commit.files:
        path = commit.files[0].path
    said = message_of(commit)
    return Source(
        0, corpus.root, path, span, Kind.COMMIT, commit.subject, commit.author_name, said, 1.0, sha=commit.sha
    )


def _open(corpus: Corpus, commits: Sequence[Commit]) -> list[Point]:
    """Tasks and TODOs that came in, as long as no later commit took them out."""
    gone: set[str] = set()
    found: list[Point] = []
    for commit in commits:
        for change in commit.files:
            for hunk in change.hunks:
                for added in _ADDED_TASK.finditer(hunk.text):
                    text = next(filter(None, added.groups())).strip()
                    if text not in gone:
                        span = Span(hunk.new_start, hunk.new_start + hunk.new_lines)
                        source = _source(corpus, commit, (change.path, span))
                        found.append(Point(literal(clean(text)), _with(source, hunk.text)))
                gone.update(
                    line[1:].strip().removeprefix("- [ ] ") for line in hunk.text.split("\n") if line[:1] == "-"
                )
    return found[:_OPEN]


def _with(source: Source, lines: str) -> Source:
    """A commit whose changed lines are what is quoted."""
    return Source(
        0, source.root, source.path, source.span, source.kind, source.title, source.name, lines, 1.0, sha=source.sha
    )


def _note(rows: Sequence[CommitRow], commits: Sequence[Commit], chinese: bool) -> str:
    authors = [name for name, _ in Counter(row.author_name for row in rows).most_common(5)]
    files = len({change.path for commit in commits for change in commit.files})
    if chinese:
        return f"{len(rows)} 个提交，{files} 个文件；作者：{'、'.join(authors)}。"
    return f"{len(rows)} commit{'s'[: len(rows) != 1]} to {files} file{'s'[: files != 1]} by {', '.join(authors)}."
