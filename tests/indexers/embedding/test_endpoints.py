import socket
import threading

import numpy as np
import pytest

from postil_indexers.embedding.base import unit
from postil_indexers.embedding.endpoint import is_loopback
from postil_indexers.embedding.families import Prefixes
from postil_indexers.embedding.ollama import OllamaEmbedder
from postil_indexers.embedding.openai import OpenAIEmbedder
from postil_indexers.errors import ModelError


def ollama(server, model="tiny-embed", **options):
    return OllamaEmbedder(model, server.address, **options)


def openai(server, model="tiny-embed", **options):
    return OpenAIEmbedder(model, f"{server.address}/v1", **options)


BOTH = pytest.mark.parametrize("connect", [ollama, openai])
PATH = {ollama: "/api/embed", openai: "/v1/embeddings"}


def words(*counts):
    """The unit vectors that the server gives for texts of so many words."""
    return unit(np.array([[count, 1, 0, 0] for count in counts], np.float32))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@BOTH
def test_seventy_texts_go_in_batches_of_32(start_server, connect):
    server = start_server()
    embedder = connect(server)
    texts = ["word " * (1 + number % 9) for number in range(70)]
    vectors = embedder.embed(texts)
    assert vectors == pytest.approx(words(*(1 + number % 9 for number in range(70))), abs=1e-6)
    assert [len(batch) for batch in server.texts()[1:]] == [32, 32, 6]  # the first asked for the dimensions


@BOTH
def test_a_text_over_the_context_is_split_and_averaged_and_the_others_of_its_batch_are_whole(start_server, connect):
    server = start_server(context=10)
    long = " ".join(["word"] * 16)
    vectors = connect(server).embed(["a b", long, "c d e"])
    assert vectors == pytest.approx(words(2, 8, 3), abs=1e-6)  # two halves of eight words each
    assert [text.split() for batch in server.texts()[-2:] for text in batch].count(["c", "d", "e"]) == 1


@BOTH
def test_what_can_never_fit_is_an_error_and_no_endless_loop(start_server, connect):
    server = start_server()
    embedder = connect(server)
    assert embedder.dimensions == 4
    server.context = 0
    with pytest.raises(ModelError, match="even one character"):
        embedder.embed(["ab"])


@BOTH
def test_blank_texts_are_not_sent_and_are_zero(start_server, connect):
    server = start_server()
    vectors = connect(server).embed(["", "one", " \n"])
    assert vectors == pytest.approx(np.concatenate([words(1) * 0, words(1), words(1) * 0]))
    assert server.texts()[1:] == [["one"]]
    assert connect(server).embed([]).shape == (0, 4)


@BOTH
def test_prefixes_go_before_queries_and_passages_and_into_the_fingerprint(start_server, connect):
    server = start_server()
    embedder = connect(server, prefixes=Prefixes("Q: ", "P: "))
    embedder.embed(["one"], query=True)
    embedder.embed(["one"])
    assert server.texts()[1:] == [["Q: one"], ["P: one"]]
    assert embedder.fingerprint != connect(server).fingerprint


@BOTH
def test_a_vector_of_another_size_than_before_is_refused(start_server, connect):
    server = start_server()
    embedder = connect(server)
    assert embedder.embed(["one"]).shape == (1, 4)
    server.dimensions = 3
    with pytest.raises(ModelError, match=r"gave 1 vectors of \[3\] numbers for 1 texts, not of 4"):
        embedder.embed(["one"])


@BOTH
def test_no_vectors_at_all_are_refused(start_server, connect):
    with pytest.raises(ModelError):
        connect(start_server(dimensions=0)).embed(["one"])


@BOTH
def test_a_stalled_server_is_told_from_one_that_is_not_running(start_server, connect):
    server = start_server(stall=threading.Event())
    with pytest.raises(ModelError, match=r"did not answer within 0\.2 s"):
        connect(server, timeout_s=0.2).embed(["one"])


def test_nothing_runs_at_the_address(start_server):
    server = start_server()
    server.port = free_port()
    with pytest.raises(ModelError, match="Ollama is not running at http://127") as caught:
        ollama(server).embed(["one"])
    assert caught.value.hint == "run: ollama serve"
    with pytest.raises(ModelError, match="nothing answers at http://127"):
        openai(server).embed(["one"])


