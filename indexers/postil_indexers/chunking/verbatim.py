"""What opens and what ends text that holds no Markdown: raw HTML (seven kinds), `$$` maths, MDX comments."""

from __future__ import annotations

import re

BLANK_LINE = re.compile(r"^\s*$")
MATHS_END = re.compile(re.escape("$$"))

_MDX_COMMENT_END = re.compile(re.escape("*/}"))
_DECLARATION = re.compile(r"<![A-Za-z]")
_DECLARATION_END = re.compile(">")
_LITERAL_ENDS = {"<!--": re.compile("-->"), "<![CDATA[": re.compile("]]>"), "<?": re.compile(r"\?>")}

_BLOCK_TAGS = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|"
    "fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    "menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    "track|ul"
)
_ATTRIBUTE = r"\s++[A-Za-z_:][\w.:-]*+(?>(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?)"
HTML_TAG = rf"<[A-Za-z][A-Za-z0-9-]*+(?>(?:{_ATTRIBUTE})*)\s*+/?>|</[A-Za-z][A-Za-z0-9-]*+\s*+>"

_RAW = re.compile(r"<(?:script|pre|style|textarea)(?=[\s>]|$)", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_BLOCK = re.compile(rf"</?(?:{_BLOCK_TAGS})(?=\s|/?>|$)", re.IGNORECASE)
_ALONE = re.compile(rf"(?:{HTML_TAG})\s*$")


def verbatim_end(line: str, start: int, in_paragraph: bool, mdx: bool) -> re.Pattern[str] | None:
    """What ends the verbatim text that the line starts at `start`; None where none starts."""
    mark = line[start]
    if mark == "$":
        return MATHS_END if line.startswith("$$", start) else None
    if mark == "{":
        return _MDX_COMMENT_END if mdx and line.startswith("{/*", start) else None
    if mark != "<":
        return None
    for opening, end in _LITERAL_ENDS.items():
        if line.startswith(opening, start):
            return end
    if _DECLARATION.match(line, start):
        return _DECLARATION_END
    if mdx:
        return None  # JSX holds Markdown
    if _RAW.match(line, start):
        return _RAW_END
    if _BLOCK.match(line, start) or (not in_paragraph and _ALONE.match(line, start)):
        return BLANK_LINE
    return None
