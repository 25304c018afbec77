"""Confidence comes from evidence alone."""

from __future__ import annotations

import pytest

from postil_server.confidence import RELATED, SEARCH, Calibration, Coefficients, confidence, evidence, term_weights
from postil_server.types import Evidence


def test_evidence_is_the_share_of_weight_that_is_held() -> None:
    weights = {"kiln": 3.0, "glaze": 1.0, "碎片": 4.0}
    assert evidence({"kiln", "clay"}, weights, 1.5) == Evidence(0.375, 1.0, 1.5, False)
    assert evidence({"碎片"}, weights, None, defines=True) == Evidence(0.5, 0.5, None, True)
    assert evidence({"kiln"}, {}, None) == Evidence(0.0, 0.0, None, False)


def test_a_word_that_nothing_holds_weighs_most_and_function_words_nothing() -> None:
    weights = term_weights(("how", "kiln", "glaze"), 100, {"how": 90, "kiln": 2, "glaze": 0})
    assert list(weights) == ["kiln", "glaze"]
    assert weights["glaze"] > weights["kiln"]
    assert list(term_weights(("how", "do"), 100, {"how": 90, "do": 80})) == ["how", "do"]


@pytest.mark.parametrize("calibration", [SEARCH, RELATED])
def test_more_evidence_is_never_less_sure(calibration: Calibration) -> None:
    for near in (None, 1.0):
        assert confidence(Evidence(0.8, 4.0, near), calibration) > confidence(Evidence(0.2, 4.0, near), calibration)
    assert confidence(Evidence(0.5, 4.0, 3.0), calibration) > confidence(Evidence(0.5, 4.0, 0.0), calibration)
    assert confidence(Evidence(1.0, 30.0, 9.0, True), calibration) > 0.95
    assert confidence(Evidence(0.0, 0.0, -1.0), calibration) < 0.1


def test_a_chance_is_the_logistic_of_the_sum() -> None:
    known = Calibration(
        vectors=Coefficients(intercept=-1.0, words=2.0, near=0.5, defines=3.0),
        words=Coefficients(-1.0, 2.0, shared=1.0),
    )
    assert confidence(Evidence(0.5, 0.0, 0.0), known) == 0.5
    assert confidence(Evidence(0.5, 0.0, 2.0), known) == 0.7311
    assert confidence(Evidence(0.5, 0.0, 0.0, True), known) == 0.9526
    assert confidence(Evidence(0.5, 1.0, None), known) == 0.6667
