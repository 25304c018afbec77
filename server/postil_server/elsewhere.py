"""How it is said that a commit is one of another branch."""

from __future__ import annotations

from postil_indexers.seen import shown


def elsewhere(branch: str) -> str:
    """Said behind something else of it; "" of a commit that HEAD reaches, which has no `branch`."""
    return f", on {shown(branch)} and not on HEAD" if branch else ""
