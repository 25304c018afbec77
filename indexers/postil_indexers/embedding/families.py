"""What a model's name says of it: what it wants before a query and a passage, and whether it reads only English."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    query: str = ""
    passage: str = ""


_SEARCH = "Represent this sentence for searching relevant passages: "
_INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"

# The first pattern found in the lower-case name counts. Wordings are those of each family's model card.
_FAMILIES: tuple[tuple[str, Prefixes], ...] = (
    (r"e5-.*instruct", Prefixes(_INSTRUCT + " ")),
    (r"\be5-", Prefixes("query: ", "passage: ")),
    (r"bge-m3", Prefixes()),
    (r"bge-.*-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"bge-(small|base|large)", Prefixes(_SEARCH)),
    (r"nomic-embed-text", Prefixes("search_query: ", "search_document: ")),
    (r"arctic-embed2|arctic-embed-.*-v2", Prefixes("query: ")),
    (r"arctic-embed|mxbai-embed-large", Prefixes(_SEARCH)),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
    (r"qwen3-embedding", Prefixes(_INSTRUCT)),
)
# Endpoints do not tell their models' languages.
_ENGLISH = re.compile(
    r"nomic-embed-text(?!.*v2)|mxbai-embed-large|all-minilm|arctic-embed(?!2|.*v2)|bge-(small|base|large)(?!.*-zh)"
    r"|(?<!multilingual-)e5-(small|base|large)|granite-embedding:30m"
)


def prefixes_for(model: str) -> Prefixes:
    """The prefixes of a model's family by its name; none for families that want none or are not known."""
    name = model.lower().replace("_", "-")
    return next((prefixes for pattern, prefixes in _FAMILIES if re.search(pattern, name)), Prefixes())


def english_only(model: str) -> bool:
    """Whether a model is known to read English only."""
    return _ENGLISH.search(model.lower().replace("_", "-")) is not None
