"""Tags and a summary put into the front matter of a note: what is inserted, and where. Every other character stays."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import yaml

from postil_indexers.chunking.frontmatter import read_front_matter
from postil_indexers.chunking.notes import split_lines
from postil_indexers.errors import PostilError

_TAG_KEYS = ("tags", "tag", "标签", "標籤", "keywords")
_SUMMARY_KEYS = ("summary", "description", "abstract", "摘要")
_PLAIN_TAG = re.compile(r"[^\W\d][\w/-]*")  # what YAML reads as text without quotes
_NOT_TEXT = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
_TOML_LIST = re.compile(r"^[ \t]*(?:tags|keywords)[ \t]*=[ \t]*\[", re.MULTILINE)
_TOML_TOKEN = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*'|#[^\n]*|[\[\]]")


class FrontMatterError(PostilError):
    """The front matter has a form that can't be changed without harm."""

    code = "front_matter"


@dataclass(frozen=True, slots=True)
class Insertion:
    """`at`: code points from the start of the text."""

    at: int
    text: str


def insertions(text: str, tags: Sequence[str], summary: str = "") -> list[Insertion]:
    """What adds the tags that a note lacks, and a summary where it has none. Raises FrontMatterError."""
    before = read_front_matter(split_lines(text.removeprefix("\ufeff")))
    if before.warnings:
        raise FrontMatterError(before.warnings[0], "mend it first")
    had = {tag.name.casefold() for tag in before.tags}
    missing = list(dict.fromkeys(tag for tag in tags if tag.casefold() not in had))
    body = _body(text, before.end_line)
    toml = body is not None and text.removeprefix("\ufeff").startswith("+++")
    if body is None:
        made = list(_new(text, missing, summary))
    else:
        made = list((_toml if toml else _yaml)(text, body, missing, summary))
    _verify(text, made, missing)
    return made


def inserted(text: str, made: Iterable[Insertion]) -> str:
    for each in sorted(made, key=lambda insertion: -insertion.at):
        text = text[: each.at] + each.text + text[each.at :]
    return text


def _verify(text: str, made: list[Insertion], missing: list[str]) -> None:
    """Read it as the index will: what was there is there, and what was added."""
    before = read_front_matter(split_lines(text.removeprefix("\ufeff")))
    after = read_front_matter(split_lines(inserted(text, made).removeprefix("\ufeff")))
    kept = (before.title, before.note_id, before.aliases) == (after.title, after.note_id, after.aliases)
    wanted = [*(tag.name for tag in before.tags), *missing]
    if after.warnings or not kept or sorted(tag.name for tag in after.tags) != sorted(wanted):
        raise FrontMatterError("the front matter has a form that Postil does not change", "add the tags by hand")


def _body(text: str, end_line: int) -> tuple[int, int] | None:
    """The offsets between the two marks of the front matter; None where there is none."""
    if end_line == 0:
        return None
    ends = [match.end() for match in re.finditer(r"\r\n|\r|\n", text)]
    return ends[0], ends[end_line - 2] if end_line >= 2 else ends[0]


def _new(text: str, tags: list[str], summary: str) -> Iterator[Insertion]:
    lines = [f"tags: [{', '.join(map(_yaml_tag, tags))}]"] if tags else []
    lines += [f"summary: {_quoted(summary)}"] if summary else []
    if lines:
        _refuse_hidden(text)
        end = _line_end(text)
        yield Insertion(int(text.startswith("\ufeff")), "".join(f"{line}{end}" for line in ("---", *lines, "---")))


def _refuse_hidden(text: str) -> None:
    """A block between two marks that the index does not take for front matter, and that others do."""
    found = re.match(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)(.*?)^---[ \t]*$", text, re.DOTALL | re.MULTILINE)
    if found:
        try:
            top = yaml.compose(found[1], Loader=yaml.BaseLoader)
        except yaml.YAMLError:
            return
        if isinstance(top, yaml.MappingNode):
            raise FrontMatterError("the front matter is no plain list of keys", "add the tags by hand")


def _yaml(text: str, body: tuple[int, int], tags: list[str], summary: str) -> Iterator[Insertion]:
    start, close = body
    nodes = _top_nodes(text[start:close])
    added = []
    tag_node = next((nodes[key] for key in _TAG_KEYS if key in nodes), None)
    if tags and tag_node is None:
        added.append(f"tags: [{', '.join(map(_yaml_tag, tags))}]")
    elif tags and tag_node is not None:
        at, inserting = _into(text[start:close], tag_node, tags, _line_end(text))
        yield Insertion(start + at, inserting)
    if summary and not any(key in nodes for key in _SUMMARY_KEYS):
        added.append(f"summary: {_quoted(summary)}")
    if added:
        yield Insertion(close, "".join(f"{line}{_line_end(text)}" for line in added))


