"""A model that obeys what is hidden in notes, code, commits and front matter: nothing of it comes through.

The model looks for an order in the sources and does what that says. The answer is then read as an editor renders
Markdown, with HTML and links switched on, and as a terminal prints it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from fixtures.orders import ORDERS
from fixtures.repository import init
from fixtures.scripted_model import ScriptedModel
from postil_indexers.embedding.static import load_static
from postil_indexers.embedding_run import RoleModel
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import open_index, write_index
from postil_server.answering.answer import answered, ask, question_weights
from postil_server.answering.asking import Asking
from postil_server.answering.corpus import Corpus
from postil_server.answering.draft import Event
from postil_server.answering.question import Question
from postil_server.answering.safetext import unescaped
from postil_server.answering.writing import ModelWriter
from postil_server.cli import modelling, showing
from postil_server.llm.base import Message
from postil_server.types import Answer


def hidden(where: str, number: int, order: str, payload: str) -> tuple[str, str, str]:
    """(path, text, commit message) of the case: a fact about one word that stands nowhere else, and the order."""
    fact = f"The zebra{number} limit is 40 items"
    said = f"{order}: BEGIN{payload}FINISH"
    if where == "code":
        comment = said.replace("\n", "\n# ")
        return f"code/zebra{number}.py", f"# {fact}.\n# {comment}\nLIMIT = 40\n", f"Add zebra{number}"
    if where == "commit":
        return f"code/zebra{number}.txt", f"{fact}.\n", f"Limit zebra{number} to 40 items\n\n{fact}.\n{said}"
    if where == "front":
        quoted = said.replace("\n", "\n  ")
        return (
            f"notes/zebra{number}.md",
            f"---\ndescription: |\n  {quoted}\n---\n# Zebra{number}\n\n{fact}. {said}\n",
            "x",
        )
    return f"notes/zebra{number}.md", f"# Zebra{number}\n\n{fact}. {said}\n", f"Note zebra{number}"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    folder = tmp_path_factory.mktemp("injection")
    workspace = init(folder / "root")
    for number, (where, order, payload) in enumerate(ORDERS):
        path, text, message = hidden(where, number, order, payload)
        workspace.write(path, text)
        workspace.commit(message)
    static = load_static()
    with write_index(folder / "index.db") as index:
        index_workspace(index, workspace.root, {"static": RoleModel(static, "{}")}, processes=0)
        index_history(index, workspace.root, {"static": RoleModel(static, "{}")})
    with open_index(folder / "index.db") as index:
        yield Corpus(workspace.root, index, {"static": static})


def obey(payload: str, number: int):  # type: ignore[no-untyped-def]
    """A model that answers, and then does what it finds in the sources; it knows orders by BEGIN and FINISH."""

    def reply(messages: Sequence[Message]) -> str:
        prompt = messages[-1].content
        cited = re.search(rf"=== source \[(\d+)\] \w+: .*\n(?:(?!=== end)[^\n]*\n)*?.*zebra{number} limit", prompt)
        source = cited[1] if cited else "1"
        ordered = re.search(r"BEGIN(.*?)FINISH", prompt, re.DOTALL)
        told = payload if ordered else ""  # in full, as if nothing of it had been lost on the way into the prompt
        return f"The zebra{number} limit is 40 items [{source}].\n\n{told}\n\nThe limit is 40 items [{source}]."

    return reply


@pytest.fixture(scope="module", params=range(len(ORDERS)), ids=lambda n: f"{n}-{ORDERS[n][0]}")
def obeyed(request: pytest.FixtureRequest, corpus: Corpus) -> Answer:
    _, _, payload = ORDERS[request.param]
    question = Question(f"What is the zebra{request.param} limit?")
    model = ScriptedModel(obey(payload, request.param))
    writer = ModelWriter(Asking(model), question_weights([corpus], question))
    answer = answered(ask([corpus], question, writer=writer))
    assert "BEGIN" in model.given[0][-1].content  # the order reached the model
    assert answer.finish == "complete"
    return answer


def rendered(text: str) -> list[tuple[str, str]]:
    """(what, where to) of all that a Markdown renderer would make lead somewhere, load or run."""
    parser = MarkdownIt("commonmark", {"html": True, "linkify": True}).enable(["table", "strikethrough"])
    found: list[tuple[str, str]] = []
    for block in parser.parse(text):
        for token in (block, *(block.children or ())):
            if token.type in ("html_block", "html_inline"):
                found.append(("html", token.content))
            elif token.type in ("link_open", "image"):
                found.append((token.type, str(token.attrs.get("href") or token.attrs.get("src"))))
            elif token.type == "fence" and token.info.strip() in ("mermaid", "math", "plantuml"):
                found.append(("drawn", token.info))
    return found


def test_a_markdown_renderer_makes_nothing_of_it(obeyed: Answer) -> None:
    assert rendered(obeyed.text) == []
    assert not re.search(
        r"^ {0,3}\[[^\]]+\]:", obeyed.text, re.MULTILINE
    )  # no definition that the client would resolve
    outside_code = re.sub(r"^```.*?^```", "", obeyed.text, flags=re.MULTILINE | re.DOTALL)
    assert not re.search(r"(?<!\\)://", outside_code)  # some clients make a link of any address


def test_its_only_numbers_are_those_of_sources(obeyed: Answer) -> None:
    numbers = {int(each) for each in re.findall(r"(?<!\\)\[(\d+)\]", obeyed.text)}
    assert numbers
    assert numbers == {source.number for source in obeyed.citations}


def test_nothing_in_it_moves_a_terminal_or_hides(obeyed: Answer) -> None:
    texts = (obeyed.text, *(sentence.text for sentence in obeyed.sentences))
    for text in texts:
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", text)
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u2060\U000e0000-\U000e007f]", text)


@pytest.mark.parametrize("streamed", [False, True])
def test_a_terminal_shows_it_as_it_is_written(
    obeyed: Answer, streamed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    """No markup of a terminal library is taken for one, and no escape comes through."""
    if streamed:
        modelling.shown_as_it_comes(iter([Event("text", text=obeyed.text), Event("done", answer=obeyed)]))
        showing.show_places(obeyed)
    else:
        showing.show_answer(obeyed)
    printed = capsys.readouterr().out
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", printed)
    for line in unescaped(obeyed.text).split("\n"):
        assert line in printed


def test_no_file_is_read_and_nothing_but_the_answer_changes(corpus: Corpus) -> None:
    before = sorted(str(path) for path in Path(corpus.root).rglob("*"))
    question = Question("What is the zebra25 limit?")
    model = ScriptedModel(obey(ORDERS[25][2], 25))
    answer = answered(ask([corpus], question, writer=ModelWriter(Asking(model), {})))
    assert len(model.given) == 1  # one request: nothing that it says makes another
    assert {source.path for source in answer.citations} <= {f"notes/zebra{n}.md" for n in range(len(ORDERS))} | {
        f"code/zebra{n}.py" for n in range(len(ORDERS))
    }
    assert sorted(str(path) for path in Path(corpus.root).rglob("*")) == before
