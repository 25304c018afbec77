"""The writer that the settings ask for, and what of the settings it goes by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from postil_server.answering.answer import SummaryWriter, Writer, question_weights
from postil_server.answering.asking import Asking, may_send
from postil_server.answering.context import Context
from postil_server.answering.corpus import Corpus
from postil_server.answering.digest import Digest
from postil_server.answering.followup import completed
from postil_server.answering.library import Replies
from postil_server.answering.privacy import Rules
from postil_server.answering.question import Question
from postil_server.answering.summing import ModelSummary
from postil_server.answering.writing import ModelWriter
from postil_server.llm.base import ChatModel, StopSignal
from postil_server.llm.errors import ChatError, ModelSetupError
from postil_server.llm.opening import ChatModels, ModelSpec, open_models
from postil_server.llm.remote import Deadlines
from postil_server.settings import LlmSettings


@dataclass(frozen=True, slots=True)
class Wish:
    """How one answer is wanted. `view`: the place it is for, whose older request it replaces."""

    view: str = ""
    signal: StopSignal = field(default_factory=StopSignal)
    cached: bool = True
    asking: bool = True  # False: nothing is sent yet, not even a follow-up to be completed
    never_send: Mapping[str, Sequence[str]] = field(default_factory=dict)  # root -> patterns; others go by the settings


def chat_models(settings: LlmSettings) -> ChatModels | None:
    """The models that the settings name, loaded or asked at first use; None for none. Raises ModelSetupError."""
    if not settings.provider:
        return None
    deadlines = Deadlines(settings.first_token_s, settings.whole_s)
    spec = ModelSpec(
        settings.provider,
        settings.model,
        settings.small_model,
        settings.endpoint,
        settings.api_key_variable,
        settings.temperature,
        settings.context,
        deadlines,
    )
    return open_models(spec)


def leaves_machine(settings: LlmSettings) -> bool:
    """Whether what a model is asked goes to another machine."""
    try:
        models = chat_models(settings)
    except ModelSetupError:
        return False
    return models is not None and not models.main.local


def with_model(
    corpora: Sequence[Corpus], question: Question, settings: LlmSettings, wish: Wish
) -> tuple[Question, Writer | None]:
    """The question as it stands alone, and who writes its answer; None for extraction."""
    try:
        models = chat_models(settings)
    except ModelSetupError as error:
        return question, _Unusable(error)
    if models is None:
        return question, None
    asking = _asking(models.main, corpora, settings, wish)
    alone = completed(question, replace(asking, model=models.small)) if wish.asking else question
    return alone, ModelWriter(asking, question_weights(corpora, alone))


def summary_writer(corpora: Sequence[Corpus], settings: LlmSettings, wish: Wish) -> SummaryWriter | None:
    """Who writes a summary; None for extraction."""
    try:
        models = chat_models(settings)
        if models is None:
            return None
        main = _asking(models.main, corpora, settings, wish)
        return ModelSummary(main, replace(main, model=models.small))
    except ChatError as error:
        return _Unusable(error)


def filing_model(corpora: Sequence[Corpus], settings: LlmSettings, wish: Wish) -> Asking | None:
    """How a model is asked for tags; None for none, or none that can be used."""
    try:
        models = chat_models(settings)
    except ModelSetupError:
        return None
    return _asking(models.small, corpora, settings, wish) if models is not None else None


def _asking(model: ChatModel, corpora: Sequence[Corpus], settings: LlmSettings, wish: Wish) -> Asking:
    return Asking(
        model,
        may_send(corpora, lambda root: wish.never_send.get(root, settings.never_send)),
        Rules(secrets=not model.local, personal=settings.mask_personal, names=settings.names),
        wish.view,
        wish.signal,
        Replies(corpora[0].root) if wish.cached else None,
        unasked=_names_none(settings),
    )


def _names_none(settings: LlmSettings) -> bool:
    """Whether the user left it open which model is asked, and where."""
    untouched = LlmSettings()
    return (settings.provider, settings.model, settings.small_model, settings.endpoint) == (
        *(untouched.provider, untouched.model, untouched.small_model, untouched.endpoint),
    )


class _Unusable:
    """A writer that can't be had: the answer says why."""

    model, finish, unasked = "", "complete", False

    def __init__(self, error: ChatError) -> None:
        self._error = error

    def write(self, context: Context | Digest) -> Iterator[str]:
        raise self._error
