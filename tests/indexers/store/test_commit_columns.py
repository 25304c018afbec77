"""Filters over a history in which most of them leave thousands of commits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from postil_indexers.store.index import Index, open_index, write_index
from postil_indexers.types import Commit

MANY = 2_800  # more, by a quarter, than are looked up one by one
DAY = 86_400
START = 1_600_000_000


def commit(number: int, *, subject: str | None = None, days_waited: int = 0) -> Commit:
    at = START + number // 4 * DAY  # four in a second, as after a rebase
    words = ("fix the lease", "add a queue", "Merge branch 'pump'", "fix the lease of the queue")
    return Commit(
        sha=f"{number * 2_654_435_761 % (1 << 160):040x}",
        parents=("1" * 40, "2" * 40) if number % 4 == 2 else ("1" * 40,),
        author_name="Maya",
        author_email="maya@millrace.example",
        authored_at=at - days_waited * DAY,
        committed_at=at,
        subject=subject or words[number % 4],
        body="",
    )


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    with write_index(tmp_path_factory.mktemp("columns") / "index.db") as opened:
        with opened.transaction():
            for number in range(MANY):
                opened.history.write(commit(number))
        yield opened


def numbers(index: Index) -> dict[int, int]:
    """Commit id -> the number that it was made of."""
    by_sha = {commit(number).sha: number for number in range(MANY)}
    return {row.id: by_sha[row.sha] for row in index.history.rows(range(1, MANY + 1)).values()}


def test_what_a_filter_leaves(index: Index) -> None:
    number_of, filters = numbers(index), index.commit_filters
    first_day, last_day = START + 10 * DAY, START + 20 * DAY
    assert sorted(number_of[i] for i in filters.between(first_day, last_day)) == list(range(40, 80))
    assert {number_of[i] for i in filters.merges()} == set(range(2, MANY, 4))
    assert {number_of[i] % 4 for i in filters.of_kind("fix")} == {0, 3}
    assert len(filters.of_kind("fix")) == MANY / 2
    assert filters.of_kind("revert") == set()
    everything = filters.all()
    assert everything == set(number_of)
    assert filters.of_these_between(everything, first_day, last_day) == filters.between(first_day, last_day)
    few = set(sorted(everything)[:60])
    assert filters.of_these_between(few, first_day, last_day) == few & filters.between(first_day, last_day)


@pytest.mark.parametrize("oldest", [False, True])
def test_the_ends_of_many_commits_are_those_of_each_looked_up(index: Index, oldest: bool) -> None:
    number_of = numbers(index)
    days = sorted({number // 4 for number in number_of.values()}, reverse=not oldest)
    wanted = sorted(number_of.values(), key=lambda number: (days.index(number // 4), commit(number).sha))
    for limit in (1, 6, MANY, 2 * MANY):
        found = index.commit_filters.in_time(index.commit_filters.all(), limit, oldest=oldest)
        assert [number_of[i] for i in found] == wanted[:limit]
    assert index.commit_filters.in_time(index.commit_filters.all(), 0, oldest=oldest) == []


def test_words_find_the_best_of_many_allowed_commits(index: Index) -> None:
    """However many better ones there are that are not allowed."""
    number_of, terms = numbers(index), ["leas", "queue"]
    both = {i for i, number in number_of.items() if number % 4 == 3}
    allowed = set(number_of) - set(sorted(both)[:400])
    found = {match.rowid for match in index.history.match(terms, 200, allowed)}
    assert (len(found), found <= both & allowed) == (200, True)
    allowed = set(number_of) - both
    found = {match.rowid for match in index.history.match(terms, 200, allowed)}
    assert (len(found), {number_of[i] % 4 for i in found} <= {0, 1}) == (200, True)
    few = set(sorted(both)[:100])
    assert {match.rowid for match in index.history.match(terms, 200, few)} == few


def test_releases_split_the_commits(index: Index) -> None:
    number_of = numbers(index)
    shas = {number: commit(number).sha for number in range(MANY)}
    first = {shas[n]: "v1" if n < 1_000 else "v2" for n in range(2_000)}
    with index.transaction():
        index.surroundings.set_releases([("v1", shas[999], START), ("v2", shas[1_999], START + 1)], first)
    filters = index.commit_filters
    assert {number_of[i] for i in filters.in_release("v2")} == set(range(1_000, 2_000))
    assert {number_of[i] for i in filters.before_release("v1")} == set(range(1_000))
    assert {number_of[i] for i in filters.before_release("v2")} == set(range(2_000))
    assert {number_of[i] for i in filters.after_release("v1")} == set(range(1_000, MANY))
    assert filters.in_release("v3") == filters.before_release("v3") == set()


def test_a_new_commit_is_seen_by_who_wrote_it_and_by_who_only_reads(tmp_path: Path) -> None:
    path = tmp_path / "index.db"
    with write_index(path) as writer:
        with writer.transaction():
            writer.history.write(commit(1))
        with open_index(path) as reader:
            assert len(reader.commit_filters.all()) == len(writer.commit_filters.all()) == 1
            with writer.transaction():
                writer.history.write(commit(4, subject="Revert the queue", days_waited=1))
                assert len(writer.commit_filters.all()) == 2
                assert len(reader.commit_filters.all()) == 1
            assert len(reader.commit_filters.all()) == len(reader.commit_filters.between(START, START + DAY)) == 2
            with writer.transaction():
                writer.history.remove([commit(1).sha])
            assert reader.commit_filters.of_kind("revert") == reader.commit_filters.all() == {2}
