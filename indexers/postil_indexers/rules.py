"""Which rules decide about a path: git's own, a .postilignore, the user's; and what git tracks in spite of them."""

from __future__ import annotations

import os
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from postil_indexers.ignore import IgnoreFile, Rule, parse_ignore
from postil_indexers.known_names import skip_folder
from postil_indexers.opening import read_small
from postil_indexers.repository import Repository
from postil_indexers.seen import SkipReason, shown

OWN_FILE = b".postilignore"
GIT_FILE = b".gitignore"
_USER_SETTINGS = "settings"


class Judgement(NamedTuple):
    """What the rules say of one path."""

    reason: SkipReason | None = None  # None: it is in
    detail: str = ""
    enter: bool = True  # for a folder: something in it may be in, whatever is said of the folder itself
    named: bool = False  # a "!" rule of a .postilignore names it


IN = Judgement()
NAMED = Judgement(named=True)


@dataclass(frozen=True, slots=True)
class Layer:
    """An ignore file that is in force."""

    skip: int  # length of its folder's prefix in match paths
    source: str  # as shown: "docs/.gitignore"
    file: IgnoreFile


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder as the rules see it: what is in force for its children."""

    prefix: bytes  # match path of the folder with "/" at its end. Match paths begin at the top of the outer repository
    git: tuple[Layer, ...] = ()  # the last word first
    own: tuple[Layer, ...] = ()  # .postilignore and the user's settings, the last word first
    repository: Repository | None = None
    # The folder itself is left out for this, and was entered because something in it may be in.
    closed: Judgement | None = None

    def judge(self, name: bytes, is_directory: bool) -> Judgement:
        """What is to become of a child. Secrets, sizes and links are not the rules' business."""
        path = self.prefix + name
        known = skip_folder(name.lower(), self.prefix[:-1].rpartition(b"/")[2].lower()) if is_directory else None
        if known is not None and known[0] is not SkipReason.TOOL_FOLDER:
            return Judgement(*known, enter=False)  # no rule opens these
        hit = _last(self.own, name, path, is_directory) if self.own else None
        if hit is not None:
            layer, rule = hit
            if rule.negated:
                return NAMED
            reason = SkipReason.EXCLUDED if layer.source == _USER_SETTINGS else SkipReason.POSTILIGNORE
            return Judgement(reason, _where(layer, rule), enter=False)
        if known is not None:
            # "!*.md" must not open every node_modules: only a rule that names the folder does
            return Judgement(*known, enter=self._reopens(path, by_name=True))
        ignored = self.closed or self._ignored_by_git(name, path, is_directory)
        if ignored is None:
            return IN
        if self._tracked(path, is_directory):
            return IN
        if not is_directory:
            return ignored
        if ignored.reason is SkipReason.TOOL_FOLDER:
            return ignored._replace(enter=self._reopens(path, by_name=True))
        below = self.repository is not None and self.repository.tracks_below(path)
        return ignored._replace(enter=below or self._reopens(path, by_name=False))

    def _ignored_by_git(self, name: bytes, path: bytes, is_directory: bool) -> Judgement | None:
        hit = _last(self.git, name, path, is_directory)
        if hit is None or hit[1].negated:
            return None
        return Judgement(SkipReason.IGNORED, _where(*hit), enter=False)

    def _tracked(self, path: bytes, is_directory: bool) -> bool:
        if self.repository is None or (self.closed is not None and self.closed.reason is not SkipReason.IGNORED):
            return False
        return self.repository.tracks(path)  # of folders, git tracks only submodules

    def _reopens(self, path: bytes, *, by_name: bool) -> bool:
        for layer in self.own:
            below = path[layer.skip :]
            for rule in layer.file.reopening:
                if rule.names_something_below(below) if by_name else rule.may_reach_below(below):
                    return True
        return False

    def child(self, name: bytes, judgement: Judgement) -> Folder:
        """The folder `name` in this one, as yet without its own ignore files."""
        closed = judgement if judgement.reason is not None else None
        return Folder(self.prefix + name + b"/", self.git, self.own, self.repository, closed)

    def opened(self, folder: str, names: Container[bytes], shown_folder: str) -> Folder:
        """With the ignore files that lie in it. `folder` is where to read it, `names` what is in it."""
        git, own, repository = self.git, self.own, self.repository
        if b".git" in names and self.prefix and (nested := Repository.nested(folder, len(self.prefix))) is not None:
            # a repository of its own, as git sees it: nothing of the outer one's rules holds in it
            repository, git = nested, layers_of(nested, shown_folder)
        if GIT_FILE in names:
            git = (*_layer(folder, GIT_FILE, self.prefix, shown_folder, repository), *git)
        if OWN_FILE in names:
            own = (*_settings_first(own, _layer(folder, OWN_FILE, self.prefix, shown_folder, repository)),)
        return Folder(self.prefix, git, own, repository, self.closed)


