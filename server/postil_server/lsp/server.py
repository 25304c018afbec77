"""The language server: what it can do, and its life from `initialize` to the end of the editor."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

import postil_indexers
from postil_indexers.errors import PostilError
from postil_server.lsp import commands, completion, configuring, requests
from postil_server.lsp.configuration import Configuration
from postil_server.lsp.documents import Documents
from postil_server.lsp.features import FEATURES
from postil_server.lsp.folders import Attach, Folder, Folders, Status
from postil_server.lsp.lane import Lane, Token
from postil_server.lsp.locale import wording
from postil_server.lsp.logs import event, failure
from postil_server.lsp.parent import watch_parent
from postil_server.lsp.progress import IndexingProgress
from postil_server.lsp.protocol import PostilProtocol
from postil_server.lsp.streams import Streams
from postil_server.lsp.transport import Writer
from postil_server.lsp.uris import uri_of
from postil_server.lsp.virtual import AnswerPages

if TYPE_CHECKING:
    from postil_server.lsp.desk import Desk

_REQUEST_THREADS = 2  # beside the one of hovers: what an editor asks for at once is seldom more
_ANSWER_THREADS = 2  # beside one that a model writes there is room for another window's extracts


class PostilServer(LanguageServer):
    protocol: PostilProtocol

    def __init__(self, attach: Attach) -> None:
        """`attach`: a connection to the worker of a folder."""
        super().__init__(
            "postil", postil_indexers.__version__, protocol_cls=PostilProtocol, converter_factory=default_converter
        )
        self.folders = Folders(self._heard, attach)
        self._warnings = configuring.Warnings(self)
        self.configuration = Configuration(partial(self._soon, self._warnings.add))
        self._user_settings: object = None  # a stamp of the user's file, as it was read last
        # hovers have a thread of their own: they wait for no search, and find what they compared last still at hand
        self.hovers = Lane(self._make_desk, 1, self.folders.roots)
        self.requests = Lane(self._make_desk, _REQUEST_THREADS, self.folders.roots)
        # what is asked with every key waits for no hover either, and has the names of everything at hand
        self.typing = Lane(self._make_desk, 1, self.folders.roots)
        # answers have theirs: a model that writes one takes a minute
        self.answers = Lane(self._make_desk, _ANSWER_THREADS, self.folders.roots)
        self.streams = Streams(self.answers, self.protocol.notify)
        self.answer_pages = AnswerPages()
        self.newest_hover: dict[str, Token] = {}  # by document
        self.client_name = ""
        self.wording = wording(None)
        # told of a document, by its URI, that was opened, changed or closed; and that index or settings have changed
        self.when_edited: list[Callable[[str], None]] = []
        self.when_indexed: list[Callable[[], None]] = []
        self._indexed: dict[str, object] = {}  # by folder, what its worker said of its last run
        self._progress: IndexingProgress | None = None
        self._may_speak = False  # the client has said `initialized`
        # received and not taken yet, the one that is being taken first; None: the client's stream has ended
        self._inbox: deque[bytes | None] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._end: asyncio.Event | None = None
        self._tasks: set[asyncio.Task[object]] = set()  # the event loop itself holds them weakly

    @property
    def documents(self) -> Documents:
        return self.protocol.documents

    # life

    def serve(self, messages: Iterable[bytes], writer: BinaryIO) -> int:
        """Converse until the client says `exit`, closes its stream or is gone; the exit status."""
        self.protocol.set_writer(Writer(writer))
        asyncio.run(self._converse(messages))
        self.folders.stop()
        for lane in (self.hovers, self.requests, self.typing, self.answers):
            lane.close()
        status = self.protocol.exit_status
        event("end", status=status)
        return 0 if status == 0 else 1

    async def _converse(self, messages: Iterable[bytes]) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        threading.Thread(target=self._read, args=(messages,), name="reader", daemon=True).start()
        await self._end.wait()

    def _read(self, messages: Iterable[bytes]) -> None:
        try:
            for body in messages:
                self._soon(self._arrived, body)
        except (OSError, ValueError) as error:
            failure("reader", error)
        self._soon(self._arrived, None)

    def _arrived(self, body: bytes | None) -> None:
        self._inbox.append(body)
        if len(self._inbox) == 1:
            self._take_next()

    def _take_next(self) -> None:
        """One message, and the next one only after the handler of this one has seen the documents as they are now: a
        request is about the text before the edit that comes behind it."""
        body = self._inbox[0]
        if body is None:
            self.end()
            return
        self.protocol.receive(body)
        asyncio.get_running_loop().call_soon(self._taken)

    def _taken(self) -> None:
        self._inbox.popleft()
        if self._inbox:
            self._take_next()

    def end(self) -> None:
        """Stop conversing. From any thread."""
        if self._end is not None:
            self._soon(self._end.set)

    def _soon(self, call: Callable[..., object], *arguments: object) -> None:
        if self._loop is not None:
            try:
                self._loop.call_soon_threadsafe(call, *arguments)
            except RuntimeError:
                return  # it has ended

    def start(self, work: Coroutine[Any, Any, object]) -> None:
        """Let it run beside the requests."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            failure("background", error)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Never by a message in the user's face: a request has its error, and the log the rest."""
        if not isinstance(error, JsonRpcException):
            failure("protocol", error)

    # folders

    def initialized(self, params: lsp.InitializedParams) -> None:
        window = self.client_capabilities.window
        if window is not None and window.work_done_progress:
            pause = partial(commands.tell, what="pause")
            self._progress = IndexingProgress(self.work_done_progress, self.wording, pause)
        if self.process_id is not None:
            watch_parent(self.process_id, self.end)
        self._may_speak = True
        self.settings_changed()
        event("start", version=self.version, folders=len(list(self.folders)))
        self.start(configuring.set_out(self))

    async def _set_out(self) -> None:
        """Import and open what the first hover would wait for, while the client takes in the answer to `initialize`,
        and only then what else takes the processor; but where there is no index yet, the hover waits for that most."""
        roots = sorted(self.folders.roots())
        is_indexed = await asyncio.to_thread(_are_indexed, roots)
        if not is_indexed:
            self.folders.start()
        try:
            await self.hovers.run(partial(requests.open_all, roots=roots))
            await self.hovers.run(_pass)  # behind the hover that came meanwhile
        except PostilError as error:
            event("error", code=error.code, message=error.message)
        finally:
            if is_indexed:
                self.folders.start()
        self.start(self.typing.run(partial(completion.prepare, roots=roots)))

    def initialize(self, params: lsp.InitializeParams) -> None:
        """No root: no folder."""
        self.configuration.options_given(params.initialization_options)
        self.client_name = params.client_info.name if params.client_info else ""
        self.wording = wording(params.locale)
        root = params.root_uri or (uri_of(os.path.abspath(params.root_path)) if params.root_path else None)
        if params.workspace_folders is not None:
            self._add(params.workspace_folders)
        elif root is not None:
            self._add([lsp.WorkspaceFolder(root, "")])
        self.start(self._set_out())

    def _add(self, folders: Iterable[lsp.WorkspaceFolder]) -> None:
        for folder in folders:
            self.folders.add(folder.uri, folder.name)

    def folders_changed(self, params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        for folder in params.event.removed:
            self.folders.remove(folder.uri)
        self._add(params.event.added)
        self.documents_changed()

    def settings_changed(self) -> None:
        """Readers look for themselves; what follows here is which outside folders are joined."""
        self._user_settings = self.configuration.stamp(None)
        self.configuration.warn(self.folders.join(self.configuration.outside()))
        self._outdate()

    def documents_changed(self) -> None:
        """Tell the workers what is open: it is indexed first."""
        places = [self.folders.place(document.path) for document in self.documents]
        for folder in self.folders:
            folder.focus = tuple(place[1] for place in places if place and place[0] is folder)

    def _heard(self, folder: Folder, status: Status | None) -> None:
        """Called in a folder's thread."""
        self._soon(self._hear, folder, status)

    def _hear(self, folder: Folder, status: Status | None) -> None:
        if not self._may_speak:
            return  # it is said again within a second
        if self._user_settings != self.configuration.stamp(None):
            self.settings_changed()
        if folder.held:
            how = f"it is indexed when Postil's index command is run, or: postil index {folder.root}"
            self._warnings.add(f"{folder.root} is {folder.held}; {how}")
        if self._progress is not None:
            self.start(self._progress.hear(folder, status))
        if status is not None and status["state"] != "indexing" and self._indexed.get(folder.root) != status["stats"]:
            self._indexed[folder.root] = status["stats"]
            self._outdate()

    def _outdate(self) -> None:
        """What was shown may be otherwise now."""
        for call in self.when_indexed:
            call()

    def edited(self, uri: str) -> None:
        for call in self.when_edited:
            call(uri)

    def _make_desk(self) -> Desk:
        """Called in the thread that reads: a second of imports, after `initialize` was answered."""
        from postil_server.lsp.desk import Desk

        return Desk(self.configuration)

    def progress_cancelled(self, params: lsp.WorkDoneProgressCancelParams) -> None:
        if self._progress is not None:
            self.start(self._progress.cancelled(params.token))


def _pass(desk: Desk) -> None:
    """Nothing, in its turn."""


def _are_indexed(roots: Iterable[str]) -> bool:
    from postil_indexers.store.location import index_file

    return all(index_file(root).exists() for root in roots)


def make_server(attach: Attach) -> PostilServer:
    """The server with all that it answers to."""
    server = PostilServer(attach)

    def on(method: str, call: Callable[[Any], object]) -> None:
        server.feature(method)(lambda params: call(params))

    on(lsp.INITIALIZE, server.initialize)
    on(lsp.INITIALIZED, server.initialized)
    on(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, server.folders_changed)
    on(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, partial(configuring.changed, server))

    def opened_or_closed(params: Any) -> None:
        server.documents_changed()
        server.edited(params.text_document.uri)

    on(lsp.TEXT_DOCUMENT_DID_OPEN, opened_or_closed)
    on(lsp.TEXT_DOCUMENT_DID_CLOSE, opened_or_closed)
    on(lsp.TEXT_DOCUMENT_DID_CHANGE, lambda params: server.edited(params.text_document.uri))
    on(lsp.WINDOW_WORK_DONE_PROGRESS_CANCEL, server.progress_cancelled)
    for register in FEATURES:
        register(server)
    return server
