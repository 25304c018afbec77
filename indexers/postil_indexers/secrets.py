"""Secrets in text, masked before it is stored or sent.

Detection is kingfisher's: its 488 rules and ours of secrets.yml, in one pass of native code (30-170 MB/s, no network).
What stands beside a word like "password" is judged by plausible.py. A mask is as long as what it hides, so offsets and
lines stay.
"""

from __future__ import annotations

import atexit
import functools
import hashlib
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from postil_indexers.plausible import is_example, is_generated, is_plausible, is_plausible_password

if TYPE_CHECKING:
    from kingfisher_sdk import Finding, Scanner

_FOLDER_VARIABLE = "POSTIL_SECRET_RULES"  # where the rules lie compiled, handed to the processes that read files
_MASK = "*"
_SHOWN = 4  # the first characters tell which service a key is of ("ghp_"), and give nothing away
_MIN_SHOWN_OF = 20  # of a short password nothing is shown

# A private key whose end is missing (cut off by a diff or a cap): its header lines, then its lines of Base64. A line
# may end as \n in a string.
_NEXT_LINE = r"(?>(?:(?:(?:\\r)?\\n|\r?\n)[ \t]{0,40}[+-]?[ \t]{0,40})+)"
_OPEN_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rf"(?>(?:{_NEXT_LINE}[A-Za-z-]{{1,20}}: [\w,./ -]{{1,90}})*){_NEXT_LINE}[A-Za-z0-9+/=]{{16,90}}"
    rf"(?>(?:{_NEXT_LINE}[A-Za-z0-9+/=]{{1,90}})*)"
)
# Rules whose finding names an account, a host or something public; kingfisher has them to check other findings with.
# Of a webhook our own rule masks the secret part alone.
_NOT_SECRET = re.compile(
    r"[.-](?:(?<!key-)id|name|username|host|domain|address|(?:jfrog|instance|project|rest|slack-webhook)-url|pub(?:lic)?-(?:key|api-token))"
    r"(?:\.\d)?$"
)
_PASSWORD_RULES = (
    "postil.url.guess",
    "betterleaks.generic-credential-uri",
    "betterleaks.curl-auth-user",
    "betterleaks.curl-auth-header",
)
_LOOK_BACK = 60  # bytes before a value: the name it is given to
_LINE_START = re.compile(r"[+-]?[ \t]*")  # the sign of a diff and the indent are no part of a key
_LOADING = threading.RLock()  # who needs the rules while another thread loads them waits for that one


@dataclass(frozen=True, slots=True)
class Masked:
    """Text of the same length and lines, with `count` secrets replaced."""

    text: str
    count: int


def mask(text: str) -> Masked:
    """`text` with every secret replaced by asterisks, one for each character."""
    spans = _merged(sorted({*_found(text), *_open_keys(text)}))
    if not spans:
        return Masked(text, 0)
    parts: list[str] = []
    done = 0
    for start, end in spans:
        parts += (text[done:start], _hidden(text[start:end]))
        done = end
    return Masked("".join((*parts, text[done:])), len(spans))


def is_compiled() -> bool:
    """Whether these rules, of this version of kingfisher, were compiled on this machine before."""
    return any(_rules_folder().glob("*.vscdb"))


def compile_rules() -> None:
    """Compile the rules, or load them from their cache: 3 s once, which a process for reading files is then spared.

    Where the user's cache can't be written, they lie in a temporary folder of this process, and those that it starts
    find it by their environment.
    """
    with _LOADING:
        if not is_compiled() and not _is_writable(_rules_folder()):
            folder = tempfile.mkdtemp(prefix="postil-secret-rules-")
            atexit.register(shutil.rmtree, folder, ignore_errors=True)
            os.environ[_FOLDER_VARIABLE] = folder
        _scanner()


@functools.cache
def _rules_name() -> str:
    from importlib.metadata import version  # 15 ms, which a search need not pay

    ours = (files("postil_indexers") / "secrets.yml").read_bytes()
    return f"{version('kingfisher-secret-scanner')}-{hashlib.blake2b(ours, digest_size=6).hexdigest()}"


def _rules_folder() -> Path:
    handed = os.environ.get(_FOLDER_VARIABLE)
    parent = Path(handed) if handed else Path(platformdirs.user_cache_dir("postil", appauthor=False)) / "secret-rules"
    return parent / _rules_name()


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _scanner() -> Scanner:
    with _LOADING:
        return _loaded()


@functools.cache
def _loaded() -> Scanner:
    """The compiled rules. 3 s once for a version of kingfisher, 0.3 s from its cache after that, so on first need."""
    from kingfisher_sdk import Rules, Scanner  # 70 ms, which a search need not pay

    with as_file(files("postil_indexers") / "secrets.yml") as ours:
        return Scanner(Rules([ours], cache_dir=str(_rules_folder())), base64=False)


def _found(text: str) -> Iterator[tuple[int, int]]:
    # a lone surrogate becomes one "?", so that code points still count alike
    data = text.encode("utf-8", "replace")
    places = [(f.location["start_offset"], f.location["end_offset"], f.rule_id) for f in _visible(data)]
    byte = point = 0  # the same place in `data` and in `text`
    for start, end, rule in sorted(places):
        point += len(data[byte:start].decode("utf-8", "replace"))
        byte = start
        secret = data[start:end].decode("utf-8", "replace")
        if _is_secret(rule, secret, data[max(0, start - _LOOK_BACK) : start]):
            yield point, point + len(secret)


def _visible(data: bytes) -> list[Finding]:
    return [finding for finding in _scanner().scan(data) if finding.visible]


def _is_secret(rule: str, secret: str, before: bytes) -> bool:
    if rule in _PASSWORD_RULES:
        return is_plausible_password(secret)
    if rule == "postil.aws-secret":
        return is_generated(secret)
    if rule.endswith(".guess"):
        return is_plausible(secret, before.decode("utf-8", "replace").rpartition("\n")[2])
    return not _NOT_SECRET.search(rule) and not is_example(secret)


def _open_keys(text: str) -> Iterator[tuple[int, int]]:
    if "PRIVATE KEY" in text:
        yield from (match.span() for match in _OPEN_KEY.finditer(text))


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _hidden(secret: str) -> str:
    lines = secret.splitlines(keepends=True)
    if len(lines) > 1:
        return "".join(map(_hidden_line, lines))
    shown = _SHOWN if len(secret) >= _MIN_SHOWN_OF else 0
    return secret[:shown] + _MASK * (len(secret) - shown)


def _hidden_line(line: str) -> str:
    text = line.splitlines()[0]
    start = _LINE_START.match(text).end()  # type: ignore[union-attr]  # it matches nothing at least
    return text[:start] + _MASK * (len(text) - start) + line[len(text) :]
