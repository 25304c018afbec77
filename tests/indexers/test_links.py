from __future__ import annotations

import pytest

from postil_indexers.links import LinkResolver, LinkTarget, Resolution, anchor_line
from postil_indexers.types import Heading, Link


def link(target: str, style: str = "wiki", text: str = "") -> Link:
    return Link(target, "", text, style, 0, 0, 0)


FILES = [
    LinkTarget("README.md", "Millrace"),
    LinkTarget("notes/design.md", "Design of Millrace", ("architecture", "Millrace design")),
    LinkTarget("notes/Retry Policy.md", "Retries"),
    LinkTarget("notes/202403041200 Planning.md", "Planning", note_id="202403041200"),
    LinkTarget("notes/caf\u00e9.md", "Café"),
    LinkTarget("notes/中文笔记.md", "中文笔记"),
    LinkTarget("notes/a: b (c).md", "a: b (c)"),
    LinkTarget("notes/v1.2.md", "Version"),
    LinkTarget("notes/sub/index.md", "Sub"),
    LinkTarget("notes/sub/deep/daily.md", "Daily"),
    LinkTarget("archive/daily.md", "Old daily"),
    LinkTarget("archive/2023/retries.markdown", "Retries"),
    LinkTarget("archive/2023/pictures/map.png"),
    LinkTarget("src/queue.py"),
    LinkTarget("notes/case.md", "lower"),
    LinkTarget("notes/Case.md", "upper"),
]
RESOLVER = LinkResolver(FILES)


@pytest.mark.parametrize(
    ("target", "path", "how"),
    [
        ("design", "notes/design.md", "path"),
        ("design.md", "notes/design.md", "path"),
        ("./design", "notes/design.md", "path"),
        ("../README.md", "README.md", "path"),
        ("../src/queue.py", "src/queue.py", "path"),
        ("/src/queue.py", "src/queue.py", "path"),
        ("src/queue.py", "src/queue.py", "path"),
        ("notes/design", "notes/design.md", "path"),
        ("sub", "notes/sub/index.md", "path"),
        ("sub/", "notes/sub/index.md", "path"),
        ("..", "README.md", "path"),
        ("retry policy", "notes/Retry Policy.md", "path"),
        ("cafe\u0301", "notes/caf\u00e9.md", "path"),
        ("中文笔记", "notes/中文笔记.md", "path"),
        ("a: b (c)", "notes/a: b (c).md", "path"),
        ("v1.2", "notes/v1.2.md", "path"),
        ("case", "notes/case.md", "path"),
        ("Case", "notes/Case.md", "path"),
        ("sub\\deep\\daily", "notes/sub/deep/daily.md", "path"),
        ("map.png", "archive/2023/pictures/map.png", "name"),
        ("pictures/MAP.png", "archive/2023/pictures/map.png", "name"),
        ("2023/retries", "archive/2023/retries.markdown", "name"),
        ("queue.py", "src/queue.py", "name"),
        ("../elsewhere/queue.py", None, ""),
        ("../queue.py", "src/queue.py", "name"),
        ("Architecture", "notes/design.md", "alias"),
        ("202403041200", "notes/202403041200 Planning.md", "id"),
        ("202403041200 what it was called", "notes/202403041200 Planning.md", "id"),
        ("design of millrace", "notes/design.md", "title"),
        ("design.md?raw=true", "notes/design.md", "path"),
        ("", "notes/week.md", "self"),
        ("https://example.org/design", None, "external"),
        ("mailto:a@example.org", None, "external"),
        ("nothing", None, ""),
        ("../../../etc/passwd", None, ""),
        ("deep/nothing", None, ""),
        ("/", "README.md", "path"),
    ],
)
def test_a_link_resolves_by_the_first_step_that_finds_something(target: str, path: str | None, how: str) -> None:
    found = RESOLVER.resolve("notes/week.md", link(target))
    assert (found.path, found.how, found.ambiguous) == (path, how, False)


@pytest.mark.parametrize(
    ("from_path", "chosen"),
    [
        ("notes/week.md", "notes/sub/deep/daily.md"),
        ("archive/2023/x.md", "archive/daily.md"),
        ("x.md", "archive/daily.md"),
    ],
)
def test_of_several_the_nearest_is_taken_and_called_ambiguous(from_path: str, chosen: str) -> None:
    found = RESOLVER.resolve(from_path, link("daily"))
    assert (found.path, found.how, found.ambiguous) == (chosen, "name", True)
    assert sorted(found.paths) == ["archive/daily.md", "notes/sub/deep/daily.md"]


def test_a_title_that_two_notes_have_is_ambiguous() -> None:
    resolver = LinkResolver([LinkTarget("b/x.md", "Same"), LinkTarget("a/y.md", "same")])
    assert resolver.resolve("a/z.md", link("Same")) == Resolution(("a/y.md", "b/x.md"), "title", True)


def test_the_text_of_a_wiki_link_is_its_target_where_nothing_has_the_name_in_front() -> None:
    assert RESOLVER.resolve("x.md", link("see here", text="notes/design#Storage")).path == "notes/design.md"
    assert RESOLVER.resolve("x.md", link("see here", "inline", "notes/design")).path is None


def test_ten_thousand_notes_of_one_name_resolve_from_ten_thousand_folders() -> None:
    targets = [LinkTarget(f"{n % 100}/{n}/x/index.md", "Index", ("i",)) for n in range(10_000)]
    resolver = LinkResolver(targets)
    for n in range(10_000):
        for name in ("x/index", "index.md?", "i"):
            found = resolver.resolve(f"{n % 100}/{n}/note.md", link(name))
            assert found.path == f"{n % 100}/{n}/x/index.md"
            assert len(found.paths) <= 8


def test_an_anchor_is_a_heading_its_slug_or_a_block() -> None:
    headings = [Heading("Storage & Vectors", 2, 4), Heading("Storage", 2, 9), Heading("存储", 3, 12)]
    blocks = [("lease", 20)]
    assert anchor_line("storage", headings, blocks) == 9
    assert anchor_line("Storage#存储", headings, blocks) == 12
    assert anchor_line("storage--vectors", headings, blocks) == 4
    assert anchor_line("^lease", headings, blocks) == 20
    assert anchor_line("^none", headings, blocks) is None
    assert anchor_line("none", headings, blocks) is None
