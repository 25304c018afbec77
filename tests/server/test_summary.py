"""Summaries along the structure of a note, of code, of a folder; and of what was committed since."""

from __future__ import annotations

from datetime import date

import pytest

from postil_indexers.errors import PostilError, SettingsError
from postil_indexers.types import Span
from postil_server.answering.answer import answered, summarise
from postil_server.answering.changes import summarise_changes
from postil_server.answering.corpus import Corpus
from postil_server.answering.digest import Digest
from postil_server.answering.summary import summarise_file, summarise_folder
from postil_server.types import Support
from server.conftest import ROLES, Indexed

TODAY = date(2024, 4, 19)


@pytest.fixture
def corpus(indexed: Indexed) -> Corpus:
    return Corpus(indexed.root, indexed.index, ROLES)


def text(corpus: Corpus, digest: Digest) -> str:
    answer = answered(summarise([corpus], digest))
    assert {sentence.support for sentence in answer.sentences} == {Support.SUPPORTED}
    assert [source.number for source in answer.citations] == list(range(1, len(answer.citations) + 1))
    return answer.text


def test_a_note_has_a_core_point_and_the_best_sentence_of_each_section(corpus: Corpus) -> None:
    assert text(corpus, summarise_file(corpus, "docs/design.md")) == (
        "Extracts; no model was asked.\n\n**Core point**\n\n"
        "- One Redis server, one stream a queue, one consumer group. [1]\n\n**Key points**\n\n"
        "- Everything else is a consequence. [1]\n"
        "- The braces keep all keys of a queue in one hash slot, so that Lua scripts may touch them together "
        "on a cluster. [2]\n"
        "- A worker that dies between doing the work and acknowledging it makes the job run again, "
        "see what can go wrong. [3]\n"
        "- A claimed job belongs to one consumer until its lease runs out. [4]\n"
        "- A failed job waits in the delayed set and is promoted by the scheduler when it is due. [5]\n"
        "- Priorities, workflows, cron. [6]\n"
    )


def test_a_note_in_chinese_is_summed_up_in_chinese(corpus: Corpus) -> None:
    said = text(corpus, summarise_file(corpus, "notes/任务队列的可靠性.md"))
    assert said.startswith(
        "摘录（没有询问模型）：\n\n**核心**\n\n- 任务队列只能做到“至少一次”，做不到“恰好一次”。 [1]\n"
    )
    assert "\n**要点**\n\n" in said


def test_open_tasks_and_questions_are_told_apart(corpus: Corpus) -> None:
    said = text(corpus, summarise_file(corpus, "notes/meetings/2024-03-04 planning.md"))
    (opened,) = said.split("**Open questions**")[1:]
    assert "- How long is a lease? Thirty seconds to begin with. [" in opened
    assert "- Do we need priorities? Not now. [" in opened


def test_code_is_summed_up_by_its_definitions(corpus: Corpus) -> None:
    said = text(corpus, summarise_file(corpus, "millrace/lease.py"))
    assert "**Core point**\n\n- Leases: a claimed job belongs to one consumer until its lease runs out. [1]\n" in said
    assert "- `LeaseKeeper`: Acquires, extends and releases leases of one queue. [" in said
    assert "- `LeaseKeeper.extend`: Renew the lease; raises LeaseLost when it was not ours any more. [" in said


def test_of_selected_lines_nothing_else_is_told(corpus: Corpus) -> None:
    digest = summarise_file(corpus, "docs/lease protocol.md", Span(13, 22))
    assert {(source.span.start_line, source.span.end_line) for source in digest.sources} <= {(13, 18), (18, 22)}
    assert "A Lua script compares the token and extends the expiry in one step." in text(corpus, digest)
    mine = summarise_file(corpus, "docs/lease protocol.md", Span(0, 2), "Only this is selected, and nothing else is.")
    assert "- Only this is selected, and nothing else is. [1]\n" in text(corpus, mine)


def test_a_folder_is_summed_up_file_by_file(corpus: Corpus) -> None:
    said = text(corpus, summarise_folder(corpus, "millrace"))
    assert "- `queue.py`: A job queue on Redis streams. [" in said
    assert "- `retry.py`: How long to wait before a failed job is tried again. [" in said
    whole = text(corpus, summarise_folder(corpus, ""))
    assert "**Core point**\n\n- `README.md`: A small job queue on Redis streams: workers in Python" in whole
    assert "49 files, of which 37 are not listed." in whole


@pytest.mark.parametrize("since", ["2024-04-11", "April 11", "8 days ago", "9 days ago", "ea5ff50", "b2772cf"])
def test_changes_since_a_day_or_a_commit_are_grouped_by_where_they_are(corpus: Corpus, since: str) -> None:
    said = text(corpus, summarise_changes(corpus, since, TODAY))
    assert "Keep leases alive from a separate thread (#57) (林晓雨, 2024-04-18)" in said
    assert "docs/ (1 commit):\n- Runbooks for a stuck queue and for a failover (Jonas Brandt, 2024-04-12) [" in said
    assert "Drop the polling design" not in said
    assert "- Alert on `evicted_keys > 0` [" in said.split("**Open questions**")[1]


def test_changes_of_a_folder_and_by_somebody(corpus: Corpus) -> None:
    said = text(corpus, summarise_changes(corpus, "2024-04-11", TODAY, "docs"))
    assert "Runbooks for a stuck queue and for a failover" in said
    assert "Keep leases alive" not in said
    said = text(corpus, summarise_changes(corpus, "2024-04-11", TODAY, author="maya"))
    assert "Retrospective and two daily notes (Maya Okafor, 2024-04-16)" in said
    assert "Jonas Brandt" not in said
    with pytest.raises(PostilError, match="nothing was committed since 2024-04-11 in docs by maya"):
        summarise_changes(corpus, "2024-04-11", TODAY, "docs", "maya")


def test_what_is_no_day_and_no_commit_is_said(corpus: Corpus) -> None:
    for since in ("gibberish!", "no-such-branch", "--output=x", "HEAD..main"):
        with pytest.raises(SettingsError, match="is no date, commit, tag or branch"):
            summarise_changes(corpus, since, TODAY)
    with pytest.raises(PostilError, match="nothing was committed since 2024-04-19"):
        summarise_changes(corpus, "2024-04-19", TODAY)


def test_what_has_no_text_is_said(corpus: Corpus) -> None:
    for path in ("docs/none.md", "docs/architecture.png", "../outside.md"):
        with pytest.raises(PostilError, match="there is no text to summarise"):
            summarise_file(corpus, path)
    with pytest.raises(PostilError, match="no indexed file is below nowhere"):
        summarise_folder(corpus, "nowhere")
