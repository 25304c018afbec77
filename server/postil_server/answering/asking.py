"""How a language model is asked: which one, what it may see, under which names, and whether an old reply will do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from postil_indexers.chunking.frontmatter import read_front_matter
from postil_indexers.chunking.notes import split_lines
from postil_server.answering.corpus import Corpus
from postil_server.answering.library import Replies
from postil_server.answering.privacy import Rules, Withheld
from postil_server.llm.base import ChatModel, StopSignal
from postil_server.llm.errors import ChatError
from postil_server.types import Source


class NothingSentError(ChatError):
    """All that was found is to stay here."""

    code = "nothing_sent"


@dataclass(frozen=True, slots=True)
class Asking:
    """`may_send`: whether a source may go to a model at all. `view`: the place that the answer is for. `unasked`:
    the model is the one that is tried where nobody named any."""

    model: ChatModel
    may_send: Callable[[Source], bool] = lambda source: True
    rules: Rules = field(default_factory=Rules)
    view: str = ""
    signal: StopSignal = field(default_factory=StopSignal)
    replies: Replies | None = None  # None asks anew
    unasked: bool = False

    def sendable(self, sources: Sequence[Source]) -> list[Source]:
        """Raises NothingSentError where none is left."""
        allowed = [source for source in sources if self.may_send(source)]
        if not allowed:
            raise NothingSentError(
                "no model may see the passages that were found", "see llm.never_send in the settings"
            )
        return allowed


def may_send(corpora: Sequence[Corpus], patterns: Callable[[str], Sequence[str]]) -> Callable[[Source], bool]:
    """Whether a source may go to a model: by path and front matter of its file; of a commit by all its files.

    `patterns`: of a root, in git's syntax.
    """
    roots = {corpus.root: (Withheld(patterns(corpus.root)), corpus) for corpus in corpora}

    def allowed(source: Source) -> bool:
        withheld, corpus = roots[source.root]
        if source.sha:
            commits = corpus.index.history.by_sha(source.sha)
            paths = [change.path for commit in commits for change in corpus.index.history.files(commit)]
            return not any(withheld.holds(path) for path in paths)
        return not withheld.holds(source.path, _front_matter(corpus, source.path))

    return allowed


def _front_matter(corpus: Corpus, path: str) -> str:
    """As it stands in an editor, else as it was indexed."""
    text = corpus.buffers.get(path)
    if text is not None:
        lines = split_lines(text.removeprefix("\ufeff"))
        return "\n".join(lines[: read_front_matter(lines).end_line])
    document = corpus.index.content.document(path)
    rows = corpus.index.content.chunks_of(document.id) if document else []
    return next((row.text for row in rows if row.symbol == "front_matter"), "")
