"""What can be wrong with a chat model, told apart, each with the way out in its hint."""

from __future__ import annotations

from postil_indexers.errors import ModelError


class ChatError(ModelError):
    """A chat model can't answer. `tries`: how often the same request is worth sending, this time included."""

    code = "chat_model"
    tries = 1


class ModelSetupError(ChatError):
    """A client or a weights file is not installed, or the settings name no usable model."""

    code = "model_setup"


class NotRunningError(ChatError):
    """Nothing answers at the address."""

    code = "model_not_running"


class NotPulledError(ChatError):
    """The server runs and does not have the model."""

    code = "model_not_pulled"


class OutOfMemoryError(ChatError):
    """The model does not fit into the memory of the machine that serves it."""

    code = "model_out_of_memory"


class UnauthorisedError(ChatError):
    """The key is missing, wrong, or not allowed to use the model."""

    code = "model_unauthorised"


class QuotaError(ChatError):
    """The account has nothing left: waiting a moment does not help."""

    code = "model_quota"


class RateLimitedError(ChatError):
    """The endpoint limits how much may be asked. `wait_s`: as long as it asks to wait, 0 where it does not say."""

    code = "model_rate_limited"
    tries = 3

    def __init__(self, message: str, hint: str = "", wait_s: float = 0.0) -> None:
        super().__init__(message, hint)
        self.wait_s = wait_s


class OverloadedError(ChatError):
    """The server has too much to do, failed once, or closed the connection before it answered."""

    code = "model_overloaded"
    tries = 3


class LoadingError(ChatError):
    """The server runs and is still loading the model: worth asking until the deadline for the first token."""

    code = "model_loading"
    tries = 1_000


class TimedOutError(ChatError):
    """The server is reached, and there was no first token within the deadline: slow, perhaps working."""

    code = "model_timed_out"


class PromptTooLongError(ChatError):
    """The prompt does not fit the model's window: found before it was sent, or refused by the server."""

    code = "prompt_too_long"


class BadReplyError(ChatError):
    """What answers at the address does not speak the API, or refuses for a reason of its own."""

    code = "model_reply"