@BOTH
def test_what_is_not_such_a_server_is_said(start_server, connect):
    server = start_server(broken={PATH[connect]: (200, "<html>hello</html>"), "/api/tags": (200, "<html>hello</html>")})
    with pytest.raises(ModelError, match=r"is not Ollama|does not speak the embeddings API"):
        connect(server).embed(["one"])


@BOTH
def test_a_server_error_keeps_the_servers_words(start_server, connect):
    message = "CUDA out of memory"
    body = {"error": message} if connect is ollama else {"error": {"message": message}}
    server = start_server(broken={PATH[connect]: (400, body)})
    with pytest.raises(ModelError, match=message):
        connect(server).embed(["one"])


@BOTH
def test_a_redirect_from_this_machine_is_not_followed(start_server, connect):
    elsewhere = start_server()
    server = start_server(location=elsewhere.address)
    with pytest.raises(ModelError):
        connect(server).embed(["private words"])
    assert elsewhere.requests == []


@BOTH
def test_a_proxy_of_the_environment_does_not_see_what_goes_to_this_machine(start_server, connect, monkeypatch):
    proxy, server = start_server(), start_server()
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.address)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    assert connect(server).embed(["one"]).shape == (1, 4)
    assert proxy.requests == []


def test_ollama_is_told_never_to_truncate(start_server):
    server = start_server()
    ollama(server).embed(["one"])
    assert [body["truncate"] for path, body in server.requests if path == "/api/embed"] == [False, False]


def test_a_model_that_is_not_pulled_says_how_to_get_it(start_server):
    with pytest.raises(ModelError, match="no model named bge-m3 on the Ollama server") as caught:
        ollama(start_server(), "bge-m3").embed(["one"])
    assert caught.value.hint == "run: ollama pull bge-m3"


def test_an_ollama_fingerprint_follows_the_pulled_weights(start_server):
    server = start_server()
    embedder = ollama(server)
    assert embedder.fingerprint == "OllamaEmbedder:tiny-embed:0a1b2c3d4e5f:'':''"
    server.broken["/api/tags"] = (200, {"models": [{"model": "tiny-embed:latest", "digest": "ffff2c3d4e5f60718293"}]})
    assert ollama(server).fingerprint == "OllamaEmbedder:tiny-embed:ffff2c3d4e5f:'':''"


def test_openai_vectors_are_put_back_in_the_order_of_their_index(start_server):
    assert openai(start_server(shuffled=True)).embed(["a", "b b", "c c c"]) == pytest.approx(words(1, 2, 3))


def test_the_key_comes_from_the_environment_and_a_wrong_one_is_said(start_server, monkeypatch):
    server = start_server(key="right")
    monkeypatch.setenv("POSTIL_TEST_KEY", "right")
    assert openai(server, key_env="POSTIL_TEST_KEY").embed(["one"]).shape == (1, 4)
    monkeypatch.setenv("POSTIL_TEST_KEY", "wrong")
    with pytest.raises(ModelError, match="refused the key in POSTIL_TEST_KEY"):
        openai(server, key_env="POSTIL_TEST_KEY").embed(["one"])
    with pytest.raises(ModelError, match="refused an access without a key"):
        openai(server).embed(["one"])
    monkeypatch.delenv("POSTIL_TEST_KEY")
    with pytest.raises(ModelError, match="POSTIL_TEST_KEY, which should hold the key, is not set"):
        openai(server, key_env="POSTIL_TEST_KEY")


def test_a_key_of_the_environment_that_was_not_named_is_not_sent(start_server, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
    server = start_server()
    openai(server).embed(["one"])
    assert {headers["authorization"] for headers in server.headers} == {"Bearer none"}


def test_english_models_do_not_know_chinese_and_others_do(start_server):
    server = start_server()
    assert not ollama(server, "nomic-embed-text").knows("今天讨论向量的存储")
    assert ollama(server, "bge-m3").knows("今天讨论向量的存储")
    assert server.requests == []


@pytest.mark.parametrize(
    ("address", "loopback"),
    [
        ("http://127.0.0.1:11434", True),
        ("http://localhost:8080/v1", True),
        ("http://[::1]:8080", True),
        ("localhost:11434", True),
        ("http://localhost.example.org", False),
        ("http://0.0.0.0:11434", False),
        ("https://api.example.org/v1", False),
        ("http://127.0.0.1@example.org/", False),
    ],
)
def test_loopback_addresses(address, loopback):
    assert is_loopback(address) is loopback
