"""All that the server answers to beside its own life, a file each: every `register` adds its handlers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from postil_server.lsp import (
    actions,
    asking,
    change,
    commands,
    completion,
    definition,
    diagnostics,
    feedback,
    filing,
    history,
    hover,
    lens,
    mentions,
    models,
    offering,
    past,
    references,
    rename,
    requests,
    symbols,
    virtual,
    why,
    workspace_symbols,
)

if TYPE_CHECKING:
    from postil_server.lsp.server import PostilServer

FEATURES: tuple[Callable[[PostilServer], None], ...] = (
    hover.register,
    lens.register,
    actions.register,
    offering.register,
    requests.register,
    change.register,
    commands.register,
    completion.register,
    definition.register,
    diagnostics.register,
    history.register,
    mentions.register,
    models.register,
    past.register,
    references.register,
    rename.register,
    symbols.register,
    why.register,
    workspace_symbols.register,
    asking.register,
    feedback.register,
    filing.register,
    virtual.register,
)
