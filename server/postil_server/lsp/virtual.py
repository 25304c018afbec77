"""workspace/textDocumentContent and postil/content: documents that stand in no file, over `postil:` URIs."""

from __future__ import annotations

from collections import OrderedDict
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp

from postil_indexers.errors import PostilError
from postil_server.lsp.arguments import Arguments
from postil_server.lsp.calls import WrongArgumentError, guarded
from postil_server.lsp.virtual_uris import AnswerPage, CommitPage, page_of, root_key

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk
    from postil_server.lsp.server import PostilServer

_KEPT = 100  # answers of this window that can be opened again


class AnswerPages:
    """The last answers of this server, by id, as Markdown."""

    def __init__(self) -> None:
        self._pages: OrderedDict[str, str] = OrderedDict()

    def add(self, number: str, page: str) -> None:
        self._pages[number] = page
        while len(self._pages) > _KEPT:
            self._pages.popitem(last=False)

    def get(self, number: str) -> str | None:
        return self._pages.get(number)


async def content(server: PostilServer, uri: str) -> str:
    """Raises WrongArgumentError for a URI that is none of ours, PostilError where there is nothing at it."""
    page = page_of(uri)
    if page is None:
        raise WrongArgumentError("uri is no postil: URI")
    if isinstance(page, AnswerPage):
        text = server.answer_pages.get(page.id)
        if text is None:
            raise PostilError("that answer is not kept any more", "ask again")
        return text
    root = next((folder.root for folder in server.folders if root_key(folder.root) == page.root), None)
    if root is None:
        raise PostilError("the folder of that document is not open", "open it, and try again")

    def work(desk: Desk) -> str:
        from postil_server.lsp import pages

        if isinstance(page, CommitPage):
            return pages.commit_page(desk.at(root), page.sha)
        return pages.file_page(desk.at(root), page.sha, page.path)

    return await server.requests.run(work)


async def _standard(server: PostilServer, params: lsp.TextDocumentContentParams) -> lsp.TextDocumentContentResult:
    return lsp.TextDocumentContentResult(await content(server, params.uri))


async def _own(server: PostilServer, params: Any) -> dict[str, str]:
    uri = Arguments(params).text("uri")
    return {"uri": uri, "text": await content(server, uri)}


def register(server: PostilServer) -> None:
    standard = lsp.WORKSPACE_TEXT_DOCUMENT_CONTENT
    server.feature(standard)(guarded(standard, partial(_standard, server)))
    server.feature("postil/content")(guarded("postil/content", partial(_own, server)))
