"""postil eval: questions with known answers, judged; two runs compared; a file that is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.scripted_model import ScriptedModel
from postil_indexers.errors import SettingsError
from postil_server.answering.answer import Writer, question_weights
from postil_server.answering.asking import Asking
from postil_server.answering.corpus import Corpus
from postil_server.answering.evaluation import differences, judge, load_cases, summary
from postil_server.answering.question import Question
from postil_server.answering.writing import ModelWriter
from server.conftest import ROLES, Indexed

QUESTIONS = Path(__file__).parents[2] / "benchmarks" / "questions"

FILE = """\
- id: length
  question: How long is a lease to begin with?
  sources: [["nowhere.md", "notes/meetings/2024-03-04 planning.md"], docs/none.md]
  facts: ["(?i)thirty seconds", "ninety"]
- {id: kafka, question: "How do we configure the Kafka connector?", refuse: true}
- {id: rent, question: "How long is a lease to begin with?", refuse: true}
"""


def test_an_answer_is_judged_by_sources_citations_facts_and_refusal(indexed: Indexed, tmp_path: Path) -> None:
    path = tmp_path / "questions.yaml"
    path.write_text(FILE, encoding="utf-8")
    corpora = [Corpus(indexed.root, indexed.index, ROLES)]
    judged = [judge(corpora, case) for case in load_cases(str(path))]
    assert [(j.id, j.refused, j.recall, j.valid, j.supported, j.facts) for j in judged] == [
        ("length", False, 0.5, 1.0, 1.0, 0.5),
        ("kafka", True, None, None, None, None),
        ("rent", False, None, 1.0, 1.0, None),
    ]
    totals = summary(judged)
    assert all(totals.pop(name) > 0 for name in ("first_ms", "first_p95_ms", "total_ms"))  # type: ignore[operator]
    assert totals == {
        "questions": 3,
        "by_model": 0.0,
        "recall_at_5": 0.5,
        "citations_valid": 1.0,
        "supported": 1.0,
        "facts": 0.5,
        "answered": 1.0,
        "refused": 0.5,
    }


def test_answers_of_a_model_are_judged_by_what_it_says(indexed: Indexed, tmp_path: Path) -> None:
    path = tmp_path / "questions.yaml"
    path.write_text(FILE, encoding="utf-8")
    corpora = [Corpus(indexed.root, indexed.index, ROLES)]
    model = ScriptedModel(
        lambda messages: "A lease lasts thirty seconds. Two workers run the same job. It is blue [1]."
    )

    def write(question: Question) -> tuple[Question, Writer]:
        return question, ModelWriter(Asking(model), question_weights(corpora, question))

    length, kafka, _ = [judge(corpora, case, write=write) for case in load_cases(str(path))]
    assert (length.model, length.refused, length.valid, length.facts) == ("scripted", False, 1.0, 0.5)
    assert length.supported == pytest.approx(2 / 3, abs=1e-4)
    assert (kafka.model, kafka.refused) == ("", True)  # no model is asked what is not there
    assert len(model.given) == 2
    assert summary([length, kafka])["by_model"] == 1.0


def test_of_a_question_without_a_known_answer_only_citations_are_judged(indexed: Indexed, tmp_path: Path) -> None:
    path = tmp_path / "questions.yaml"
    path.write_text('- {id: bad, question: "How long is a lease?", said: "too short"}', encoding="utf-8")
    (case,) = load_cases(str(path))
    judged = judge([Corpus(indexed.root, indexed.index, ROLES)], case)
    assert (judged.refuse, judged.recall, judged.facts, judged.valid) == (None, None, None, 1.0)
    totals = summary([judged])
    assert (totals["answered"], totals["refused"], totals["citations_valid"]) == (None, None, 1.0)


def test_the_questions_about_the_fixture_reach_what_they_are_to_reach(indexed: Indexed) -> None:
    corpora = [Corpus(indexed.root, indexed.index, ROLES)]
    own = summary([judge(corpora, case) for case in load_cases(str(QUESTIONS / "millrace.yaml"))])
    assert own["questions"] == 25
    assert own["recall_at_5"] >= 0.95  # type: ignore[operator]
    assert (own["citations_valid"], own["refused"]) == (1.0, 1.0)
    assert own["answered"] >= 0.9  # type: ignore[operator]
    foreign = summary([judge(corpora, case) for case in load_cases(str(QUESTIONS / "foreign.yaml"))])
    assert foreign["questions"] == 50
    assert foreign["refused"] >= 0.85  # type: ignore[operator]


@pytest.mark.parametrize(
    "text", ["x: [", "just words", "- {id: a}", '- {id: a, question: b, facts: ["("]}', "- 3", "\udcff"]
)
def test_a_file_that_is_no_list_of_questions_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "questions.yaml"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(SettingsError, match="is no list of questions"):
        load_cases(str(path))


def test_what_is_otherwise_than_in_an_earlier_run_is_told() -> None:
    before = {"summary": {"facts": 0.5, "first_ms": 3.0}, "questions": [{"id": "a", "refused": True, "total_ms": 1.0}]}
    now = {"summary": {"facts": 0.75, "first_ms": 4.0}, "questions": [{"id": "a", "refused": False, "total_ms": 2.0}]}
    assert list(differences(before, now)) == [("", "facts", 0.5, 0.75), ("a", "refused", True, False)]
    slower = {**now, "model": "ollama:qwen2.5:7b", "summary": {"facts": 0.75, "first_ms": 40.0}}
    assert list(differences(now, slower)) == [("", "model", None, "ollama:qwen2.5:7b"), ("", "first_ms", 4.0, 40.0)]
    assert list(differences(now, now)) == []
