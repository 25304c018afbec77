"""The reply to a prompt: an old one where the very same was asked before, else the model's, logged and kept."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Generator, Sequence

from postil_server.answering.asking import Asking
from postil_server.answering.prompting import Prompt
from postil_server.answering.prompts import prompt_version
from postil_server.llm.base import Finish, Message, Options

_log = logging.getLogger("postil.server.llm")


def replied(asking: Asking, prompt: Prompt, options: Options) -> Generator[str, None, Finish]:
    """Pieces of the reply, what was masked put back. Raises ChatError before the first one, or none."""
    finish = Finish("stop")

    def raw() -> Generator[str, None, None]:
        nonlocal finish
        finish = yield from _pieces(asking, prompt, options)

    yield from prompt.mask.restored(raw())
    return finish


def _pieces(asking: Asking, prompt: Prompt, options: Options) -> Generator[str, None, Finish]:
    key = reply_key(asking.model.name, prompt.messages, options)
    known = asking.replies.get(key) if asking.replies else None
    if known is not None:
        yield known
        return Finish("stop")
    _log_sent(asking, prompt)
    stream = asking.model.stream(prompt.messages, options, asking.signal)
    text = []
    for piece in stream:
        text.append(piece)
        yield piece
    finish = stream.finish
    if asking.replies and finish.reason == "stop" and not finish.truncated:
        asking.replies.keep(key, "".join(text))
    return finish


def reply_key(model: str, messages: Sequence[Message], options: Options) -> bytes:
    """Of model, prompt (which has the texts of the sources in it), its version and how it is asked."""
    asked = [(message.role, message.content) for message in messages]
    record = [model, prompt_version(), options.max_tokens, options.temperature, options.stop, asked]
    return hashlib.blake2b(json.dumps(record).encode(), digest_size=16).digest()


def _log_sent(asking: Asking, prompt: Prompt) -> None:
    """Which endpoint gets how many tokens, from which files."""
    fields = {
        "endpoint": asking.model.endpoint or "this process",
        "model": asking.model.name,
        "tokens": prompt.tokens,
        "masked": prompt.mask.count,
        "sources": list(dict.fromkeys(source.path or source.sha for source in prompt.sources)),
    }
    _log.info("sent", extra={"fields": fields})
