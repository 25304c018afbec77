"""Answers by extraction: what they quote, from where; what they refuse; what a changed file does to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.repository import Workspace
from postil_indexers.indexer import index_workspace
from postil_indexers.store.index import open_index, write_index
from postil_indexers.types import Kind, Span
from postil_server.answering.answer import answered, ask
from postil_server.answering.context import gather
from postil_server.answering.corpus import Corpus
from postil_server.answering.question import Exchange, Focus, Question
from postil_server.types import Answer, Source, Support
from server.conftest import ROLES, Indexed


def said(answer: Answer) -> list[tuple[str, str]]:
    """(sentence, path or commit subject that it cites)."""
    named = {source.number: source.title if source.sha else source.path for source in answer.citations}
    return [(each.text, named[number]) for each in answer.sentences for number in each.citations]


@pytest.fixture
def corpus(indexed: Indexed) -> Corpus:
    return Corpus(indexed.root, indexed.index, ROLES)


def answer(corpus: Corpus, text: str, focus: Focus | None = None, previous: Exchange | None = None) -> Answer:
    return answered(ask([corpus], Question(text, focus, previous)))


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("What do our notes say about leases?", {Kind.NOTE}),
        ("How is a lease extended in the code?", {Kind.CODE}),
        ("笔记里怎么说租约？", {Kind.NOTE}),
        ("How is a lease extended?", {Kind.NOTE, Kind.CODE}),
    ],
)
def test_a_question_says_where_it_is_to_be_answered_from(corpus: Corpus, question: str, kinds: set[Kind]) -> None:
    context = gather([corpus], Question(question))
    assert {source.kind for source in context.sources} == kinds


def test_a_note_that_the_best_one_links_to_comes_with_it(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "notes")
    places = (
        "harbour kiln orchard tannery bakery quarry chapel mill brewery forge depot stable cellar tower bridge dairy"
    )
    for place in places.split():  # each says more of what is asked than the note that is linked
        workspace.write(f"{place}.md", f"# The {place}\n\nAda read the pressure limit of the pump in the {place}.\n")
    for number in range(80):  # in a folder of which most is about something else
        workspace.write(f"other/{number}.md", f"# Cloud {number}\n\nClouds of kind {number} drift over the moor.\n")
    workspace.write("log.md", "# Pump pressure limit\n\nWhere Ada read the pressure limit of the pump: [[Valve]].\n")
    for name in (*places.split(), "valve"):  # all alike, and one of them is linked
        said = f"Parts of the {name} are ordered in spring, and twelve bar is the limit of any pump."
        workspace.write(f"parts/{name}.md", f"# {name.title()}\n\n{said}\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, workspace.root, {}, processes=0)
        question = Question("Where is the pressure limit of the pump read by Ada?")
        context = gather([Corpus(workspace.root, index, {})], question)
    paths = [source.path for source in context.sources]
    assert "log.md" in paths
    assert "parts/valve.md" in paths


def test_the_best_sentences_are_quoted_as_they_stand_and_labelled(corpus: Corpus) -> None:
    found = answer(corpus, "How do I requeue dead letters?")
    assert found.text.startswith("Extracts; no model was asked.\n\n- ")
    assert ("`millrace requeue --queue default --limit 100`", "docs/runbooks/stuck-queue.md") in said(found)
    assert (
        "Never requeue everything at once: the jobs failed together and will fail together.",
        "docs/runbooks/stuck-queue.md",
    ) in said(found)
    assert {sentence.support for sentence in found.sentences} == {Support.SUPPORTED}
    assert [source.number for source in found.citations] == list(range(1, len(found.citations) + 1))
    assert (found.model, found.finish, found.nearest) == ("", "complete", ())


def test_who_asked_the_same_before_is_quoted_for_the_answer(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "notes")
    workspace.write("planning.md", "# Planning\n\nHow long is a lease? – thirty seconds to begin with.\n")
    workspace.write("open.md", "# Open questions\n\n- How long is a lease?\n- Who pays for the rented hall?\n")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, workspace.root, {}, processes=0)
        found = answer(Corpus(workspace.root, index, {}), "How long is a lease?")
    assert said(found) == [("How long is a lease? – thirty seconds to begin with.", "planning.md")]


def test_why_is_told_by_a_sentence_before_a_line_of_code_and_never_by_an_import(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "code")
    said_why = "A person who types waits for no index."
    body = f'def lower_priority(process):\n    """{said_why}"""\n    return lower_priority_of_disk(process)\n'
    workspace.write("giving_way.py", f"from millrace.disk import lower_priority_of_disk\n\n\n{body}")
    with write_index(tmp_path / "index.db") as index:
        index_workspace(index, workspace.root, {}, processes=0)
        texts = [text for text, _ in said(answer(Corpus(workspace.root, index, {}), "Why is the priority lower?"))]
    assert texts[0] == said_why
    assert not any("import" in text for text in texts)


def test_a_question_in_chinese_has_an_answer_in_chinese(corpus: Corpus) -> None:
    found = answer(corpus, "租约默认多久？")
    assert found.text.startswith(
        "摘录（没有询问模型）：\n\n- 消费者领取任务时得到一个租约（lease），默认三十秒。 [1]\n"
    )
    assert said(found)[0][1] == "notes/任务队列的可靠性.md"


def test_who_and_why_are_told_by_commits_at_the_lines_that_they_changed(corpus: Corpus) -> None:
    found = answer(corpus, "Who fixed the off-by-one in counting attempts?")
    assert said(found)[0][0] == "Fix off-by-one in counting attempts (#42) (Maya Okafor, 2024-03-20)"
    assert (found.citations[0].kind, found.citations[0].path) == (Kind.COMMIT, "millrace/retry.py")
    reverted = answer(corpus, "Why was caching ready_count reverted?")
    assert "showed zero to every second process" in reverted.text


def test_a_commit_that_is_named_is_told_first(corpus: Corpus) -> None:
    found = answer(corpus, "bdb2fef")
    assert [text for text, _ in said(found)][:2] == [
        "Fix off-by-one in counting attempts (#42) (Maya Okafor, 2024-03-20)",
        "`max_attempts` counts the first try, so a job was tried once too often.",
    ]
    assert found.citations[0].number == 1


def test_lines_of_code_follow_the_sentence_that_announces_them(corpus: Corpus) -> None:
    texts = [text for text, _ in said(answer(corpus, "碎片率太高怎么处理"))]
    at = texts.index("先看碎片率，再决定是否打开自动碎片整理：")
    assert texts[at + 1 : at + 4] == [
        "`redis-cli INFO memory | grep fragmentation`",
        "`redis-cli CONFIG SET activedefrag yes`",
        "`redis-cli MEMORY PURGE`",
    ]


@pytest.mark.parametrize(
    "text", ["How do we configure the Kafka connector?", "支付宝退款接口怎么调用？", "???", "the of"]
)
def test_what_the_workspace_does_not_have_is_refused_with_what_is_nearest(corpus: Corpus, text: str) -> None:
    found = answer(corpus, text)
    assert (found.citations, found.sentences, found.finish) == ((), (), "not_found")
    assert found.text == ("工作区里没有这个问题的答案。" if "支" in text else "The workspace does not have this.")


def test_the_selection_and_the_file_at_hand_come_first(corpus: Corpus) -> None:
    for asked in ("What does this code do?", "What is this code for?"):
        selected = answer(corpus, asked, Focus(corpus.root, "millrace/lease.py", span=Span(6, 14)))
        assert selected.citations[0].span == Span(6, 14)
        assert "Compare-and-extend must be atomic" in selected.text
    file = gather([corpus], Question("When is a lease extended?", Focus(corpus.root, "docs/design.md")))
    assert file.sources[0].path == "docs/design.md"
    assert gather([corpus], Question("When is a lease extended?")).sources[0].path != "docs/design.md"


@pytest.mark.parametrize("place", [("docs/design.md", Span(899, 999)), ("docs/none.md", None), ("../x.md", Span(0, 3))])
def test_of_what_is_not_there_nothing_is_told(corpus: Corpus, place: tuple[str, Span | None]) -> None:
    path, span = place
    found = answer(corpus, "What does this file do?", Focus(corpus.root, path, span=span))
    assert (found.citations, found.finish) == ((), "not_found")


def test_a_follow_up_takes_over_what_was_spoken_of(corpus: Corpus) -> None:
    before = Exchange("How long is a lease?")
    assert Question("And who wrote it?", previous=before).standalone == "How long is a lease? And who wrote it?"
    assert Question("How are payloads limited?", previous=before).standalone == "How are payloads limited?"


def test_a_source_is_in_one_piece_with_its_neighbours_and_only_once(corpus: Corpus) -> None:
    for text in ("What happens to payloads that are too large?", "How is a lease extended?"):
        sources = gather([corpus], Question(text), limit=12).sources
        places = [(source.path, source.sha, source.span) for source in sources]
        assert len(set(places)) == len(places)
        by_document: dict[tuple[str, str], list[int]] = {}
        for source in sources:
            by_document.setdefault((source.path, source.sha), []).append(source.number)
        assert all(numbers == list(range(numbers[0], numbers[-1] + 1)) for numbers in by_document.values())


def ask_changed(workspace: Workspace, indexed_file: Path, buffers: dict[str, str] | None = None) -> list[Source]:
    with open_index(indexed_file) as index:
        corpus = Corpus(workspace.root, index, ROLES, buffers or {})
        sources = gather([corpus], Question("What leaves the dead letter list by itself?")).sources
        return [source for source in sources if source.path == "docs/retries.md" and not source.sha]


def test_a_passage_that_moved_is_cited_where_it_stands_now(workspace: Workspace, indexed_file: Path) -> None:
    (before,) = ask_changed(workspace, indexed_file)
    workspace.write("docs/retries.md", "A new first line.\n\n" + workspace.read("docs/retries.md"))
    (after,) = ask_changed(workspace, indexed_file)
    assert after.span == Span(before.span.start_line + 2, before.span.end_line + 2)
    assert (after.text, after.stale) == (before.text, False)


def test_a_passage_that_was_rewritten_is_read_again_and_masked(workspace: Workspace, indexed_file: Path) -> None:
    token = "ghp" + "_" + "x7Kp2mQ9vL4tR8wN3cZ6bY1hJ5fD0gSaUeTi"
    workspace.replace("docs/retries.md", "Nothing leaves that list by itself.", f"The token {token} empties it.")
    (source,) = ask_changed(workspace, indexed_file)
    assert "empties it" in source.text
    assert token not in source.text
    assert "ghp_****" in source.text
    assert source.stale is False


def test_a_passage_whose_heading_is_gone_too_is_told_to_be_stale(workspace: Workspace, indexed_file: Path) -> None:
    workspace.write("docs/retries.md", "# Something else\n\nOf another kind.\n")
    (source,) = ask_changed(workspace, indexed_file)
    assert source.stale is True
    assert "Nothing leaves that list by itself" in source.text


def test_text_in_an_editor_is_read_there_and_a_deleted_file_is_not_cited(
    workspace: Workspace, indexed_file: Path
) -> None:
    text = workspace.read("docs/retries.md")
    (source,) = ask_changed(workspace, indexed_file, {"docs/retries.md": text.replace("Nothing leaves", "Magic moves")})
    assert "Magic moves that list by itself" in source.text
    workspace.path("docs/retries.md").unlink()
    assert ask_changed(workspace, indexed_file) == []
