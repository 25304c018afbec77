#!/usr/bin/env python3
"""Makes the static tables from public repositories: README.md says from which, and what they can and can't do.

    make.py --mirror DIR --out DIR [--wordnet DIR] [--base FILE | --afresh]

DIR holds bare repositories as `owner+name/repo`, those of sources.json; what is missing is named and left out. The rows
of word pieces are those of --base, by default the packaged table, and stay as they are; with --afresh they are made
anew, which takes a transformer over 42,000 passages. Everything that chance decides has a fixed seed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import english
import han
import numpy as np
import wordpieces
from aligned import Pair, alike, catalogues, dictionary, translated
from bags import Array, counted, unit
from mirror import Repository

from postil_indexers.embedding import static

_PACKAGED = Path(static.__file__).parent / "static-256.npz"
_WORDNET = Path("/usr/share/wordnet")  # where Debian's wordnet-base lays it
_MOST_DISTILLED = 42_000  # passages that the transformer reads: half an hour of one core
_HELD_OUT = 50  # one page in so many is not learned from, so that the last line can say what was


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, default=_WORDNET, help="folder of WordNet 3.0's data.* files")
    parser.add_argument("--base", type=Path, default=_PACKAGED, help="table whose word pieces are kept")
    parser.add_argument("--afresh", action="store_true", help="make the rows of word pieces too")
    parser.add_argument("--epochs", type=int, default=han.Schedule.epochs, help="over the Chinese texts")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    sources = json.loads((Path(__file__).parent / "sources.json").read_text(encoding="utf-8"))
    base = options.base
    if options.afresh:
        base = options.out / "static-256.npz"
        _write(base, _word_pieces(options.mirror, sources["english"]))
    with np.load(base) as arrays:
        pieces = arrays["table"].astype(np.float32) * arrays["scale"].astype(np.float32)[:, None]
    learned, held, within = _chinese(options.mirror, options.wordnet, sources)
    known, rows = _han_rows(learned, within, pieces, options.epochs)
    _write(options.out / "han-256.npz", rows, units=np.array(known))
    found = _recall(held, known, rows, pieces)
    print(f"translations of pages held out: {found:.3f} among the first 5 of {len(held)}")
    return 0


def _word_pieces(mirror: Path, sources: dict[str, dict[str, str]]) -> Array:
    print("word pieces", flush=True)
    found = english.gathered(mirror, sources)
    print(f"  {len(found.passages)} passages, {len(found.pairs)} pairs", flush=True)
    return wordpieces.fit(found.passages[:_MOST_DISTILLED], found.pairs, wordpieces.Teacher())


def _chinese(
    mirror: Path, wordnet: Path, sources: dict[str, Any]
) -> tuple[list[Pair], list[Pair], list[tuple[str, str]]]:
    """Pairs across languages to learn from and those held out, and pairs within Chinese."""
    print("Chinese", flush=True)
    pages: list[list[Pair]] = []
    within: list[tuple[str, str]] = []
    chance = random.Random(0)
    for spec in sources["translated"]:
        found = list(translated(mirror, spec))
        print(f"  {spec['repository']}: {len(found)} pages, {sum(map(len, found))} pairs", flush=True)
        pages += found
        within += _alike(Repository(mirror, spec["repository"]), spec["zh"], chance)
    for spec in sources["catalogues"]:
        pages += catalogues(mirror, spec)
    for name in sources["chinese"]:
        within += _alike(Repository(mirror, name), "", chance)
    held = [pair for page in pages[::_HELD_OUT] for pair in page]
    learned = [pair for number, page in enumerate(pages) if number % _HELD_OUT for pair in page]
    learned += dictionary(mirror, wordnet, sources["dictionary"])
    print(f"  {len(learned)} pairs across languages, {len(within)} within Chinese", flush=True)
    return learned, held, within


def _alike(repository: Repository, part: str, chance: random.Random) -> list[tuple[str, str]]:
    if not repository.present:
        return []
    pages = repository.read(lambda path: part in path and path.endswith((".md", ".mdx")))
    return [pair for _, page in pages for pair in alike(page, chance)]


def _han_rows(
    learned: Sequence[Pair], within: Sequence[tuple[str, str]], pieces: Array, epochs: int
) -> tuple[list[str], Array]:
    translations, length = unit(_sums([pair.english for pair in learned], pieces))
    said = np.flatnonzero(length[:, 0] > 0)
    chinese = [learned[number].chinese for number in said]
    pairs = np.arange(len(chinese), len(chinese) + 2 * len(within)).reshape(-1, 2)
    chinese += [text for pair in within for text in pair]
    known = han.vocabulary(chinese)
    print(f"  {len(known)} rows", flush=True)
    latin = _sums([han.without_han(text) for text in chinese], pieces)
    lessons = han.Lessons(chinese, latin, translations[said], pairs)
    return known, han.fit(known, lessons, han.Schedule(epochs=epochs))


def _sums(texts: Sequence[str], pieces: Array) -> Array:
    """The sum of the rows of each text's word pieces."""
    sums: Array = np.asarray(counted(wordpieces.pieces(texts), len(pieces)) @ pieces)
    return sums


def _recall(held: Sequence[Pair], known: Sequence[str], rows: Array, pieces: Array) -> float:
    """How often a Chinese text has its English translation among the five nearest."""
    chinese = han.bags([pair.chinese for pair in held], known) @ rows
    ours = unit(chinese + _sums([han.without_han(pair.chinese) for pair in held], pieces))[0]
    theirs = unit(_sums([pair.english for pair in held], pieces))[0]
    cosines = ours @ theirs.T
    return float(((cosines > np.diagonal(cosines)[:, None]).sum(axis=1) < 5).mean())


def _write(path: Path, rows: Array, **arrays: np.ndarray[Any, Any]) -> None:
    """A table: each row as int8 with a scale of its own."""
    scale = (np.maximum(np.abs(rows).max(axis=1), 1e-9) / 127).astype(np.float16)
    table = np.rint(rows / scale.astype(np.float32)[:, None]).clip(-127, 127).astype(np.int8)
    np.savez_compressed(path, table=table, scale=scale, **arrays)
    raw = path.read_bytes()
    print(f"{path}: {len(table)} rows, {len(raw) / 1e6:.1f} MB, SHA-256 {hashlib.sha256(raw).hexdigest()}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