def _top_nodes(yaml_text: str) -> dict[str, yaml.Node]:
    """Key -> value node of the top mapping."""
    try:
        top = yaml.compose(yaml_text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise FrontMatterError("the front matter is not YAML", "mend it first") from error
    if top is None:
        return {}
    if not isinstance(top, yaml.MappingNode) or top.flow_style:
        raise FrontMatterError("the front matter is no plain list of keys", "add the tags by hand")
    return {str(key.value).casefold(): value for key, value in top.value}


def _into(body: str, node: yaml.Node, tags: list[str], line_end: str) -> tuple[int, str]:
    """(offset in the body, what to insert there) so that a value has these tags too."""
    listed = ", ".join(map(_yaml_tag, tags))
    start, end = _offset(body, node.start_mark), _offset(body, node.end_mark)
    if isinstance(node, yaml.SequenceNode) and node.flow_style:
        if not node.value:
            return start + 1, listed
        return _offset(body, node.value[-1].end_mark), f", {listed}"
    if isinstance(node, yaml.SequenceNode) and node.value:
        item = _offset(body, node.value[-1].start_mark)
        line = max(body.rfind("\n", 0, item), body.rfind("\r", 0, item)) + 1
        prefix, last = body[line:item], _offset(body, node.value[-1].end_mark)
        after = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)").match(body, last)
        assert after is not None
        ended = after[0].endswith(("\r", "\n"))
        lines = "".join(f"{prefix}{_yaml_tag(tag)}{line_end}" for tag in tags)
        return after.end(), lines if ended else line_end + lines
    if isinstance(node, yaml.ScalarNode) and not str(node.value).strip():
        key = body.rfind(":", 0, start + 1) + 1
        return (key, f" [{listed}]") if start == end else (start, f"[{listed}] ")
    if isinstance(node, yaml.ScalarNode) and node.style in (None, "'", '"'):
        parted = " " if re.search(r"\s", str(node.value)) and not re.search("[,，]", str(node.value)) else ", "
        return end - (node.style is not None), "".join(f"{parted}{tag}" for tag in tags)
    raise FrontMatterError("the tags of the front matter have a form that Postil does not change", "add them by hand")


def _offset(body: str, mark: yaml.Mark) -> int:
    """PyYAML counts a CRLF as one line end and two characters, as we do; a byte order mark it leaves out."""
    return int(mark.index)


def _toml(text: str, body: tuple[int, int], tags: list[str], summary: str) -> Iterator[Insertion]:
    start, close = body
    inside, end = text[start:close], _line_end(text)
    added = []
    listed = ", ".join(map(_quoted, tags))
    found = _TOML_LIST.search(inside)
    if tags and found is None:
        added.append(f"tags = [{listed}]")
    elif tags and found is not None:
        yield _into_toml_list(inside, start, found.end(), listed)
    if summary and not re.search(rf"^[ \t]*(?:{'|'.join(_SUMMARY_KEYS)})[ \t]*=", inside, re.MULTILINE):
        added.append(f"summary = {_quoted(summary)}")
    if added:  # in front of all, since what follows may be the keys of a table
        yield Insertion(start, "".join(f"{line}{end}" for line in added))


def _into_toml_list(inside: str, start: int, at: int, listed: str) -> Insertion:
    last = at
    for token in _TOML_TOKEN.finditer(inside, at):
        if token[0] == "]":
            return Insertion(start + last, f", {listed}" if last > at else listed)
        if token[0][0] in "\"'":
            last = token.end()
        elif token[0] == "[":
            break
    raise FrontMatterError("the tags of the front matter have a form that Postil does not change", "add them by hand")


def _yaml_tag(tag: str) -> str:
    return tag if _PLAIN_TAG.fullmatch(tag) and tag.casefold() not in _NOT_TEXT else _quoted(tag)


def _quoted(text: str) -> str:
    """JSON's strings are those of YAML and TOML."""
    return json.dumps(text, ensure_ascii=False)


def _line_end(text: str) -> str:
    found = re.search(r"\r\n|\r|\n", text)
    return found[0] if found else "\n"
