"""Whatever a text holds, as Markdown it leads nowhere but to our own numbers, in one piece or in many."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from postil_server.answering.safetext import BRACKET, NOT_FOUND, SafeText, clean, literal, marks_of, unescaped

HOSTILE = [
    "[1](https://evil.example/a)",
    "[1][2] and [1] [2]",
    "[1]: https://evil.example",
    "\n[1]: <javascript:alert(1)>\n\n[x][1]",
    "![1] ![a](https://evil.example/p.png) ![a][1]",
    "[click](command:workbench.action.quit) [x](file:///etc/passwd) [y](data:text/html,x)",
    "<img src=x onerror=alert(1)> <a href='https://evil.example'>x</a> <script>1</script>",
    "<https://evil.example> <mailto:a@evil.example> https://evil.example www.evil.example me@evil.example",
    "\\[1](x) \\\\[a](b) \\![c](d)",
    "`open\n[a](b)` [c](d)",
    "``` js\n</script>[a](b)\n",
    "~~~\ninside\n~~~\n[a](b)",
    '```mermaid\nclick A href "https://evil.example"\n```',
    "- ```\n  [a](b)\n",
    "&lt;img&gt; &#91;a&#93;(b) [a]&#40;b)",
    "\x1b[31mred\x1b]8;;https://evil.example\x07x\x1b]8;;\x07 \x9b31m \u202eevil",
    "<!-- --> [[wiki]] [^1] [^1]: note",
]


def safe(text: str, *pieces: str) -> str:
    stream = SafeText({1, 2})
    return "".join(stream.feed(piece) for piece in (pieces or [clean(text)])) + stream.close()


def targets(markdown: str) -> set[str]:
    """All that a rendering leads to or loads, with definitions for our numbers below the text."""
    parser = MarkdownIt("commonmark", {"linkify": False})
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    tokens = parser.parse(f"{markdown}\n\n[1]: <file:///one>\n[2]: <file:///two>\n")
    found, html = set(), set()
    for token in tokens:
        for inline in [token, *(token.children or ())]:
            if inline.type in ("html_block", "html_inline"):
                html.add(inline.content)
            found |= {str(value) for name, value in inline.attrs.items() if name in ("href", "src")}
    assert not html
    return found


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_leads_anywhere_but_our_numbers(text: str) -> None:
    shown = safe(text)
    assert targets(shown) <= {"file:///one", "file:///two"}
    assert not any(ord(char) < 32 and char != "\n" for char in shown)
    assert "://" not in shown.split("```")[0].replace("\\://", "")
    assert "\u202e" not in shown


@pytest.mark.parametrize("text", HOSTILE)
def test_pieces_of_any_size_give_the_same(text: str) -> None:
    whole = safe(text)
    assert safe("", *clean(text)) == whole
    assert safe("", *(clean(text)[at : at + 3] for at in range(0, len(clean(text)), 3))) == whole


@given(st.text(alphabet="[]()!`<>\\:/w.@1a \n~-", max_size=40))
def test_no_arrangement_of_markup_leads_anywhere(text: str) -> None:
    assert targets(safe(text)) <= {"file:///one", "file:///two"}


def test_numbers_of_sources_stay_and_others_go() -> None:
    assert safe("So it is [1], or [2, 7] or [9]. a[0] = `x[1]`") == "So it is [1], or [2] or . a\\[0] = `x[1]`"
    assert targets(safe("So [1] and [2]")) == {"file:///one", "file:///two"}


def test_text_is_given_out_as_soon_as_it_can_be_told() -> None:
    stream = SafeText({1})
    assert stream.feed("Words go at once [") == "Words go at once "
    assert stream.feed("1") == ""
    assert stream.feed("] and `co") == "[1] and "
    assert stream.feed("de` too") == "`code` too"


def test_a_fence_that_nobody_closed_is_closed() -> None:
    assert safe("```py\nx = 1") == "```py\nx = 1\n```\n"


def test_our_own_marks_and_quoted_brackets() -> None:
    assert safe("", f"Wrong [1]{NOT_FOUND}.", literal(" a[1] `b[1]`")) == "Wrong [1] ⚠. a\\[1] `b[1]`"
    assert clean(f"x{NOT_FOUND}{BRACKET}y") == "xy"  # from outside they are nothing
    assert marks_of("a [1] b [2, 3] [1]") == (1, 2, 3)
    assert unescaped("a\\[0] https\\://x") == "a[0] https://x"
