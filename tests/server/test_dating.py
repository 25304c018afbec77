"""Questions about a time: what becomes a filter, what is of that time, and that the answer says so."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from fixtures.machine import Machine, Ran
from fixtures.repository import Workspace
from postil_indexers.indexer import index_workspace
from postil_indexers.store.index import Index, write_index
from postil_server.answering.answer import answered, ask
from postil_server.answering.corpus import Corpus
from postil_server.answering.dating import Within, said, time_of
from postil_server.answering.question import Question
from postil_server.history.filters import Filter
from postil_server.types import Answer
from server.conftest import ROLES, Indexed

NOW = datetime(2024, 4, 18, 12, tzinfo=UTC)  # a Thursday


@pytest.fixture
def corpus(indexed: Indexed) -> Corpus:
    return Corpus(indexed.root, indexed.index, ROLES)


def answer(corpus: Corpus, text: str) -> Answer:
    return answered(ask([corpus], Question(text)))


@pytest.mark.parametrize(
    ("question", "filters", "words"),
    [
        ("What did we decide last week?", "after:2024-04-08 before:2024-04-15", ""),
        ("What was said about retries in March 2024?", "after:2024-03-01 before:2024-04-01", "said retries"),
        ("上周改了什么？", "after:2024-04-08 before:2024-04-15", ""),
        ("昨天发生了什么？", "after:2024-04-17 before:2024-04-18", ""),
        ("How many backups of the last 30 days does the script keep?", "", ""),
        ("How long is a lease?", "", ""),
    ],
)
def test_a_time_of_what_was_becomes_a_filter(indexed: Indexed, question: str, filters: str, words: str) -> None:
    with indexed.index.snapshot():
        found = time_of(indexed.index, Question(question), NOW)
    assert (said(found.filters), found.words) == (filters, words)


def test_all_of_a_time_is_its_notes_and_its_commits(corpus: Corpus) -> None:
    found = answer(corpus, "What was decided on 4 March 2024?")
    assert [source.path for source in found.citations] == ["notes/meetings/2024-03-04 planning.md"]
    assert found.filters == {"after": "2024-03-04", "before": "2024-03-05"}
    assert found.text.endswith("\n(Time: after:2024-03-04 before:2024-03-05)\n")
    changed = answer(corpus, "2024年3月有什么改动？")
    assert [bool(source.sha) for source in changed.citations] == [True] * 4 + [False] * 2
    assert changed.sentences[0].text.startswith('Revert "Cache ready_count in memory for five seconds"')
    assert "（时间：after:2024-03-01 before:2024-04-01）" in changed.text


def test_words_are_looked_for_in_that_time_alone(corpus: Corpus) -> None:
    found = answer(corpus, "Who fixed the off-by-one in March 2024?")
    assert found.citations[0].title == "Fix off-by-one in counting attempts (#42)"
    other = answer(corpus, "Who fixed the off-by-one in April 2024?")
    assert (other.citations, other.finish) == ((), "not_found")
    assert other.text == "The workspace does not have this. (Time: after:2024-04-01 before:2024-05-01)"
    assert all("off-by-one" not in hit.name for hit in other.nearest)


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    """Notes outside of git."""
    root = tmp_path_factory.mktemp("dated")
    workspace = Workspace(root / "notes")
    workspace.write("2024-03 review.md", "# Review\n\nWhat the month brought.\n")
    workspace.write("20240405.md", "# Log\n\nFive.\n")
    workspace.write("plan.md", "---\ncreated: 2024-03-31\n---\n# Plan\n\nWhat is to come.\n")
    workspace.write("2024-13-45.md", "# No day\n\nText.\n")
    with write_index(root / "index.db") as index:
        index_workspace(index, workspace.root, {}, processes=0)
        yield index


@pytest.mark.parametrize(
    ("after", "before", "inside"),
    [
        ("2024-03-01", "2024-04-01", {"2024-03 review.md", "plan.md"}),
        ("2024-03-31", "2024-04-06", {"2024-03 review.md", "plan.md", "20240405.md"}),
        ("2024-04-01", "2024-04-05", set()),
    ],
)
def test_a_note_is_dated_by_its_name_its_front_matter_or_when_it_was_written(
    dated: Index, after: str, before: str, inside: set[str]
) -> None:
    index = dated
    filters = (Filter("after", after), Filter("before", before))
    with index.snapshot():
        within = Within(index, filters, UTC)
        documents = list(index.content.documents().values())
        assert {row.path for row in documents if within.has(row)} == inside


def test_a_note_without_a_date_is_of_when_its_file_was_written(dated: Index) -> None:
    index = dated
    with index.snapshot():
        row = index.content.document("2024-13-45.md")
        assert row is not None
        day = datetime.fromtimestamp(row.mtime_ns / 1e9, UTC).date()
        assert Within(index, (Filter("after", day.isoformat()),), UTC).has(row)
        assert not Within(index, (Filter("before", day.isoformat()),), UTC).has(row)


def test_the_command_prints_the_filters(used: tuple[Machine, Workspace, Ran]) -> None:
    machine, workspace, _ = used
    record = machine.here("ask", workspace.root, "What changed in March 2024?", "--json").record
    assert record["filters"] == {"after": "2024-03-01", "before": "2024-04-01"}
