"""The prompts: text in data files, with the sources in fences that their text can't close, and the question last."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template

from postil_server.llm.base import Message

REFUSAL = "NOT IN THE SOURCES"  # what a model says where they do not have it
_PARTS = {False: ("Core point:", "Key points:", "Open questions:"), True: ("核心观点：", "要点：", "未决问题：")}
_LANGUAGE = {False: "Answer in the language of the question.", True: "用中文回答。"}

# What chat templates put between messages: servers read these inside of a text as well. They are taken apart, so that
# a source can't end its message and begin one of the system.
_CONTROL = re.compile(
    r"<(?=\|[\w-]{1,40}\|>|[|｜][^\s<>]{1,40}[|｜]>|/?(?:s|bos|eos|pad|unk|think|start_of_turn|end_of_turn|SYS)>|<SYS>>|</SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)
_NO_SYSTEM_ROLE = re.compile(r"gemma-?[123]?\b|mistral-7b-instruct-v0\.[12]|deepseek-r1", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Passage:
    """One numbered source as it is sent."""

    number: int
    where: str  # title and heading, or path and name, or a commit's day and author
    text: str


@functools.cache
def prompt_version() -> str:
    """Of all prompts: another one whenever any of their texts changed. It enters cache keys."""
    digest = hashlib.blake2b(digest_size=6)
    for each in sorted(files(__name__).iterdir(), key=lambda file: file.name):
        if each.name.endswith((".txt", ".py")):
            digest.update(each.name.encode() + b"\0" + each.read_bytes() + b"\0")
    return digest.hexdigest()


def ask_prompt(question: str, passages: Sequence[Passage], *, chinese: bool) -> list[Message]:
    return _prompt("ask", passages, chinese, refusal=REFUSAL, question=question)


def rewrite_prompt(question: str, previous: str, answer: str) -> list[Message]:
    return _prompt("rewrite", (), False, question=question, previous=previous, answer=answer or "(none)")


def map_prompt(title: str, passages: Sequence[Passage], *, chinese: bool) -> list[Message]:
    return _prompt("map", passages, chinese, title=title)


def reduce_prompt(title: str, passages: Sequence[Passage], *, chinese: bool) -> list[Message]:
    core, key, still_open = _PARTS[chinese]
    return _prompt("reduce", passages, chinese, title=title, core=core, key=key, open=still_open)


def tags_prompt(title: str, passages: Sequence[Passage], tags_in_use: Iterable[str], *, chinese: bool) -> list[Message]:
    return _prompt("tags", passages, chinese, title=title, tags=", ".join(tags_in_use) or "(none)")


def for_family(messages: Sequence[Message], model: str) -> list[Message]:
    """As the family of a model wants it: some know no system role, and take its text as the start of the question."""
    if not _NO_SYSTEM_ROLE.search(model) or not messages or messages[0].role != "system":
        return list(messages)
    system, first, *rest = messages
    return [Message(first.role, f"{system.content}\n\n{first.content}"), *rest]


def harmless(text: str) -> str:
    """`text` without what a server would read as the end of a message or the start of another."""
    return _CONTROL.sub(r"\g<0> ", text)


def _prompt(name: str, passages: Sequence[Passage], chinese: bool, **values: str) -> list[Message]:
    filled = {
        key: harmless(value.strip() if key == "question" else " ".join(value.split())) for key, value in values.items()
    }
    filled |= {"sources": fenced(passages), "language": _LANGUAGE[chinese]}
    return [
        Message("system", _template(f"{name}.system").substitute(filled)),
        Message("user", _template(f"{name}.user").substitute(filled)),
    ]


def fenced(passages: Sequence[Passage]) -> str:
    """Each source between two lines that name it. The lines hold a digest of all texts, which no text can hold."""
    digest = hashlib.blake2b(digest_size=4)
    for passage in passages:
        digest.update(f"{passage.where}\0{passage.text}\0".encode("utf-8", "surrogatepass"))
    seal = digest.hexdigest()
    blocks = []
    for passage in passages:
        where = harmless(" ".join(passage.where.split()))
        body = harmless(passage.text.strip("\n"))
        blocks.append(f"=== source [{passage.number}] {seal}: {where}\n{body}\n=== end of [{passage.number}] {seal}")
    return "\n\n".join(blocks)


@functools.cache
def _template(name: str) -> Template:
    return Template((files(__name__) / f"{name}.txt").read_text(encoding="utf-8").strip())
