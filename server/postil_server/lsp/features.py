"""All that the server answers to beside its own life, a file each: every `register` adds its handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from postil_server.lsp import commands, hover, requests

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer

FEATURES: tuple[Callable[[PostilServer], None], ...] = (hover.register, requests.register, commands.register)
