"""A follow-up made to stand alone by a (small) model, with the last exchange as its only background."""

from __future__ import annotations

from dataclasses import replace

from postil_indexers.text import query_terms
from postil_server.answering.asking import Asking
from postil_server.answering.extractive import is_extract
from postil_server.answering.prompting import compose
from postil_server.answering.prompts import rewrite_prompt
from postil_server.answering.question import Question
from postil_server.answering.replying import replied
from postil_server.answering.safetext import clean
from postil_server.llm.base import Options
from postil_server.llm.errors import ChatError

_TOKENS, _LONGEST = 80, 400  # tokens, characters of a question
_TOLD = 600  # characters of the answer before it


def completed(question: Question, asking: Asking) -> Question:
    """As it is where it stands alone already, and where the model does not help."""
    previous = question.previous
    if previous is None or question.standalone == question.text:
        return question
    told = previous.answer[:_TOLD] if not is_extract(previous.answer) else ""  # extracts may hold what no model gets
    said = (question.text, previous.question, told)
    options = Options(max_tokens=_TOKENS, temperature=0.0, stop=("\n",), view=asking.view)
    try:
        prompt = compose(asking, (), said, lambda _, hide: rewrite_prompt(*map(hide, said)), options, {})
        text = "".join(replied(asking, prompt, options))
    except ChatError:
        return question  # whoever writes the answer meets the same trouble, and tells
    rewritten = clean(text).strip().strip("\"“”'")
    known = set(query_terms(" ".join(said)))
    is_question = 0 < len(rewritten) <= _LONGEST and bool(known & set(query_terms(rewritten)))
    return replace(question, rewritten=rewritten) if is_question else question
