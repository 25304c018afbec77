"""The settings of this window: what its editor says, over the user's file, under the workspace's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from postil_server.layers import ClientSettings, layered, stamp
from postil_server.settings import Settings

if TYPE_CHECKING:
    from postil_server.app import App

SECTION = "postil"  # of an editor's settings
_OPTIONS = ("settings", "userSettings", "clientCommands", SECTION)  # of a client that knows ours
_NAMES = frozenset(Settings.__slots__)


class Configuration:
    """`open_app` and `stamp` are for reading threads as well; `tell` is called in any thread."""

    def __init__(self, tell: Callable[[str], object] = lambda warning: None) -> None:
        self._tell = tell
        self._options: tuple[Mapping[str, Any], ...] = ()
        self._client = ClientSettings()
        self._client_commands: bool | frozenset[str] = False

    def options_given(self, options: object) -> None:
        """Initialization options: `userSettings`, and `settings` or `postil` or the settings themselves.

        Only a client's own program writes initialization options, so what it marks as the user's own is taken as that.
        """
        given = options if isinstance(options, dict) else {}
        plain = [given[name] for name in (SECTION, "settings") if isinstance(given.get(name), dict)]
        bare = {name: value for name, value in given.items() if name not in _OPTIONS}
        commands = given.get("clientCommands")
        self._client_commands = frozenset(map(str, commands)) if isinstance(commands, list) else commands is True
        own = given.get("userSettings")
        self._options = (*([bare] if bare else []), *plain)
        self._client = ClientSettings(own if isinstance(own, dict) else {}, self._options)

    def has_client_command(self, name: str) -> bool:
        """Whether the client says that it runs a command itself: `clientCommands` is true for all, or their names."""
        given = self._client_commands
        return given if isinstance(given, bool) else name in given

    def section_given(self, section: object) -> None:
        """What the editor's settings say now; it lies over the initialization options."""
        given = (section,) if isinstance(section, dict) else ()
        self._client = ClientSettings(self._client.own, (*self._options, *given))

    def pushed(self, settings: object) -> None:
        """Settings that a client sends by itself: all of its own, ours among them, or ours alone."""
        if isinstance(settings, dict) and SECTION not in settings and settings and settings.keys() <= _NAMES:
            self.section_given(settings)
        elif isinstance(settings, dict):
            self.section_given(settings.get(SECTION))

    def stamp(self, root: str | None) -> object:
        """Equal while the settings of a folder are."""
        return self._client, stamp(root)

    def open_app(self, root: str) -> App:
        from postil_server.app import open_app  # not needed before `initialize` was answered

        app = open_app(root, self._client, forgiving=True)
        self.warn(app.warnings)
        return app

    def settings(self, root: str | None) -> Settings:
        """Those that hold in a folder, or where none is open."""
        return layered(root, self._client).settings

    def outside(self) -> tuple[str, ...]:
        """The outside folders as the user wrote them."""
        found = layered(None, self._client)
        self.warn(found.told)
        return found.settings.folders

    def warn(self, warnings: Iterable[str]) -> None:
        for warning in warnings:
            self._tell(warning)
