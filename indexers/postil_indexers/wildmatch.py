"""git's pattern language as regular expressions over bytes, quirks included (git: wildmatch.c, dir.c)."""

from __future__ import annotations

import re
import string

_SPECIAL = b"*?[\\"

_POSIX_CLASSES: dict[bytes, str] = {
    b"alnum": string.ascii_letters + string.digits,
    b"alpha": string.ascii_letters,
    b"blank": " \t",
    b"cntrl": "".join(map(chr, (*range(32), 127))),
    b"digit": string.digits,
    b"graph": "".join(map(chr, range(33, 127))),
    b"lower": string.ascii_lowercase,
    b"print": "".join(map(chr, range(32, 127))),
    b"punct": string.punctuation,
    b"space": " \t\n\r\f\v",
    b"upper": string.ascii_uppercase,
    b"xdigit": string.hexdigits,
}

_STAR = b"*"  # any run without a slash
_STARS_SLASH = b"**/"  # any number of whole folders, none included
_STARS = b"**"  # anything


def literal_length(pattern: bytes) -> int:
    """Number of bytes before the first character with a meaning."""
    return next((at for at, byte in enumerate(pattern) if byte in _SPECIAL), len(pattern))


def to_regex(pattern: bytes, *, whole_path: bool, ignore_case: bool = False) -> bytes | None:
    """The expression (for fullmatch) of a pattern without leading or trailing slash; None if it matches nothing.

    Matching is linear in the number of stars: all but the last star of a part are atomic, so that a hostile pattern
    such as `*a*a*a*a*b` can't make it explode. `whole_path` False is for a bare name, where a slash can't occur. With
    `ignore_case`, what is matched has to be in lower case.
    """
    tokens = _tokens(pattern, whole_path, ignore_case)
    if tokens is None:
        return None
    blocks: list[list[bytes]] = [[]]
    joints: list[bytes] = []  # what stands between the blocks
    for is_joint, piece in tokens:
        if is_joint and piece != _STAR:
            joints.append(piece)
            blocks.append([])
        else:
            blocks[-1].append(_STAR if is_joint else piece)
    out = _block(blocks[0], last=not joints)
    for number, (joint, block) in enumerate(zip(joints, blocks[1:], strict=True), start=1):
        last = number == len(joints)
        # The earliest place of a middle block is always good enough: what follows may skip any number of folders.
        skip = b".*" if joint == _STARS else b"(?:.*/)?" if last else b"(?:.*?/)??"
        body = skip + _block(block, last=last)
        out += body if last else b"(?>" + body + b")"
    return b"(?s:" + out + b")"


def _block(pieces: list[bytes], *, last: bool) -> bytes:
    """Pieces with single stars. Within a path component, the earliest match after a star is always good enough."""
    parts: list[list[bytes]] = [[]]
    for piece in pieces:
        if piece is _STAR:
            parts.append([])
        else:
            parts[-1].append(piece)
    out = b"".join(parts[0])
    for number, part in enumerate(parts[1:], start=1):
        if last and number == len(parts) - 1:
            out += b"[^/]*" + b"".join(part)
        else:
            out += b"(?>[^/]*?" + b"".join(part) + b")"
    return out


def _tokens(pattern: bytes, whole_path: bool, ignore_case: bool) -> list[tuple[bool, bytes]] | None:
    """(is a star of some kind, star or regular expression of one byte); None if the pattern can't match anything."""
    tokens: list[tuple[bool, bytes]] = []
    first_special = literal_length(pattern)
    at, end = 0, len(pattern)
    while at < end:
        byte = pattern[at : at + 1]
        if byte == b"*":
            run_start = at
            while at < end and pattern[at] == 0x2A:
                at += 1
            star, at = _star(pattern, run_start, at, first_special, whole_path)
            tokens.append((True, star))
        elif byte == b"?":
            tokens.append((False, b"[^/]"))
            at += 1
        elif byte == b"[":
            found = _bracket(pattern, at + 1, ignore_case)
            if found is None:
                return None
            tokens.append((False, found[0]))
            at = found[1]
        else:
            if byte == b"\\":
                at += 1
                if at == end:
                    return None  # a lone backslash at the end matches nothing
            literal = pattern[at : at + 1]
            tokens.append((False, re.escape(literal.lower() if ignore_case else literal)))
            at += 1
    return tokens


def _star(pattern: bytes, start: int, end: int, first_special: int, whole_path: bool) -> tuple[bytes, int]:
    """The kind of a run of stars, and where the pattern goes on."""
    if not whole_path or end - start < 2:
        return _STAR, end
    # git compares the literal start of a pattern on its own and then sees the rest as a pattern of its own:
    # in "a/foo**/bar" the stars therefore count as if they stood at a start.
    if start != first_special and pattern[start - 1 : start] != b"/":
        return _STAR, end
    if end == len(pattern):
        return _STARS, end
    if pattern[end : end + 1] == b"/":
        return _STARS_SLASH, end + 1
    if pattern[end : end + 2] == b"\\/":
        return _STARS, end
    return _STAR, end


def _bracket(pattern: bytes, at: int, ignore_case: bool) -> tuple[bytes, int] | None:
    """The class that starts after "[" and where the pattern goes on; None where it isn't closed or not valid."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    at += negated
    members: set[int] = set()
    previous = 0
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        if at >= len(pattern):
            return None
        byte = pattern[at]
        if byte == 0x5C:  # backslash
            at += 1
            if at >= len(pattern):
                return None
            previous = pattern[at]
            members.add(previous)
        elif byte == 0x2D and previous and at + 1 < len(pattern) and pattern[at + 1] != 0x5D:  # "-"
            at += 1
            at += pattern[at] == 0x5C
            if at >= len(pattern):
                return None
            ranged = range(previous, pattern[at] + 1)
            members.update(ranged)
            if ignore_case:  # of a class, git folds ranges and [:upper:] but no single characters
                members.update(byte + 32 for byte in ranged if 0x41 <= byte <= 0x5A)
            previous = 0
        elif (
            pattern.startswith(b"[:", at)
            and (close := pattern.find(b"]", at + 2)) != at + 2
            and (close == -1 or pattern[close - 1] == 0x3A)
        ):
            named = _POSIX_CLASSES.get(pattern[at + 2 : close - 1]) if close != -1 else None
            if named is None:
                return None
            members.update(named.encode())
            if ignore_case and pattern[at + 2 : close - 1] == b"upper":
                members.update(named.lower().encode())
            at, previous = close, 0
        else:
            members.add(byte)
            previous = byte
        at += 1
    members = (set(range(256)) - members) if negated else members
    members.discard(0x2F)  # a class never matches a slash
    if not members:
        return b"(?!)", at + 1
    return b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]", at + 1
