"""C's macros out of the parser's way: attributes written as macros break a grammar that does not expand them."""

from __future__ import annotations

import re

_FAMILY = frozenset({"c", "cpp", "cuda", "objc", "hlsl", "ispc"})
# Words that end the names of macros which stand for an attribute, or open and close a namespace; no list of macros is
# complete, and blanking a macro that is a type (`DWORD`) would cost the function behind it.
_WORDS = (
    rb"(?:ATTRIBUTE|NONNULL|NON_NULL|NODISCARD|NOINLINE|INLINE|FORCEINLINE|WARN_UNUSED|DEPRECATED|EXPORT|EXTERN|API|NOEXCEPT"
    rb"|NORETURN|UNUSED|UNAVAILABLE|AVAILABLE|INITIALIZER|SWIFT_NAME|REQUIRES|GUARDED_BY|LOCKS_REQUIRED|LOCK_FUNCTION"
    rb"|LOCKABLE|THREAD_SAFETY_ANALYSIS|RETURN|PURE|COLD|HOT|RESULT|NAMESPACE_BEGIN|NAMESPACE_END|NONNULL_BEGIN|NONNULL_END|DECLS)"
)
_MACROS = re.compile(
    # The first byte is of a set, which is searched for ten times as fast as a choice; what it was is asked afterwards.
    rb"[\nA-Z](?:(?<=\n)[ \t]*(?:"
    rb"(?P<kept>#[^\\\n]*(?:\\[\s\S][^\\\n]*)*)"  # a directive, with its continued lines, stays
    rb"|[A-Z][A-Z0-9]*_[A-Z0-9_]+\([^();{\n]*\)[ \t]*$(?!\s*[{:]))"  # FOO_WARNING_PUSH("x") alone on its line
    rb"|(?<=[A-Z])(?<!\w[A-Z])[A-Z0-9]*_(?:[A-Z0-9_]*_)?" + _WORDS + rb"(?:_[A-Z0-9_]+)?\b"
    rb"(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?"
    rb"|(?:(?<=class [A-Z])|(?<=struct [A-Z]))[A-Z0-9]*_[A-Z0-9_]+(?=[ \t]+\w))",
    re.M,
)
_NOT_BLANK = re.compile(rb"[^\r\n]")


def without_macros(data: bytes, grammar: str) -> bytes:
    """`data` with such macros as blanks, every other byte in its place."""
    if grammar not in _FAMILY:
        return data
    return _MACROS.sub(_blank, b"\n" + data)[1:]  # so that the first line begins as the others do


def _blank(found: re.Match[bytes]) -> bytes:
    return found[0] if found["kept"] is not None else _NOT_BLANK.sub(b" ", found[0])
