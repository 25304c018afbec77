"""How it is said that a commit is one of another branch."""

from __future__ import annotations

from postil_indexers.seen import shown


def elsewhere(branch: str) -> str:
    """Empty for a commit that HEAD reaches, which has no `branch`."""
    return f"on {shown(branch)} and not on HEAD" if branch else ""


def also_elsewhere(branch: str) -> str:
    """The same behind something else that is said of the commit."""
    return f", {said}" if (said := elsewhere(branch)) else ""
