"""The pages say what is there: commands, options, settings, links; and name nobody's machine."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from typer.main import get_command

from postil_server.cli.commands import command_line
from postil_server.layers import ClientSettings, layered
from postil_server.settings import Settings

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
COMMANDS = get_command(command_line(())).commands  # type: ignore[attr-defined]


def _page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def _options(command: str) -> set[str]:
    return {
        option for parameter in COMMANDS[command].params for option in parameter.opts if option.startswith("--")
    } - {"--help"}


def _sections() -> dict[str, str]:
    """Command -> its section of docs/cli.md."""
    parts = re.split(r"^## postil (\w+).*$", _page("docs/cli.md"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_and_every_option_is_documented_and_no_other() -> None:
    documented = {name: set(re.findall(r"^\| `(--[\w-]+)`", text, re.MULTILINE)) for name, text in _sections().items()}
    assert documented == {name: _options(name) for name in COMMANDS}


def test_the_commands_that_pages_show_can_be_typed() -> None:
    shown = [
        match for page in PAGES for match in re.findall(r"(?:`|\$ )(postil [a-z]+ [^`\n]*)", page.read_text("utf-8"))
    ]
    assert len(shown) >= 15
    for line in shown:
        _, name, *arguments = shlex.split(line.replace("…", "."))
        options = {argument for argument in arguments if argument.startswith("--")}
        assert name in COMMANDS, line
        assert options <= _options(name), line


def test_the_readme_has_two_commands_and_the_makefile_has_them() -> None:
    (block,) = re.findall(r"```sh\n(.*?)```", _page("README.md"), re.DOTALL)
    targets = re.findall(r"^make (\w+)", block, re.MULTILINE)
    assert targets == ["demo", "test"]
    assert set(targets) <= set(re.findall(r"^(\w+):", _page("Makefile"), re.MULTILINE))


def test_the_readme_shows_what_the_demo_asks() -> None:
    asked = re.findall(r"^\$ postil (\w+)", _page("README.md"), re.MULTILINE)
    assert asked == ["index", "search", "search", "search", "history", "ask", "summarise", "related", "why"]


def test_the_settings_page_has_every_key_with_its_default() -> None:
    page = _page("docs/settings.md")
    documented = {}
    sections = re.findall(r"^## \[(\w+)\]\n(.*?)(?=^## )", page, re.MULTILINE | re.DOTALL)
    for section, text in [*sections, ("", page.split("## Outside folders\n")[1].split("\n## ")[0])]:
        for key, default in re.findall(r"^\| `(\w+)` \| `(.*?)` \|", text, re.MULTILINE):
            documented[section, key] = json.loads(default)
    actual = {}
    for name, value in dataclasses.asdict(Settings()).items():
        section, keys = (name, value) if isinstance(value, dict) else ("", {name: value})
        actual |= {(section, key): list(each) if isinstance(each, tuple) else each for key, each in keys.items()}
    assert documented == actual


def test_the_examples_of_the_settings_page_are_toml_and_json_with_known_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = _page("docs/settings.md")
    user, workspace = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    (options,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    monkeypatch.setenv("POSTIL_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "config.toml").write_text(user)
    (tmp_path / ".postil.toml").write_text(workspace)
    given = json.loads(options)
    found = layered(str(tmp_path), ClientSettings(given["userSettings"], (given["settings"],)))
    assert (found.warnings, found.broken) == ((), ())


def test_the_json_of_the_pages_is_json() -> None:
    blocks = re.findall(r"```json\n(.*?)```", _page("docs/cli.md"), re.DOTALL)
    assert [sorted(json.loads(block)) for block in blocks] == [
        ["chunks", "commits", "embedded", "failed", "files", "seconds", "skipped"],
        ["elapsed_ms", "hits", "id", "share_embedded"],
        ["elapsed_ms", "id", "related"],
        ["commits", "elapsed_ms", "filters", "id", "notes", "typed", "words"],
        ["citations", "elapsed_ms", "finish", "id", "model", "nearest", "sentences", "text"],
    ]


def _prose(text: str) -> str:
    """A page without what stands in code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page.read_text("utf-8"))):
        if re.match(r"https?:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert linked.is_relative_to(ROOT), target
        assert not anchor or anchor in _anchors(linked), target


def test_the_picture_loads_nothing() -> None:
    assert not re.search(r"url\(\"?http|<script|<image", _page("docs/demo.svg"))


def test_no_page_or_source_names_this_machine_or_a_registry() -> None:
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    hosts = ("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("npmjs", "com"), ("proxy", "golang")
    machine = [f"{folder}/" for folder in {str(ROOT), str(Path.home())} if folder.count("/") > 1]
    named = re.compile("|".join(re.escape(text) for text in [*map(".".join, hosts), *machine]))
    found = {}
    for name in filter(None, listed):
        file = ROOT / name
        if not file.is_file() or file.suffix in (".npz", ".png"):
            continue
        hits = named.findall(file.read_bytes().decode("utf-8", "replace"))
        if hits:
            found[name] = hits
    assert found == {}
