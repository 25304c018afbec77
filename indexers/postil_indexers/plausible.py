"""Whether a value beside a word like "password" is a secret, or a name, a placeholder, a path, a hash of content."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from operator import ne

# What documentation and tests write where a secret would be. Looked for anywhere in the value, without case.
_STAND_INS = re.compile(
    r"your|example|sample|dummy|placeholder|change|redact|insert|replace|secret|passw|p[a@4][s$5]{2}w|token|undefined"
    r"|default|admin|letmein|qwerty|foobar|abcdef|a1b2c3|12345|54321|xxxx|\*\*\*|\.\.\.|lorem|invalid|wrong|correct|hello"
    r"|world|value|string|bearer|basic|api_?key|key_?id|public",
    re.IGNORECASE,
)
_SHORT_STAND_INS = re.compile(r"test|fake|mask|todo|none|null|pass|foo|mock|demo|user|some|local", re.IGNORECASE)
_GENERATED = 24  # characters, from which on a value is made by a machine, and has such short words by chance
# In keys of a known format only what chance does not write: three letters come up in random ones.
_EXAMPLES = re.compile(r"example|x{5}|\*{3}|\.{3}|1234567|abcdefg|your[_-]|placeholder|redacted", re.IGNORECASE)
_LONG_KEY = 300  # in a private key block even five equal letters come up by chance
# Filled in when the program runs: variables, templates, formats, references, calls, escapes.
_COMPUTED = re.compile(r"^\$\w|\$\{|\{\{|#\{|%\(\w+\)|^\$\(|^%\w+%|^[&*@%]\w+$|^[<\[{(]|::|->|\(\)|\\x|\\u")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"(?:0x)?[0-9a-f]+", re.IGNORECASE)
# Beside these words hex is a hash of something.
_OF_CONTENT = re.compile(r"passw|pwd|hash|digest|sha\d|md5|checksum|etag|commit|revision", re.IGNORECASE)
_DIGEST = re.compile(r"^(?:sha\d{0,3}|md5|h\d)[-:=]|^\$(?:2[aby]|argon2|pbkdf2|[156])\$|^pbkdf2_|^\{\w+\}", re.I)
# Paths, addresses, file names, dotted names, numbers, versions, and names of which each part is a word or a number.
_PLACE = re.compile(
    r"^(?:\.{1,2}|~)/|^/[a-z_.-]{2,}/|^[\w+-]+://|^\w:\\|^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|^\d[\d.,:/_-]*$"
    r"|\.(?:json|ya?ml|toml|txt|pem|key|crt|cer|p12|pfx|jks|env|ini|conf|py|[jt]sx?|go|java|html|com|org|net|io|dev)$"
    r"|^(?:npm|workspace|file|link|git\+\w+):|^[~^<>=]*\d+\.\d"
    r"|^(?:[A-Za-z]+|\d+)(?:[_:.-]+(?:[A-Za-z]+\d{0,2}|\d+))+$"
)
_DIGITS = re.compile(r"[0-9]+")
_MARKS = re.compile(r"[!@#$%^*+~]")
_CODE = re.compile(r"[\[\](){}|\\/,;]")
_CLASSES = tuple(map(re.compile, ("[a-z]", "[A-Z]", "[0-9]", "[^A-Za-z0-9]")))

# Shannon entropy, bits a character: 95 of 100 runs of 8 random letters and digits have 2.5 or more.
_MIN_ENTROPY = 2.5
_MIN_GENERATED = 4.0  # 40 random Base64 characters have 4.47 or more in 99 of 100, paths and names less
_MIN_HEX = 32  # shorter hex values are colours, ids and short hashes
# Neighbours of another kind: 0.62 of all places in random letters and digits, 0.40 in lower case and digits, up to 0.3
# in names of several words.
_MIN_CHANGES = 0.35
_MANY_NUMBERS = 3  # separate numbers in a long value: names hardly have so many
_LONG = 16


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    counts = Counter(value).values()
    return -sum(count / len(value) * math.log2(count / len(value)) for count in counts)


def is_stand_in(value: str) -> bool:
    """Whether a value is a placeholder, or is computed when the program runs."""
    if len(value) < _GENERATED and _SHORT_STAND_INS.search(value):
        return True
    return bool(_STAND_INS.search(value) or _COMPUTED.search(value) or len(set(value)) <= 4)


def is_example(key: str) -> bool:
    """Whether a key of a known format is one that documentation shows."""
    return len(key) < _LONG_KEY and bool(_EXAMPLES.search(key) or len(set(key)) <= 4)


def is_generated(value: str) -> bool:
    """Whether a value of a known length is random Base64 rather than a path or a hash in hex."""
    return entropy(value) >= _MIN_GENERATED and not _HEX.fullmatch(value) and not is_example(value)


def _unwrapped(value: str) -> str:
    """What a Base64 value says, where that is plain text; else the value itself."""
    try:
        text = base64.b64decode(value, validate=True).decode("ascii")
    except ValueError:
        return value
    return text if text.isprintable() else value


def is_plausible(value: str, before: str = "") -> bool:
    """Whether a value assigned to something named like a credential is random enough to be one.

    `before` is what stands in front of it on its line.
    """
    value = _unwrapped(value)
    if is_stand_in(value) or _UUID.fullmatch(value) or _DIGEST.search(value) or _PLACE.search(value):
        return False
    if _HEX.fullmatch(value):
        return len(value) >= _MIN_HEX and entropy(value) >= _MIN_ENTROPY and not _OF_CONTENT.search(before)
    if entropy(value) < _MIN_ENTROPY:
        return False
    digits = len(_DIGITS.findall(value))
    if not digits:  # a name of several words changes its kind of character just as often, but has no such marks
        return bool(_MARKS.search(value) and not _CODE.search(value)) and _changes(value) >= _MIN_CHANGES
    return _changes(value) >= _MIN_CHANGES or (digits >= _MANY_NUMBERS and len(value) >= _LONG)


def _changes(value: str) -> float:
    """The share of neighbours that differ in kind: lower case, upper case, digit, mark."""
    kinds = [next(number for number, kind in enumerate(_CLASSES) if kind.match(character)) for character in value]
    changes: int = sum(map(ne, kinds, kinds[1:]))
    return changes / max(1, len(value) - 1)


def is_plausible_password(value: str) -> bool:
    """Whether the password of a URL is a real one: people's passwords too, so that only stand-ins are let through."""
    value = _unwrapped(value)
    value = value.partition(":")[2] or value
    return not is_stand_in(value) and sum(1 for kind in _CLASSES if kind.search(value)) >= 2
