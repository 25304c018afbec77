"""What the kills are done to: a tree with several states, what a clean index of each holds, and a stand-in model."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from desk import Desk, git
from trees import check_out

from postil_indexers.store.index import open_index

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from fixtures.index_dump import Dump, differences, dump

__all__ = ["PLAIN", "Clean", "Dump", "copy_tree", "differences", "dump", "make_tree", "stand_in_models", "states"]

_CODE, _NOTES = "pallets/click", "MadisonEvans94/Zettelkasten"
_BYTES = 120_000  # of each
# binary files, looked into and left out, but with them it is worth reading by several processes
_BLOBS, _BLOB_BYTES = 6, 350_000
_STATES = 6
_MODEL_WIDTH = 48
_MODEL_PAUSE_S = 0.03  # a request: a model takes longer than making up numbers
PLAIN = '[embedding]\nprose = ""\n[index]\nlow_priority = false\n'  # the machine is ours meanwhile


def states(number: int = _STATES) -> list[str]:
    return [f"state{i}" for i in range(number)]


def make_tree(mirror: Path, work: Path) -> Path:
    """Code and notes in a repository with a tag for each state: edits, renames, new and deleted files apart."""
    tree = work / "kills-tree"
    if tree.is_dir():
        return tree
    part = tree.with_name(tree.name + ".part")
    shutil.rmtree(part, ignore_errors=True)
    for name, ends in ((_CODE, (".py", ".rst", ".md", ".toml")), (_NOTES, (".md",))):
        whole = check_out(mirror, name, work / "trees")
        taken = 0
        for file in sorted(whole.rglob("*"), key=lambda file: hashlib.sha1(os.fsencode(file.name)).digest()):
            if file.is_file() and file.name.endswith(ends) and taken < _BYTES:
                taken += file.stat().st_size
                target = part / whole.name / file.relative_to(whole)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(file, target)
    git(part, "init", "-q", "--initial-branch=main")
    git(part, "config", "gc.auto", "0")
    chance = random.Random(6)
    (part / "assets").mkdir()
    for number in range(_BLOBS):
        (part / "assets" / f"blob{number}").write_bytes(bytes(64) + chance.randbytes(_BLOB_BYTES))
    for number, state in enumerate(states()):
        if number == 3:
            git(part, "checkout", "-q", "-b", "side", "state0")  # its commits are unreachable from the others
        if number:
            _change(part, chance, number)
        git(part, "add", "-A")
        git(part, "commit", "-q", "-m", f"The tree in its {state}")
        git(part, "tag", state)
    part.rename(tree)
    return tree


def _change(tree: Path, chance: random.Random, number: int) -> None:
    files = sorted(file for file in tree.rglob("*") if file.is_file() and not {".git", "assets"} & {*file.parts})
    for i, file in enumerate(chance.sample(files, len(files) // 6)):
        if i % 6 == 0:
            file.rename(file.with_stem(f"{file.stem}-moved{number}"))
        elif i % 6 == 1:
            file.unlink()
        elif i % 6 == 2:
            shutil.copyfile(file, file.with_stem(f"{file.stem}-copy{number}"))
        else:
            text = file.read_text(encoding="utf-8", errors="replace")
            file.write_text(
                f"{text}\n# Changed in {number}: the lease of {chance.random()} is renewed\n", encoding="utf-8"
            )


def copy_tree(tree: Path, into: Path) -> Path:
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(tree, into, symlinks=True)
    git(into, "update-index", "-q", "--refresh")
    return into


class Clean:
    """What an index that nobody disturbed holds, by state of the tree and settings; each is made once."""

    def __init__(self, tree: Path, work: Path) -> None:
        self._tree = copy_tree(tree, work / "clean-tree")
        self._work = work
        self._lock = threading.Lock()

    @functools.cache  # noqa: B019  # one object a run
    def _made(self, state: str, settings: str) -> Dump:
        git(self._tree, "checkout", "-q", "-f", state)
        desk = Desk(self._work / "clean-desk", self._tree, settings)
        shutil.rmtree(desk.folder, ignore_errors=True)
        done = desk.postil("index", "--json")
        if done.status:
            raise RuntimeError(f"the clean run failed: {done.out}{done.err}")
        with open_index(desk.index_path) as index:
            return dump(index)

    def dump(self, state: str, settings: str) -> Dump:
        with self._lock:
            return self._made(state, settings)


@contextmanager
def stand_in_models() -> Iterator[dict[str, str]]:
    """Settings for two models of prose behind a local endpoint, by name: vectors are hashes of model and text."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            time.sleep(_MODEL_PAUSE_S)
            data = [
                {"object": "embedding", "index": i, "embedding": _vector(asked["model"], text)}
                for i, text in enumerate(texts)
            ]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            body = json.dumps({"object": "list", "model": asked["model"], "data": data, "usage": usage}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            try:
                self.wfile.write(body)
            except OSError:
                return  # who asked was killed

        def log_message(self, format: str, *args: object) -> None:
            return

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            return  # who asked was killed

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        endpoint = f"http://127.0.0.1:{server.server_address[1]}/v1"
        more = f'endpoint = "{endpoint}"\napi_key_variable = ""'
        yield {name: PLAIN.replace('prose = ""', f'prose = "openai:{name}"\n{more}') for name in ("one", "two")}
    finally:
        server.shutdown()
        server.server_close()


def _vector(model: str, text: str) -> list[float]:
    noise = hashlib.shake_128(f"{model}\0{text}".encode("utf-8", "replace")).digest(_MODEL_WIDTH)
    return [byte - 127.5 for byte in noise]
