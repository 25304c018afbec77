"""Extensions that several languages share: which one it is, guessed from the text."""

from __future__ import annotations

import re

_SAMPLE = 20_000  # characters that are looked at: includes and the first declarations
_OBJC = re.compile(r"^\s*(?:@(?:interface|implementation|protocol|import|class|property|end)\b|#import\b)", re.M)
_CPP = re.compile(
    r"^\s*(?:template\s*<|namespace\b|using\s+[\w:]+|class\s+\w[\w\s]*(?:[:{;]|final)|(?:public|private|protected)\s*:"
    r"|#\s*include\s*<(?:string|vector|map|memory|utility|functional|algorithm|cstd\w+|iostream|type_traits|c\w+)>)"
    r"|\b(?:constexpr|nullptr|noexcept|static_cast|dynamic_cast|virtual|typename|explicit|std::)\b|\w::\w",
    re.M,
)
_GUARDED_CPP = re.compile(r"#\s*if(?:def\s+|\s+defined\s*\(?\s*)__cplusplus\b.*?#\s*(?:endif|else)", re.S)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\r\n]*", re.S)
_MATLAB = re.compile(r"^\s*(?:function\b|classdef\b|%|end\s*$|\w+\s*=\s*[\[\w].*;\s*$)", re.M)
_MERCURY_OR_OTHER = re.compile(r"^:- ", re.M)
_VERILOG = re.compile(r"\b(?:module\s+\\?\w+\s*[#(;]|endmodule|always\s*@|`timescale|`define|`include|endfunction)")
_VLANG = re.compile(r"^(?:module\s+\w+\s*$|(?:pub\s+)?fn\s|(?:pub\s+)?struct\s+\w+\s*\{|import\s+[\w.]+\s*$)", re.M)
_PROLOG = re.compile(r"^:-\s|^[a-z]\w*\(.*\)\s*(?::-|\.)\s*$", re.M)
_PERL = re.compile(r"^\s*(?:use\s+(?:strict|warnings|\w+::)|package\s|sub\s|my\s|#!.*perl)", re.M)
_LATEX = re.compile(r"\\(?:NeedsTeXFormat|ProvidesClass|LoadClass|RequirePackage|documentclass)")
_QT = re.compile(r"^\s*(?:<\?xml|<!DOCTYPE TS|<TS\b)")
_GLSL = re.compile(r"^\s*(?:#version\b|precision\s|uniform\s|varying\s|attribute\s|void\s+main\s*\()", re.M)
_FORTH = re.compile(r"^:\s+\S+", re.M)


def dialect_of(language: str, path: str, text: str) -> str:
    """The language that the text is really in, where the file name leaves several open; else `language`."""
    extension = path.rpartition(".")[2].lower()
    guess = _GUESSES.get(extension)
    return guess(language, text[:_SAMPLE]) if guess else language


def _header(language: str, text: str) -> str:
    if _OBJC.search(text):
        return "objc"
    own = _GUARDED_CPP.sub("", _COMMENT.sub("", text))  # `extern "C"` for C++ says that it is C
    return "cpp" if _CPP.search(own) else "c" if language in ("c", "cpp") else language


def _m(language: str, text: str) -> str:
    if _OBJC.search(text) or re.search(r"^\s*#\s*(?:include|define|pragma)|^\s*//", text, re.M):
        return "objc"
    if _MERCURY_OR_OTHER.search(text):
        return "text"
    return "matlab" if _MATLAB.search(text) else "objc"


def _v(language: str, text: str) -> str:
    if _VERILOG.search(text):
        return "verilog"
    if _VLANG.search(text):
        return "v"
    return "coq" if re.search(r"^\s*(?:Require|Lemma|Theorem|Proof|Definition|Inductive)\b", text, re.M) else language


def _pl(language: str, text: str) -> str:
    return "prolog" if _PROLOG.search(text) and not _PERL.search(text) else language


def _cls(language: str, text: str) -> str:
    return "latex" if _LATEX.search(text) else language


def _ts(language: str, text: str) -> str:
    return "xml" if _QT.search(text) else language


def _fs(language: str, text: str) -> str:
    if _GLSL.search(text):
        return "glsl"
    return (
        "forth"
        if _FORTH.search(text) and not re.search(r"^\s*(?:let|module|namespace|open|type)\b", text, re.M)
        else language
    )


_GUESSES = {"h": _header, "m": _m, "v": _v, "pl": _pl, "cls": _cls, "ts": _ts, "fs": _fs}
