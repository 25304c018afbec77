"""`.mailmap`: who somebody is, whatever name and address a commit was written under. As `git check-mailmap` has it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LINE = re.compile(r"^\s*([^<]*?)\s*<([^>]*)>\s*(?:([^<]*?)\s*<([^>]*)>)?")


@dataclass(frozen=True, slots=True)
class Mailmap:
    """(address, name) as written -> (name, address) as shown, "" for what stays; the name is "" for any."""

    entries: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)

    def person(self, name: str, email: str) -> tuple[str, str]:
        """The (name, address) of who signed so."""
        key = email.lower()
        shown = self.entries.get((key, name.lower())) or self.entries.get((key, ""))
        return (shown[0] or name, shown[1] or email) if shown else (name, email)


def parse_mailmap(text: str) -> Mailmap:
    entries: dict[tuple[str, str], tuple[str, str]] = {}
    for line in text.splitlines():
        match = None if line.lstrip().startswith("#") else _LINE.match(line)
        if match is None:
            continue
        name, email, old_name, old_email = match.groups()
        # with one address only the name is replaced
        key, new = (
            ((old_email.lower(), old_name.lower()), email) if old_email is not None else ((email.lower(), ""), "")
        )
        former = entries.get(key, ("", ""))
        entries[key] = (name or former[0], new or former[1])
    return Mailmap(entries)
