"""No training text comes from what retrieval is judged on, and all of it may be used."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = json.loads((ROOT / "training" / "sources.json").read_text(encoding="utf-8"))
JUDGED = json.loads(Path(__file__).with_name("judged.json").read_text(encoding="utf-8"))  # lists of repositories
PERMISSIVE = {"MIT", "Apache-2.0", "BSD-3-Clause", "BSL-1.0", "Zlib", "CC-BY-4.0", "PSF-2.0", "WordNet"}


def licences():
    """Repository -> licence, lower case as GitHub compares names, of all that is learned from."""
    found = {}
    for part in (*SOURCES["english"].values(), SOURCES["chinese"]):
        found |= part
    for spec in (*SOURCES["translated"], *SOURCES["catalogues"], SOURCES["dictionary"]):
        found[spec["repository"]] = spec["licence"]
        found[spec.get("english", spec["repository"])] = spec["licence"]
    return {name.lower(): licence for name, licence in found.items()}


def named_in_benchmarks():
    files = [*(ROOT / "benchmarks").glob("*.py"), *(ROOT / "benchmarks").glob("*.json")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return re.findall(r'"([\w.-]+/[\w.-]+)"', text)


@pytest.mark.parametrize("benchmark", JUDGED)
def test_nothing_is_learned_from_what_is_judged_on(benchmark):
    assert len(JUDGED[benchmark]) >= 5
    assert not licences().keys() & {name.lower() for name in JUDGED[benchmark]}


def test_nothing_is_learned_from_what_a_benchmark_here_names():
    named = {name.lower() for name in named_in_benchmarks()}
    assert {"oi-wiki/oi-wiki", "google-deepmind/xquad", "pallets/flask"} <= named
    assert not licences().keys() & named


def test_every_licence_lets_anybody_use_it():
    assert set(licences().values()) <= PERMISSIVE
    assert len(licences()) > 60