def _settings_first(own: tuple[Layer, ...], added: tuple[Layer, ...]) -> tuple[Layer, ...]:
    settings = tuple(layer for layer in own if layer.source == _USER_SETTINGS)
    return (*settings, *added, *own[len(settings) :])


def layers_of(repository: Repository, shown_folder: str) -> tuple[Layer, ...]:
    """The rules of a repository that lie in no folder of it: info/exclude before core.excludesFile."""
    return tuple(
        Layer(repository.offset, shown(source), parse_ignore(content, ignore_case=repository.ignores_case))
        for source, content in repository.exclude_files()
    )


def _layer(
    folder: str, name: bytes, prefix: bytes, shown_folder: str, repository: Repository | None
) -> tuple[Layer, ...]:
    content = read_small(os.path.join(folder, os.fsdecode(name)), follow=False)
    if not content:
        return ()
    parsed = parse_ignore(content, ignore_case=repository is not None and repository.ignores_case)
    source = f"{shown_folder}/{name.decode()}" if shown_folder else name.decode()
    return (Layer(len(prefix), source, parsed),) if parsed.rules else ()


def _last(layers: tuple[Layer, ...], name: bytes, path: bytes, is_directory: bool) -> tuple[Layer, Rule] | None:
    for layer in layers:
        rule = layer.file.last_match(name, path, layer.skip, is_directory)
        if rule is not None:
            return layer, rule
    return None


def _where(layer: Layer, rule: Rule) -> str:
    return f"{layer.source}:{rule.line}: {shown(rule.text)}"


def top_folder(root: str, extra: Sequence[str] = ()) -> Folder:
    """The root (a real path) with all rules from outside it: the repository around it, and the user's own settings."""
    repository = Repository.around(root)
    folder = Folder(b"")
    if repository is not None:
        outer = os.fsencode(os.path.relpath(root, repository.top))
        parts = [] if outer == b"." else outer.split(os.fsencode(os.sep))
        folder = _descend(Folder(b"", layers_of(repository, ""), (), repository), repository.top, parts)
    if root == "/":
        extra = ("/proc/", "/sys/", "/dev/", "/run/", *extra)  # not files, and reading some of them never ends
    if extra:
        lines = os.fsencode("\n".join(extra))
        folder = replace(folder, own=(Layer(len(folder.prefix), _USER_SETTINGS, parse_ignore(lines)),))
    return folder


def _descend(folder: Folder, place: str, parts: Sequence[bytes]) -> Folder:
    """From the top of the repository down to the root. A root that its repository ignores was opened all the same:
    then nothing from outside it counts."""
    for part in parts:
        git = (*_layer(place, GIT_FILE, folder.prefix, "..", folder.repository), *folder.git)
        folder = replace(folder, git=git)
        if folder.judge(part, True).reason is not None:
            return Folder(b"")
        place = os.path.join(place, os.fsdecode(part))
        folder = replace(folder, prefix=folder.prefix + part + b"/")
    return folder
