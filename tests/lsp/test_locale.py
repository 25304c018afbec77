"""What the server writes, in an editor that speaks Simplified Chinese; in any other it is English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

import postil_indexers
import postil_server
from fixtures.actions import actions
from fixtures.editor import Editor, eventually
from fixtures.hover_places import place
from postil_indexers.seen import SkipReason
from postil_indexers.store.packing import pack_text
from postil_indexers.store.rows import ChunkRow
from postil_indexers.text import index_terms
from postil_indexers.types import Kind, Span
from postil_server.elsewhere import also_elsewhere
from postil_server.lsp.chinese import CHINESE, SENTENCES
from postil_server.lsp.lens import UNCOUNTED
from postil_server.lsp.locale import wording
from postil_server.reasons import reason

PACKAGES = [Path(package.__file__ or "").parent for package in (postil_server, postil_indexers)]
ENGLISH = re.compile(r"[A-Za-z]{2,}")


@pytest.mark.parametrize("locale", ["zh-cn", "zh-CN", "zh", "zh-Hans", "zh-hans-cn", "zh_CN.UTF-8", "zh-sg"])
def test_simplified_chinese_goes_by_many_names(locale: str) -> None:
    assert wording(locale).said("Related 20+") == "相关 20+"


@pytest.mark.parametrize("locale", [None, "", "en", "en-GB", "de", "zh-tw", "zh-Hant", "zhx"])
def test_every_other_locale_is_english(locale: str | None) -> None:
    assert wording(locale).said("Related 20+") == "Related 20+"
    assert wording(locale).reason("links here; changed together") == "links here; changed together"


def reasons() -> Iterator[str]:
    """All that `reasons` can say."""
    text = "A lease of the kiln."
    row = ChunkRow(1, 1, "a.md", Kind.NOTE, "markdown", "", Span(0, 1), "", "section", (), "", pack_text(text))
    for link in ("in", "out", "both", None):
        for weights in ({}, dict.fromkeys(index_terms(text).split(), 5.0)):
            for near in (None, 0.5, 3.0):
                yield reason(text, row, weights, link, near)


def test_every_reason_has_its_words() -> None:
    said = {text: wording("zh-cn").reason(text) for text in reasons()}
    assert {text: chinese for text, chinese in said.items() if ENGLISH.search(re.sub("kiln|lease", "", chinese))} == {}
    assert said["linked both ways; same topic: kiln, lease"] == "互相链接；同一主题：kiln、lease"
    assert said["similar meaning"] == "含义相近"


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("defines `policy_for`, `Lease`; changed together", "定义了 `policy_for`、`Lease`；一起更改过"),
        ("mentions `RetryPolicy`", "提到 `RetryPolicy`"),
        ("named here: #42", "此处提到：#42"),
        (f"named here: #42{also_elsewhere('feature/x')}", "此处提到：#42，在 feature/x 上，不在 HEAD 上"),
    ],
)
def test_reasons_of_code_and_commits(english: str, chinese: str) -> None:
    assert wording("zh-cn").reason(english) == chinese


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (" (Anna, 0a1b2c3d, in v1.2)", " (Anna, 0a1b2c3d, 版本 v1.2)"),
        (f" (Anna, 0a1b2c3d{also_elsewhere('x')})", " (Anna, 0a1b2c3d, 在 x 上，不在 HEAD 上)"),
        (f" (Anna, 0a1b2c3d, in v1{also_elsewhere('x')})", " (Anna, 0a1b2c3d, 版本 v1, 在 x 上，不在 HEAD 上)"),
        (" · 2024-03-01 · 2 backlinks · no “a · b” in it", " · 2024-03-01 · 2 个反向链接 · 其中没有“a · b”"),
        ("Open “Open {title}”", "打开“Open {title}”"),
        ("Links are fine", "Links are fine"),
    ],
)
def test_texts_in_a_message_stay_as_they_are(english: str, chinese: str) -> None:
    assert wording("zh-cn").said(english) == chinese


@pytest.mark.parametrize("title", sorted(set(UNCOUNTED.values())))
def test_lenses_without_a_count_have_their_words(title: str) -> None:
    assert not ENGLISH.search(wording("zh-cn").said(title))


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            ".git/config is left out with .git (version_control): kept by version control.",
            ".git/config 随 .git 一起未被收录 (版本控制)：由版本控制系统保管。",
        ),
        (
            "a (b).md is left out (excluded): settings:1: *. x. Change index.exclude in your settings or in the "
            ".postil.toml of the folder to index it.",
            "a (b).md 未被收录 (由设置排除)：settings:1: *. x。"
            "更改您的设置或该文件夹 .postil.toml 中的 index.exclude 即可索引。",
        ),
        (
            "big.md is left out (too_large): 9.1 MB; the limit is 4.0 MB.",
            "big.md 未被收录 (过大)：9.1 MB；上限为 4.0 MB。",
        ),
        ("a.md is indexed as markdown in 1 passage.", "a.md 已作为 markdown 建立索引，共 1 个段落。"),
        (
            "a.md is indexed as markdown in 12 passages (its encoding was guessed). "
            "It has changed since; run postil index again.",
            "a.md 已作为 markdown 建立索引，共 12 个段落 (its encoding was guessed)。"
            "此后文件有更改；请再次运行 postil index。",
        ),
        ("reading 1,200 of 3,000", "读取：1,200 / 3,000"),
        ("history 5 of 9, 240 a second, 7 s left", "历史：5 / 9，每秒 240，还需 7 秒"),
        ("embedding 5 of 9, 1 a second, 2 min left", "生成向量：5 / 9，每秒 1，还需 2 分钟"),
        ("12 of 90 MB", "12 / 90 MB"),
        ("folders: x is passed over: write it from `/` or `~` on", "folders：已略过 x：请从 `/` 或 `~` 开始书写路径"),
        (
            "c.toml: llm.endpoint is passed over: it is user-level, and this may come from a workspace; set it in /x",
            "c.toml：已略过 llm.endpoint：它是用户级设置，而此值可能来自工作区；请在 /x 中设置",
        ),
        ("“a” is b/a.md, the nearest; or c/a.md, d/a.md", "“a”指最近的 b/a.md；也可能是 c/a.md、d/a.md"),
        ("pulling manifest", "pulling manifest"),
    ],
)
def test_sentences(english: str, chinese: str) -> None:
    assert wording("zh-cn").sentence(english) == chinese
    assert wording("en").sentence(english) == english


@pytest.mark.parametrize("reason", list(SkipReason))
def test_every_reason_to_leave_a_file_out_has_its_words(reason: SkipReason) -> None:
    said = wording("zh-cn").sentence(f"a.md is left out ({reason}): x.")
    assert not ENGLISH.search(said.replace("a.md", "").replace(".postilignore", ""))


def test_every_message_is_one_that_the_server_writes() -> None:
    """Its English phrases stand in the sources, which say them."""
    sources = [file for package in PACKAGES for file in package.rglob("*.py") if file.name != "chinese.py"]
    nodes = (node for file in sources for node in ast.walk(ast.parse(file.read_text("utf-8"))))
    written = "\n".join(n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str))
    for message in (*CHINESE, *SENTENCES):
        for phrase in re.findall(r"[A-Za-z]+(?: [A-Za-z]+)*", re.sub(r"\{\w+\}", "\0", message)):
            assert phrase.removesuffix("s") in written, message


def test_both_languages_have_the_same_placeholders() -> None:
    for english, chinese in (*CHINESE.items(), *SENTENCES.items()):
        assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", chinese))


@pytest.fixture(scope="module")
def chinese(desk: Any) -> Iterator[Editor]:
    options = {"settings": {"lens": {"definitions": True}}, "hover": {"nots": True}}
    with Editor(desk.machine, [desk.workspace.root], locale="zh-cn", initialization_options=options) as editor:
        yield editor


QUEUE = "# New\n\nAn entry with many deliveries in XPENDING is poisoning the queue.\n"


def test_hovers_in_chinese(chinese: Editor, desk: Any) -> None:
    uri = chinese.open_file(desk.root / "notes/new.md", text=QUEUE)
    text = chinese.hover_text(uri, 2, 3)
    assert text is not None
    head, _, first, *_ = text.split("\n")
    assert head == "**相关**"
    assert re.fullmatch(r"- \[Runbook: a queue is stuck.*\]\(file:.*\) \(同一主题：.*\)  ", first)
    chinese.close(uri)
    uri = chinese.open_file(desk.root / "docs/design.md")
    line, column = place(desk.root, "docs/design.md", "[[2024-03-04 planning]]")
    text = chinese.hover_text(uri, line, column + 5)
    assert text is not None
    assert text.split("\n")[0].endswith(") · 2024-04-08 · 1 个反向链接")
    uri = chinese.open_file(desk.root / "millrace/retry.py", "python")
    line, column = place(desk.root, "millrace/retry.py", "class RetryPolicy")
    text = chinese.hover_text(uri, line, column + 6)
    assert text is not None
    assert len(re.findall(r"\(提到 RetryPolicy\)", text)) == 3


def test_lenses_in_chinese(chinese: Editor, desk: Any) -> None:
    def titles(path: str, language: str) -> list[str]:
        uri = chinese.open_file(desk.root / path, language)
        params = lsp.CodeLensParams(lsp.TextDocumentIdentifier(uri))
        found = chinese.wait(chinese.client.text_document_code_lens_async(params))
        told = [each if each.command else chinese.wait(chinese.client.code_lens_resolve_async(each)) for each in found]
        return [each.command.title for each in told]

    related, *others = titles("docs/glossary.md", "markdown")
    assert re.fullmatch(r"相关 \d+\+?", related)
    assert others == ["反向链接 8", "总结"]
    change, history, *definitions = titles("millrace/retry.py", "python")
    assert (change, history) == ("上次更改 2024-04-08，Maya Okafor", "历史 5")
    assert all(re.match(r"\d{4}-\d\d-\d\d ", each) for each in definitions)  # a commit's own words
    assert definitions


def test_related_notes_and_actions_in_chinese(chinese: Editor, desk: Any) -> None:
    uri = chinese.open_file(desk.root / "notes/new.md", text=QUEUE)
    asked = {"textDocument": {"uri": uri}, "range": {"start": {"line": 2, "character": 0}}}
    asked["range"]["end"] = {"line": 2, "character": 0}
    found = chinese.ask("postil/related", asked)["related"]
    assert found
    assert all(re.match("同一主题：|含义相近|有共同的词语|链接到此处", item["reason"]) for item in found)
    offered = chinese.command("postil.server.related", asked)["items"]
    assert offered[0]["label"].startswith("Runbook: a queue is stuck")
    assert re.search(r" \(同一主题：.*\)$", offered[0]["label"])
    selected = lsp.Range(lsp.Position(2, 0), lsp.Position(2, 8))
    told = actions(chinese, uri, selected)
    assert {"链接到“Runbook: a queue is stuck”", "就所选内容提问", "总结所选内容"} <= told.keys()
    assert [title for title in told if re.match(r"(Open|Link|Ask|Summarise|History|Add) ", title)] == []
    chinese.close(uri)


def test_why_hints_and_messages_in_chinese(chinese: Editor, desk: Any) -> None:
    (said,) = eventually(lambda: chinese.client.messages)
    assert re.fullmatch(r"Postil: .*：hover\.nots 不是设置项，已略过", said.message)
    asked = {"textDocument": {"uri": (desk.root / ".git/config").as_uri()}}
    sentence = ".git/config 随 .git 一起未被收录 (版本控制)：由版本控制系统保管。"
    assert chinese.ask("postil/why", asked)["sentence"] == sentence
    uri = chinese.open_file(
        desk.root / "notes/new.md", text="# New\n\nSee [[no such note]] and [[glossary#nothing]].\n"
    )
    hints = eventually(lambda: chinese.client.diagnostics.get(uri))
    assert [hint.message for hint in hints] == [
        "此文件夹中没有名为“no such note”的内容",
        "docs/glossary.md 中没有标题“nothing”",
    ]
    chinese.close(uri)
