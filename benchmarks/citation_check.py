#!/usr/bin/env python3
"""The check of citations on sentences written by hand from the fixture workspace: how many true ones pass, how many
altered ones are caught, by what was altered. Some pairs are set aside: the check was not tuned on them.

    citation_check.py [--out DIR] [--tuning-only] [--explain]

The status is 1 where a bound is not met.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from measuring import table, write_result

from postil_indexers.embedding.static import load_static
from postil_indexers.indexer import index_history, index_workspace
from postil_indexers.store.index import Index, write_index
from postil_indexers.text import index_terms, is_function_word
from postil_server.answering.citations.check import Finding, judge
from postil_server.answering.commitsource import message_of
from postil_server.types import Sentence, Support

_HERE = Path(__file__).parent
_FIRST_ASIDE = 3  # every third pair of a language was set aside for a first look
_LOOKS = ("first", "second", "third", "fourth")  # each was set aside, and looked at once
_EXACT = ("number", "name", "identifier")
_CODE = re.compile(r"`([^`]+)`")
_BOUNDS = {"true": 0.9, "exact": 0.95, "negation": 0.7}


_ROUNDS = """
Sentences were set aside four times, and each time looked at once. Every third pair of the first sixty: 19 of 20 true
ones passed, 14 of 15 numbers, names and identifiers were caught, no negation of 4, and negations were compared anew
after that. Forty sentences more: 17 of 20, 11 of 12, 5 of 6; a hyphen in "half-minute" and a Chinese numeral behind
超过 were mended. Forty more, further from the words of their sources: 14 of 20, 12 of 12, 5 of 6; decimals in words
(一点五), what is only supposed ("where there is no ...", ……的话) and the least share for "weak" were mended. The last
forty were written and judged after all that: 18 of 20, 13 of 13, 5 of 5, which is what unseen text may expect. The
check was not changed since; two true ones were reworded to share fewer words with their sources, and one passes now.
""".strip().replace("\n", " ")


@dataclass(frozen=True)
class Case:
    id: str
    kind: str  # "true", or what was altered
    text: str
    passages: Mapping[int, str]
    set_aside: str  # "" for what the check was tuned on from the start, or one of _LOOKS


def cases(index: Index) -> Iterator[Case]:
    pairs = yaml.safe_load((_HERE / "questions" / "citations.yaml").read_text(encoding="utf-8"))
    for number, pair in enumerate(pairs):
        passages = {n: _passage(index, place) for n, place in enumerate(pair["cites"], 1)}
        aside = pair.get("aside") or (_LOOKS[0] if number % _FIRST_ASIDE == _FIRST_ASIDE - 1 else "")
        yield Case(pair["id"], "true", pair["holds"], passages, aside)
        yield Case(pair["id"], pair["kind"], pair["altered"], passages, aside)


def _passage(index: Index, place: str) -> str:
    """The passage that holds some words, with what stands above it; or a commit, by its subject."""
    path, _, words = place.partition("#")
    if path == "commit":
        rows = index.history.rows(index.history.newest(index.history.count())).values()
        commit = index.history.commit(next(row.sha for row in rows if row.subject == words))
        assert commit is not None
        return message_of(commit)
    document = index.content.document(path)
    assert document is not None, path
    row = next(row for row in index.content.chunks_of(document.id) if words in row.text)
    return "\n".join((row.title, row.name.replace(" > ", "\n"), path, row.text))


def fixture_index(folder: Path) -> Index:
    """The fixture workspace, built and indexed in `folder`."""
    sys.path.insert(0, str(_HERE.parent / "tests"))
    from fixtures.workspace import build
    from postil_indexers.embedding_run import RoleModel

    models = {"static": RoleModel(load_static(), "{}")}
    root = build(folder / "millrace").root
    index = write_index(folder / "index.db")
    index_workspace(index, root, models, processes=0)
    index_history(index, root, models)
    return index


def measure(chosen: Sequence[Case]) -> list[tuple[Case, Finding]]:
    embedder = load_static()
    return [(case, judge(Sentence(case.text, tuple(case.passages)), case.passages, embedder)) for case in chosen]


def figures(found: Sequence[tuple[Case, Finding]]) -> dict[str, tuple[int, int]]:
    """Kind -> (as it should be, all): of true ones supported or weak, of altered ones not found."""
    totals: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for case, finding in found:
        is_right = (finding.support in (Support.SUPPORTED, Support.WEAK)) == (case.kind == "true")
        is_right = is_right and finding.support is not Support.UNCHECKED
        for kind in (case.kind, "exact") if case.kind in _EXACT else (case.kind,):
            totals[kind] += 1
            right[kind] += is_right
    return {kind: (right[kind], totals[kind]) for kind in totals}


def shared_words(text: str, passages: Mapping[int, str]) -> float:
    """The share of a sentence's content words that its passages have; Han text by pairs of characters, code as one."""
    passage = "\n".join(passages.values())
    terms = set(index_terms(_CODE.sub(" ", text)).split())
    wanted = {term for term in terms if not is_function_word(term) and (term.isascii() or len(term) > 1)}
    code = _CODE.findall(text)
    held = len(wanted & set(index_terms(passage).split())) + sum(name in passage for name in code)
    return held / (len(wanted) + len(code))


