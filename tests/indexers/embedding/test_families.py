import pytest

from postil_indexers.embedding.families import Prefixes, english_only, prefixes_for

SEARCH = "Represent this sentence for searching relevant passages: "
INSTRUCT = "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:"


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("intfloat/multilingual-e5-large", "query: ", "passage: "),
        ("intfloat/e5-small-v2", "query: ", "passage: "),
        ("intfloat/multilingual-e5-large-instruct", f"{INSTRUCT} ", ""),
        ("BAAI/bge-small-en-v1.5", SEARCH, ""),
        ("bge-large:latest", SEARCH, ""),
        ("BAAI/bge-small-zh-v1.5", "为这个句子生成表示以用于检索相关文章：", ""),
        ("bge-m3", "", ""),
        ("nomic-ai/nomic-embed-text-v1.5-Q", "search_query: ", "search_document: "),
        ("nomic-embed-text:latest", "search_query: ", "search_document: "),
        ("snowflake/snowflake-arctic-embed-s", SEARCH, ""),
        ("snowflake-arctic-embed2", "query: ", ""),
        ("Snowflake/snowflake-arctic-embed-l-v2.0", "query: ", ""),
        ("mxbai-embed-large", SEARCH, ""),
        ("embeddinggemma", "task: search result | query: ", "title: none | text: "),
        ("qwen3-embedding:0.6b", INSTRUCT, ""),
        ("all-minilm", "", ""),
        ("somebody/some-model", "", ""),
    ],
)
def test_a_model_gets_the_prefixes_of_its_family(model, query, passage):
    assert prefixes_for(model) == Prefixes(query, passage)


@pytest.mark.parametrize(
    ("model", "english"),
    [
        ("nomic-embed-text", True),
        ("nomic-embed-text-v2-moe", False),
        ("all-minilm:l6-v2", True),
        ("snowflake-arctic-embed:xs", True),
        ("snowflake-arctic-embed2", False),
        ("bge-large", True),
        ("BAAI/bge-small-zh-v1.5", False),
        ("bge-m3", False),
        ("multilingual-e5-large", False),
        ("e5-large-v2", True),
        ("text-embedding-3-small", False),
    ],
)
def test_models_known_to_read_only_english(model, english):
    assert english_only(model) is english
