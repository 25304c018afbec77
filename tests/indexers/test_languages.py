"""Which language a file is in, by its name, its first line and, where both leave it open, its text."""

from __future__ import annotations

import pytest

from postil_indexers.dialects import dialect_of
from postil_indexers.languages import grammar_of, language_of


@pytest.mark.parametrize(
    ("path", "language"),
    [
        *(("src/app.py", "python"), ("a/CMakeLists.txt", "cmake"), ("Makefile", "make"), ("makefile.am", "make")),
        *(
            ("Dockerfile", "dockerfile"),
            ("web.dockerfile", "dockerfile"),
            ("Dockerfile.dev", "dockerfile"),
            ("go.mod", "gomod"),
        ),
        *(
            ("BUILD", "starlark"),
            ("BUILD.bazel", "starlark"),
            (".bashrc", "bash"),
            ("Gemfile", "ruby"),
            ("Rakefile", "ruby"),
        ),
        *(
            ("Jenkinsfile", "groovy"),
            ("build.gradle", "groovy"),
            ("build.gradle.kts", "kotlin"),
            ("x.d.ts", "typescript"),
        ),
        *(("requirements-dev.txt", "requirements"), ("notes.txt", "text"), ("README", "text"), ("a.MD", "markdown")),
        *(
            ("lib/dockerfile.pm", "perl"),
            ("view.blade.php", "php"),
            ("x.ipynb", "notebook"),
            (".gitignore", "gitignore"),
        ),
        *(
            ("main.tf", "terraform"),
            ("a.h", "c"),
            ("a.hpp", "cpp"),
            ("a.tsx", "tsx"),
            ("a.jsx", "javascript"),
            ("a.rst", "rst"),
        ),
        *(
            (".eslintrc.json", "json"),
            ("Vagrantfile", "ruby"),
            ("a.b.unknown", "text"),
            (".hidden", "text"),
            ("a.", "text"),
        ),
    ],
)
def test_names_say_the_language(path: str, language: str) -> None:
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python3.11 -u", "python"),
        ("#!/usr/bin/env -S deno run", "typescript"),
        ("#! /bin/sh -e", "bash"),
        ("#!/usr/bin/env FOO=1 node", "javascript"),
        ("# -*- mode: ruby -*-", "ruby"),
        ("// -*- C++ -*-", "cpp"),
        ("# vi: set ft=perl :", "perl"),
        ("<?php", "php"),
        ('<?xml version="1.0"?>', "xml"),
        ("#!/opt/nothing/known", "text"),
        ("plain words", "text"),
    ],
)
def test_the_first_line_says_it_where_the_name_does_not(line: str, language: str) -> None:
    assert language_of("bin/tool", line) == language


def test_the_name_goes_before_the_first_line() -> None:
    assert language_of("tool.rb", "#!/bin/sh") == "ruby"


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("a.h", '#ifdef __cplusplus\nextern "C" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n', "c"),
        ("a.h", "/* std::vector */ int f(void);\n", "c"),
        ("a.h", "namespace a {\nclass B;\n}\n", "cpp"),
        ("a.h", "#include <vector>\nvoid f(std::vector<int>& v);\n", "cpp"),
        ("a.h", "#import <Foundation/Foundation.h>\n@interface A : NSObject\n@end\n", "objc"),
        ("a.m", "function y = f(x)\n% doubles\ny = 2 * x;\nend\n", "matlab"),
        ("a.m", "@implementation A\n@end\n", "objc"),
        ("a.v", "module counter(input clk);\nendmodule\n", "verilog"),
        ("a.v", "module main\n\nfn main() {\n}\n", "v"),
        ("a.v", "Theorem t : True.\nProof. trivial. Qed.\n", "coq"),
        ("a.pl", "use strict;\nsub f { 1 }\n", "perl"),
        ("a.pl", ":- module(a, [f/1]).\nf(X) :- g(X).\n", "prolog"),
        ("a.ts", '<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS/>\n', "xml"),
        ("a.ts", "const a = 1;\n", "typescript"),
        ("a.fs", "module A\nlet x = 1\n", "fsharp"),
        ("a.fs", "#version 330\nvoid main() {}\n", "glsl"),
    ],
)
def test_the_text_says_it_where_languages_share_an_extension(path: str, text: str, language: str) -> None:
    assert dialect_of(language_of(path), path, text) == language


def test_languages_without_a_grammar_are_split_by_lines() -> None:
    assert grammar_of("python") == "python"
    assert grammar_of("terraform") == "terraform"
    assert grammar_of("less") == "scss"
    assert [grammar_of(language) for language in ("text", "markdown", "csv", "no such language")] == [None] * 4
