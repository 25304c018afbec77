"""What every handler has around it: a number that its log line and its error share, and one kind of error."""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import time
from collections.abc import Awaitable, Callable
from typing import Any

from pygls.exceptions import JsonRpcException, JsonRpcInternalError, JsonRpcInvalidParams

from postil_indexers.errors import PostilError
from postil_server.lsp.logs import event, failure

_REQUEST_FAILED = -32803  # of LSP: well formed, and can't be answered
_numbers = itertools.count(1)


class WrongArgumentError(PostilError):
    """An argument of a request is missing or of the wrong kind; the message names it."""

    code = "invalid_params"


def guarded(name: str, handler: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    """The handler of a request: whatever it raises becomes one LSP error whose number the log explains."""

    async def call(*arguments: Any) -> Any:
        number = f"{os.getpid()}-{next(_numbers)}"
        started = time.perf_counter()
        outcome = "failed"
        try:
            answer = await handler(*arguments)
            outcome = "nothing" if answer is None else "answered"
            return answer
        except asyncio.CancelledError:
            outcome = "cancelled"
            raise
        except WrongArgumentError as error:
            outcome = "invalid"
            raise JsonRpcInvalidParams(f"{error.message} (request {number})", data=_data(error, number)) from error
        except PostilError as error:
            message = {} if error.quotes else {"message": error.message}
            event("error", logging.WARNING, request=number, method=name, code=error.code, **message)
            said = f"{error.message}; {error.hint}" if error.hint else error.message
            raise JsonRpcException(
                f"{said} (request {number})", code=_REQUEST_FAILED, data=_data(error, number)
            ) from error
        except JsonRpcException as error:  # the client's answer to a request of ours
            event("error", logging.WARNING, request=number, method=name, refused=type(error).__name__)
            raise JsonRpcException(
                f"the editor failed on what it was asked to do (request {number})",
                code=_REQUEST_FAILED,
                data={"code": "editor", "request": number},
            ) from error
        except Exception as error:
            failure("error", error, request=number, method=name)
            raise JsonRpcInternalError(
                f"Postil failed on this; its log explains request {number}", data={"request": number}
            ) from error
        finally:
            elapsed = round((time.perf_counter() - started) * 1e3, 2)
            event("request", request=number, method=name, outcome=outcome, elapsed_ms=elapsed)

    return call


def _data(error: PostilError, number: str) -> dict[str, str]:
    return {"code": error.code, "message": error.message, "hint": error.hint, "request": number}
