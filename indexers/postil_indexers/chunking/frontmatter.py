"""Front matter: YAML between `---` lines or TOML between `+++` lines at the very start of a note.

YAML is read as a stream of events, never built into objects: tags execute nothing, aliases are not expanded and
nesting costs no stack. Values stay text, so an id of `0042` and a date as title keep their form.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from postil_indexers.types import Tag

_MAX_YAML = 64 * 1024  # characters; what is longer is data, not front matter
_MAX_TOML = 16 * 1024  # tomllib takes quadratic time for long dotted keys
_MAX_DEPTH = 50  # libyaml takes quadratic time for brackets in brackets
_KEY_LINE = re.compile(r"\s*+[\"']?\w[\w .\-/]*+[\"']?\s*(?::(?:\s|$)|=)")
_LOADER: type = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # libyaml where PyYAML was built with it
_ABSENT = frozenset(("", "~", "null", "Null", "NULL"))

_TITLE = ("title", "标题", "標題")
_ALIASES = ("aliases", "alias", "别名", "別名")
_TAGS = ("tags", "tag", "keywords", "keyword", "标签", "標籤", "关键词", "關鍵詞")
_IDS = ("id", "uid", "zettel_id", "zettelid")


@dataclass(frozen=True, slots=True)
class Value:
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class FrontMatter:
    end_line: int = 0  # first line after it; 0 for none
    title: str = ""
    note_id: str = ""
    aliases: tuple[str, ...] = ()
    tags: tuple[Tag, ...] = ()
    warnings: tuple[str, ...] = ()


def read_front_matter(lines: list[str]) -> FrontMatter:
    """Front matter of a note given as lines without ends. `warnings` say what is broken; what came before is kept."""
    mark = lines[0].rstrip() if lines else ""
    if mark not in ("---", "+++"):
        return FrontMatter()
    ends = ("---", "...") if mark == "---" else ("+++",)
    end = next((n for n in range(1, len(lines)) if lines[n][:3] in ends and lines[n].rstrip() in ends), 0)
    body = lines[1:end]
    if end == 0 or not _looks_like_data(body):
        return FrontMatter()
    limit = _MAX_YAML if mark == "---" else _MAX_TOML
    if sum(map(len, body)) > limit:
        warning = f"front matter is over {limit // 1024} KB: not read"
        return FrontMatter(end + 1, warnings=(warning,))
    values: dict[str, list[Value]] = {}
    warning = (_read_yaml if mark == "---" else _read_toml)("\n".join(body), values)
    return FrontMatter(
        end_line=end + 1,
        title=_first(values, _TITLE),
        note_id=_first(values, _IDS),
        aliases=tuple(dict.fromkeys(value.text for value in _listed(values, _ALIASES, by_space=False))),
        tags=tuple(
            Tag(name, value.line) for value in _listed(values, _TAGS, by_space=True) if (name := _tag(value.text))
        ),
        warnings=(warning,) if warning else (),
    )


def _looks_like_data(body: list[str]) -> bool:
    """Whether the text between two `---` is not just a passage between two rules: it is empty or names a key."""
    told = [line for line in body if line.strip() and not line.lstrip().startswith("#")]
    return not told or any(_KEY_LINE.match(line) for line in told)


def _read_yaml(text: str, values: dict[str, list[Value]]) -> str:
    """Fills `values` with the scalars, or lists of scalars, of the top mapping; returns a warning or ""."""
    try:
        for key, value in _yaml_scalars(text):
            values.setdefault(key.casefold(), []).append(value)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 2}: " if mark else ""
        return f"front matter is not YAML: {where}{error.problem or error.context}"
    except yaml.YAMLError as error:  # a character that YAML forbids
        return f"front matter is not YAML: {str(error).splitlines()[0]}"
    return ""


def _yaml_scalars(text: str) -> Iterator[tuple[str, Value]]:
    """(key, value) of each scalar under a key of the top mapping, or in a list there. Raises yaml.YAMLError."""
    depth = 0
    key: str | None = None  # None: the next node of the top mapping is a key
    in_list = False
    for event in yaml.parse(text, Loader=_LOADER):
        scalar = event if isinstance(event, yaml.ScalarEvent) else None
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > _MAX_DEPTH or (depth == 1 and isinstance(event, yaml.SequenceStartEvent)):
                return
            if depth == 2:
                in_list = isinstance(event, yaml.SequenceStartEvent)
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif not (scalar or isinstance(event, yaml.AliasEvent)):
            continue
        elif scalar and key and (depth == 1 or (depth == 2 and in_list)):
            yield key, Value(scalar.value, scalar.start_mark.line + 1 if scalar.start_mark else 1)
        if depth == 1:  # a node of the top mapping is over: keys and values alternate
            key = None if key is not None else scalar.value if scalar else ""


def _read_toml(text: str, values: dict[str, list[Value]]) -> str:
    try:
        table = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = re.sub(r"\(at line (\d+), column \d+\)", lambda at: f"at line {int(at[1]) + 1}", str(error))
        return f"front matter is not TOML: {reason}"
    extra = table.get("taxonomies")  # where Zola keeps tags
    for key, value in (*(extra.items() if isinstance(extra, dict) else ()), *table.items()):
        told = value if isinstance(value, list) else [value]
        values[key.casefold()] = [Value(str(one), 1) for one in told if not isinstance(one, list | dict)]
    return ""


def _first(values: dict[str, list[Value]], keys: tuple[str, ...]) -> str:
    found = (value.text.strip() for key in keys for value in values.get(key, ()))
    return next((text for text in found if text not in _ABSENT), "")


def _listed(values: dict[str, list[Value]], keys: tuple[str, ...], *, by_space: bool) -> Iterator[Value]:
    """All values of the keys; one that stands alone is a list in itself, parted by commas or else by spaces."""
    for key in keys:
        found = values.get(key, ())
        for value in found:
            parts = [value.text]
            if len(found) == 1:
                parts = re.split("[,，]", value.text)
                parts = value.text.split() if by_space and len(parts) == 1 else parts
            yield from (Value(part.strip(), value.line) for part in parts if part.strip() not in _ABSENT)


def _tag(text: str) -> str:
    return text.strip().lstrip("#").strip("/ ")
