"""Uses of names, packed as they are stored."""

from __future__ import annotations

from postil_indexers.name_uses import pack_references, unpack_references
from postil_indexers.types import Reference


def test_packing_keeps_every_use_with_its_line() -> None:
    uses = (Reference("fetch", 3), Reference("内存", 4), Reference("fetch", 90), Reference("Client", 4))
    assert set(unpack_references(pack_references(uses))) == set(uses)
    assert unpack_references(pack_references(())) == []
