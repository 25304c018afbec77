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
    rb"(?P<kept>^[ \t]*#(?:[^\\\n]|\\.|\\\n)*)"  # a directive, with its continued lines, stays
    rb"|\b[A-Z][A-Z0-9]*_(?:[A-Z0-9_]*_)?" + _WORDS + rb"(?:_[A-Z0-9_]+)?\b(?:[ \t]*\((?:[^()\n]|\([^()\n]*\))*\))?"
    rb"|^[ \t]*[A-Z][A-Z0-9]*_[A-Z0-9_]+\([^();{\n]*\)[ \t]*$(?!\s*[{:])"  # FOO_WARNING_PUSH("x") alone on its line
    rb"|(?<=class )[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[ \t]+\w)|(?<=struct )[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=[ \t]+\w)",
    re.M,
)
_NOT_BLANK = re.compile(rb"[^\r\n]")


def without_macros(data: bytes, grammar: str) -> bytes:
    """`data` with such macros as blanks, every other byte in its place."""
    return _MACROS.sub(_blank, data) if grammar in _FAMILY else data


def _blank(found: re.Match[bytes]) -> bytes:
    return found[0] if found["kept"] is not None else _NOT_BLANK.sub(b" ", found[0])