def met(found: Mapping[str, tuple[int, int]]) -> bool:
    return all(found[kind][0] >= bound * found[kind][1] for kind, bound in _BOUNDS.items() if kind in found)


def _rows(parts: Mapping[str, Mapping[str, tuple[int, int]]]) -> list[list[Any]]:
    said = {"true": "true: supported or weak", "exact": "numbers, names and identifiers together"}
    order = ("true", "exact", *_EXACT, "negation", "cause")
    return [
        [
            said.get(kind, f"altered {kind}: not found" if kind in _EXACT else f"{kind}: not found"),
            f"{_BOUNDS[kind]:.0%}" if kind in _BOUNDS else "",
            *(
                f"{right} of {of} ({right / of:.0%})"
                for right, of in (part.get(kind, (0, 1)) for part in parts.values())
            ),
        ]
        for kind in order
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=_HERE / "results")
    parser.add_argument(
        "--tuning-only", action="store_true", help="leave out what is set aside for the end, and write nothing"
    )
    parser.add_argument("--explain", action="store_true", help="print what was judged wrongly, and why")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, fixture_index(Path(folder)) as index:
        every = list(cases(index))
    found = measure([case for case in every if not (options.tuning_only and case.set_aside == _LOOKS[-1])])
    if options.explain:
        for case, finding in found:
            if (finding.support is Support.NOT_FOUND) == (case.kind == "true"):
                print(case.id, case.kind, finding.support, round(finding.share, 2), finding.wrong, case.text)
    parts = {
        "looked at before": figures([each for each in found if each[0].set_aside != _LOOKS[-1]]),
        "set aside for the end": figures([each for each in found if each[0].set_aside == _LOOKS[-1]]),
    }
    if options.tuning_only:
        print(table(["", "bound", *list(parts)[:1]], [row[:3] for row in _rows(parts)]))
        return 0
    shared = [shared_words(case.text, case.passages) for case in every if case.kind == "true"]
    said = (
        f"{len(every)} sentences, half of them Chinese, half altered in one thing; a third joins two sources. True "
        f"ones share {max(shared):.0%} of their content words with what they cite at most, "
        f"{sum(shared) / len(shared):.0%} on average.\n\n{_ROUNDS}"
    )
    rows = table(["", "bound", *parts], _rows(parts))
    write_result(options.out, "Citation check", "python benchmarks/citation_check.py", [said, rows], {})
    return 0 if all(map(met, parts.values())) else 1


if __name__ == "__main__":
    raise SystemExit(main())
