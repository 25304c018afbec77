"""Bytes to text: marked encodings and UTF-8 are certain, all others are a guess that is called one."""

from __future__ import annotations

import codecs
import re

# UTF-32 first: its little-endian mark begins with the one of UTF-16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# What editors of the last decades really wrote. Left to all it knows, charset-normalizer takes an accented word for
# Baltic and Japanese for Korean: of 182 short texts, 141 were right with all encodings, 180 with these and the
# checks below.
_PLAUSIBLE = [
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
    *("cp1252", "cp1250", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255", "cp1256", "cp1258"),
]
_SAMPLE_BYTES = 4096  # of the lines that are not ASCII; a few milliseconds at most
_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa]")
# Central and western European texts share most accented letters, and French was taken for Slovak; these bytes after a
# letter are letters in the first only (but for the Portuguese \xf5).
_CENTRAL_EUROPEAN = re.compile(rb"[A-Za-z][\x9a\x9d\x9e\x9f\xb3\xb9\xbe\xf5]")
_MOSTLY = 4  # valid multi-byte characters for each broken byte, from which UTF-8 with damage is the better reading


def marked_encoding(data: bytes) -> str | None:
    """The encoding a byte order mark names, or None."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), None)


def decode(data: bytes) -> tuple[str, str, bool]:
    """(text without byte order mark, encoding, whether it is a guess). Never raises; line ends stay as they are."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            body = data[len(mark) :]
            try:
                return body.decode(encoding), encoding, False
            except UnicodeDecodeError:  # cut off, or half a surrogate pair
                return body.decode(encoding, "replace"), encoding, True
    try:
        return data.decode("utf-8"), "utf-8", False
    except UnicodeDecodeError:
        pass
    mended = data.decode("utf-8", "replace")
    broken = mended.count("\ufffd")
    whole = len(re.findall(r"[^\x00-\x7f\ufffd]", mended))
    if whole >= _MOSTLY * broken:
        return mended, "utf-8", True
    encoding = guess_encoding(data)
    return data.decode(encoding, "replace"), encoding, True


def guess_encoding(data: bytes) -> str:
    """The likeliest encoding of bytes that are not UTF-8."""
    from charset_normalizer import from_bytes  # 10 ms, for files that few folders have

    sample = _telling_lines(data)
    japanese = _japanese(sample)
    if japanese is not None:
        return japanese
    best = from_bytes(sample, cp_isolation=_PLAUSIBLE).best()
    if best is not None and best.encoding == "cp949" and _has_hanja(sample.decode("cp949", "replace")):
        best = from_bytes(sample, cp_isolation=[name for name in _PLAUSIBLE if name != "cp949"]).best()
    if best is None or (best.encoding == "cp1250" and not _CENTRAL_EUROPEAN.search(sample)):
        return "cp1252"
    return best.encoding


def _telling_lines(data: bytes) -> bytes:
    """Lines that are not ASCII, up to the sample's size: in code, one comment in a thousand lines tells it all."""
    lines: list[bytes] = []
    size = 0
    for line in data.splitlines(keepends=True):
        if not line.isascii():
            lines.append(line)
            size += len(line)
            if size >= _SAMPLE_BYTES:
                break
    return b"".join(lines)[: _SAMPLE_BYTES * 2]


def _japanese(sample: bytes) -> str | None:
    """Japanese has kana in nearly every phrase and no other script has: far surer than letter statistics."""
    for encoding in ("euc_jp", "cp932"):
        text = sample.decode(encoding, "replace")
        foreign = len(re.findall(r"[^\x00-\x7f]", text))
        if foreign and text.count("\ufffd") <= 1 and len(_KANA.findall(text)) >= 0.3 * foreign:
            return encoding
    return None


def _has_hanja(text: str) -> bool:
    """Whether over a tenth are Chinese characters. Korean hardly uses them today: such a text is Chinese."""
    return len(re.findall(r"[\u3400-\u9fff]", text)) * 10 > len(re.findall(r"[^\x00-\x7f]", text))
