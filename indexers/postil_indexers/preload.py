"""What each process that reads files needs, loaded by being imported, in the process that the others are forks of."""

from __future__ import annotations

import postil_indexers.reading  # noqa: F401  # all that parses
from postil_indexers.secrets import compile_rules, is_compiled

if is_compiled():  # a first compilation shows its progress, elsewhere
    compile_rules()
